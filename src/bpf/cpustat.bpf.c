/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel's own times of all CPUs, copied by one run of a program that is attached to nothing.
 * An object of its own: a kernel without CONFIG_KALLSYMS_ALL does not know the symbol at run time,
 * and refuses all of it. */

#include <linux/bpf.h>

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#include "bpf/layout.h"

/* include/linux/kernel_stat.h. The enumeration holds more on newer kernels; libbpf finds each
 * name's value in the running one. */
enum cpu_usage_stat { CPUTIME_USER, CPUTIME_NICE, CPUTIME_SYSTEM, CPUTIME_STEAL = 7 };

struct kernel_cpustat {
	__u64 cpustat[10];
} __attribute__((preserve_access_index));

extern const struct kernel_cpustat kernel_cpustat __ksym;

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct nb_probe_cpustat);
} times SEC(".maps");

char LICENSE[] SEC("license") = "GPL";

#define TIME(times, name) \
	((times)->cpustat[bpf_core_enum_value(enum cpu_usage_stat, CPUTIME_##name)])

/* The only argument is the CPU to begin with. */
SEC("raw_tp")
int read_cpustat(__u64 *ctx)
{
	for (__u32 i = 0; i < NB_PROBE_CPUS_AT_ONCE; i++) {
		__u32 cpu = ctx[0] + i;
		const struct kernel_cpustat *from = bpf_per_cpu_ptr(&kernel_cpustat, cpu);
		struct nb_probe_cpustat *to = bpf_map_lookup_elem(&times, &cpu);

		if (!to || !from) /* no such CPU */
			break;
		to->user_nsec = TIME(from, USER) + TIME(from, NICE) + TIME(from, SYSTEM);
		to->steal_nsec = TIME(from, STEAL);
	}
	return 0;
}

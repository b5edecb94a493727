/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* What the programs share with user space. Sizes that depend on the machine are set before loading;
 * arrays are mapped rather than per-CPU ones, which could only be read by system calls. */

#include "bpf/kernel.bpf.h"
#include "bpf/layout.h"

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct nb_probe_cpu);
} cpus SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct nb_probe_delays);
} delays SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, NB_PROBE_NAPIS_MAX);
	__type(key, __u32);
	__type(value, struct nb_probe_napi);
} napis SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, NB_PROBE_IRQS_MAX);
	__type(key, __u32);
	__type(value, struct nb_probe_irq);
} irqs SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, NB_PROBE_BUCKETS_MAX);
	__type(key, __u32);
	__type(value, struct nb_probe_bucket);
} buckets SEC(".maps");

/* Which of napis a NAPI has, by its address; with NB_PROBE_OUT while its device is not in scope. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, NB_PROBE_NAPIS_MAX);
	__type(key, __u64);
	__type(value, __u32);
} napi_positions SEC(".maps");

/* Positions in napis that nobody has: a queue, for before 5.12 no program can count and learn the
 * count at once. */
struct {
	__uint(type, BPF_MAP_TYPE_QUEUE);
	__uint(max_entries, NB_PROBE_NAPIS_MAX);
	__type(value, __u32);
} free_napis SEC(".maps");

/* What devices are, by index; positions in irqs by interrupt. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, NB_PROBE_DEVICES_MAX + NB_PROBE_TUNNELS_MAX + NB_PROBE_VIRTUALS_MAX);
	__type(key, __u32);
	__type(value, __u32);
} devices SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, NB_PROBE_IRQS_MAX);
	__type(key, __u32);
	__type(value, __u32);
} irqs_in_scope SEC(".maps");

struct nb_probe_totals totals;                /* all there is in .bss */
struct nb_probe_control control SEC(".data"); /* and in .data */
const volatile __u32 own_netns; /* inode of the network namespace that the devices are of; 0: any */

/* Whether an interrupt, a softirq or a NAPI was under way when the slice began is not known. */
static __always_inline void join(struct nb_probe_cpu *cpu, __u32 slice)
{
	cpu->state.slice = slice;
	cpu->state.settled = 0;
	cpu->state.entered_nsec = 0;
	cpu->state.irq_entered_nsec = 0;
	cpu->state.raised_nsec = 0;
	cpu->state.put = 0;
	cpu->state.fed = 0;
	cpu->state.irq = 0;
	cpu->state.n_irqs = 0;
}

/* NULL: nothing is to be measured here. Array lookups are inlined by the verifier. */
static __always_inline struct nb_probe_cpu *this_cpu(__u32 slice)
{
	__u32 id = bpf_get_smp_processor_id();
	struct nb_probe_cpu *cpu;

	if (id >= NB_PROBE_CPUS_MAX || control.skipped[id])
		return NULL;
	cpu = bpf_map_lookup_elem(&cpus, &id);
	if (cpu && cpu->state.slice != slice)
		join(cpu, slice);
	return cpu;
}

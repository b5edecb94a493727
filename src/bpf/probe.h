/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* The eBPF probe: times softirqs, hard interrupts and NAPI polls in the kernel. It measures and
 * decides nothing. Needs kernel BTF and CAP_BPF with CAP_PERFMON. All return negative errno. */

#include "bpf/layout.h"
#include "nicbalance/cpumask.h"

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct nb_probe nb_probe;

/* A process of its own that puts the programs into the kernel. */
typedef struct nb_probe_loading nb_probe_loading;

/* Loads the programs: as tp_btf, else as raw_tp. That takes a while, so the answer is
 * -EINPROGRESS at first, and *loading, which was NULL, is to be given with the next call; it is
 * NULL again when there is another answer. On failure ret_reason (owned by the caller, also when
 * ret_reason is all that is set) is one line for the operator: what is missing and what to do about
 * it. -EPERM: capabilities; -ENOENT: no BTF; -EOPNOTSUPP: this kernel has none of it. */
int nb_probe_open(struct nb_probe_loading **loading, struct nb_probe **ret, char **ret_reason);

/* Gives up what is being loaded, without waiting for the process. Unless it has ended before,
 * nb_probe_open() answers -EPIPE when it is dead. */
void nb_probe_loading_kill(const struct nb_probe_loading *loading);
/* The same, and waits for its end. */
void nb_probe_loading_free(struct nb_probe_loading *loading);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(nb_probe_loading, nb_probe_loading_free)

void nb_probe_free(struct nb_probe *probe);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(nb_probe, nb_probe_free)

/* Attaching patches the kernel's text and interrupts every CPU for that, isolated ones too, and so
 * does detaching; a probe is detached at first. */
int nb_probe_attach(struct nb_probe *probe);
void nb_probe_detach(struct nb_probe *probe);
bool nb_probe_is_attached(const struct nb_probe *probe);

/* While attached: whether the programs measure. That is the write of a flag. What began before they
 * do is not counted. */
void nb_probe_measure(struct nb_probe *probe, bool on);
bool nb_probe_measures(const struct nb_probe *probe);

/* CPUs on which the programs return at once, and no others from now on. */
void nb_probe_skip_cpus(struct nb_probe *probe, const struct nb_cpumask *cpus);

/* Which devices' NAPIs and which interrupts get counters of their own from now on. What was in
 * scope before and still is keeps its counters. -ENOSPC: the counters are used up by what came and
 * went; make a new probe. */
int nb_probe_set_scope(struct nb_probe *probe, const int *ifindexes, unsigned n_ifindexes,
		       const uint32_t *irqs, unsigned n_irqs);

/* Which devices' NAPIs work on what the CPU that polls them received, after nb_probe_set_scope():
 * their time counts as onward_nsec from now on. Of more than NB_PROBE_TUNNELS_MAX the first. Errors
 * are those of nb_probe_set_scope(). */
int nb_probe_set_tunnels(struct nb_probe *probe, const int *ifindexes, unsigned n);

/* Which devices without hardware are measured by themselves from now on (nb_probe_cpu.virtuals):
 * NB_PROBE_VIRTUALS_MAX interface numbers, 0: none, after nb_probe_set_tunnels(). None of them may
 * be in scope or a tunnel. Counters go on with the next device where they were. Errors are those of
 * nb_probe_set_scope(). */
int nb_probe_set_virtuals(struct nb_probe *probe, const int *ifindexes);
/* Whether they are, and others are looked for (nb_probe_cpu.untold_nsec). */
void nb_probe_watch_virtuals(struct nb_probe *probe, bool on);

/* The mapped counters. They change while they are read; one counter is never torn. Valid as long as
 * the probe. */
struct nb_probe_view {
	const struct nb_probe_cpu *cpus; /* by CPU number */
	unsigned n_cpus;                 /* ids, of CPUs that are not possible, too */
	const struct nb_probe_napi *napis;
	unsigned n_napis; /* in use at the moment; grows */
	const struct nb_probe_irq *irqs;
	unsigned n_irqs;
	uint32_t n_slices; /* so far; what was counted in between is not all there was */
};
void nb_probe_view(const struct nb_probe *probe, struct nb_probe_view *ret);

/* Position of an interrupt's counters among view.irqs; -1: not in scope. Valid until the next
 * nb_probe_set_scope(). */
int nb_probe_find_irq(const struct nb_probe *probe, uint32_t irq);

/* Whether the programs still count: softirqs of this host's CPUs must have come since the last call
 * (at least a second ago), and polls with them. -EIO: they do not; the probe is of no more use. */
int nb_probe_check(struct nb_probe *probe);

/* The time of each possible CPU outside interrupts, read from kernel_cpustat by one BPF program run
 * (one system call). stats has one entry for each possible CPU. -EOPNOTSUPP: this kernel keeps that
 * symbol to itself (no CONFIG_KALLSYMS_ALL). */
int nb_probe_read_cpustat(struct nb_probe *probe, struct nb_probe_cpustat *stats, unsigned n_cpus);

/* Delays from raise to entry of NET_RX, by CPU. Attaches one more program (a patched jump on every
 * CPU) and detaches it again. While detached the counts stand still. */
int nb_probe_watch_delays(struct nb_probe *probe, bool on);
/* Whether every delay is counted just now. */
bool nb_probe_watches_delays(const struct nb_probe *probe);
/* One entry for each possible CPU; NULL if they were never watched. */
const struct nb_probe_delays *nb_probe_delays(const struct nb_probe *probe);

/* How a NIC hashes. */
struct nb_probe_hashing {
	const uint8_t *key; /* NB_TOEPLITZ_KEY bytes */
	uint32_t ports;     /* NB_PROBE_TCP4 … */
};

/* Counts the packets that a device receives by the entry of its RSS table (bucket) to which their
 * hash belongs; queues are those that the table names, one for each of n entries. The hash of a
 * packet is what the NIC told, else that of its headers, unless hashing is NULL. Attaches two more
 * programs, which run for each packet of any device on any CPU, skipped ones too; another call
 * replaces the former one. Needs no nb_probe_measure(). -E2BIG: more entries than
 * NB_PROBE_BUCKETS_MAX, or a queue of a number that packets cannot have; -EINVAL: no entries, or no
 * device. On failure nothing is counted. */
int nb_probe_count_buckets(struct nb_probe *probe, int ifindex, const uint32_t *queues, unsigned n,
			   const struct nb_probe_hashing *hashing);
void nb_probe_stop_buckets(struct nb_probe *probe);
/* NB_PROBE_BUCKETS_MAX counters, which only grow, and go on with the next device where they were;
 * NULL if they were never used. */
const struct nb_probe_bucket *nb_probe_buckets(const struct nb_probe *probe);

/* Reads a counter that a program may be writing, before any that is read after it. */
static inline uint32_t nb_probe_counter(const uint32_t *counter)
{
	return __atomic_load_n(counter, __ATOMIC_ACQUIRE);
}

/* How the programs are attached: "tp_btf" or "raw_tp". */
const char *nb_probe_flavour(const struct nb_probe *probe);

/* CPU time of the programs on all CPUs since they were loaded, nanoseconds; an estimate from runs
 * that timed themselves, and what entering a program takes. */
uint64_t nb_probe_cost_nsec(const struct nb_probe *probe);
/* What entering a program takes, nanoseconds, timed when they were loaded. */
uint32_t nb_probe_entering_nsec(const struct nb_probe *probe);
/* What a program takes to read the clock; 0: not known. */
uint32_t nb_probe_clock_nsec(const struct nb_probe *probe);

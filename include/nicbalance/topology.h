/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* The CPUs of the host and how near they are to each other. Plain data. */

#include "nicbalance/cpumask.h"
#include "nicbalance/units.h"

#define NB_NODE_NONE (-1)

/* No CPU counts for less: that of the smallest cores next to the largest ones is two and a half
 * times as much (160 of 1024, Tensor G1). */
#define NB_CAPACITY_LEAST (NB_WHOLE / 16)

struct nb_cpu {
	unsigned id;   /* the kernel's CPU number; ids may have holes */
	unsigned core; /* lowest id among the hardware threads of its core: names the core */
	unsigned llc;  /* lowest id among the CPUs that share its last-level cache */
	int node;      /* NUMA node, or NB_NODE_NONE where the kernel knows no nodes */
	/* How much it does in a time: basis points of the largest CPU, NB_CAPACITY_LEAST at least.
	 * NB_WHOLE of all where CPUs are equal. */
	uint32_t capacity;
};

/* What takes this load of a CPU takes so much of one that has the capacity to. */
static inline uint32_t nb_capacity_convert(uint32_t load, uint32_t from, uint32_t to)
{
	return from == to ? load : (uint32_t)((uint64_t)load * from / to);
}

/* Why a CPU is isolated. A CPU may be so for several reasons at once. */
enum nb_isolation {
	NB_ISOLATION_DOMAIN,      /* isolcpus= (domain): /sys/devices/system/cpu/isolated */
	NB_ISOLATION_NOHZ_FULL,   /* nohz_full=: /sys/devices/system/cpu/nohz_full */
	NB_ISOLATION_MANAGED_IRQ, /* isolcpus=managed_irq,…: only /proc/cmdline shows it */
	NB_ISOLATION_CPUSET,      /* cgroup v2 isolated partitions */
	_NB_ISOLATION_MAX,
	_NB_ISOLATION_INVALID = -1,
};

struct nb_topology {
	unsigned n_possible; /* nr_cpu_ids: highest possible CPU + 1, the width of masks */
	struct nb_cpumask online;
	struct nb_cpumask isolated; /* the union of all of isolated_by[] */
	struct nb_cpumask isolated_by[_NB_ISOLATION_MAX];
	struct nb_cpu *cpus; /* online CPUs, ascending by id */
	unsigned n_cpus;
};

/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* The CPUs of the host and how near they are to each other. Plain data. */

#include "nicbalance/cpumask.h"

#define NB_NODE_NONE (-1)

struct nb_cpu {
	unsigned id;   /* the kernel's CPU number; ids may have holes */
	unsigned core; /* lowest id among the hardware threads of its core: names the core */
	unsigned llc;  /* lowest id among the CPUs that share its last-level cache */
	int node;      /* NUMA node, or NB_NODE_NONE where the kernel knows no nodes */
};

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

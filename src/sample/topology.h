/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* Reads the CPUs of the host: who they are, how near to each other, and which are isolated. */

#include "nicbalance/topology.h"
#include "sysroot/sysroot.h"

/* *ret_possible: the possible CPUs, which some files have a column for. The caller frees ret->cpus
 * (g_free). */
int nb_topology_read(struct nb_sysroot *root, struct nb_topology *ret,
		     struct nb_cpumask *ret_possible);

/* Fills isolated and isolated_by from all sources there are; a source that is absent isolates
 * nothing. n_possible must be known. */
void nb_topology_read_isolation(struct nb_sysroot *root, struct nb_topology *topology);

/* The CPUs that the command line isolates from managed interrupts, which no file shows. Pure. */
void nb_isolation_parse_cmdline(const char *cmdline, unsigned n_possible, struct nb_cpumask *ret);

/* The node that has online CPUs and is nearest to node, itself first; NB_NODE_NONE when it is -1 or
 * unknown. */
int nb_topology_nearest_node(struct nb_sysroot *root, const struct nb_topology *topology, int node);

/* A file that holds a CPU list. */
int nb_topology_read_list(struct nb_sysroot *root, const char *path, struct nb_cpumask *ret);

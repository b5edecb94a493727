/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* Reads the CPUs of the host: who they are, how near to each other, and which are isolated. */

#include "nicbalance/topology.h"
#include "sysroot/sysroot.h"

/* *ret_possible: the possible CPUs, which some files have a column for. The caller frees ret->cpus
 * (g_free). */
int nb_topology_read(struct nb_sysroot *root, struct nb_topology *ret,
		     struct nb_cpumask *ret_possible);

/* The node that has online CPUs and is nearest to node, itself first; NB_NODE_NONE when it is -1 or
 * unknown. */
int nb_topology_nearest_node(struct nb_sysroot *root, const struct nb_topology *topology, int node);

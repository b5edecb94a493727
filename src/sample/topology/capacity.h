/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* Reads how much each CPU does in a time. */

#include "nicbalance/topology.h"
#include "sysroot/sysroot.h"

/* Sets the capacity of each CPU. All are equal unless the kernel tells, of every CPU, what makes
 * some clearly smaller. */
void nb_capacity_read(struct nb_sysroot *root, struct nb_topology *topology);

/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* Which receive queues hand packets on to other CPUs. */

#include "nicbalance/snapshot.h"
#include "sysroot/sysroot.h"

#include <glib.h>

/* Looks at every receive queue of the devices in scope, and of those that are steered. rps: struct
 * nb_rps_state, ascending by key; what it held is dropped. */
void nb_rps_find_all(struct nb_sysroot *root, const struct nb_machine *machine, GArray *rps);
/* Looks again at those that rps holds, and drops those that are empty by now. */
void nb_rps_review(struct nb_sysroot *root, const struct nb_machine *machine, GArray *rps);

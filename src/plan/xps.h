/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* XPS masks that follow the interrupts of transmit queues. Pure. */

#include "plan/board.h"

#include <glib.h>

/* Each online CPU gets the queues whose interrupt is there (cpus, of n queues), else one of the
 * nearest, evenly: in its last-level cache, in its node, elsewhere. Excluded CPUs send, too. */
void nb_xps_lay_out(const struct nb_topology *topology, const unsigned *cpus, unsigned n,
		    struct nb_cpumask *masks);

/* True: the masks of one NIC are to change. One a cycle: writing them takes the RTNL lock. masks is
 * filled with what the change points to. */
bool nb_xps_follow(const struct nb_board *board, const struct nb_machine *machine,
		   const struct nb_memory *memory, GArray *masks, struct nb_follow_change *ret);

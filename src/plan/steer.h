/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* RPS, the step after moving interrupts: a queue that is too much for one CPU hands its packets on
 * to others. It buys throughput with CPU time and every change of a mask re-orders packets once
 * (net/core/dev.c get_rps_cpu() scales the hash to the length of the map), so it comes late,
 * changes seldom and goes by itself. Pure. */

#include "nicbalance/plan.h"
#include "plan/board.h"

/* Looks after the masks that we set: goes back on what did not help; takes one off that is no
 * longer needed or that the node cannot afford; mends one that holds a CPU it may no longer hold,
 * or that is hot by other work; widens one whose CPUs are hot by what they are handed. At most one
 * change; false when there is none. Counts calm samples in memory. */
bool nb_steer_review(const struct nb_board *board, struct nb_memory *memory,
		     struct nb_rps_change *ret);

/* Begins to steer the queue that makes the hottest CPU of the domain hot, over as many CPUs as it
 * takes for none of them to get hot. False when RPS cannot help: it is switched off, the queue is
 * not what makes the CPU hot, its NIC has as many queues as the domain has CPUs and the CPU is not
 * full, the node has no time to spend, someone else has set the mask, it did not help shortly
 * before, or too few CPUs are free for it. */
bool nb_steer_begin(const struct nb_board *board, struct nb_memory *memory,
		    const struct nb_domain *domain, struct nb_rps_change *ret);

/* That queue was steered before, and it did not help. */
bool nb_steer_gave_up(const struct nb_board *board, struct nb_memory *memory,
		      const struct nb_domain *domain);

/* A CPU that one of our masks holds is hot. */
bool nb_steer_has_hot_target(const struct nb_board *board, const struct nb_memory *memory);

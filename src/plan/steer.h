/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* RPS, used when moving interrupts does not help: packets of a queue that is too much for one CPU
 * are steered to others. It costs CPU time, and every change of a mask reorders packets once
 * (net/core/dev.c get_rps_cpu() scales the hash to the length of the map), so it comes late,
 * changes seldom and is removed when no longer needed. Pure. */

#include "nicbalance/plan.h"
#include "plan/board.h"

/* To be called first: what a mask that was just set hands to its CPUs shows late in smoothed loads,
 * so it counts as what it is expected to be. */
void nb_steer_expect(struct nb_board *board, const struct nb_memory *memory);

/* Reviews the masks that we set: reverts one that did not help; removes one that is no longer
 * needed or for which the node has no time; mends one that contains a CPU to which it is no longer
 * steered or that is hot by other work; widens one whose CPUs are hot by steered work. At most one
 * change; false if there is none. Counts calm samples in memory. */
bool nb_steer_review(const struct nb_board *board, struct nb_memory *memory,
		     struct nb_rps_change *ret);

/* Appends a change for each mask of ours that contains a CPU that its queue may not use any more,
 * unless changes has one of it: the same without it, or if it helps a NAPI to complete, its end. */
void nb_steer_obey(const struct nb_board *board, const struct nb_memory *memory, GArray *changes);

/* Starts to steer the queue that makes the hottest CPU of the domain hot, to as many CPUs as needed
 * for none of them to get hot. False if RPS cannot help: it is disabled, the queue is not what
 * makes the CPU hot, its NIC has as many queues as the domain has CPUs and the CPU is not in panic,
 * the node has no time for it, another program has set the mask, it did not help shortly before, or
 * too few CPUs are free for it. */
bool nb_steer_begin(const struct nb_board *board, struct nb_memory *memory,
		    const struct nb_domain *domain, struct nb_rps_change *ret);

/* That queue was steered before, and it did not help. */
bool nb_steer_gave_up(const struct nb_board *board, struct nb_memory *memory,
		      const struct nb_domain *domain);

/* A CPU of one of our masks is hot. */
bool nb_steer_has_hot_target(const struct nb_board *board, const struct nb_memory *memory);

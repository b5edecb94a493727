/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* Queues whose NAPIs do not follow their interrupts. A poll that always finds its whole budget goes
 * on, with the interrupt masked, on the CPU where it began (net/core/dev.c napi_poll(),
 * napi_complete_done()); most drivers do not look where they are. Pure. */

#include "nicbalance/plan.h"
#include "plan/board.h"

/* What is to be done about them. */
struct nb_unstick {
	GArray *rps;         /* struct nb_rps_change, appended */
	GArray *rss;         /* struct nb_rss_change, likewise */
	uint64_t again_nsec; /* look again so long after; 0: that does not matter */
};

/* Helps them: for a moment all queues polled on such a CPU are steered by RPS to other CPUs. What
 * is left to poll is then so little that every NAPI there finishes, and the next interrupt comes
 * where it belongs. Then the masks go, all at once. Where that is not enough the RSS tables of
 * their NICs leave those queues out for a moment, too, by turns. Tried again for as long as a queue
 * is stuck, each time later. Notes tries in memory. */
void nb_unstick(const struct nb_board *board, struct nb_memory *memory, struct nb_unstick *ret);

/* Appends what puts back every RSS table that is changed now. */
void nb_unstick_tables_back(const struct nb_memory *memory, GArray *changes);

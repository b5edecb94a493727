/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* Helps queues whose NAPIs do not follow their interrupts. A NAPI of which every poll uses its
 * whole budget stays, with the interrupt masked, on the CPU where it began (net/core/dev.c
 * napi_poll(), napi_complete_done()); most drivers do not check the affinity. Pure. */

#include "nicbalance/plan.h"
#include "plan/board.h"

/* The changes that help them. */
struct nb_unstick {
	GArray *rps;         /* struct nb_rps_change, appended */
	GArray *rss;         /* struct nb_rss_change, likewise */
	uint64_t again_nsec; /* next cycle so long after the snapshot; 0: after the interval */
};

/* For a moment all queues polled on such a CPU are steered by RPS to other CPUs. The polls are so
 * short then that every NAPI there completes, and the next interrupt comes on the right CPU. Then
 * the masks are removed, all at once. Every second attempt also leaves those queues out of the RSS
 * tables of their NICs. Repeated as long as a queue is stuck, each time later. Notes attempts in
 * memory. */
void nb_unstick(const struct nb_board *board, struct nb_memory *memory, struct nb_unstick *ret);

/* Appends the changes that restore all RSS tables. */
void nb_unstick_tables_back(const struct nb_memory *memory, GArray *changes);

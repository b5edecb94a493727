/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* CPU time of the daemon: that of the start, and that of the last minute. Pure. */

#include <stdbool.h>
#include <stdint.h>

/* Ten seconds apart: the oldest is a minute old. */
#define NB_COST_MARKS 7u

struct nb_cost_mark {
	uint64_t now_nsec;
	uint64_t spent_nsec;
};

/* Zeroed while the daemon starts: before its first cycle is over and the eBPF programs are loaded
 * or refused. */
struct nb_cost {
	uint64_t start_nsec;
	struct nb_cost_mark marks[NB_COST_MARKS]; /* oldest first */
	unsigned n_marks;
};

/* There is none yet, or the last one is ten seconds old. */
bool nb_cost_is_due(const struct nb_cost *cost, uint64_t now_nsec);
/* spent_nsec: since the process exists. The first mark ends the start. */
void nb_cost_mark(struct nb_cost *cost, uint64_t now_nsec, uint64_t spent_nsec);
/* The time since the oldest mark and what was spent in it; both 0 if that is less than ten seconds.
 */
struct nb_cost_mark nb_cost_recent(const struct nb_cost *cost, uint64_t now_nsec,
				   uint64_t spent_nsec);

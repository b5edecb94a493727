/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "daemon/cost.h"

#include "nicbalance/units.h"

#include <string.h>

/* Less than that is no average: a cycle every ten seconds is all that an idle daemon does. */
#define STEP_NSEC (10 * NB_NSEC_PER_SEC)

bool nb_cost_is_due(const struct nb_cost *cost, uint64_t now_nsec)
{
	return cost->n_marks == 0 ||
	       now_nsec >= cost->marks[cost->n_marks - 1].now_nsec + STEP_NSEC;
}

void nb_cost_mark(struct nb_cost *cost, uint64_t now_nsec, uint64_t spent_nsec)
{
	if (cost->n_marks == 0)
		cost->start_nsec = spent_nsec;
	if (cost->n_marks == NB_COST_MARKS) {
		cost->n_marks--;
		memmove(cost->marks, cost->marks + 1, cost->n_marks * sizeof(*cost->marks));
	}
	cost->marks[cost->n_marks++] = (struct nb_cost_mark){now_nsec, spent_nsec};
}

struct nb_cost_mark nb_cost_recent(const struct nb_cost *cost, uint64_t now_nsec,
				   uint64_t spent_nsec)
{
	const struct nb_cost_mark *oldest = &cost->marks[0];

	if (cost->n_marks == 0 || now_nsec < oldest->now_nsec + STEP_NSEC)
		return (struct nb_cost_mark){0};
	return (struct nb_cost_mark){now_nsec - oldest->now_nsec, spent_nsec - oldest->spent_nsec};
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* How cool the hottest CPU with a queue can be, of all placements of some queues beside what the
 * CPUs have to do anyway. */

#include <glib.h>
#include <stdint.h>
#include <string.h>

#define BEST_CPUS 16u
#define BEST_QUEUES 128u
/* After so many placements the best of them is taken: an upper bound then. */
#define BEST_TRIALS 20000u

struct best {
	unsigned n_cpus, n_queues;
	uint32_t fixed[BEST_CPUS];
	/* Dearest first; see best_add(). */
	uint32_t time[BEST_QUEUES];
	uint32_t allowed[BEST_QUEUES]; /* CPUs, as bits */
	/* Of the search. */
	uint32_t load[BEST_CPUS];
	uint32_t found;
	unsigned trials;
};

static inline void best_add(struct best *best, uint32_t cost, uint32_t allowed)
{
	unsigned at = best->n_queues++;

	g_assert(best->n_queues <= BEST_QUEUES);
	for (; at > 0 && best->time[at - 1] < cost; at--) {
		best->time[at] = best->time[at - 1];
		best->allowed[at] = best->allowed[at - 1];
	}
	best->time[at] = cost;
	best->allowed[at] = allowed;
}

/* The coolest CPU that was not tried for this queue. */
static inline int best_next(const struct best *best, unsigned queue, uint32_t tried)
{
	int coolest = -1;

	for (unsigned i = 0; i < best->n_cpus; i++)
		if ((best->allowed[queue] & ~tried) >> i & 1 &&
		    (coolest < 0 || best->load[i] < best->load[coolest]))
			coolest = (int)i;
	return coolest;
}

/* Depth first, the coolest CPU first: the first placement is that of the longest processing time
 * first (Graham, SIAM Journal on Applied Mathematics 17, 1969). */
static inline void best_place(struct best *best, unsigned queue, uint32_t hottest)
{
	uint32_t tried = 0, seen = UINT32_MAX;
	int cpu;

	if (hottest >= best->found || best->trials > BEST_TRIALS)
		return;
	if (queue == best->n_queues) {
		best->found = hottest;
		return;
	}
	best->trials++;
	while ((cpu = best_next(best, queue, tried)) >= 0) {
		tried |= 1u << cpu;
		/* One that is as loaded is as good. (But not to all queues: an upper bound again.)
		 */
		if (best->load[cpu] == seen)
			continue;
		seen = best->load[cpu];
		best->load[cpu] += best->time[queue];
		best_place(best, queue + 1, MAX(hottest, best->load[cpu]));
		best->load[cpu] -= best->time[queue];
	}
}

static inline uint32_t best_find(struct best *best)
{
	memcpy(best->load, best->fixed, sizeof(best->load));
	best->found = UINT32_MAX;
	best->trials = 0;
	best_place(best, 0, 0);
	return best->found;
}

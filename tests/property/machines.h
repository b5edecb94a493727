/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* Generated machines, and what an onlooker reckons of their loads without the planner's help. */

#include "support/host.h"
#include "support/meter.h"

#include <stdio.h>
#include <stdlib.h>

enum machine_flags {
	SMALL = 1,      /* at most eight CPUs */
	LARGE = 2,      /* up to 64 */
	ONE_THREAD = 4, /* a core */
};

static inline uint64_t env_number(const char *name, uint64_t fallback)
{
	const char *text = getenv(name);

	return text ? strtoull(text, NULL, 0) : fallback;
}

static inline void add_random_nic(struct nb_host *host, unsigned n_nodes, unsigned most_queues,
				  uint64_t *state)
{
	int node = n_nodes > 1 && nb_random_below(state, 4) ? (int)nb_random_below(state, n_nodes)
							    : NB_NODE_NONE;
	unsigned n_queues = 1 + nb_random_below(state, most_queues);
	bool piled = nb_random_below(state, 4) == 0;
	unsigned first =
		nb_host_add_nic(host, node, n_queues, nb_random_below(state, host->cpus->len), 0);

	for (unsigned i = first; i < first + n_queues; i++) {
		host->time[i] = nb_random_below(state, nb_random_below(state, 3) ? 2500 : 9000);
		if (!piled)
			nb_host_place(host, i, nb_random_below(state, host->cpus->len));
		host->snapshot.queues[i].settable = nb_random_below(state, 20) != 0;
		if (nb_random_below(state, 10) == 0) {
			host->snapshot.queues[i].n_allowed = 2 + nb_random_below(state, 6);
			host->snapshot.queues[i].affinity_cpu = -1;
		}
	}
}

/* Any mix of SMT, nodes, caches, isolation, bans, applications and NICs. CPU 0 stays eligible. */
static inline struct nb_host *random_host(uint64_t seed, unsigned flags)
{
	static const unsigned cpu_counts[] = {2, 4, 8, 16, 32, 64};
	uint64_t state = seed;
	unsigned n_cpus = cpu_counts[nb_random_below(&state, flags & SMALL ? 3 : 6)];
	unsigned n_threads = nb_random_below(&state, 2) && !(flags & ONE_THREAD) ? 2 : 1;
	unsigned n_nodes = n_cpus / n_threads >= 4 && nb_random_below(&state, 2) ? 2 : 1;
	struct nb_host *host = nb_host_new(n_cpus, n_threads, n_nodes);
	unsigned n_nics = 1 + nb_random_below(&state, flags & SMALL ? 2 : 3);

	host->siblings_slow = true;
	if (nb_random_below(&state, 3) == 0)
		nb_host_set_caches(host, 2);
	for (unsigned i = 0; i < n_nics; i++)
		add_random_nic(host, n_nodes, flags & SMALL ? 5 : 12, &state);
	for (unsigned i = 0; i < n_cpus; i++) {
		host->fixed[i] = nb_random_below(&state, nb_random_below(&state, 4) ? 1500 : 9500);
		if (i && nb_random_below(&state, 10) == 0)
			nb_host_isolate(host, i);
		if (i && nb_random_below(&state, 12) == 0)
			nb_cpumask_add(&host->policy.banned, i);
	}
	return host;
}

/* The other thread of its core, or NB_CPUS_MAX; there are two at most. */
static inline unsigned sibling_of(const struct nb_host *host, unsigned cpu)
{
	for (unsigned i = 0; i < host->machine.topology.n_cpus; i++)
		if (i != cpu &&
		    host->machine.topology.cpus[i].core == host->machine.topology.cpus[cpu].core)
			return i;
	return NB_CPUS_MAX;
}

/* What a CPU is to the planner: its work, and a part of the other thread's. */
static inline uint32_t effective_load(const struct nb_host *host, unsigned cpu)
{
	unsigned sibling = sibling_of(host, cpu);
	uint32_t its = sibling == NB_CPUS_MAX ? 0 : host->work[sibling];

	return host->work[cpu] + its * host->policy.sibling_weight / NB_WHOLE;
}

/* Σ own² + 2 × weight × own × own of the sibling, over cores; in squares of a basis point. */
static inline uint64_t energy(const struct nb_host *host)
{
	uint64_t sum = 0;

	for (unsigned cpu = 0; cpu < host->loads.n_cpus; cpu++) {
		unsigned sibling = sibling_of(host, cpu);
		uint64_t own = host->work[cpu];
		uint64_t its = sibling == NB_CPUS_MAX ? 0 : host->work[sibling];

		sum += own * own + own * its * host->policy.sibling_weight / NB_WHOLE;
	}
	return sum;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where the planner comes to rest, against every placement there is, on machines of at most four
 * CPUs and six queues. */
#include "loop.h"
#include "machines.h"

#include <inttypes.h>

#define GAIN 500u
/* Where threads slow each other down work is told from time, for each figure rounded down. */
#define ROUNDING 16u

static uint32_t hottest(const struct nb_host *host)
{
	uint32_t most = 0;

	for (unsigned cpu = 0; cpu < host->loads.n_cpus; cpu++)
		most = MAX(most, effective_load(host, cpu));
	return most;
}

/* Anything uneven is worth a move of this policy, and only moves are to be had. */
static struct nb_host *small_host(uint64_t *random, unsigned n_threads, uint32_t most_fixed)
{
	unsigned n_cpus = n_threads * (1 + nb_random_below(random, 4 / n_threads));
	struct nb_host *host = nb_host_new(n_cpus, n_threads, 1);
	unsigned n_queues = 1 + nb_random_below(random, 6);

	host->siblings_slow = true;
	host->policy.hot = 1;
	host->policy.gap = 0;
	host->policy.minimum_gain = GAIN;
	host->policy.rps = false;
	for (unsigned i = 0; i < n_queues; i++) {
		unsigned cpu = nb_random_below(random, n_cpus);

		nb_host_add_nic(host, NB_NODE_NONE, 1, cpu, GAIN + nb_random_below(random, 4000));
	}
	for (unsigned cpu = 0; cpu < n_cpus && most_fixed; cpu++)
		host->fixed[cpu] = nb_random_below(random, most_fixed);
	return host;
}

static void settle(struct loop *loop, uint64_t seed)
{
	unsigned still = 0;

	loop->step_nsec = 40 * NB_NSEC_PER_SEC;
	for (unsigned i = 0; i < 100 && still < 5; i++)
		still = loop_run(loop, 1) ? 0 : still + 1;
	if (still < 5)
		fail_msg("seed %" PRIu64 " does not come to rest", seed);
}

/* The least hottest CPU of all placements, one thread a core. */
static uint32_t optimum(const struct nb_host *host)
{
	unsigned n_cpus = host->loads.n_cpus, n_queues = host->snapshot.n_queues;
	unsigned n_placements = 1;
	uint32_t best = UINT32_MAX;

	for (unsigned i = 0; i < n_queues; i++)
		n_placements *= n_cpus;
	for (unsigned placement = 0; placement < n_placements; placement++) {
		uint32_t busy[4], most = 0;
		unsigned digits = placement;

		memcpy(busy, host->fixed, n_cpus * sizeof(busy[0]));
		for (unsigned i = 0; i < n_queues; i++, digits /= n_cpus)
			busy[digits % n_cpus] += host->time[i];
		for (unsigned cpu = 0; cpu < n_cpus; cpu++)
			most = MAX(most, busy[cpu]);
		best = MIN(best, most);
	}
	return best;
}

/* What the CPU is left with and the hottest thread of the target's core, when load goes over. */
static uint32_t heat_after(struct nb_host *host, unsigned source, unsigned target, uint32_t load)
{
	unsigned sibling = sibling_of(host, target);
	uint32_t heat;

	host->work[source] -= load;
	host->work[target] += load;
	heat = MAX(effective_load(host, source), effective_load(host, target));
	if (sibling != NB_CPUS_MAX)
		heat = MAX(heat, effective_load(host, sibling));
	host->work[source] += load;
	host->work[target] -= load;
	return heat;
}

/* back is n_queues for none. */
static void assert_gains_little(struct nb_host *host, unsigned queue, unsigned back,
				unsigned target, uint64_t seed)
{
	unsigned source = nb_host_cpu_of(host, queue);
	uint32_t returned = back < host->snapshot.n_queues ? host->time[back] : 0;

	if (target == source || returned >= host->time[queue])
		return;
	if (heat_after(host, source, target, host->time[queue] - returned) + GAIN + ROUNDING <=
	    effective_load(host, source))
		fail_msg("seed %" PRIu64 ": moving queue %u to CPU %u would gain enough", seed,
			 queue, target);
}

static uint32_t mean(const struct nb_host *host)
{
	uint64_t sum = 0;

	for (unsigned cpu = 0; cpu < host->loads.n_cpus; cpu++)
		sum += effective_load(host, cpu);
	return (uint32_t)(sum / host->loads.n_cpus);
}

/* From no CPU that is hotter than the mean: others are not relieved. */
static void assert_no_step_left(struct nb_host *host, uint64_t seed)
{
	unsigned n_queues = host->snapshot.n_queues;

	for (unsigned queue = 0; queue < n_queues; queue++) {
		if (effective_load(host, nb_host_cpu_of(host, queue)) <= mean(host) + ROUNDING)
			continue;
		for (unsigned cpu = 0; cpu < host->loads.n_cpus; cpu++)
			assert_gains_little(host, queue, n_queues, cpu, seed);
		for (unsigned back = 0; back < n_queues; back++)
			assert_gains_little(host, queue, back, nb_host_cpu_of(host, back), seed);
	}
}

/* A step that gains too little is not taken, so the bounds have some slack. */
static void rests_near_the_optimum(uint32_t most_fixed, uint64_t first_seed,
				   uint32_t (*bound)(uint32_t optimum, unsigned n_cpus))
{
	for (uint64_t seed = first_seed; seed < first_seed + 5000; seed++) {
		uint64_t random = seed;
		struct loop loop = loop_of(small_host(&random, 1, most_fixed));

		settle(&loop, seed);
		if (hottest(loop.host) > bound(optimum(loop.host), loop.host->loads.n_cpus))
			fail_msg("seed %" PRIu64 ": %u is too far from %u", seed,
				 hottest(loop.host), optimum(loop.host));
		assert_no_step_left(loop.host, seed);
		loop_clear(&loop);
	}
}

/* (2 − 2 ÷ (m + 1)) of the optimum, as for any placement that no single move betters; what the
 * least gain adds is 2 × (m − 1) ÷ (m + 1) of it (docs/POLICY.md). */
static uint32_t of_queues_alone(uint32_t best, unsigned n_cpus)
{
	return 2 * n_cpus * best / (n_cpus + 1) + 2 * (n_cpus - 1) * GAIN / (n_cpus + 1) + 1;
}

/* Applications cannot be moved: (2 − 1 ÷ m). */
static uint32_t beside_applications(uint32_t best, unsigned n_cpus)
{
	return (2 * n_cpus - 1) * best / n_cpus + (n_cpus - 1) * GAIN / n_cpus + 1;
}

static void queues_alone_rest_within_the_bound_of_local_search(void **state)
{
	(void)state;
	rests_near_the_optimum(0, 1, of_queues_alone);
}

static void queues_beside_applications_rest_within_their_bound(void **state)
{
	(void)state;
	rests_near_the_optimum(6000, 10001, beside_applications);
}

static void no_step_is_left_between_two_threads_of_a_core(void **state)
{
	(void)state;
	for (uint64_t seed = 20001; seed < 30001; seed++) {
		uint64_t random = seed;
		struct loop loop = loop_of(small_host(&random, 2, 4000));

		settle(&loop, seed);
		assert_no_step_left(loop.host, seed);
		loop_clear(&loop);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(queues_alone_rest_within_the_bound_of_local_search),
		cmocka_unit_test(queues_beside_applications_rest_within_their_bound),
		cmocka_unit_test(no_step_is_left_between_two_threads_of_a_core),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

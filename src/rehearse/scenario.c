/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/delays.h"
#include "base/find.h"
#include "rehearse/cycle.h"
#include "rehearse/rehearsal.h"

#include <assert.h>

/* The daemon's default interval. */
#define STEP_NSEC NB_NSEC_PER_SEC

static void obey(void *host, struct nb_plan *plan)
{
	nb_world_obey(host, plan);
}

/* Those that serve a queue, and those that RPS hands packets to. */
static struct nb_cpumask network_cpus(const struct nb_world_cpu *cpus,
				      const struct nb_snapshot *snapshot)
{
	const struct nb_topology *topology = &snapshot->machine->topology;
	struct nb_cpumask network = {};

	for (unsigned i = 0; i < topology->n_cpus; i++)
		if (cpus[i].queues > 0)
			nb_cpumask_add(&network, topology->cpus[i].id);
	for (unsigned i = 0; i < snapshot->n_rps; i++)
		nb_cpumask_or(&network, &snapshot->rps[i].cpus);
	return network;
}

static uint32_t longest_delay(const struct nb_snapshot *before, const struct nb_snapshot *now)
{
	uint32_t longest = 0, usec;

	for (unsigned i = 0; i < now->n_cpus; i++) {
		const struct nb_cpu_counters *cpu = nb_snapshot_find_cpu(before, now->cpus[i].id);

		if (cpu && nb_delays_p99(cpu->delays, now->cpus[i].delays, &usec))
			longest = MAX(longest, usec);
	}
	return longest;
}

static void write_down(struct nb_rehearsal *rehearsal, struct nb_rehearsed_second *second,
		       const struct nb_world *world, const struct nb_snapshot *snapshot)
{
	const struct nb_topology *topology = &snapshot->machine->topology;
	g_autofree uint32_t *demand = g_new(uint32_t, topology->n_cpus);
	unsigned n_cpus;
	const struct nb_world_cpu *cpus = nb_world_cpus(world, &n_cpus);
	struct nb_cpumask network = network_cpus(cpus, snapshot);

	assert(n_cpus == topology->n_cpus);
	for (unsigned i = 0; i < topology->n_cpus; i++)
		demand[i] = cpus[i].demand;
	second->dropped = nb_world_dropped(world) - rehearsal->dropped;
	nb_rehearsal_add_second(rehearsal, second, topology, demand, &network);
}

/* Until the next cycle, or the end. */
static uint64_t pause_nsec(const struct nb_loop *loop, uint64_t left_nsec)
{
	uint64_t again_nsec = loop->plan ? loop->plan->again_nsec : 0;

	return MIN(again_nsec ? again_nsec : STEP_NSEC, left_nsec);
}

struct nb_rehearsal *nb_rehearse_scenario(const struct nb_scenario *scenario,
					  const struct nb_policy *policy, bool acts)
{
	g_autoptr(nb_world) world = nb_world_new(scenario);
	const struct nb_snapshot *snapshot = nb_world_snapshot(world);
	struct nb_rehearsed_second second = {.verdict = NB_VERDICT_UNKNOWN};
	struct nb_rehearsing rehearsing = {
		.policy = policy, .obey = obey, .host = world, .rehearsal = nb_rehearsal_new()};
	struct nb_loop *loop = &rehearsing.loop;

	nb_loop_init(loop);
	nb_rehearsal_add_cpus(rehearsing.rehearsal, &snapshot->machine->topology);
	if (acts)
		nb_rehearse_cycle(&rehearsing, snapshot, 0);
	while (second.at_nsec < scenario->length_nsec) {
		const struct nb_snapshot *before = snapshot;

		second.window_nsec = pause_nsec(loop, scenario->length_nsec - second.at_nsec);
		second.at_nsec += second.window_nsec;
		nb_world_step(world, second.window_nsec);
		snapshot = nb_world_snapshot(world);
		second.delay_usec = longest_delay(before, snapshot);
		if (acts) {
			nb_rehearse_cycle(&rehearsing, snapshot, second.at_nsec);
			second.verdict = loop->plan->verdict;
		}
		write_down(rehearsing.rehearsal, &second, world, snapshot);
	}
	nb_loop_clear(loop);
	return rehearsing.rehearsal;
}

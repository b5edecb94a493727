/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "policy.h"

#include "base/find.h"
#include "nicbalance/units.h"

#include <stdlib.h>

#define HOT 9000u
#define PING_PONG_SEC 60u

struct departure {
	struct nb_queue_key key;
	int from;
	unsigned second;
};

void nb_bench_note(struct nb_bench_run *run, struct nb_queue_key key, int from, unsigned to)
{
	struct departure departure = {.key = key, .from = from, .second = run->second};

	run->score.n_moves++;
	for (unsigned i = 0; i < run->departures->len; i++) {
		const struct departure *past = &g_array_index(run->departures, struct departure, i);

		if (nb_queue_key_compare(past->key, key) == 0 && past->from == (int)to &&
		    run->second - past->second <= PING_PONG_SEC) {
			run->score.n_ping_pongs++;
			break;
		}
	}
	g_array_append_val(run->departures, departure);
}

/* What is older than a minute is no ping-pong any more. */
static void forget_departures(struct nb_bench_run *run)
{
	unsigned n = 0;

	while (n < run->departures->len &&
	       run->second - g_array_index(run->departures, struct departure, n).second >
		       PING_PONG_SEC)
		n++;
	if (n)
		g_array_remove_range(run->departures, 0, n);
}

void nb_bench_move(struct nb_bench_run *run, unsigned queue, unsigned cpu)
{
	struct nb_move move = {.key = run->snapshot->queues[queue].key, .cpu_to = cpu};
	struct nb_change change = nb_change_of_move(NB_KIND_QUEUE, &move);
	int from = run->snapshot->queues[queue].effective_cpu;

	if (from == (int)cpu)
		return;
	if (nb_world_carry_out(run->world, &change) == NB_OUTCOME_APPLIED)
		nb_bench_note(run, move.key, from, cpu);
}

bool nb_bench_allows(const struct nb_snapshot *snapshot, unsigned queue, const struct nb_cpu *cpu)
{
	const struct nb_nic *nic =
		nb_machine_find_nic(snapshot->machine, snapshot->queues[queue].key.ifindex);

	return (nic->node == NB_NODE_NONE || nic->node == cpu->node) &&
	       !nb_cpumask_has(&snapshot->machine->topology.isolated, cpu->id);
}

unsigned nb_bench_row(const struct nb_snapshot *snapshot, unsigned cpu)
{
	const struct nb_cpu_counters *row = nb_snapshot_find_cpu(snapshot, cpu);

	return row ? (unsigned)(row - snapshot->cpus) : 0;
}

struct item {
	unsigned queue;
	uint64_t time;
};

static int compare_items(const void *a, const void *b)
{
	const struct item *left = a, *right = b;

	if (left->time != right->time)
		return left->time > right->time ? -1 : 1;
	return left->queue < right->queue ? -1 : 1;
}

static unsigned least_loaded(const struct nb_snapshot *snapshot, unsigned queue,
			     const uint64_t *load)
{
	const struct nb_topology *topology = &snapshot->machine->topology;
	unsigned best = 0;
	bool found = false;

	for (unsigned i = 0; i < topology->n_cpus; i++) {
		if (!nb_bench_allows(snapshot, queue, &topology->cpus[i]))
			continue;
		if (!found || load[i] < load[best])
			best = i;
		found = true;
	}
	return best;
}

void nb_bench_pack(const struct nb_snapshot *snapshot, const uint64_t *cost, const uint64_t *rest,
		   unsigned *place)
{
	g_autofree struct item *items = g_new0(struct item, snapshot->n_queues);
	g_autofree uint64_t *load = g_new0(uint64_t, snapshot->n_cpus);

	for (unsigned i = 0; i < snapshot->n_cpus; i++)
		load[i] = rest[i];
	for (unsigned i = 0; i < snapshot->n_queues; i++)
		items[i] = (struct item){.queue = i, .time = cost[i]};
	qsort(items, snapshot->n_queues, sizeof(*items), compare_items);
	for (unsigned i = 0; i < snapshot->n_queues; i++) {
		unsigned cpu = least_loaded(snapshot, items[i].queue, load);

		place[items[i].queue] = cpu;
		load[cpu] += items[i].time;
	}
}

static void score_second(struct nb_bench_run *run, GArray *hottest)
{
	unsigned n;
	const struct nb_world_cpu *cpus = nb_world_cpus(run->world, &n);
	uint32_t most = 0;

	for (unsigned i = 0; i < n; i++) {
		most = MAX(most, cpus[i].demand);
		run->score.hot_seconds += cpus[i].demand > HOT;
	}
	run->score.hottest_sum += most;
	if (run->score.n_seconds < NB_BENCH_WATCHED) {
		run->score.hottest[run->score.n_seconds] = most;
		run->score.received_until[run->score.n_seconds] = nb_world_received(run->world);
	}
	run->score.n_seconds++;
	g_array_append_val(hottest, most);
}

static int compare_u32(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

static void look(struct nb_bench_run *run)
{
	run->before = run->snapshot;
	run->snapshot = nb_world_snapshot(run->world);
}

/* Whoever foresees acts when a tenth of a second has shown what the rest of it will be. */
static void foresee_second(const struct nb_bench_rule *rule, struct nb_bench_run *run)
{
	nb_world_step(run->world, NB_NSEC_PER_SEC / 10);
	look(run);
	rule->each_look(run);
	nb_world_step(run->world, NB_NSEC_PER_SEC - NB_NSEC_PER_SEC / 10);
}

static void run_second(const struct nb_bench_rule *rule, struct nb_bench_run *run)
{
	uint64_t end_nsec = run->second * NB_NSEC_PER_SEC;
	uint64_t now_nsec = end_nsec - NB_NSEC_PER_SEC;

	while (run->due_nsec <= end_nsec) {
		nb_world_step(run->world, run->due_nsec - now_nsec);
		now_nsec = run->due_nsec;
		look(run);
		run->again_nsec = 0;
		rule->each_look(run);
		run->due_nsec += run->again_nsec ? run->again_nsec : NB_NSEC_PER_SEC;
	}
	nb_world_step(run->world, end_nsec - now_nsec);
}

struct nb_bench_score nb_bench_run(const struct nb_bench_rule *rule, struct nb_scenario *scenario,
				   const struct nb_policy *policy)
{
	struct nb_bench_run run = {
		.scenario = scenario, .policy = policy, .due_nsec = NB_NSEC_PER_SEC};
	g_autoptr(GArray) hottest = g_array_new(FALSE, FALSE, sizeof(uint32_t));

	scenario->grade = rule->grade;
	run.world = nb_world_new(scenario);
	run.departures = g_array_new(FALSE, FALSE, sizeof(struct departure));
	if (rule->begin)
		rule->begin(&run);
	for (run.second = 1; run.second <= scenario->length_nsec / NB_NSEC_PER_SEC; run.second++) {
		if (rule->foresees)
			foresee_second(rule, &run);
		else
			run_second(rule, &run);
		score_second(&run, hottest);
		forget_departures(&run);
	}
	if (rule->end)
		rule->end(&run);
	run.score.dropped = nb_world_dropped(run.world);
	run.score.received = nb_world_received(run.world);
	g_array_sort(hottest, compare_u32);
	run.score.hottest_p99 =
		g_array_index(hottest, uint32_t, (hottest->len - 1) * UINT64_C(99) / 100);
	g_array_unref(run.departures);
	nb_world_free(run.world);
	return run.score;
}

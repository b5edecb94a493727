/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What whole interrupts allow: knows the true demands of each second, moves all it likes, at once
 * and for nothing. It packs, then improves by single moves and swaps as long as the hottest of the
 * CPUs concerned gets cooler. It does not use RPS. */
#include "policy.h"

#include "nicbalance/units.h"

/* As src/sim/cpu.c has it: what a thread loses while another of its core runs. */
#define SIBLING_LOSS 3800u

struct table {
	const struct nb_snapshot *snapshot;
	const struct nb_topology *topology;
	uint64_t *time; /* of each queue; basis points */
	uint64_t *load; /* of each CPU's row: everything */
	unsigned *place;
	unsigned *sibling; /* row of another thread; its own when there is none */
};

static unsigned find_sibling(const struct nb_topology *topology, unsigned cpu)
{
	for (unsigned i = 0; i < topology->n_cpus; i++)
		if (i != cpu && topology->cpus[i].core == topology->cpus[cpu].core)
			return i;
	return cpu;
}

/* The demand that the CPU will show beside its sibling. */
static uint64_t demand(const struct table *table, unsigned cpu)
{
	uint64_t own = table->load[cpu], other = table->load[table->sibling[cpu]];
	uint64_t speed = NB_WHOLE, other_speed = NB_WHOLE;

	if (table->sibling[cpu] == cpu)
		return own;
	for (unsigned i = 0; i < 4; i++) {
		uint64_t busy = MIN(own * NB_WHOLE / speed, NB_WHOLE);
		uint64_t other_busy = MIN(other * NB_WHOLE / other_speed, NB_WHOLE);

		speed = NB_WHOLE - other_busy * SIBLING_LOSS / NB_WHOLE;
		other_speed = NB_WHOLE - busy * SIBLING_LOSS / NB_WHOLE;
	}
	return own * NB_WHOLE / speed;
}

static uint64_t core_demand(const struct table *table, unsigned cpu)
{
	return MAX(demand(table, cpu), demand(table, table->sibling[cpu]));
}

static uint64_t pair_demand(const struct table *table, unsigned a, unsigned b)
{
	return MAX(core_demand(table, a), core_demand(table, b));
}

static void put(struct table *table, unsigned queue, unsigned cpu)
{
	table->load[table->place[queue]] -= table->time[queue];
	table->load[cpu] += table->time[queue];
	table->place[queue] = cpu;
}

static bool improve_by_move(struct table *table, unsigned queue, unsigned cpu)
{
	unsigned from = table->place[queue];
	uint64_t before = pair_demand(table, from, cpu);

	put(table, queue, cpu);
	if (pair_demand(table, from, cpu) < before)
		return true;
	put(table, queue, from);
	return false;
}

static bool improve_by_swap(struct table *table, unsigned queue, unsigned other)
{
	unsigned from = table->place[queue], to = table->place[other];
	uint64_t before = pair_demand(table, from, to);

	put(table, queue, to);
	put(table, other, from);
	if (pair_demand(table, from, to) < before)
		return true;
	put(table, queue, from);
	put(table, other, to);
	return false;
}

static bool allows(const struct table *table, unsigned queue, unsigned cpu)
{
	return nb_bench_allows(table->snapshot, queue, &table->topology->cpus[cpu]);
}

/* One step off the CPU that is the hottest of those with a queue and has one. */
static bool improve_cpu(struct table *table, unsigned cpu)
{
	for (unsigned i = 0; i < table->snapshot->n_queues; i++) {
		if (table->place[i] != cpu)
			continue;
		for (unsigned to = 0; to < table->topology->n_cpus; to++)
			if (to != cpu && allows(table, i, to) && improve_by_move(table, i, to))
				return true;
		for (unsigned k = 0; k < table->snapshot->n_queues; k++)
			if (table->place[k] != cpu && table->time[k] < table->time[i] &&
			    allows(table, i, table->place[k]) && allows(table, k, cpu) &&
			    improve_by_swap(table, i, k))
				return true;
	}
	return false;
}

static int hottest_untried(const struct table *table, const bool *tried)
{
	int hottest = -1;

	for (unsigned i = 0; i < table->snapshot->n_queues; i++) {
		unsigned cpu = table->place[i];

		if (!tried[cpu] && (hottest < 0 || core_demand(table, cpu) >
							   core_demand(table, (unsigned)hottest)))
			hottest = (int)cpu;
	}
	return hottest;
}

/* The hottest alone counts; a few next to it are tried for what they may free. */
static void improve(struct table *table)
{
	g_autofree bool *tried = g_new0(bool, table->topology->n_cpus);

	for (unsigned steps = 0, failures = 0; steps < 500 && failures < 3;) {
		int cpu = hottest_untried(table, tried);

		if (cpu < 0)
			return;
		if (improve_cpu(table, (unsigned)cpu)) {
			memset(tried, 0, table->topology->n_cpus * sizeof(*tried));
			failures = 0;
			steps++;
		} else {
			tried[cpu] = true;
			failures++;
		}
	}
}

static void set_up(struct table *table, struct nb_bench_run *run, uint64_t *rest)
{
	*table = (struct table){
		.snapshot = run->snapshot,
		.topology = &run->snapshot->machine->topology,
		.time = g_new0(uint64_t, run->snapshot->n_queues),
		.load = g_new0(uint64_t, run->snapshot->n_cpus),
		.place = g_new0(unsigned, run->snapshot->n_queues),
		.sibling = g_new0(unsigned, run->snapshot->n_cpus),
	};
	for (unsigned i = 0; i < run->snapshot->n_queues; i++)
		table->time[i] = nb_world_queue_demand(run->world, i);
	for (unsigned i = 0; i < run->snapshot->n_cpus; i++) {
		rest[i] = nb_world_fixed(run->world, run->snapshot->cpus[i].id);
		table->load[i] = rest[i];
		table->sibling[i] = find_sibling(table->topology, i);
	}
}

static uint64_t hottest_of(const struct table *table)
{
	uint64_t hottest = 0;

	for (unsigned i = 0; i < table->topology->n_cpus; i++)
		hottest = MAX(hottest, demand(table, i));
	return hottest;
}

/* Loads of a placement. */
static void take(struct table *table, const uint64_t *rest, const unsigned *place)
{
	memcpy(table->load, rest, table->snapshot->n_cpus * sizeof(*rest));
	for (unsigned i = 0; i < table->snapshot->n_queues; i++) {
		table->place[i] = place[i];
		table->load[place[i]] += table->time[i];
	}
}

static void foresee(struct nb_bench_run *run)
{
	unsigned n_queues = run->snapshot->n_queues;
	g_autofree uint64_t *rest = g_new0(uint64_t, run->snapshot->n_cpus);
	g_autofree unsigned *packed = g_new0(unsigned, n_queues);
	g_autofree unsigned *stayed = g_new0(unsigned, n_queues);
	uint64_t hottest;
	struct table table;

	set_up(&table, run, rest);
	for (unsigned i = 0; i < n_queues; i++)
		stayed[i] = nb_bench_row(run->snapshot, nb_world_queue_cpu(run->world, i));
	take(&table, rest, stayed);
	improve(&table);
	hottest = hottest_of(&table);
	memcpy(stayed, table.place, n_queues * sizeof(*stayed));

	nb_bench_pack(run->snapshot, table.time, rest, packed);
	take(&table, rest, packed);
	improve(&table);
	if (hottest_of(&table) >= hottest)
		take(&table, rest, stayed);

	for (unsigned i = 0; i < n_queues; i++) {
		unsigned from = nb_world_queue_cpu(run->world, i);
		unsigned to = run->snapshot->cpus[table.place[i]].id;

		if (from == to)
			continue;
		nb_world_place(run->world, i, to);
		nb_bench_note(run, run->snapshot->queues[i].key, (int)from, to);
	}
	g_free(table.time);
	g_free(table.load);
	g_free(table.place);
	g_free(table.sibling);
}

const struct nb_bench_rule nb_bench_oracle = {
	.name = "oracle each second",
	.grade = NB_GRADE_MEASURED,
	.foresees = true,
	.each_look = foresee,
};

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* irqbalance's rule, told again from what its source does (v1.9.5: procinterrupts.c, irqlist.c,
 * placement.c): every ten seconds the irq and softirq columns of each CPU are shared out among its
 * interrupts by their number; of every CPU above the least loaded one, interrupts leave as long as
 * that does not turn the two over; each then goes to the core, and of it the thread, with the
 * least. The first cycle places all by number alone. */
#include "policy.h"

#include <stdlib.h>

#define CYCLE_SEC 10u

struct irq {
	unsigned cpu; /* row of where it was put */
	uint64_t load;
	uint64_t count; /* of interrupts when last looked at */
};

struct irqbalance {
	struct irq *irqs;
	unsigned n_irqs;
	uint64_t *load; /* of each CPU's row */
	uint64_t *used; /* its columns when last looked at */
	unsigned *n_on; /* interrupts there */
	uint64_t generation;
	unsigned cycles;
};

static void begin(struct nb_bench_run *run)
{
	run->memory = g_new0(struct irqbalance, 1);
}

static void clear(struct irqbalance *state)
{
	g_free(state->irqs);
	g_free(state->load);
	g_free(state->used);
	g_free(state->n_on);
}

static void end(struct nb_bench_run *run)
{
	clear(run->memory);
	g_free(run->memory);
}

/* Interrupts that come or CPUs that go make it begin again. */
static void rebuild(struct irqbalance *state, const struct nb_snapshot *snapshot)
{
	clear(state);
	*state = (struct irqbalance){
		.irqs = g_new0(struct irq, snapshot->n_queues),
		.n_irqs = snapshot->n_queues,
		.load = g_new0(uint64_t, snapshot->n_cpus),
		.used = g_new0(uint64_t, snapshot->n_cpus),
		.n_on = g_new0(unsigned, snapshot->n_cpus),
		.generation = snapshot->machine->generation,
	};
	for (unsigned i = 0; i < snapshot->n_queues; i++) {
		state->irqs[i].cpu =
			nb_bench_row(snapshot, (unsigned)snapshot->queues[i].effective_cpu);
		state->n_on[state->irqs[i].cpu]++;
	}
}

static void weigh(struct irqbalance *state, const struct nb_snapshot *snapshot)
{
	g_autofree uint64_t *counts = g_new0(uint64_t, snapshot->n_cpus);

	for (unsigned i = 0; i < state->n_irqs; i++) {
		uint64_t now = snapshot->queues[i].interrupts;

		state->irqs[i].load = (uint32_t)(now - state->irqs[i].count);
		state->irqs[i].count = now;
		counts[state->irqs[i].cpu] += state->irqs[i].load;
	}
	for (unsigned i = 0; i < snapshot->n_cpus; i++) {
		uint64_t used = snapshot->cpus[i].irq_nsec + snapshot->cpus[i].softirq_nsec;

		state->load[i] = used - state->used[i];
		state->used[i] = used;
	}
	for (unsigned i = 0; i < state->n_irqs; i++) {
		struct irq *irq = &state->irqs[i];
		uint64_t each = state->load[irq->cpu] / MAX(counts[irq->cpu], 1);

		irq->load = MAX(each * irq->load, 1);
	}
}

struct mover {
	unsigned irq;
	uint64_t load;
};

static int compare_movers(const void *a, const void *b)
{
	const struct mover *left = a, *right = b;

	if (left->load != right->load)
		return left->load > right->load ? -1 : 1;
	return left->irq < right->irq ? -1 : 1;
}

static GArray *sorted_irqs(const struct irqbalance *state)
{
	GArray *movers = g_array_new(FALSE, FALSE, sizeof(struct mover));

	for (unsigned i = 0; i < state->n_irqs; i++) {
		struct mover mover = {.irq = i, .load = state->irqs[i].load};

		g_array_append_val(movers, mover);
	}
	g_array_sort(movers, compare_movers);
	return movers;
}

/* Those that leave CPU row cpu, from the whole sorted list. */
static void pick_movers(struct irqbalance *state, unsigned cpu, uint64_t least,
			const GArray *sorted, GArray *movers)
{
	uint64_t own = state->load[cpu];
	unsigned left = state->n_on[cpu];

	if (own <= least)
		return;
	for (unsigned i = 0; i < sorted->len && left > 1; i++) {
		struct mover mover = g_array_index(sorted, struct mover, i);

		if (state->irqs[mover.irq].cpu != cpu || mover.load <= 1 || own < mover.load ||
		    least + mover.load >= own - mover.load)
			continue;
		own -= mover.load;
		least += mover.load;
		left--;
		g_array_append_val(movers, mover);
	}
}

static uint64_t core_load(const struct irqbalance *state, const struct nb_topology *topology,
			  unsigned cpu)
{
	uint64_t load = 0;

	for (unsigned i = 0; i < topology->n_cpus; i++)
		if (topology->cpus[i].core == topology->cpus[cpu].core)
			load += state->load[i];
	return load;
}

static bool emptier(const struct irqbalance *state, const struct nb_topology *topology,
		    unsigned cpu, unsigned best)
{
	uint64_t core = core_load(state, topology, cpu);
	uint64_t best_core = core_load(state, topology, best);

	if (core != best_core)
		return core < best_core;
	if (state->load[cpu] != state->load[best])
		return state->load[cpu] < state->load[best];
	return state->n_on[cpu] < state->n_on[best];
}

static void place(struct nb_bench_run *run, struct irqbalance *state, const struct mover *mover)
{
	const struct nb_topology *topology = &run->snapshot->machine->topology;
	unsigned best = 0;
	bool found = false;

	for (unsigned i = 0; i < topology->n_cpus; i++) {
		if (!nb_bench_allows(run->snapshot, mover->irq, &topology->cpus[i]))
			continue;
		if (!found || emptier(state, topology, i, best))
			best = i;
		found = true;
	}
	state->irqs[mover->irq].cpu = best;
	state->load[best] += mover->load + 1;
	state->n_on[best]++;
	nb_bench_move(run, mover->irq, topology->cpus[best].id);
}

static void place_all(struct nb_bench_run *run, struct irqbalance *state, const GArray *movers)
{
	for (unsigned i = 0; i < movers->len; i++)
		state->n_on[state->irqs[g_array_index(movers, struct mover, i).irq].cpu]--;
	for (unsigned i = 0; i < movers->len; i++)
		place(run, state, &g_array_index(movers, struct mover, i));
}

static void balance(struct nb_bench_run *run, struct irqbalance *state)
{
	g_autoptr(GArray) sorted = sorted_irqs(state);
	g_autoptr(GArray) movers = g_array_new(FALSE, FALSE, sizeof(struct mover));
	uint64_t least = UINT64_MAX;

	for (unsigned i = 0; i < run->snapshot->n_cpus; i++)
		least = MIN(least, state->load[i]);
	for (unsigned i = 0; i < run->snapshot->n_cpus; i++)
		pick_movers(state, i, least, sorted, movers);
	place_all(run, state, movers);
}

/* Nothing is known yet: loads are none. */
static void place_blindly(struct nb_bench_run *run, struct irqbalance *state)
{
	g_autoptr(GArray) all = NULL;

	for (unsigned i = 0; i < run->snapshot->n_cpus; i++)
		state->load[i] = 0;
	for (unsigned i = 0; i < state->n_irqs; i++)
		state->irqs[i].load = 0;
	all = sorted_irqs(state);
	place_all(run, state, all);
}

static void each_second(struct nb_bench_run *run)
{
	struct irqbalance *state = run->memory;

	if (run->second % CYCLE_SEC != 0)
		return;
	if (state->generation != run->snapshot->machine->generation)
		rebuild(state, run->snapshot);
	weigh(state, run->snapshot);
	if (state->cycles++ == 0)
		place_blindly(run, state);
	else
		balance(run, state);
}

const struct nb_bench_rule nb_bench_irqbalance = {
	.name = "irqbalance's",
	.grade = NB_GRADE_ESTIMATED,
	.begin = begin,
	.each_look = each_second,
	.end = end,
};

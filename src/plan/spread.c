/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plan/spread.h"

/* An interrupt to another CPU, a second queue and colder caches: how much depends on the packets; a
 * quarter errs towards wide masks. */
#define OVERHEAD_DIVISOR 4u
/* Loads within one such step count as equal when CPUs are chosen. */
#define LOAD_STEP 500u
/* Each of so many CPUs does 4 % of a queue that fills a CPU: a wider mask distributes interrupts,
 * not work. */
#define WIDEST 32u
/* Time that applications must leave of a CPU for packets to be steered to it. */
#define LEFT_BY_APPLICATIONS (NB_WHOLE / 4)

static unsigned widest(const struct nb_board *board)
{
	return board->policy->rps_width ? board->policy->rps_width : WIDEST;
}

/* A mask in the making. */
struct spread {
	const struct nb_board *board;
	const struct nb_board_queue *queue;
	const struct nb_cpumask *keep;
	struct nb_cpumask mask;
	uint32_t share; /* of the steered load, for each CPU of the mask; on the queue's own CPU */
	uint32_t limit; /* no CPU is to get hotter */
};

bool nb_spread_allows(const struct nb_board *board, const struct nb_board_queue *queue,
		      unsigned cpu)
{
	const struct nb_board_cpu *target = &board->cpus[cpu];

	return nb_board_in_domain(board, cpu, queue->domain) &&
	       nb_board_may_steer(board, queue, cpu) &&
	       target->core != board->cpus[queue->cpu].core;
}

uint32_t nb_spread_cost(uint32_t work)
{
	return work + work / OVERHEAD_DIVISOR;
}

/* Work of the queue, if the CPU did it. */
static uint32_t work_on(const struct nb_board *board, const struct nb_board_queue *queue,
			uint32_t work, unsigned cpu)
{
	return nb_capacity_convert(work, board->cpus[queue->cpu].capacity,
				   board->cpus[cpu].capacity);
}

/* Packets are shared out evenly, whatever the CPUs do in a time. */
static uint32_t share_on(const struct spread *spread, unsigned cpu)
{
	return work_on(spread->board, spread->queue, spread->share, cpu);
}

static uint32_t own_then(const struct spread *spread, unsigned cpu)
{
	const struct nb_board_cpu *target = &spread->board->cpus[cpu];
	uint32_t own = nb_board_own(target);

	if (nb_cpumask_has(spread->keep, target->id))
		own -= MIN(own, nb_board_handed(spread->board, spread->queue, cpu));
	return own + (nb_cpumask_has(&spread->mask, target->id) ? share_on(spread, cpu) : 0);
}

static uint32_t load_then(const struct spread *spread, unsigned cpu)
{
	const struct nb_board *board = spread->board;
	uint32_t sibling = 0;

	for (unsigned i = board->cpus[cpu].next_thread; i != cpu; i = board->cpus[i].next_thread)
		sibling = MAX(sibling, own_then(spread, i));
	return own_then(spread, cpu) + sibling * board->policy->sibling_weight / NB_WHOLE;
}

/* The other threads of its core feel what is steered to it. */
static bool stays_cool(const struct spread *spread, unsigned cpu)
{
	const struct nb_board *board = spread->board;
	uint32_t peak = load_then(spread, cpu);

	for (unsigned i = board->cpus[cpu].next_thread; i != cpu; i = board->cpus[i].next_thread)
		peak = MAX(peak, load_then(spread, i));
	return peak <= spread->limit;
}

static bool may_add(struct spread *spread, unsigned cpu)
{
	unsigned id = spread->board->cpus[cpu].id;
	bool cool;

	if (nb_cpumask_has(&spread->mask, id) ||
	    !nb_spread_allows(spread->board, spread->queue, cpu))
		return false;
	nb_cpumask_add(&spread->mask, id);
	cool = stays_cool(spread, cpu);
	nb_cpumask_del(&spread->mask, id);
	return cool;
}

/* The share on the largest CPU of the domain. */
static uint32_t least_share(const struct spread *spread)
{
	const struct nb_board *board = spread->board;

	return nb_capacity_convert(spread->share, board->cpus[spread->queue->cpu].capacity,
				   board->domains[spread->queue->domain].capacity);
}

/* In steps, with what the share takes more of it than of the largest CPU. */
static uint32_t load_step(const struct spread *spread, unsigned cpu)
{
	return (load_then(spread, cpu) + share_on(spread, cpu) - least_share(spread)) / LOAD_STEP;
}

/* Same last-level cache first, then the less loaded in steps, then the lower id. */
static bool better(const struct spread *spread, unsigned cpu, unsigned best)
{
	const struct nb_board_cpu *cpus = spread->board->cpus;
	bool near = cpus[cpu].llc == cpus[spread->queue->cpu].llc;
	bool best_near = cpus[best].llc == cpus[spread->queue->cpu].llc;

	if (near != best_near)
		return near;
	return load_step(spread, cpu) < load_step(spread, best);
}

static bool add_best(struct spread *spread)
{
	unsigned best = NB_NOWHERE;

	for (unsigned i = 0; i < spread->board->n_cpus; i++)
		if (may_add(spread, i) && (best == NB_NOWHERE || better(spread, i, best)))
			best = i;
	if (best == NB_NOWHERE)
		return false;
	nb_cpumask_add(&spread->mask, spread->board->cpus[best].id);
	return true;
}

static void add_kept(struct spread *spread)
{
	NB_CPUMASK_FOREACH (id, spread->keep) {
		unsigned cpu = nb_board_find_cpu(spread->board, (int)id);

		if (cpu != NB_NOWHERE && may_add(spread, cpu))
			nb_cpumask_add(&spread->mask, id);
	}
}

static bool spread_over(struct spread *spread, unsigned width)
{
	nb_cpumask_clear(&spread->mask);
	add_kept(spread);
	for (unsigned n = nb_cpumask_count(&spread->mask); n < width; n++)
		if (!add_best(spread))
			return false;
	return true;
}

bool nb_spread(const struct nb_board *board, const struct nb_board_queue *queue,
	       const struct nb_cpumask *keep, unsigned least_width, uint32_t cost, uint32_t limit,
	       struct nb_cpumask *ret)
{
	struct spread spread = {.board = board, .queue = queue, .keep = keep, .limit = limit};

	for (unsigned width = MAX(MAX(least_width, nb_cpumask_count(keep)), 1);
	     width <= widest(board); width++) {
		spread.share = (cost + width - 1) / width;
		if (least_share(&spread) <= limit && spread_over(&spread, width)) {
			*ret = spread.mask;
			return true;
		}
	}
	return false;
}

/* It may get full, since the queue loses packets otherwise. But queues there would lose as much as
 * this one gains; applications get their part from the scheduler. */
static bool can_share(const struct nb_board *board, const struct nb_board_queue *queue,
		      unsigned cpu, uint32_t work, bool beside_applications)
{
	const struct nb_board_cpu *target = &board->cpus[cpu];
	uint32_t load = nb_board_load(board, cpu);
	uint32_t came = work_on(board, queue, work, cpu);

	if (beside_applications)
		return load <= NB_WHOLE - LEFT_BY_APPLICATIONS &&
		       target->queues + target->backlog + came <= NB_WHOLE;
	return load + came <= NB_WHOLE;
}

/* Without those that share already. */
static struct nb_cpumask sharers(const struct nb_board *board, const struct nb_board_queue *queue,
				 const struct nb_cpumask *already, uint32_t work,
				 bool beside_applications)
{
	unsigned room = widest(board) - MIN(widest(board), nb_cpumask_count(already));
	struct nb_cpumask mask = {};

	for (unsigned i = 0; i < board->n_cpus && nb_cpumask_count(&mask) < room; i++)
		if (!nb_cpumask_has(already, board->cpus[i].id) &&
		    nb_spread_allows(board, queue, i) &&
		    can_share(board, queue, i, work, beside_applications))
			nb_cpumask_add(&mask, board->cpus[i].id);
	return mask;
}

bool nb_spread_with_own(const struct nb_board *board, const struct nb_board_queue *queue,
			const struct nb_cpumask *keep, uint32_t work, struct nb_cpumask *ret)
{
	struct nb_cpumask already = *keep, more;

	if (!nb_board_may_steer(board, queue, queue->cpu))
		return false;
	nb_cpumask_add(&already, board->cpus[queue->cpu].id);
	more = sharers(board, queue, &already, work, false);
	if (nb_cpumask_empty(&more))
		more = sharers(board, queue, &already, work, true);
	if (nb_cpumask_empty(&more))
		return false;
	nb_cpumask_or(&more, &already);
	*ret = more;
	return true;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plan/steer.h"

#include "base/memory.h"

/* Samples in a row for which a mask must be unwarranted before it is withdrawn. */
#define CALM_SAMPLES 10u
/* A node must be busier than rps_node_busy by this much before a mask is withdrawn for it, so that
 * the cost of RPS itself does not make it come and go. */
#define BUSY_SLACK 1000u
/* Loads within one such step are alike when CPUs are chosen. */
#define LOAD_STEP 500u

static struct nb_board_queue *find_queue(const struct nb_board *board, struct nb_queue_key key)
{
	for (unsigned i = 0; i < board->n_queues; i++)
		if (nb_queue_key_compare(board->queues[i].key, key) == 0)
			return &board->queues[i];
	return NULL;
}

/* Never the CPU of its own interrupt, where RPS is pure cost, nor a thread of that core. */
static bool may_steer_to(const struct nb_board *board, const struct nb_board_queue *queue,
			 unsigned cpu)
{
	const struct nb_board_cpu *target = &board->cpus[cpu];

	return target->eligible && nb_board_in_domain(target, queue->domain) &&
	       target->core != board->cpus[queue->cpu].core;
}

/* Same last-level cache first, then the less loaded in steps, then the lower id. */
static bool better_target(const struct nb_board *board, const struct nb_board_queue *queue,
			  unsigned cpu, unsigned best)
{
	unsigned llc = board->cpus[queue->cpu].llc;
	bool near = board->cpus[cpu].llc == llc;
	bool best_near = board->cpus[best].llc == llc;

	if (near != best_near)
		return near;
	return nb_board_load(board, cpu) / LOAD_STEP < nb_board_load(board, best) / LOAD_STEP;
}

/* Adds the best CPU that is not in the mask and not hot. */
static bool add_target(const struct nb_board *board, const struct nb_board_queue *queue,
		       struct nb_cpumask *mask)
{
	unsigned best = NB_NOWHERE;

	for (unsigned i = 0; i < board->n_cpus; i++) {
		if (nb_cpumask_has(mask, board->cpus[i].id) || !may_steer_to(board, queue, i) ||
		    nb_board_load(board, i) > board->policy->hot)
			continue;
		if (best == NB_NOWHERE || better_target(board, queue, i, best))
			best = i;
	}
	if (best == NB_NOWHERE)
		return false;
	nb_cpumask_add(mask, board->cpus[best].id);
	return true;
}

/* From 1 to 2 to 4 … CPUs, as far as the policy and the node allow. False when it stays as it is.
 */
static bool widen(const struct nb_board *board, const struct nb_board_queue *queue,
		  const struct nb_cpumask *from, struct nb_cpumask *ret)
{
	unsigned width = nb_cpumask_count(from);
	unsigned wanted = width ? 2 * width : 1;
	struct nb_cpumask mask = *from;

	if (board->policy->rps_width)
		wanted = MIN(wanted, board->policy->rps_width);
	while (width < wanted && add_target(board, queue, &mask))
		width++;
	if (nb_cpumask_equal(&mask, from))
		return false;
	*ret = mask;
	return true;
}

static bool node_is_busy(const struct nb_board *board, const struct nb_board_queue *queue,
			 uint32_t slack)
{
	return nb_board_domain(board, queue->domain).mean_busy >=
	       board->policy->rps_node_busy + slack;
}

/* Without the CPUs that it may not hold (any more). */
static struct nb_cpumask mended(const struct nb_board *board, const struct nb_board_queue *queue,
				const struct nb_cpumask *mask)
{
	struct nb_cpumask good = {};

	for (unsigned i = 0; i < board->n_cpus; i++)
		if (nb_cpumask_has(mask, board->cpus[i].id) && may_steer_to(board, queue, i))
			nb_cpumask_add(&good, board->cpus[i].id);
	return good;
}

/* What the queue's CPU and the packets handed on would be on one CPU. */
static uint32_t load_without_rps(const struct nb_board *board, const struct nb_board_queue *queue,
				 const struct nb_cpumask *mask)
{
	uint32_t load = nb_board_load(board, queue->cpu);

	for (unsigned i = 0; i < board->n_cpus; i++)
		if (nb_cpumask_has(mask, board->cpus[i].id))
			load += board->cpus[i].backlog;
	return load;
}

/* A CPU of the mask that is hot, half of it or more by what it is handed. */
static const struct nb_board_cpu *hot_target(const struct nb_board *board,
					     const struct nb_cpumask *mask)
{
	for (unsigned i = 0; i < board->n_cpus; i++) {
		const struct nb_board_cpu *cpu = &board->cpus[i];

		if (nb_cpumask_has(mask, cpu->id) && nb_board_load(board, i) > board->policy->hot &&
		    cpu->backlog >= nb_board_own(cpu) / 2)
			return cpu;
	}
	return NULL;
}

/* Three times sooner when a CPU is about to drop packets. */
static bool dwells(const struct nb_board *board, const struct nb_rps_memory *rps, bool panic)
{
	uint64_t dwell_nsec = board->policy->rps_dwell_nsec / (panic ? 3 : 1);

	return board->now_nsec < rps->set_nsec + dwell_nsec;
}

static bool change_to(struct nb_rps_change *change, enum nb_reason reason, struct nb_cpumask to)
{
	change->reason = reason;
	change->to = to;
	return true;
}

static bool withdraw(const struct nb_board *board, const struct nb_board_queue *queue,
		     struct nb_rps_memory *rps, struct nb_rps_change *change)
{
	bool busy = node_is_busy(board, queue, BUSY_SLACK);
	bool calm = load_without_rps(board, queue, &rps->cpus) < board->policy->hot / 2;

	rps->calm_samples = busy || calm || !board->policy->rps ? rps->calm_samples + 1 : 0;
	if (rps->calm_samples < CALM_SAMPLES || dwells(board, rps, true))
		return false;
	return change_to(change, busy && !calm ? NB_REASON_RPS_BUSY : NB_REASON_RPS_CALM,
			 (struct nb_cpumask){});
}

static bool review_one(const struct nb_board *board, struct nb_rps_memory *rps,
		       struct nb_rps_change *change)
{
	const struct nb_board_queue *queue = find_queue(board, rps->key);
	const struct nb_board_cpu *hot;
	struct nb_cpumask good;

	if (!queue || queue->cpu == NB_NOWHERE || nb_cpumask_empty(&rps->cpus))
		return false;
	*change = (struct nb_rps_change){.key = rps->key, .from = rps->cpus};

	good = mended(board, queue, &rps->cpus);
	if (!nb_cpumask_equal(&good, &rps->cpus))
		return change_to(change, NB_REASON_RPS_MEND, good);
	if (withdraw(board, queue, rps, change))
		return true;

	hot = hot_target(board, &rps->cpus);
	if (!hot || dwells(board, rps, nb_board_own(hot) > board->policy->panic) ||
	    node_is_busy(board, queue, 0))
		return false;
	change->reason = NB_REASON_RPS_WIDEN;
	return widen(board, queue, &rps->cpus, &change->to);
}

bool nb_steer_review(const struct nb_board *board, struct nb_memory *memory,
		     struct nb_rps_change *ret)
{
	for (unsigned i = 0; i < memory->n_rps; i++) {
		struct nb_rps_change change;

		if (board->now_nsec < memory->rps[i].yielded_until_nsec)
			continue;
		if (review_one(board, &memory->rps[i], &change)) {
			*ret = change;
			return true;
		}
	}
	return false;
}

/* The costliest queue of a CPU; of equal ones, that of the lowest key. */
static const struct nb_board_queue *biggest_queue(const struct nb_board *board, unsigned cpu)
{
	const struct nb_board_queue *biggest = NULL;

	for (unsigned i = 0; i < board->n_queues; i++) {
		const struct nb_board_queue *queue = &board->queues[i];

		if (queue->cpu == cpu && (!biggest || queue->cost > biggest->cost))
			biggest = queue;
	}
	return biggest;
}

bool nb_steer_begin(const struct nb_board *board, struct nb_memory *memory,
		    const struct nb_domain *domain, struct nb_rps_change *ret)
{
	const struct nb_board_queue *queue;
	const struct nb_rps_memory *rps;
	struct nb_rps_change change = {.reason = NB_REASON_RPS_WIDEN};

	if (!board->policy->rps || domain->hottest == NB_NOWHERE)
		return false;
	queue = biggest_queue(board, domain->hottest);
	if (!queue || !queue->has_rx || queue->steered || queue->n_rx >= domain->n_cpus ||
	    queue->cost < nb_board_own(&board->cpus[domain->hottest]) / 2)
		return false;
	rps = nb_memory_find_rps(memory, queue->key);
	if (rps && (board->now_nsec < rps->yielded_until_nsec || dwells(board, rps, false)))
		return false;
	if (node_is_busy(board, queue, 0))
		return false;

	change.key = queue->key;
	if (!widen(board, queue, &change.from, &change.to))
		return false;
	*ret = change;
	return true;
}

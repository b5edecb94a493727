/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plan/drain.h"

#include "base/memory.h"

/* Measured with igb on Linux 6.1, eight queues of three times what one CPU can do, all on one CPU,
 * six of them moved: without help not one was polled elsewhere in 22 s. With RPS on the six alone,
 * or on one, nothing changed, since a CPU polls its NAPIs in turn: one that stays full makes the
 * round so long that the others find their whole budget again. With RPS on all eight the six were
 * polled on their new CPUs after 68 to 101 ms, and stayed there without it. Nothing else did it
 * (threaded NAPI on and off, deferred interrupts, coalescing, the budgets) but for another RSS
 * table, which would re-order the packets of other flows, too. */

/* A queue that costs less has no full polls. */
#define COSTS_NOTHING 100u

static bool is_stuck(const struct nb_board_queue *queue)
{
	return queue->memory->pending.active && queue->memory->pending.stuck;
}

/* The next stuck queue after this one that is polled on the same CPU, in a ring; NULL when there is
 * none. */
static const struct nb_board_queue *next_stuck(const struct nb_board *board,
					       const struct nb_board_queue *after)
{
	const struct nb_board_queue *first = NULL, *next = NULL;

	NB_BOARD_FOREACH_QUEUE(i, board, after->cpu)
	{
		const struct nb_board_queue *queue = &board->queues[i];

		if (!is_stuck(queue))
			continue;
		if (!first || queue < first)
			first = queue;
		if (queue > after && (!next || queue < next))
			next = queue;
	}
	return next ? next : first;
}

static bool may_be_handed_on(const struct nb_board *board, struct nb_memory *memory,
			     const struct nb_board_queue *queue)
{
	const struct nb_rps_memory *rps = nb_memory_find_rps(memory, queue->key);

	return queue->cpu != NB_NOWHERE && queue->has_rx && !queue->steered &&
	       queue->cost >= COSTS_NOTHING &&
	       !(rps && (rps->unsticks || board->now_nsec < rps->yielded_until_nsec));
}

/* Each mask that comes or goes re-orders packets. Half of a CPU's queues alone would not help. */
static bool was_drained(const struct nb_board *board, unsigned cpu)
{
	uint64_t rest_nsec = board->policy->rps_dwell_nsec / 3;

	NB_BOARD_FOREACH_QUEUE(i, board, cpu)
	{
		uint64_t drained_nsec = board->queues[i].memory->drained_nsec;

		if (drained_nsec && board->now_nsec < drained_nsec + rest_nsec)
			return true;
	}
	return false;
}

static bool hand_on(const struct nb_board *board, struct nb_memory *memory, GArray *changes)
{
	unsigned before = changes->len;

	for (unsigned i = 0; i < board->n_queues; i++) {
		const struct nb_board_queue *queue = &board->queues[i];
		struct nb_rps_change change = {.key = queue->key, .reason = NB_REASON_RPS_UNSTICK};
		const struct nb_board_queue *mover;

		if (!may_be_handed_on(board, memory, queue) || was_drained(board, queue->cpu))
			continue;
		mover = is_stuck(queue) ? queue : next_stuck(board, queue);
		if (!mover)
			continue;
		nb_cpumask_add(&change.to, mover->memory->pending.move.cpu_to);
		g_array_append_val(changes, change);
	}
	return changes->len > before;
}

static bool take_back(const struct nb_memory *memory, GArray *changes)
{
	unsigned before = changes->len;

	for (unsigned i = 0; i < memory->n_rps; i++) {
		const struct nb_rps_memory *rps = &memory->rps[i];
		struct nb_rps_change change = {
			.key = rps->key, .reason = NB_REASON_RPS_UNSTUCK, .from = rps->cpus};

		if (rps->unsticks && !nb_cpumask_empty(&rps->cpus))
			g_array_append_val(changes, change);
	}
	return changes->len > before;
}

bool nb_drain(const struct nb_board *board, struct nb_memory *memory, GArray *changes)
{
	for (unsigned i = 0; i < board->n_queues; i++)
		if (is_stuck(&board->queues[i]))
			return board->policy->rps && hand_on(board, memory, changes);
	return take_back(memory, changes);
}

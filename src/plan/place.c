/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plan/place.h"

#include "base/memory.h"
#include "plan/initial.h"

/* A queue whose move was rejected stays fresh until it may be tried again. */
static bool waits(const struct nb_initial *nic, unsigned queue)
{
	return nb_board_is_rejected(nic->board, nic->queues[queue].memory);
}

static bool any_fresh(const struct nb_initial *nic)
{
	for (unsigned i = 0; i < nic->n; i++)
		if (nic->queues[i].memory->fresh && !waits(nic, i))
			return true;
	return false;
}

static bool is_collapsed(const struct nb_initial *nic)
{
	unsigned most = nb_initial_most(nic);

	return most > 2 * nic->fair_share || (most == nic->n && nic->n > nic->fair_share);
}

/* A placement that is still wrong is not tried again in each cycle, and less and less often. */
static bool tried_lately(const struct nb_board *board, const struct nb_board_queue *queue)
{
	uint64_t moved_nsec = queue->memory->moved_nsec;
	uint64_t wait_nsec = nb_memory_back_off(queue->memory, board->policy->cooldown_nsec);

	return moved_nsec && board->now_nsec < moved_nsec + wait_nsec;
}

static bool is_provisional(const struct nb_board *board, const struct nb_board_queue *queue)
{
	return board->now_nsec < queue->memory->provisional_until_nsec;
}

static bool is_ineligible(const struct nb_board *board, const struct nb_board_queue *queue)
{
	return queue->cpu == NB_NOWHERE || !nb_board_may_stay(board, queue->cpu, queue->domain);
}

/* All queues of such a CPU are placed again, lest each of several NICs leave a share on the same
 * one; they stay if no CPU is better. */
static void mark_crowded(struct nb_initial *nic, bool collapsed)
{
	for (unsigned i = 0; i < nic->board->n_cpus; i++)
		nic->board->cpus[i].listed = collapsed && nic->on_cpu[i] > nic->fair_share;
}

/* Of many saturated queues each gets so little that moving it seems to gain nothing: number tells
 * that they are too many. */
static bool is_crowded(const struct nb_initial *nic, const struct nb_board_queue *queue, bool fresh)
{
	return nic->board->cpus[queue->cpu].listed && (fresh || queue->saturated);
}

static void take_off_wrong(struct nb_initial *nic, bool fresh)
{
	mark_crowded(nic, is_collapsed(nic));
	for (unsigned i = 0; i < nic->n; i++) {
		struct nb_board_queue *queue = &nic->queues[i];
		bool ineligible = is_ineligible(nic->board, queue);

		if (!queue->movable || tried_lately(nic->board, queue))
			continue;
		if (ineligible)
			nb_initial_take_off(nic, queue, NB_REASON_INELIGIBLE);
		else if (is_crowded(nic, queue, fresh))
			nb_initial_take_off(nic, queue, NB_REASON_COLLAPSED);
		else if (fresh && queue->state->n_allowed > 1)
			nb_initial_take_off(nic, queue, NB_REASON_SEVERAL);
	}
	mark_crowded(nic, false);
}

static void put_right(struct nb_initial *nic, bool fresh)
{
	uint64_t until_nsec = 0;

	take_off_wrong(nic, fresh);
	nb_initial_choose(nic);
	if (nb_initial_most(nic) > nic->fair_share && nb_initial_room(nic, true) > 0)
		until_nsec = nic->board->now_nsec + nic->board->policy->dwell_nsec;
	for (unsigned i = 0; i < nic->taken_off->len; i++)
		g_array_index(nic->taken_off, struct nb_taken_off, i)
			.queue->memory->provisional_until_nsec = until_nsec;
}

/* What filled a CPU when the queues were placed may have been a burst, as of services that start.
 * When it is over, that CPU gets its share of the queues that were placed elsewhere. */
static void share_out(struct nb_initial *nic)
{
	unsigned room;

	nic->second_placement = true;
	room = nb_initial_room(nic, false);
	for (unsigned i = 0; i < nic->n && nic->taken_off->len < room; i++) {
		struct nb_board_queue *queue = &nic->queues[i];

		if (!is_provisional(nic->board, queue) || !queue->movable ||
		    queue->cpu == NB_NOWHERE || queue->cpu != queue->polled_on ||
		    nic->on_cpu[queue->cpu] <= nic->fair_share || tried_lately(nic->board, queue))
			continue;
		nb_initial_take_off(nic, queue, NB_REASON_COLLAPSED);
		queue->memory->provisional_until_nsec = 0;
	}
	nb_initial_choose(nic);
}

static void place_nic(struct nb_initial *nic, bool wrong, bool fresh, GArray *moves)
{
	if (!nb_initial_begin(nic))
		return;
	if (wrong)
		put_right(nic, fresh);
	if (nic->taken_off->len == 0)
		share_out(nic);
	nb_initial_move(nic, moves);
	nb_initial_end(nic);
}

static bool any_ineligible(const struct nb_initial *nic)
{
	for (unsigned i = 0; i < nic->n; i++) {
		const struct nb_board_queue *queue = &nic->queues[i];

		if (queue->movable && is_ineligible(nic->board, queue))
			return true;
	}
	return false;
}

static bool any_provisional(const struct nb_initial *nic)
{
	for (unsigned i = 0; i < nic->n; i++)
		if (is_provisional(nic->board, &nic->queues[i]))
			return true;
	return false;
}

/* One that is alone on its CPU is not one of too many. */
static bool any_saturated(const struct nb_initial *nic)
{
	for (unsigned i = 0; i < nic->n; i++) {
		const struct nb_board_queue *queue = &nic->queues[i];

		if (queue->saturated && queue->movable && queue->cpu != NB_NOWHERE &&
		    nic->board->cpus[queue->cpu].n_queues > 1)
			return true;
	}
	return false;
}

static unsigned queues_of_same_nic(const struct nb_board *board, unsigned first)
{
	unsigned end = first;

	while (end < board->n_queues &&
	       board->queues[end].key.ifindex == board->queues[first].key.ifindex)
		end++;
	return end - first;
}

void nb_place(struct nb_board *board, GArray *moves)
{
	for (unsigned first = 0; first < board->n_queues;) {
		struct nb_initial nic = {
			.board = board,
			.queues = &board->queues[first],
			.n = queues_of_same_nic(board, first),
		};
		bool fresh = any_fresh(&nic);
		bool wrong = fresh || any_ineligible(&nic) || any_saturated(&nic);

		if (wrong || any_provisional(&nic))
			place_nic(&nic, wrong, fresh, moves);
		for (unsigned i = 0; i < nic.n; i++)
			nic.queues[i].memory->fresh &= waits(&nic, i);
		first += nic.n;
	}
}

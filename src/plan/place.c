/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plan/place.h"

#include "base/memory.h"
#include "plan/initial.h"

/* A queue whose move was rejected stays fresh until it may be tried again, and one that another
 * program wrote until that has come to rest. */
static bool waits(const struct nb_initial *nic, const struct nb_board_queue *queue)
{
	return nb_board_is_rejected(nic->board, queue->memory) ||
	       nic->board->now_nsec < queue->memory->yielded_until_nsec;
}

static bool any_fresh(const struct nb_initial *nic)
{
	NB_INITIAL_FOREACH (queue, nic)
		if (queue->memory->fresh && !waits(nic, queue))
			return true;
	return false;
}

static bool is_collapsed(const struct nb_initial *nic)
{
	for (unsigned i = 0; i < nic->board->n_cpus; i++)
		if (nic->on_cpu[i] > 2 * nb_initial_fair_share(nic, i) ||
		    (nic->on_cpu[i] == nic->n && nb_initial_is_crowded(nic, i)))
			return true;
	return false;
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

/* Nothing is known of it yet, or its CPU must not have it and it does not follow its interrupt. */
static bool is_ineligible(const struct nb_board *board, const struct nb_board_queue *queue)
{
	return queue->cpu == NB_NOWHERE || !nb_board_may_stay(board, queue->cpu, queue->domain);
}

/* Its interrupt goes where it may not. That is put right whatever else is under way, but if it is
 * still on that CPU not again until the write has had time to show. */
static bool is_ordered_away(const struct nb_board *board, const struct nb_board_queue *queue)
{
	const struct nb_queue_memory *memory = queue->memory;

	if (!queue->removable || queue->destination == NB_NOWHERE ||
	    nb_board_may_stay(board, queue->destination, queue->domain))
		return false;
	return memory->ordered_nsec == 0 || memory->moved_nsec > memory->ordered_nsec ||
	       memory->ordered_cpu != board->cpus[queue->destination].id ||
	       board->now_nsec >= memory->ordered_nsec +
					  nb_memory_back_off(memory, board->policy->cooldown_nsec);
}

static void order_away(struct nb_initial *nic, struct nb_board_queue *queue)
{
	queue->memory->ordered_nsec = nic->board->now_nsec;
	queue->memory->ordered_cpu = nic->board->cpus[queue->destination].id;
	nb_initial_take_off(nic, queue, NB_REASON_INELIGIBLE);
}

/* All queues of such a CPU are placed again, lest each of several NICs leave a share on the same
 * one; they stay if no CPU is better. */
static void mark_crowded(struct nb_initial *nic, bool collapsed)
{
	for (unsigned i = 0; i < nic->board->n_cpus; i++)
		nic->board->cpus[i].listed = collapsed && nb_initial_is_crowded(nic, i);
}

/* Of many saturated queues each gets so little that moving it seems to gain nothing: number tells
 * that they are too many. */
static bool is_crowded(const struct nb_initial *nic, const struct nb_board_queue *queue, bool fresh)
{
	return nic->board->cpus[queue->cpu].listed && (fresh || nb_board_may_want_more(queue));
}

static void take_off_wrong(struct nb_initial *nic, bool fresh)
{
	mark_crowded(nic, is_collapsed(nic));
	NB_INITIAL_FOREACH (queue, nic) {
		if (is_ordered_away(nic->board, queue)) {
			order_away(nic, queue);
			continue;
		}
		if (!queue->movable || tried_lately(nic->board, queue))
			continue;
		if (is_ineligible(nic->board, queue))
			nb_initial_take_off(nic, queue, NB_REASON_INELIGIBLE);
		else if (is_crowded(nic, queue, fresh))
			nb_initial_take_off(nic, queue, NB_REASON_COLLAPSED);
		else if (fresh && queue->state->n_allowed > 1)
			nb_initial_take_off(nic, queue, NB_REASON_SEVERAL);
	}
	mark_crowded(nic, false);
}

static bool any_crowded(const struct nb_initial *nic)
{
	for (unsigned i = 0; i < nic->board->n_cpus; i++)
		if (nb_initial_is_crowded(nic, i))
			return true;
	return false;
}

static void put_right(struct nb_initial *nic, bool fresh)
{
	uint64_t until_nsec = 0;

	take_off_wrong(nic, fresh);
	nb_initial_choose(nic);
	if (any_crowded(nic) && nb_initial_room(nic, true) > 0)
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
	NB_INITIAL_FOREACH (queue, nic) {
		if (nic->taken_off->len == room)
			break;
		if (!is_provisional(nic->board, queue) || !queue->movable ||
		    queue->cpu == NB_NOWHERE || queue->cpu != queue->polled_on ||
		    !nb_initial_is_crowded(nic, queue->cpu) || tried_lately(nic->board, queue))
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
	NB_INITIAL_FOREACH (queue, nic)
		if ((queue->movable && is_ineligible(nic->board, queue)) ||
		    is_ordered_away(nic->board, queue))
			return true;
	return false;
}

static bool any_provisional(const struct nb_initial *nic)
{
	NB_INITIAL_FOREACH (queue, nic)
		if (is_provisional(nic->board, queue))
			return true;
	return false;
}

/* One that is alone on its CPU is not one of too many. */
static bool any_saturated(const struct nb_initial *nic)
{
	NB_INITIAL_FOREACH (queue, nic)
		if (queue->saturated && queue->movable && queue->cpu != NB_NOWHERE &&
		    nic->board->cpus[queue->cpu].n_queues > 1)
			return true;
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

static void place_domain(struct nb_initial *nic, GArray *moves)
{
	bool fresh = any_fresh(nic);
	bool wrong = fresh || any_ineligible(nic) || any_saturated(nic);

	if (wrong || any_provisional(nic))
		place_nic(nic, wrong, fresh, moves);
	NB_INITIAL_FOREACH (queue, nic)
		queue->memory->fresh &= waits(nic, queue);
}

static bool is_first_of_domain(const struct nb_board_queue *queues, unsigned at)
{
	for (unsigned i = 0; i < at; i++)
		if (queues[i].domain == queues[at].domain)
			return false;
	return true;
}

/* Calls place for the queues of each NIC, one time for each domain that they have. */
static void place_all(struct nb_board *board, GArray *moves,
		      void (*place)(struct nb_initial *nic, GArray *moves))
{
	for (unsigned first = 0; first < board->n_queues;) {
		unsigned n_queues = queues_of_same_nic(board, first);

		for (unsigned i = 0; i < n_queues; i++) {
			struct nb_initial nic = {
				.board = board,
				.queues = &board->queues[first],
				.n_queues = n_queues,
				.domain = board->queues[first + i].domain,
			};

			if (is_first_of_domain(nic.queues, i))
				place(&nic, moves);
		}
		first += n_queues;
	}
}

void nb_place(struct nb_board *board, GArray *moves)
{
	place_all(board, moves, place_domain);
}

static bool any_ordered_away(const struct nb_initial *nic)
{
	NB_INITIAL_FOREACH (queue, nic)
		if (is_ordered_away(nic->board, queue))
			return true;
	return false;
}

static void obey_domain(struct nb_initial *nic, GArray *moves)
{
	if (!any_ordered_away(nic) || !nb_initial_begin(nic))
		return;
	NB_INITIAL_FOREACH (queue, nic)
		if (is_ordered_away(nic->board, queue))
			order_away(nic, queue);
	nb_initial_choose(nic);
	nb_initial_move(nic, moves);
	nb_initial_end(nic);
}

void nb_place_obey(struct nb_board *board, GArray *moves)
{
	place_all(board, moves, obey_domain);
}

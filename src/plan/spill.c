/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plan/spill.h"

#include "base/memory.h"
#include "base/spells.h"
#include "plan/balance.h"

/* Noise of loads around Hot= does not end it, nor does a pause of such length. */
#define FULL_NODE_GAP_NSEC (15 * NB_NSEC_PER_SEC)

/* What the queue costs more on another node is a guess (plan/step.c): of a queue of 40 it is as
 * much as this. It is also how far below hot a node must be for queues to come back. */
#define LEAST_GAIN (NB_WHOLE / 10)
/* A queue stays away for so long, twice as long with each time that it has to leave again soon, up
 * to an hour. */
#define AWAY_NSEC (60 * NB_NSEC_PER_SEC)
#define MAX_DOUBLINGS 6u

static uint32_t gain_needed(uint32_t gain)
{
	return MAX(gain, LEAST_GAIN);
}

/* However its queues were placed within it, some CPU would be hot. */
static bool is_full(const struct nb_board *board, unsigned domain)
{
	const struct nb_domain *at = &board->domains[domain];

	return at->far && at->hottest != NB_NOWHERE && at->mean > board->policy->hot;
}

/* Of NICs that have a queue large enough. */
static void note_nics(const struct nb_board *board, struct nb_memory *memory, unsigned domain,
		      uint32_t gain)
{
	for (unsigned i = 0; i < board->n_queues; i++)
		if (board->queues[i].domain == domain && board->queues[i].load >= gain)
			nb_spells_note(&memory->full_nodes, board->queues[i].key.ifindex,
				       board->now_nsec);
}

void nb_spill_look(struct nb_board *board, struct nb_memory *memory, uint32_t gain)
{
	for (unsigned i = 0; i < board->n_domains; i++)
		if (is_full(board, i) && nb_balance_would_spill(board, i, gain_needed(gain)))
			note_nics(board, memory, i, gain_needed(gain));
	nb_spells_expire(&memory->full_nodes, board->now_nsec, FULL_NODE_GAP_NSEC);
}

/* Some NIC of the domain may spill, and was in need of it for long enough. */
static bool is_due(const struct nb_board *board, const struct nb_memory *memory, unsigned domain)
{
	for (unsigned i = 0; memory->full_nodes.n > 0 && i < board->n_queues; i++) {
		const struct nb_board_queue *queue = &board->queues[i];
		const struct nb_spell *node =
			queue->spills && queue->domain == domain
				? nb_spells_find(&memory->full_nodes, queue->key.ifindex)
				: NULL;

		if (node && node->seen_nsec >= node->since_nsec + board->policy->cooldown_nsec)
			return true;
	}
	return false;
}

static uint64_t away_nsec(const struct nb_queue_memory *queue)
{
	return AWAY_NSEC << MIN(queue->spills > 0 ? queue->spills - 1 : 0, MAX_DOUBLINGS);
}

static void note_spills(const struct nb_board *board, const GArray *moves, unsigned first)
{
	for (unsigned i = first; i < moves->len; i++) {
		struct nb_queue_memory *queue =
			nb_board_find_queue(board, g_array_index(moves, struct nb_move, i).key)
				->memory;
		bool soon = queue->spills > 0 &&
			    board->now_nsec <= queue->spilled_nsec + 2 * away_nsec(queue);

		queue->spills = soon ? queue->spills + 1 : 1;
		queue->spilled_nsec = board->now_nsec;
	}
}

bool nb_spill(struct nb_board *board, const struct nb_memory *memory, unsigned domain,
	      uint32_t gain, GArray *moves)
{
	unsigned first = moves->len;

	if (!is_full(board, domain) || !is_due(board, memory, domain) ||
	    !nb_balance_spill(board, domain, gain_needed(gain), moves))
		return false;
	note_spills(board, moves, first);
	return true;
}

bool nb_spill_any(struct nb_board *board, const struct nb_memory *memory, uint32_t gain,
		  GArray *moves)
{
	for (unsigned i = 0; memory->full_nodes.n > 0 && i < board->n_domains; i++)
		if (!board->domains[i].tried && nb_spill(board, memory, i, gain, moves))
			return true;
	return false;
}

/* After a restart it is not known when it went. */
static bool may_return(const struct nb_board *board, const struct nb_memory *memory,
		       const struct nb_board_queue *queue)
{
	uint64_t since_nsec = MAX(queue->memory->spilled_nsec, memory->begun_nsec);

	return queue->spills && queue->movable && !queue->steered && !queue->threaded &&
	       !queue->deferred && nb_board_is_far(board, queue) &&
	       board->now_nsec >= since_nsec + away_nsec(queue->memory) &&
	       !nb_board_is_accompanied(board, queue) && !nb_board_dwells(board, queue);
}

/* Balancing leaves the mean of a node as it is, or nearly so: it does not fill one that has room.
 */
static bool has_room(const struct nb_board *board, unsigned domain, unsigned target)
{
	uint32_t limit = board->policy->hot - MIN(board->policy->hot, LEAST_GAIN);

	return nb_board_mean(board, domain) <= limit && nb_board_core_peak(board, target) <= limit;
}

/* Where it would go; NB_NOWHERE: it stays. */
static unsigned way_back(struct nb_board *board, struct nb_board_queue *queue)
{
	unsigned from = queue->cpu, target = nb_board_coolest(board, queue);
	bool fits;

	if (target == NB_NOWHERE)
		return NB_NOWHERE;
	nb_board_place(board, queue, target);
	fits = has_room(board, queue->domain, target);
	nb_board_place(board, queue, from);
	return fits ? target : NB_NOWHERE;
}

bool nb_spill_back(struct nb_board *board, const struct nb_memory *memory, GArray *moves)
{
	unsigned first = moves->len;

	for (unsigned i = 0;
	     i < board->n_queues && moves->len < first + board->policy->moves_per_round; i++) {
		struct nb_board_queue *queue = &board->queues[i];
		unsigned target =
			may_return(board, memory, queue) ? way_back(board, queue) : NB_NOWHERE;

		if (target != NB_NOWHERE)
			nb_moves_add(moves, board, queue, target, NB_REASON_RETURN);
	}
	return moves->len > first;
}

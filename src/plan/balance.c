/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plan/balance.h"

#include "plan/heap.h"
#include "plan/step.h"

/* Hotter, or as hot and of a lower id. */
static bool comes_before(const void *context, unsigned a, unsigned b)
{
	const struct nb_board *board = context;
	uint32_t load_a = nb_board_load(board, a), load_b = nb_board_load(board, b);

	return load_a != load_b ? load_a > load_b : a < b;
}

/* Most often only few of them are taken. */
static struct nb_heap sources_of(const struct nb_board *board)
{
	return (struct nb_heap){board->source_store, comes_before, board};
}

/* The CPUs that serve a queue of the domain, are hot, and hotter than the others; for other nodes
 * all that are hot. The load of one
 * that a queue has yet to leave shows when it has left. */
static void gather_sources(const struct nb_step_search *search)
{
	struct nb_board *board = search->board;
	unsigned domain = search->domain;
	uint32_t uneven = board->domains[domain].mean + board->policy->gap;
	uint32_t threshold = search->far ? board->policy->hot : MAX(board->policy->hot, uneven);
	struct nb_heap heap = sources_of(board);
	GArray *sources = heap.items;

	g_array_set_size(sources, 0);
	for (unsigned i = 0; i < board->n_queues; i++) {
		unsigned cpu = board->queues[i].cpu;

		if (board->queues[i].domain != domain || cpu == NB_NOWHERE ||
		    board->cpus[cpu].listed || board->cpus[cpu].leaving > 0 ||
		    nb_board_load(board, cpu) <= threshold)
			continue;
		board->cpus[cpu].listed = true;
		g_array_append_val(sources, cpu);
	}
	for (unsigned i = 0; i < sources->len; i++)
		board->cpus[g_array_index(sources, unsigned, i)].listed = false;
	nb_heap_arrange(&heap);
}

static unsigned next_source(const struct nb_board *board)
{
	struct nb_heap sources = sources_of(board);
	unsigned hottest;

	if (sources.items->len == 0)
		return NB_NOWHERE;
	hottest = nb_heap_top(&sources);
	nb_heap_remove_top(&sources);
	return hottest;
}

static void take(const struct nb_step_search *search, const struct nb_step *step, GArray *moves)
{
	unsigned source = step->queue->cpu;
	enum nb_reason reason = search->far                          ? NB_REASON_SPILL
				: search->board->cpus[source].panics ? NB_REASON_PANIC
								     : NB_REASON_BALANCE;

	nb_moves_add(moves, search->board, step->queue, step->target, reason);
	if (step->back)
		nb_moves_add(moves, search->board, step->back, source, NB_REASON_SWAP);
}

static void begin(struct nb_step_search *search)
{
	gather_sources(search);
	nb_step_search_begin(search);
}

/* Takes the best step from the hottest CPU that has one. False when none has. */
static bool take_one(struct nb_step_search *search, unsigned budget, GArray *moves)
{
	unsigned source;

	begin(search);
	while ((source = next_source(search->board)) != NB_NOWHERE) {
		struct nb_step step = nb_step_search_from(search, source, budget);

		if (step.queue) {
			take(search, &step, moves);
			return true;
		}
	}
	return false;
}

static bool anything_held(struct nb_step_search *search, enum nb_step_holds holds)
{
	unsigned source;

	search->holds = holds;
	begin(search);
	source = next_source(search->board);
	return source != NB_NOWHERE &&
	       nb_step_search_from(search, source, search->board->policy->moves_per_round).queue;
}

/* From now on load places them. */
static void end_second_placements(struct nb_board *board, unsigned domain)
{
	for (unsigned i = 0; i < board->n_queues; i++)
		if (board->queues[i].domain == domain)
			board->queues[i].memory->provisional_until_nsec = 0;
}

enum nb_obstacle nb_balance(struct nb_board *board, unsigned domain, uint32_t gain, GArray *moves)
{
	struct nb_step_search search = {
		.board = board,
		.domain = domain,
		.gain = MAX(gain, 1),
	};
	unsigned end = moves->len + board->policy->moves_per_round;
	unsigned begin_len = moves->len;

	while (moves->len < end && take_one(&search, end - moves->len, moves))
		continue;
	if (moves->len > begin_len) {
		end_second_placements(board, domain);
		return NB_OBSTACLE_NONE;
	}
	if (board->domains[domain].awaits || anything_held(&search, NB_STEP_HOLDS_PASSING))
		return NB_OBSTACLE_HOLD;
	return anything_held(&search, NB_STEP_HOLDS_ALL) ? NB_OBSTACLE_FIXED : NB_OBSTACLE_GAIN;
}

/* The hottest one alone need not have a queue that would gain there. */
bool nb_balance_would_spill(struct nb_board *board, unsigned domain, uint32_t gain)
{
	struct nb_step_search search = {
		.board = board,
		.domain = domain,
		.gain = MAX(gain, 1),
		.far = true,
		.holds = NB_STEP_HOLDS_PASSING,
	};
	unsigned source;

	begin(&search);
	while ((source = next_source(board)) != NB_NOWHERE)
		if (nb_step_search_from(&search, source, 1).queue)
			return true;
	return false;
}

bool nb_balance_spill(struct nb_board *board, unsigned domain, uint32_t gain, GArray *moves)
{
	struct nb_step_search search = {
		.board = board,
		.domain = domain,
		.gain = MAX(gain, 1),
		.far = true,
	};
	unsigned begin_len = moves->len;
	unsigned end = begin_len + board->policy->moves_per_round;

	while (moves->len < end && nb_board_mean(board, domain) > board->policy->hot &&
	       take_one(&search, 1, moves))
		continue;
	return moves->len > begin_len;
}

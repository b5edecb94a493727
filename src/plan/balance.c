/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plan/balance.h"

/* One step that could be taken: a queue to another CPU, and perhaps one of that CPU's back. */
struct step {
	struct nb_board_queue *queue;
	struct nb_board_queue *back; /* NULL: a relocation */
	unsigned target;
	uint32_t gain;
	bool near; /* stays within its last-level cache */
};

struct search {
	struct nb_board *board;
	unsigned source;
	bool panic;
	bool ignore_holds; /* what would be possible if nothing dwelled */
};

/* The hottest of a CPU and the other threads of its core. */
static uint32_t core_peak(const struct nb_board *board, unsigned cpu)
{
	uint32_t peak = nb_board_load(board, cpu);

	for (unsigned i = board->cpus[cpu].next_thread; i != cpu; i = board->cpus[i].next_thread)
		peak = MAX(peak, nb_board_load(board, i));
	return peak;
}

static uint32_t pair_peak(const struct nb_board *board, unsigned a, unsigned b)
{
	return MAX(core_peak(board, a), core_peak(board, b));
}

/* By how much the hotter of the two CPUs cools down. Tried on the board and taken back. */
static uint32_t gain_of(struct nb_board *board, struct nb_board_queue *queue,
			struct nb_board_queue *back, unsigned target)
{
	unsigned source = queue->cpu;
	uint32_t before = pair_peak(board, source, target);
	uint32_t after;

	nb_board_place(board, queue, target);
	if (back)
		nb_board_place(board, back, source);
	after = pair_peak(board, source, target);
	nb_board_place(board, queue, source);
	if (back)
		nb_board_place(board, back, target);
	return before > after ? before - after : 0;
}

static bool may_move(const struct search *search, const struct nb_board_queue *queue)
{
	if (search->ignore_holds)
		return true;
	return queue->movable && !queue->steered &&
	       !nb_board_dwells(search->board, queue, search->panic);
}

/* More gain; then nearer; then cheaper to move; then the lower key and CPU, so that the order in
 * which things were found never matters. */
static bool better(const struct nb_board *board, const struct step *step, const struct step *best)
{
	int order;

	if (!best->queue || step->gain != best->gain)
		return !best->queue || step->gain > best->gain;
	if (step->near != best->near)
		return step->near;
	if (step->queue->cost != best->queue->cost)
		return step->queue->cost < best->queue->cost;
	order = nb_queue_key_compare(step->queue->key, best->queue->key);
	if (order != 0)
		return order < 0;
	return board->cpus[step->target].id < board->cpus[best->target].id;
}

static void consider(struct search *search, struct nb_board_queue *queue,
		     struct nb_board_queue *back, unsigned target, struct step *best)
{
	struct nb_board *board = search->board;
	struct step step = {
		.queue = queue,
		.back = back,
		.target = target,
		.gain = gain_of(board, queue, back, target),
		.near = board->cpus[target].llc == board->cpus[search->source].llc,
	};

	if (step.gain > 0 && better(board, &step, best))
		*best = step;
}

static struct step best_relocation(struct search *search)
{
	struct nb_board *board = search->board;
	struct step best = {};

	for (unsigned i = 0; i < board->n_queues; i++) {
		struct nb_board_queue *queue = &board->queues[i];

		if (queue->cpu != search->source || !may_move(search, queue))
			continue;
		for (unsigned cpu = 0; cpu < board->n_cpus; cpu++)
			if (cpu != search->source && nb_board_allows(board, queue, cpu))
				consider(search, queue, NULL, cpu, &best);
	}
	return best;
}

static struct step best_swap(struct search *search)
{
	struct nb_board *board = search->board;
	struct step best = {};

	for (unsigned i = 0; i < board->n_queues; i++) {
		struct nb_board_queue *queue = &board->queues[i];

		if (queue->cpu != search->source || !may_move(search, queue))
			continue;
		for (unsigned j = 0; j < board->n_queues; j++) {
			struct nb_board_queue *back = &board->queues[j];

			if (back->cpu == search->source || back->cpu == NB_NOWHERE ||
			    back->cost >= queue->cost || !may_move(search, back) ||
			    !nb_board_allows(board, queue, back->cpu) ||
			    !nb_board_allows(board, back, search->source))
				continue;
			consider(search, queue, back, back->cpu, &best);
		}
	}
	return best;
}

/* A swap costs two moves, so it is looked for only where no relocation gains enough. */
static struct step best_step(struct search *search, uint32_t gain, unsigned budget)
{
	struct step best = best_relocation(search);

	if (best.gain < gain && budget >= 2)
		best = best_swap(search);
	return best.gain >= gain ? best : (struct step){};
}

static void take(struct search *search, const struct step *step, GArray *moves)
{
	enum nb_reason reason = search->panic ? NB_REASON_PANIC : NB_REASON_BALANCE;
	unsigned source = step->queue->cpu;

	nb_moves_add(moves, search->board, step->queue, step->target, reason);
	if (step->back)
		nb_moves_add(moves, search->board, step->back, source, NB_REASON_SWAP);
}

/* The hottest CPU over the threshold that serves a queue of the domain and has not been tried. */
static unsigned next_source(const struct nb_board *board, int domain)
{
	unsigned hottest = NB_NOWHERE;
	uint32_t hottest_load = board->policy->hot;

	for (unsigned i = 0; i < board->n_queues; i++) {
		unsigned cpu = board->queues[i].cpu;
		uint32_t load;

		if (board->queues[i].domain != domain || cpu == NB_NOWHERE ||
		    board->cpus[cpu].tried)
			continue;
		load = nb_board_load(board, cpu);
		if (load > hottest_load ||
		    (load == hottest_load && hottest != NB_NOWHERE && cpu < hottest)) {
			hottest = cpu;
			hottest_load = load;
		}
	}
	return hottest;
}

static void forget_tries(struct nb_board *board)
{
	for (unsigned i = 0; i < board->n_cpus; i++)
		board->cpus[i].tried = false;
}

/* Takes the best step from the hottest CPU that has one. False when none has. */
static bool take_one(struct search *search, int domain, uint32_t gain, unsigned budget,
		     GArray *moves)
{
	for (;;) {
		struct step step;

		search->source = next_source(search->board, domain);
		if (search->source == NB_NOWHERE)
			return false;
		step = best_step(search, gain, budget);
		if (step.queue) {
			take(search, &step, moves);
			return true;
		}
		search->board->cpus[search->source].tried = true;
	}
}

static bool anything_held(struct search *search, int domain, uint32_t gain)
{
	search->ignore_holds = true;
	search->source = next_source(search->board, domain);
	return search->source != NB_NOWHERE &&
	       best_step(search, gain, search->board->policy->moves_per_round).queue;
}

enum nb_obstacle nb_balance(struct nb_board *board, int domain, uint32_t gain, bool panic,
			    GArray *moves)
{
	struct search search = {.board = board, .panic = panic};
	unsigned end = moves->len + board->policy->moves_per_round;
	unsigned begin = moves->len;

	while (moves->len < end && take_one(&search, domain, gain, end - moves->len, moves))
		forget_tries(board);
	if (moves->len > begin)
		return NB_OBSTACLE_NONE;

	forget_tries(board);
	return anything_held(&search, domain, gain) ? NB_OBSTACLE_HOLD : NB_OBSTACLE_GAIN;
}

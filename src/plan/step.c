/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plan/step.h"

#include <string.h>

/* A packet's memory is on the node of its NIC: reading it from another node takes longer, by a
 * quarter of the whole work at a guess (as for RPS). */
#define FAR_COST 4u

/* How far a queue would move. */
enum distance {
	DISTANCE_CACHE,
	DISTANCE_NODE,
	DISTANCE_FAR,
	_DISTANCE_MAX,
};

static uint32_t load_there(const struct nb_board *board, const struct nb_board_queue *queue,
			   unsigned cpu)
{
	return queue ? nb_board_load_on(board, queue, cpu) : 0;
}

void nb_step_weigh(struct nb_board *board, struct nb_step *step)
{
	unsigned source = step->queue->cpu;
	uint32_t net = step->queue->load - load_there(board, step->back, source);
	uint32_t came =
		load_there(board, step->queue, step->target) - (step->back ? step->back->load : 0);
	uint32_t before = nb_board_load(board, source), after;

	if (step->far)
		came += came / FAR_COST;
	board->cpus[source].queues -= net;
	board->cpus[step->target].queues += came;
	step->heat = nb_board_core_peak(board, step->target);
	after = MAX(nb_board_load(board, source), step->heat);
	board->cpus[source].queues += net;
	board->cpus[step->target].queues -= came;
	step->gain = before > after ? before - after : 0;
}

static bool may_move(const struct nb_step_search *search, const struct nb_board_queue *queue)
{
	if (queue->threaded)
		return false;
	switch (search->holds) {
	case NB_STEP_HOLDS_NONE:
		return queue->movable && !queue->steered && !queue->deferred &&
		       !nb_board_is_accompanied(search->board, queue) &&
		       !nb_board_dwells(search->board, queue);
	case NB_STEP_HOLDS_PASSING:
		return !nb_board_stays(search->board, queue);
	case NB_STEP_HOLDS_ALL:
		return true;
	}
	return false;
}

/* Whether it would help says also what Spill= does not allow. */
static bool may_leave(const struct nb_step_search *search, const struct nb_board_queue *queue)
{
	if (search->far && search->holds == NB_STEP_HOLDS_NONE && !queue->spills)
		return false;
	return queue->domain == search->domain && queue->load >= search->gain &&
	       may_move(search, queue);
}

static enum distance distance(const struct nb_board *board, unsigned a, unsigned b)
{
	if (board->cpus[a].llc == board->cpus[b].llc)
		return DISTANCE_CACHE;
	return board->cpus[a].node == board->cpus[b].node ? DISTANCE_NODE : DISTANCE_FAR;
}

/* A queue that is only held may go anywhere eventually. */
static bool may_go(const struct nb_step_search *search, const struct nb_board_queue *queue,
		   unsigned target)
{
	bool allowed = search->far ? nb_board_allows_far(search->board, queue, target)
				   : nb_board_allows(search->board, queue, target);

	return allowed && (search->holds != NB_STEP_HOLDS_NONE ||
			   !nb_board_left_lately(search->board, queue, target));
}

static int compare_back(const struct nb_step *a, const struct nb_step *b)
{
	return a->back && b->back ? nb_queue_key_compare(a->back->key, b->back->key) : 0;
}

/* More gain; then a cooler target; then the smaller load; then the lower keys and CPU, so that the
 * order in which steps are found never matters. */
static bool better(const struct nb_step *step, const struct nb_step *best)
{
	int order;

	if (!best->queue || step->gain != best->gain)
		return !best->queue || step->gain > best->gain;
	if (step->heat != best->heat)
		return step->heat < best->heat;
	if (step->queue->load != best->queue->load)
		return step->queue->load < best->queue->load;
	order = nb_queue_key_compare(step->queue->key, best->queue->key);
	if (order == 0)
		order = compare_back(step, best);
	return order != 0 ? order < 0 : step->target < best->target;
}

/* Keeps the best step of each distance. */
static void consider(struct nb_step_search *search, struct nb_board_queue *queue,
		     struct nb_board_queue *back, unsigned target,
		     struct nb_step best[static _DISTANCE_MAX])
{
	struct nb_step step = {.queue = queue, .back = back, .far = search->far, .target = target};
	enum distance away = distance(search->board, queue->cpu, target);

	nb_step_weigh(search->board, &step);
	if (search->far && step.heat > search->board->policy->hot)
		return;
	if (step.gain >= search->gain && better(&step, &best[away]))
		best[away] = step;
}

static struct nb_step nearest(const struct nb_step_search *search,
			      const struct nb_step best[static _DISTANCE_MAX])
{
	uint32_t most = 0;

	for (unsigned i = 0; i < _DISTANCE_MAX; i++)
		most = MAX(most, best[i].gain);
	for (unsigned i = 0; i < _DISTANCE_MAX; i++)
		if (best[i].queue && best[i].gain + search->gain >= most)
			return best[i];
	return (struct nb_step){};
}

/* Queues of the target that are smaller than the given one, for certain, by no less than the gain
 * and no more than the target has room for. */
static void consider_backs(struct nb_step_search *search, struct nb_board_queue *queue,
			   struct nb_board_target target, struct nb_step best[static _DISTANCE_MAX])
{
	struct nb_board *board = search->board;
	uint32_t load = nb_board_load_on(board, queue, target.cpu);

	NB_BOARD_FOREACH_QUEUE(i, board, target.cpu)
	{
		struct nb_board_queue *back = &board->queues[i];
		uint32_t relief = nb_board_load_on(board, back, queue->cpu);

		if (!nb_board_may_want_more(back) && relief + search->gain <= queue->load &&
		    load <= back->load + target.room && may_move(search, back) &&
		    may_go(search, back, queue->cpu))
			consider(search, queue, back, target.cpu, best);
	}
}

static void consider_target(struct nb_step_search *search, struct nb_board_queue *queue, bool swap,
			    struct nb_board_target target,
			    struct nb_step best[static _DISTANCE_MAX])
{
	if (!may_go(search, queue, target.cpu))
		return;
	if (swap)
		consider_backs(search, queue, target, best);
	else
		consider(search, queue, NULL, target.cpu, best);
}

static unsigned cost_bit(uint32_t cost)
{
	return MIN(cost, NB_WHOLE);
}

/* Whether a queue of some target has such a load; those of more than a CPU count as equal. */
static bool any_costs(const struct nb_step_search *search, uint32_t least, uint32_t most)
{
	unsigned first = cost_bit(least), last = cost_bit(most);

	for (unsigned word = first / 64; word <= last / 64; word++) {
		uint64_t bits = search->costs[word];

		if (word == first / 64)
			bits &= ~UINT64_C(0) << first % 64;
		if (word == last / 64)
			bits &= ~UINT64_C(0) >> (63 - last % 64);
		if (bits)
			return true;
	}
	return false;
}

/* What the roomiest target could take at most. */
static uint32_t room_left(const struct nb_step_search *search)
{
	return search->room - MIN(search->room, search->fall);
}

/* Whether a CPU with so much room could take the load of the queue, or in a swap what it exceeds
 * some other by. False is certain; where CPUs differ in capacity, room is not enough to tell. */
static bool fits_any(const struct nb_step_search *search, const struct nb_board_queue *queue,
		     uint32_t room, bool swap)
{
	if (search->board->hybrid)
		return true;
	if (!swap)
		return queue->load <= room;
	return any_costs(search, queue->load - MIN(room, queue->load), queue->load - search->gain);
}

/* The same of one target and its queues. It rules out most targets. */
static bool may_fit(const struct nb_step_search *search, const struct nb_board_queue *queue,
		    const struct nb_board_target *target, bool swap)
{
	uint32_t load = queue->load, lightest = target->lightest;

	if (search->board->hybrid) {
		const struct nb_board_cpu *cpus = search->board->cpus;

		load = nb_board_load_on(search->board, queue, target->cpu);
		lightest = nb_capacity_convert(lightest, cpus[target->cpu].capacity,
					       cpus[queue->cpu].capacity);
	}
	if (!swap)
		return load + search->fall <= target->room;
	return lightest + search->gain <= queue->load &&
	       load + search->fall <= target->heaviest + target->room;
}

/* The other threads of the source's own core, which are as hot as they are by its load and get
 * cooler with it, and the CPUs that have room. */
static void consider_targets(struct nb_step_search *search, struct nb_board_queue *queue, bool swap,
			     struct nb_step best[static _DISTANCE_MAX])
{
	const struct nb_board *board = search->board;
	const GArray *targets = board->target_store;
	unsigned source = queue->cpu;

	for (unsigned i = board->cpus[source].next_thread; i != source;
	     i = board->cpus[i].next_thread)
		consider_target(search, queue, swap,
				(struct nb_board_target){
					.cpu = i,
					.room = nb_board_load_on(board, queue, i),
				},
				best);
	if (!search->roomy || !fits_any(search, queue, room_left(search), swap))
		return;
	for (unsigned i = 0; i < targets->len; i++) {
		struct nb_board_target *target = &g_array_index(targets, struct nb_board_target, i);

		if (may_fit(search, queue, target, swap))
			consider_target(search, queue, swap, *target, best);
	}
}

static struct nb_step best_step(struct nb_step_search *search, unsigned source, bool swap)
{
	struct nb_board *board = search->board;
	struct nb_step best[_DISTANCE_MAX] = {};

	NB_BOARD_FOREACH_QUEUE(i, board, source)
	if (may_leave(search, &board->queues[i]))
		consider_targets(search, &board->queues[i], swap, best);
	return nearest(search, best);
}

/* What the CPU can take, at most, before it or another thread of its core gets hotter than limit.
 * As limit falls it falls as much, or more: a thread feels a share of what its sibling takes. */
static uint32_t room_of(const struct nb_board *board, unsigned cpu, uint32_t limit)
{
	uint32_t load = nb_board_load(board, cpu);
	uint32_t own = nb_board_own(&board->cpus[cpu]);
	uint32_t weight = board->policy->sibling_weight;
	uint32_t room = limit > load ? limit - load : 0;

	for (unsigned i = board->cpus[cpu].next_thread; i != cpu; i = board->cpus[i].next_thread) {
		uint32_t its_own = nb_board_own(&board->cpus[i]);
		uint64_t ours;

		if (nb_board_load(board, i) > limit)
			return 0;
		if (weight == 0)
			continue;
		ours = (uint64_t)(limit - its_own + 1) * NB_WHOLE / weight;
		room = (uint32_t)MIN(room, ours > own ? ours - own : 0);
	}
	return room;
}

static void note_costs(struct nb_step_search *search, struct nb_board_target *target)
{
	const struct nb_board *board = search->board;

	target->lightest = UINT32_MAX / NB_WHOLE; /* without queues */
	target->heaviest = 0;
	NB_BOARD_FOREACH_QUEUE(i, board, target->cpu)
	{
		uint32_t cost = board->queues[i].load;
		unsigned bit = cost_bit(cost);

		target->lightest = MIN(target->lightest, cost);
		target->heaviest = MAX(target->heaviest, cost);
		search->costs[bit / 64] |= UINT64_C(1) << bit % 64;
	}
}

/* What relieves one CPU by the gain may be less on another of more capacity. */
static uint32_t least_room(const struct nb_step_search *search)
{
	return search->board->hybrid ? 1 : search->gain;
}

/* Drops the targets that have no room any more: they will have none for a cooler source. */
static void narrow_targets(struct nb_step_search *search, uint32_t limit)
{
	const struct nb_board *board = search->board;
	GArray *targets = board->target_store;
	unsigned kept = 0;

	search->limit = limit;
	search->room = 0;
	search->fall = 0;
	memset(search->costs, 0, sizeof(search->costs));
	for (unsigned i = 0; i < targets->len; i++) {
		struct nb_board_target target = g_array_index(targets, struct nb_board_target, i);

		target.room = room_of(board, target.cpu, limit);
		if (target.room < least_room(search))
			continue;
		search->room = MAX(search->room, target.room);
		note_costs(search, &target);
		g_array_index(targets, struct nb_board_target, kept++) = target;
	}
	g_array_set_size(targets, kept);
}

/* Whether the roomiest target could take the load of a queue of the source, or what it exceeds some
 * other by. False is certain; it rules out most sources that nothing helps without checking each
 * target. */
static bool may_gain(const struct nb_step_search *search, unsigned source, unsigned budget)
{
	const struct nb_board *board = search->board;
	uint32_t room = room_left(search);

	if (room < least_room(search))
		return false;
	NB_BOARD_FOREACH_QUEUE(i, board, source)
	{
		const struct nb_board_queue *queue = &board->queues[i];

		if (may_leave(search, queue) &&
		    (fits_any(search, queue, room, false) ||
		     (budget >= 2 && fits_any(search, queue, room, true))))
			return true;
	}
	return false;
}

void nb_step_search_begin(struct nb_step_search *search)
{
	struct nb_board *board = search->board;

	search->limit = UINT32_MAX;
	search->room = UINT32_MAX;
	memset(search->costs, 0xff, sizeof(search->costs));
	g_array_set_size(board->target_store, 0);
	for (unsigned i = 0; i < board->n_cpus; i++) {
		struct nb_board_target target = {.cpu = i};

		if (search->far ? nb_board_is_open_far(board, i, search->domain)
				: nb_board_is_open(board, i, search->domain))
			g_array_append_val(board->target_store, target);
	}
}

/* Whether any target may have room for a queue of this source. Targets are checked only if what is
 * known of them from hotter sources does not rule it out, and not again for a source that is hardly
 * cooler. */
static bool find_room(struct nb_step_search *search, unsigned source, unsigned budget)
{
	uint32_t load = nb_board_load(search->board, source);
	uint32_t limit = load > search->gain ? load - search->gain : 0;

	search->fall = search->limit - limit;
	if (!may_gain(search, source, budget))
		return false;
	if (search->fall < search->gain)
		return true;
	narrow_targets(search, limit);
	return may_gain(search, source, budget);
}

struct nb_step nb_step_search_from(struct nb_step_search *search, unsigned source, unsigned budget)
{
	struct nb_step best;

	search->roomy = find_room(search, source, budget);
	best = best_step(search, source, false);
	return best.queue || budget < 2 ? best : best_step(search, source, true);
}

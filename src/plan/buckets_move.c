/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plan/buckets.h"

/* A CPU is cool enough if it is above the mean of those that serve the NIC by no more than this. */
#define TOLERANCE 200u
/* A bucket with less load is not worth the reordering. */
#define LEAST_LOAD 20u
/* Each is searched for among all. */
#define MOST_MOVES 256u

bool nb_buckets_may_move(const struct nb_board *board, const struct nb_board_queue *queue)
{
	return queue->has_rx && queue->rss && queue->cpu != NB_NOWHERE && !queue->steered &&
	       !queue->threaded && queue->polled_on == queue->destination &&
	       nb_board_may_stay(board, queue->cpu, queue->domain);
}

static struct nb_board_ring *ring_at(const struct nb_board *board, unsigned ring)
{
	return &g_array_index(board->ring_store, struct nb_board_ring, ring);
}

static uint32_t *entry_at(const struct nb_board *board, unsigned bucket)
{
	return &g_array_index(board->table_store, uint32_t, bucket);
}

static void add_ring(struct nb_board *board, unsigned number)
{
	struct nb_queue_key key = {.ifindex = board->counts->ifindex, .index = number};
	const struct nb_board_queue *queue = nb_board_find_queue(board, key);
	struct nb_board_ring *ring = ring_at(board, number);

	*ring = (struct nb_board_ring){.cpu = NB_NOWHERE};
	if (!queue || !nb_buckets_may_move(board, queue))
		return;
	ring->cpu = queue->cpu;
	ring->load = nb_board_whole_load(queue);
	board->cpus[queue->cpu].evened = nb_board_load(board, queue->cpu);
}

static void lay_out(struct nb_board *board)
{
	const struct nb_bucket_counts *counts = board->counts;

	g_array_set_size(board->ring_store, counts->n_rings);
	for (unsigned i = 0; i < counts->n_rings; i++)
		add_ring(board, i);
	for (unsigned i = 0; i < counts->n; i++)
		ring_at(board, counts->queues[i])->packets += counts->packets[i];
	g_array_set_size(board->table_store, 0);
	g_array_append_vals(board->table_store, counts->queues, counts->n);
}

/* In proportion to packets, of the queue in which they were counted; as load of the largest CPU. */
static uint32_t load_of(const struct nb_board *board, unsigned bucket)
{
	const struct nb_bucket_counts *counts = board->counts;
	const struct nb_board_ring *ring = ring_at(board, counts->queues[bucket]);

	return ring->cpu == NB_NOWHERE || ring->packets == 0
		       ? 0
		       : (uint32_t)((uint64_t)ring->load * counts->packets[bucket] / ring->packets);
}

static uint32_t load_on(const struct nb_board *board, uint32_t load, unsigned cpu)
{
	return nb_capacity_convert(load, NB_WHOLE, board->cpus[cpu].capacity);
}

/* Of the CPUs that serve rings: the one with the most load, or with the least. A number of a ring;
 * NB_NOWHERE if none takes part. */
static unsigned extreme_ring(const struct nb_board *board, bool hottest)
{
	unsigned found = NB_NOWHERE;
	uint32_t best = 0;

	for (unsigned i = 0; i < board->counts->n_rings; i++) {
		const struct nb_board_ring *ring = ring_at(board, i);
		uint32_t load;

		if (ring->cpu == NB_NOWHERE || (hottest && board->cpus[ring->cpu].listed))
			continue;
		load = board->cpus[ring->cpu].evened;
		if (found == NB_NOWHERE || (hottest ? load > best : load < best)) {
			found = i;
			best = load;
		}
	}
	return found;
}

static void unlist(const struct nb_board *board)
{
	for (unsigned i = 0; i < board->counts->n_rings; i++)
		if (ring_at(board, i)->cpu != NB_NOWHERE)
			board->cpus[ring_at(board, i)->cpu].listed = false;
}

/* Where the CPUs would be equally hot, and a little above. */
static uint32_t goal(const struct nb_board *board)
{
	uint64_t sum = 0, capacities = 0;

	for (unsigned i = 0; i < board->counts->n_rings; i++) {
		unsigned cpu = ring_at(board, i)->cpu;

		if (cpu == NB_NOWHERE || board->cpus[cpu].listed)
			continue;
		board->cpus[cpu].listed = true;
		sum += (uint64_t)board->cpus[cpu].evened * board->cpus[cpu].capacity;
		capacities += board->cpus[cpu].capacity;
	}
	unlist(board);
	return capacities ? (uint32_t)(sum / capacities) + TOLERANCE : UINT32_MAX;
}

/* Two CPUs, and how hot one may be. */
struct pair {
	const struct nb_board *board;
	unsigned from, to;
	uint32_t source, target; /* their loads */
	uint32_t cool;
};

static uint32_t source_load(const struct pair *pair, uint32_t load)
{
	return load_on(pair->board, load, pair->from);
}

static uint32_t target_with(const struct pair *pair, uint32_t load)
{
	return pair->target + load_on(pair->board, load, pair->to);
}

/* The hotter of both. */
static uint32_t hotter_without(const struct pair *pair, uint32_t load)
{
	return MAX(nb_growth(source_load(pair, load), pair->source), target_with(pair, load));
}

/* The one that cools the source enough and is the smallest of these, else the largest, of those
 * that leave the target cool. */
static bool is_fitter(const struct pair *pair, uint32_t load, uint32_t than)
{
	uint32_t need = pair->source - pair->cool;

	if (target_with(pair, load) > pair->cool)
		return false;
	return source_load(pair, than) >= need ? source_load(pair, load) >= need && load < than
					       : load > than;
}

/* If none does: the one that leaves the hotter of both coolest. */
static bool is_better(const struct pair *pair, uint32_t load, uint32_t than)
{
	uint32_t after = hotter_without(pair, load);
	uint32_t other = hotter_without(pair, than);

	return after + LEAST_LOAD <= pair->source && (than == 0 || after < other);
}

typedef bool compare_fn(const struct pair *pair, uint32_t load, uint32_t than);

static unsigned choose(const struct nb_board *board, const struct pair *pair, compare_fn *compare)
{
	unsigned found = NB_NOWHERE;
	uint32_t best = 0;

	for (unsigned i = 0; i < board->counts->n; i++) {
		uint32_t load;

		if (ring_at(board, *entry_at(board, i))->cpu != pair->from)
			continue;
		load = load_of(board, i);
		if (load >= LEAST_LOAD && compare(pair, load, best)) {
			best = load;
			found = i;
		}
	}
	return found;
}

/* NB_NOWHERE: none is worth it. A bucket that is too much for any CPU stays, and all others leave:
 * it is a single flow, or few. */
static unsigned best_bucket(const struct nb_board *board, unsigned from, unsigned to, uint32_t cool)
{
	const struct pair pair = {
		.board = board,
		.from = from,
		.to = to,
		.source = board->cpus[from].evened,
		.target = board->cpus[to].evened,
		.cool = cool,
	};
	unsigned bucket = choose(board, &pair, is_fitter);

	return bucket == NB_NOWHERE ? choose(board, &pair, is_better) : bucket;
}

static void move_bucket(struct nb_board *board, unsigned bucket, unsigned ring)
{
	uint32_t load = load_of(board, bucket);
	unsigned from = ring_at(board, *entry_at(board, bucket))->cpu;
	unsigned to = ring_at(board, ring)->cpu;

	board->cpus[from].evened = nb_growth(load_on(board, load, from), board->cpus[from].evened);
	board->cpus[to].evened += load_on(board, load, to);
	*entry_at(board, bucket) = ring;
}

/* From the hottest CPU to the coolest, until all are cool enough. One of which no bucket helps is
 * listed, and the next one looked at: a single flow may be too much for its queue, which then keeps
 * little else. */
static void even_out(struct nb_board *board)
{
	uint32_t cool = goal(board);
	unsigned coolest = extreme_ring(board, false), hottest;

	for (unsigned n = 0; n < MOST_MOVES && (hottest = extreme_ring(board, true)) != NB_NOWHERE;
	     n++) {
		unsigned from = ring_at(board, hottest)->cpu, bucket;

		if (board->cpus[from].evened <= cool)
			break;
		bucket = best_bucket(board, from, ring_at(board, coolest)->cpu, cool);
		if (bucket == NB_NOWHERE) {
			board->cpus[from].listed = true;
			continue;
		}
		move_bucket(board, bucket, coolest);
		coolest = extreme_ring(board, false);
	}
	unlist(board);
}

static uint32_t hottest_of(const struct nb_board *board)
{
	unsigned ring = extreme_ring(board, true);

	return ring == NB_NOWHERE ? 0 : board->cpus[ring_at(board, ring)->cpu].evened;
}

bool nb_buckets_even_out(struct nb_board *board, uint32_t gain, struct nb_rss_change *ret)
{
	const struct nb_bucket_counts *counts = board->counts;
	uint32_t before, after;

	lay_out(board);
	before = hottest_of(board);
	even_out(board);
	after = hottest_of(board);
	ret->load_before = before;
	ret->load_after = after;
	ret->from = counts->queues;
	ret->to = entry_at(board, 0);
	ret->n_entries = counts->n;
	ret->n_moved = 0;
	for (unsigned i = 0; i < counts->n; i++)
		ret->n_moved += ret->from[i] != ret->to[i];
	return ret->n_moved > 0 && after + gain <= before;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plan/place.h"

#include "base/memory.h"
#include "plan/heap.h"

/* An idle queue counts as this much, so that queues of a quiet NIC are spread by number, and a CPU
 * that an application keeps busy gets fewer of them. */
#define NOMINAL_COST 500u
/* Loads within one such step are alike: the order among them is settled by number, not by noise. */
#define LOAD_STEP 500u

/* One queue that is to be put somewhere, with the reason and where it was. */
struct misplaced {
	struct nb_board_queue *queue;
	enum nb_reason reason;
	unsigned was_on;
	unsigned seat; /* where it is to go; NB_NOWHERE: there is no place for it */
	uint32_t cost;
	uint32_t weight;
};

/* What a CPU is worth as a seat. Each queue that is put there, or on another thread of its core,
 * makes it worse. */
struct seat {
	bool filled; /* by an application */
	unsigned n_of_nic;
	uint32_t load_step;
	unsigned n_queues;
};

/* A NIC's queues: board->queues[first .. first + n). */
struct nic_view {
	struct nb_board *board;
	struct nb_board_queue *queues;
	unsigned n;
	unsigned *on_cpu; /* queues of this NIC by CPU index */
	unsigned fair_share;
};

static unsigned count_candidates(const struct nb_board *board, const struct nb_board_queue *queue)
{
	unsigned n = 0;

	for (unsigned i = 0; i < board->n_cpus; i++)
		n += nb_board_allows(board, queue, i);
	return n;
}

static bool any_fresh(const struct nic_view *nic)
{
	for (unsigned i = 0; i < nic->n; i++)
		if (nic->queues[i].memory->fresh)
			return true;
	return false;
}

static bool is_collapsed(const struct nic_view *nic)
{
	unsigned most = 0;

	for (unsigned i = 0; i < nic->board->n_cpus; i++)
		most = MAX(most, nic->on_cpu[i]);
	return most > 2 * nic->fair_share || (most == nic->n && nic->n > nic->fair_share);
}

/* Takes a queue off the board, to be put somewhere anew. */
static void take_off(struct nic_view *nic, struct nb_board_queue *queue, enum nb_reason reason,
		     GArray *misplaced)
{
	struct misplaced entry = {
		.queue = queue,
		.reason = reason,
		.was_on = queue->cpu,
		.seat = NB_NOWHERE,
		.cost = queue->cost,
		.weight = MAX(queue->cost, NOMINAL_COST),
	};

	if (queue->cpu != NB_NOWHERE)
		nic->on_cpu[queue->cpu]--;
	nb_board_place(nic->board, queue, NB_NOWHERE);
	g_array_append_val(misplaced, entry);
}

/* What was tried a moment ago and is wrong still is not tried again in each cycle, and less and
 * less often. */
static bool tried_lately(const struct nb_board *board, const struct nb_board_queue *queue)
{
	uint64_t moved_nsec = queue->memory->moved_nsec;
	uint64_t wait_nsec = nb_memory_back_off(queue->memory, board->policy->cooldown_nsec);

	return moved_nsec && board->now_nsec < moved_nsec + wait_nsec;
}

/* All queues of such a CPU are seated anew, lest each of several NICs leave a share on the same
 * one; those that may stay as well do stay. */
static void mark_crowded(struct nic_view *nic, bool collapsed)
{
	for (unsigned i = 0; i < nic->board->n_cpus; i++)
		nic->board->cpus[i].listed = collapsed && nic->on_cpu[i] > nic->fair_share;
}

static void take_off_wrong(struct nic_view *nic, bool fresh, GArray *misplaced)
{
	mark_crowded(nic, fresh && is_collapsed(nic));
	for (unsigned i = 0; i < nic->n; i++) {
		struct nb_board_queue *queue = &nic->queues[i];
		bool ineligible =
			queue->cpu == NB_NOWHERE || !nic->board->cpus[queue->cpu].eligible;

		if (!queue->movable || tried_lately(nic->board, queue))
			continue;
		if (ineligible)
			take_off(nic, queue, NB_REASON_INELIGIBLE, misplaced);
		else if (nic->board->cpus[queue->cpu].listed)
			take_off(nic, queue, NB_REASON_COLLAPSED, misplaced);
		else if (fresh && queue->state->n_allowed > 1)
			take_off(nic, queue, NB_REASON_SEVERAL, misplaced);
	}
	mark_crowded(nic, false);
}

static int compare_misplaced(const void *a, const void *b)
{
	const struct misplaced *left = a, *right = b;

	if (left->weight != right->weight)
		return left->weight > right->weight ? -1 : 1;
	return nb_queue_key_compare(left->queue->key, right->queue->key);
}

static struct seat seat_of(const struct nic_view *nic, unsigned cpu)
{
	const struct nb_board_cpu *at = &nic->board->cpus[cpu];

	return (struct seat){
		.filled = nb_board_time(at, at->rest) > nic->board->policy->hot,
		.n_of_nic = nic->on_cpu[cpu],
		.load_step = nb_board_load(nic->board, cpu) / LOAD_STEP,
		.n_queues = at->n_queues,
	};
}

/* Below 0 when a is better. Not beside an application that fills its CPU while another CPU is free
 * of one; then by the number of this NIC's queues, for what a first window says of moderate loads
 * is mostly chance, and a collapsed queue shows a part of its cost only; then the less loaded, in
 * steps.
 */
static int compare_seats(const struct seat *a, const struct seat *b)
{
	if (a->filled != b->filled)
		return a->filled ? 1 : -1;
	if (a->n_of_nic != b->n_of_nic)
		return a->n_of_nic < b->n_of_nic ? -1 : 1;
	return (a->load_step > b->load_step) - (a->load_step < b->load_step);
}

/* Then the CPU with fewer queues of any NIC; then the lower id. */
static bool comes_before(const void *context, unsigned a, unsigned b)
{
	const struct seat *seats = context;
	int order = compare_seats(&seats[a], &seats[b]);

	if (order != 0)
		return order < 0;
	return seats[a].n_queues != seats[b].n_queues ? seats[a].n_queues < seats[b].n_queues
						      : a < b;
}

static bool is_same_seat(const struct seat *a, const struct seat *b)
{
	return compare_seats(a, b) == 0 && a->n_queues == b->n_queues;
}

/* Seats only get worse: a top one that is as good as it was is the best of all. False when there is
 * none. */
static bool find_best(const struct nic_view *nic, struct seat *seats, const struct nb_heap *heap)
{
	while (heap->items->len) {
		unsigned cpu = nb_heap_top(heap);
		struct seat seat = seat_of(nic, cpu);

		if (is_same_seat(&seat, &seats[cpu]))
			return true;
		seats[cpu] = seat;
		nb_heap_settle_top(heap);
	}
	return false;
}

/* The best one that the queue may have: of those alike the one where it is. */
static unsigned best_seat(const struct nic_view *nic, const struct misplaced *entry,
			  struct seat *seats, const struct nb_heap *heap)
{
	unsigned best, was_on = entry->was_on;
	struct seat here;

	if (!find_best(nic, seats, heap))
		return NB_NOWHERE;
	best = nb_heap_top(heap);
	if (!nb_board_allows(nic->board, entry->queue, best)) {
		unsigned next;

		nb_heap_remove_top(heap);
		next = best_seat(nic, entry, seats, heap);
		g_array_append_val(heap->items, best);
		nb_heap_arrange(heap);
		return next;
	}
	if (was_on == NB_NOWHERE || !nb_board_allows(nic->board, entry->queue, was_on))
		return best;
	here = seat_of(nic, was_on);
	return compare_seats(&here, &seats[best]) <= 0 ? was_on : best;
}

static void gather_seats(const struct nic_view *nic, struct seat *seats, const struct nb_heap *heap)
{
	const struct nb_board *board = nic->board;

	for (unsigned i = 0; i < board->n_cpus; i++) {
		if (!nb_board_is_open(&board->cpus[i], nic->queues[0].domain))
			continue;
		seats[i] = seat_of(nic, i);
		g_array_append_val(heap->items, i);
	}
	nb_heap_arrange(heap);
}

/* Where each would be put, one after the other, the costliest first. On the board a queue weighs
 * its nominal cost at least while the others are seated. */
static void choose_seats(struct nic_view *nic, GArray *misplaced)
{
	g_autofree struct seat *seats = g_new(struct seat, nic->board->n_cpus);
	g_autoptr(GArray) cpus = g_array_new(FALSE, FALSE, sizeof(unsigned));
	struct nb_heap heap = {cpus, comes_before, seats};

	gather_seats(nic, seats, &heap);
	for (unsigned i = 0; i < misplaced->len; i++) {
		struct misplaced *entry = &g_array_index(misplaced, struct misplaced, i);

		entry->seat = best_seat(nic, entry, seats, &heap);
		entry->queue->cost = entry->weight;
		nb_board_place(nic->board, entry->queue, entry->seat);
		if (entry->seat != NB_NOWHERE)
			nic->on_cpu[entry->seat]++;
	}
	for (unsigned i = 0; i < misplaced->len; i++) {
		struct misplaced *entry = &g_array_index(misplaced, struct misplaced, i);

		nb_board_place(nic->board, entry->queue, NB_NOWHERE);
		entry->queue->cost = entry->cost;
		nb_board_place(nic->board, entry->queue, entry->was_on);
	}
}

/* Staying on the same CPU is a move only for a mask that allows others too. */
static void add_moves(struct nic_view *nic, const GArray *misplaced, GArray *moves)
{
	for (unsigned i = 0; i < misplaced->len; i++) {
		const struct misplaced *entry = &g_array_index(misplaced, struct misplaced, i);
		bool stays = entry->seat == entry->was_on && entry->queue->state->n_allowed <= 1;

		if (entry->seat != NB_NOWHERE && !stays)
			nb_moves_add(moves, nic->board, entry->queue, entry->seat, entry->reason);
	}
}

static void place_nic(struct nic_view *nic, bool fresh, GArray *moves)
{
	g_autofree unsigned *on_cpu = g_new0(unsigned, nic->board->n_cpus);
	g_autoptr(GArray) misplaced = g_array_new(FALSE, FALSE, sizeof(struct misplaced));
	unsigned n_candidates = count_candidates(nic->board, &nic->queues[0]);

	if (n_candidates == 0)
		return;
	nic->on_cpu = on_cpu;
	nic->fair_share = (nic->n + n_candidates - 1) / n_candidates;
	for (unsigned i = 0; i < nic->n; i++)
		if (nic->queues[i].cpu != NB_NOWHERE)
			on_cpu[nic->queues[i].cpu]++;

	take_off_wrong(nic, fresh, misplaced);
	g_array_sort(misplaced, compare_misplaced);
	choose_seats(nic, misplaced);
	add_moves(nic, misplaced, moves);
}

static bool any_ineligible(const struct nic_view *nic)
{
	for (unsigned i = 0; i < nic->n; i++) {
		const struct nb_board_queue *queue = &nic->queues[i];

		if (queue->movable &&
		    (queue->cpu == NB_NOWHERE || !nic->board->cpus[queue->cpu].eligible))
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
		struct nic_view nic = {
			.board = board,
			.queues = &board->queues[first],
			.n = queues_of_same_nic(board, first),
		};
		bool fresh = any_fresh(&nic);

		if (fresh || any_ineligible(&nic))
			place_nic(&nic, fresh, moves);
		for (unsigned i = 0; i < nic.n; i++)
			nic.queues[i].memory->fresh = false;
		first += nic.n;
	}
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plan/initial.h"

#include "base/memory.h"
#include "plan/heap.h"

/* An idle queue counts as this load, so that queues of a NIC without traffic are placed by number,
 * and a CPU that an application keeps busy gets fewer of them. */
#define NOMINAL_COST 500u
/* Loads within one such step count as equal: number decides then, not noise. */
#define LOAD_STEP 500u

/* After a burst a CPU counts as free when it was free for so long. */
#define FREE_NSEC (2 * NB_NSEC_PER_SEC)

/* How good a CPU is for a queue. Each queue that is put there, or on another thread of its core,
 * makes it worse. */
struct candidate {
	bool filled;       /* by an application */
	uint32_t n_of_nic; /* its queues and one more, by its capacity */
	uint32_t load_step;
	unsigned n_queues;
};

static uint64_t sum_capacities(const struct nb_initial *initial)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < initial->board->n_cpus; i++)
		if (nb_board_is_open(initial->board, i, initial->domain))
			sum += initial->board->cpus[i].capacity;
	return sum;
}

bool nb_initial_begin(struct nb_initial *initial)
{
	initial->capacities = sum_capacities(initial);
	if (initial->capacities == 0)
		return false;
	NB_INITIAL_FOREACH (queue, initial)
		initial->n++;
	initial->on_cpu = g_new0(unsigned, initial->board->n_cpus);
	initial->taken_off = g_array_new(FALSE, FALSE, sizeof(struct nb_taken_off));
	NB_INITIAL_FOREACH (queue, initial)
		if (queue->cpu != NB_NOWHERE)
			initial->on_cpu[queue->cpu]++;
	return true;
}

void nb_initial_end(struct nb_initial *initial)
{
	g_array_unref(initial->taken_off);
	g_free(initial->on_cpu);
}

void nb_initial_take_off(struct nb_initial *initial, struct nb_board_queue *queue,
			 enum nb_reason reason)
{
	uint32_t nominal = nb_capacity_convert(NOMINAL_COST, NB_WHOLE, queue->capacity);
	struct nb_taken_off entry = {
		.queue = queue,
		.reason = reason,
		.was_on = queue->cpu,
		.target = NB_NOWHERE,
		.load = queue->measured,
		.weight = MAX(queue->measured, nominal),
	};

	if (queue->cpu != NB_NOWHERE)
		initial->on_cpu[queue->cpu]--;
	nb_board_place(initial->board, queue, NB_NOWHERE);
	g_array_append_val(initial->taken_off, entry);
}

static uint32_t whole_weight(const struct nb_taken_off *entry)
{
	return nb_capacity_convert(entry->weight, entry->queue->capacity, NB_WHOLE);
}

static int compare_weights(const void *a, const void *b)
{
	const struct nb_taken_off *left = a, *right = b;
	uint32_t weight = whole_weight(left), than = whole_weight(right);

	if (weight != than)
		return weight > than ? -1 : 1;
	return nb_queue_key_compare(left->queue->key, right->queue->key);
}

/* An application with a load of about Hot= seems to come and go, above all on a slow guest. */
static bool is_filled(const struct nb_initial *initial, unsigned cpu)
{
	const struct nb_board_cpu *at = &initial->board->cpus[cpu];
	const struct nb_policy *policy = initial->board->policy;
	uint32_t rest = nb_board_time(at, at->fixed);

	if (!initial->second_placement)
		return rest > policy->hot;
	return rest > policy->hot / 2 || at->steady_nsec < FREE_NSEC;
}

static struct candidate candidate_of(const struct nb_initial *initial, unsigned cpu)
{
	const struct nb_board_cpu *at = &initial->board->cpus[cpu];

	return (struct candidate){
		.filled = is_filled(initial, cpu),
		.n_of_nic = nb_basis_points((initial->on_cpu[cpu] + UINT64_C(1)) * NB_WHOLE,
					    at->capacity),
		.load_step = nb_board_load(initial->board, cpu) / LOAD_STEP,
		.n_queues = at->n_queues,
	};
}

/* Below 0 if a is better. First CPUs that no application fills; then by the number of this NIC's
 * queues, since moderate loads of a first window are mostly chance, and a collapsed queue shows
 * only a part of its load; then the less loaded, in steps. */
static int compare_candidates(const struct candidate *a, const struct candidate *b)
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
	const struct candidate *candidates = context;
	int order = compare_candidates(&candidates[a], &candidates[b]);

	if (order != 0)
		return order < 0;
	return candidates[a].n_queues != candidates[b].n_queues
		       ? candidates[a].n_queues < candidates[b].n_queues
		       : a < b;
}

static bool is_same_candidate(const struct candidate *a, const struct candidate *b)
{
	return compare_candidates(a, b) == 0 && a->n_queues == b->n_queues;
}

/* CPUs only get worse: a top one that is as good as it was is the best of all. False if there is
 * none. */
static bool find_best(const struct nb_initial *initial, struct candidate *candidates,
		      const struct nb_heap *heap)
{
	while (heap->items->len) {
		unsigned cpu = nb_heap_top(heap);
		struct candidate candidate = candidate_of(initial, cpu);

		if (is_same_candidate(&candidate, &candidates[cpu]))
			return true;
		candidates[cpu] = candidate;
		nb_heap_settle_top(heap);
	}
	return false;
}

/* In a second placement the loads are known: number alone makes no CPU hotter than the old one. */
static bool is_relief(const struct nb_initial *initial, const struct nb_taken_off *entry,
		      unsigned cpu)
{
	const struct nb_board *board = initial->board;
	uint32_t load = nb_board_load(board, cpu);

	return load + nb_board_load_on(board, entry->queue, cpu) <= board->policy->hot ||
	       load <= nb_board_load(board, entry->was_on);
}

/* Of a queue that has been placed before number alone is no reason to leave for a CPU that loses
 * packets itself. */
static bool is_overrun(const struct nb_initial *initial, const struct nb_taken_off *entry,
		       unsigned cpu)
{
	const struct nb_board_cpu *at = &initial->board->cpus[cpu];

	return entry->reason == NB_REASON_COLLAPSED && !entry->queue->memory->fresh &&
	       cpu != entry->was_on && (at->panics || at->squeezed);
}

/* A CPU where it made things worse is better than one where it may not be. */
static bool may_have(const struct nb_initial *initial, const struct nb_taken_off *entry,
		     unsigned cpu)
{
	if (entry->reason == NB_REASON_INELIGIBLE)
		return nb_board_is_open(initial->board, cpu, initial->domain);
	return nb_board_allows(initial->board, entry->queue, cpu) &&
	       !is_overrun(initial, entry, cpu);
}

/* The best one that the queue may have; of equal ones the one where it is. */
static unsigned best_candidate(const struct nb_initial *initial, const struct nb_taken_off *entry,
			       struct candidate *candidates, const struct nb_heap *heap)
{
	unsigned best, was_on = entry->was_on;
	struct candidate here;

	if (!find_best(initial, candidates, heap))
		return NB_NOWHERE;
	best = nb_heap_top(heap);
	if (!may_have(initial, entry, best)) {
		unsigned next;

		nb_heap_remove_top(heap);
		next = best_candidate(initial, entry, candidates, heap);
		g_array_append_val(heap->items, best);
		nb_heap_arrange(heap);
		return next;
	}
	if (was_on == NB_NOWHERE || !may_have(initial, entry, was_on))
		return best;
	if (initial->second_placement && !is_relief(initial, entry, best))
		return was_on;
	here = candidate_of(initial, was_on);
	return compare_candidates(&here, &candidates[best]) <= 0 ? was_on : best;
}

static void gather_candidates(const struct nb_initial *initial, struct candidate *candidates,
			      const struct nb_heap *heap)
{
	const struct nb_board *board = initial->board;

	for (unsigned i = 0; i < board->n_cpus; i++) {
		if (!nb_board_is_open(board, i, initial->domain))
			continue;
		candidates[i] = candidate_of(initial, i);
		g_array_append_val(heap->items, i);
	}
	nb_heap_arrange(heap);
}

/* On the board a queue has at least its nominal load while the others are placed. */
void nb_initial_choose(struct nb_initial *initial)
{
	g_autofree struct candidate *candidates = g_new(struct candidate, initial->board->n_cpus);
	g_autoptr(GArray) cpus = g_array_new(FALSE, FALSE, sizeof(unsigned));
	struct nb_heap heap = {cpus, comes_before, candidates};

	g_array_sort(initial->taken_off, compare_weights);
	gather_candidates(initial, candidates, &heap);
	for (unsigned i = 0; i < initial->taken_off->len; i++) {
		struct nb_taken_off *entry =
			&g_array_index(initial->taken_off, struct nb_taken_off, i);

		entry->target = best_candidate(initial, entry, candidates, &heap);
		nb_board_set_load(entry->queue, entry->weight);
		nb_board_place(initial->board, entry->queue, entry->target);
		if (entry->target != NB_NOWHERE)
			initial->on_cpu[entry->target]++;
	}
	for (unsigned i = 0; i < initial->taken_off->len; i++) {
		struct nb_taken_off *entry =
			&g_array_index(initial->taken_off, struct nb_taken_off, i);

		nb_board_place(initial->board, entry->queue, NB_NOWHERE);
		nb_board_set_load(entry->queue, entry->load);
		nb_board_place(initial->board, entry->queue, entry->was_on);
	}
}

/* Staying on the same CPU is a move only for a mask that allows others too. */
void nb_initial_move(const struct nb_initial *initial, GArray *moves)
{
	for (unsigned i = 0; i < initial->taken_off->len; i++) {
		const struct nb_taken_off *entry =
			&g_array_index(initial->taken_off, struct nb_taken_off, i);
		bool stays = entry->target == entry->was_on && entry->queue->state->n_allowed <= 1;

		if (entry->target != NB_NOWHERE && !stays)
			nb_moves_add(moves, initial->board, entry->queue, entry->target,
				     entry->reason);
	}
}

unsigned nb_initial_fair_share(const struct nb_initial *initial, unsigned cpu)
{
	uint64_t share = (uint64_t)initial->n * initial->board->cpus[cpu].capacity;

	return (unsigned)((share + initial->capacities - 1) / initial->capacities);
}

bool nb_initial_is_crowded(const struct nb_initial *initial, unsigned cpu)
{
	return initial->on_cpu[cpu] > nb_initial_fair_share(initial, cpu);
}

unsigned nb_initial_room(const struct nb_initial *initial, bool filled)
{
	unsigned room = 0;

	for (unsigned i = 0; i < initial->board->n_cpus; i++)
		if (nb_board_is_open(initial->board, i, initial->domain) &&
		    is_filled(initial, i) == filled)
			room += nb_growth(initial->on_cpu[i], nb_initial_fair_share(initial, i));
	return room;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plan/repack.h"

#include "plan/heap.h"

/* The effect of single moves shows within that. Each further attempt waits twice as long, up to 17
 * minutes. */
#define WAIT_NSEC NB_NSEC_PER_SEC
#define MAX_DOUBLINGS 10u
#define LEAST_GAIN (NB_WHOLE / 10)
/* For queues to stay the hottest CPU may be so much above the optimum. */
#define STAY_MARGIN (NB_WHOLE / 50)

struct packing {
	struct nb_board *board;
	const struct nb_domain *domain;
	struct nb_cpumask reach;     /* where the queues may go */
	struct nb_board_item *items; /* in the order in which they are placed */
	unsigned n_items;
};

/* It runs out of budget, or a good part of its load is that of queues: an application may end any
 * time. */
static bool is_for(const struct nb_board_cpu *cpu)
{
	return cpu->squeezed || cpu->queues >= nb_board_own(cpu) / 4;
}

static bool is_due(const struct nb_board *board, const struct nb_memory *memory)
{
	uint64_t wait_nsec = WAIT_NSEC << MIN(memory->repack_tries, MAX_DOUBLINGS);

	return board->now_nsec >= memory->last_moves_nsec + WAIT_NSEC &&
	       (memory->repack_tries == 0 || board->now_nsec >= memory->repack_nsec + wait_nsec);
}

/* One of its queues is what makes it hot, and would make any other CPU hot. */
static bool has_elephant(const struct nb_board *board, const struct nb_domain *domain)
{
	uint32_t load = nb_board_load(board, domain->hottest);

	NB_BOARD_FOREACH_QUEUE(i, board, domain->hottest)
	if (nb_board_least_load(&board->queues[i], domain) + LEAST_GAIN > load)
		return true;
	return false;
}

/* What a CPU without idle time wants is not known. */
static uint32_t wanted(uint32_t got)
{
	return got + got / 4;
}

static uint32_t wanted_more(const struct nb_board_cpu *cpu)
{
	return cpu->window_busy >= NB_FULL ? wanted(cpu->fixed) - cpu->fixed : 0;
}

/* A queue that may go anywhere makes room for one that may not. */
static bool shares_cpus(const struct nb_board *board, const struct nb_board_queue *queue,
			const struct nb_domain *domain)
{
	struct nb_cpumask shared = board->domains[queue->domain].cpus;

	if (domain == &board->domains[queue->domain])
		return true;
	nb_cpumask_and(&shared, &domain->cpus);
	return !nb_cpumask_empty(&shared);
}

static bool may_be_packed(const struct nb_board *board, const struct nb_board_queue *queue)
{
	return queue->cpu != NB_NOWHERE && queue->movable && !queue->steered && !queue->threaded &&
	       !(queue->spills && nb_board_is_far(board, queue)) && !queue->deferred &&
	       queue->load > 0 && !nb_board_is_accompanied(board, queue);
}

static int costliest_first(const void *a, const void *b)
{
	const struct nb_board_item *left = a, *right = b;
	uint32_t load = nb_board_whole_load(left->queue), than = nb_board_whole_load(right->queue);

	if (load != than)
		return load > than ? -1 : 1;
	return nb_queue_key_compare(left->queue->key, right->queue->key);
}

static int most_bound_first(const void *a, const void *b)
{
	const struct nb_board_item *left = a, *right = b;

	if (left->n_cpus != right->n_cpus)
		return left->n_cpus < right->n_cpus ? -1 : 1;
	return costliest_first(a, b);
}

static void mark(const struct packing *packing, bool listed)
{
	for (unsigned i = 0; i < packing->n_items; i++)
		packing->board->cpus[packing->items[i].was_on].listed = listed;
}

static void gather(struct packing *packing)
{
	struct nb_board *board = packing->board;
	GArray *items = board->item_store;

	g_array_set_size(items, 0);
	for (unsigned i = 0; i < board->n_queues; i++) {
		struct nb_board_queue *queue = &board->queues[i];
		struct nb_board_item item = {
			.queue = queue,
			.load = queue->measured,
			.wanted = queue->measured,
			.was_on = queue->cpu,
			.to = queue->cpu,
			.n_cpus = nb_cpumask_count(&board->domains[queue->domain].cpus),
		};

		if (nb_board_may_want_more(queue))
			item.wanted = wanted(queue->measured);
		if (!may_be_packed(board, queue) || !shares_cpus(board, queue, packing->domain))
			continue;
		g_array_append_val(items, item);
		nb_cpumask_or(&packing->reach, &board->domains[queue->domain].cpus);
	}
	packing->items = (struct nb_board_item *)(void *)items->data;
	packing->n_items = items->len;
}

static void take_off(const struct packing *packing)
{
	for (unsigned i = 0; i < packing->n_items; i++)
		nb_board_place(packing->board, packing->items[i].queue, NB_NOWHERE);
}

/* Each queue where it was, with the load that it has or that it wants. */
static void put_back(const struct packing *packing, bool want)
{
	struct nb_board *board = packing->board;

	take_off(packing);
	for (unsigned i = 0; i < packing->n_items; i++) {
		const struct nb_board_item *item = &packing->items[i];

		nb_board_set_load(item->queue, want ? item->wanted : item->load);
		nb_board_place(board, item->queue, item->was_on);
	}
	for (unsigned i = 0; i < board->n_cpus; i++) {
		struct nb_board_cpu *cpu = &board->cpus[i];

		cpu->wanted = want ? MAX(cpu->starved, wanted_more(cpu)) : cpu->starved;
	}
}

/* Cooler when last checked, or as cool and of a lower id. */
static bool comes_before(const void *context, unsigned a, unsigned b)
{
	const struct nb_board *board = context;

	return board->cpus[a].seen != board->cpus[b].seen
		       ? board->cpus[a].seen < board->cpus[b].seen
		       : a < b;
}

static struct nb_heap open_cpus(const struct packing *packing)
{
	struct nb_board *board = packing->board;
	struct nb_heap heap = {board->source_store, comes_before, board};

	g_array_set_size(heap.items, 0);
	for (unsigned i = 0; i < board->n_cpus; i++) {
		if (board->cpus[i].no_vector || !nb_cpumask_has(&packing->reach, board->cpus[i].id))
			continue;
		board->cpus[i].seen = nb_board_core_peak(board, i);
		g_array_append_val(heap.items, i);
	}
	nb_heap_arrange(&heap);
	return heap;
}

/* CPUs only get hotter while queues are put on them: the top of the heap is the coolest if it is no
 * hotter than when it was last checked. Few queues may not go there. Where CPUs differ in capacity
 * the coolest with the queue may be another one for each queue. */
static unsigned coolest(struct nb_board *board, const struct nb_board_queue *queue,
			const struct nb_heap *cpus)
{
	if (board->hybrid)
		return nb_board_coolest(board, queue);
	while (cpus->items->len > 0) {
		unsigned top = nb_heap_top(cpus);
		uint32_t peak = nb_board_core_peak(board, top);

		if (peak == board->cpus[top].seen)
			return nb_board_may_go(board, queue, top) ? top
								  : nb_board_coolest(board, queue);
		board->cpus[top].seen = peak;
		nb_heap_settle_top(cpus);
	}
	return NB_NOWHERE;
}

static bool may_stay(const struct nb_board *board, const struct nb_board_item *item, uint32_t limit)
{
	return nb_board_allows(board, item->queue, item->was_on) &&
	       nb_board_core_peak(board, item->was_on) +
			       nb_board_load_on(board, item->queue, item->was_on) <=
		       limit;
}

/* Of the CPUs that have queues, or had: one with other load gets no cooler by having none. */
static uint32_t hottest_of(const struct packing *packing)
{
	const struct nb_board *board = packing->board;
	uint32_t hottest = 0;

	for (unsigned i = 0; i < board->n_cpus; i++)
		if ((board->cpus[i].n_queues > 0 || board->cpus[i].listed) &&
		    nb_cpumask_has(&packing->domain->cpus, board->cpus[i].id))
			hottest = MAX(hottest, nb_board_load(board, i));
	return hottest;
}

static void put(struct nb_board *board, struct nb_board_item *item, unsigned cpu)
{
	item->to = cpu == NB_NOWHERE ? item->was_on : cpu;
	nb_board_place(board, item->queue, item->to);
}

/* How queues are put on the board. */
enum order {
	ORDER_PURE,   /* in turn, each to the coolest CPU */
	ORDER_STAY,   /* but a queue stays if its CPU gets no hotter than limit */
	ORDER_SETTLE, /* and those that cannot because of others come last */
};

static bool comes_last(const struct nb_board *board, const struct nb_board_item *item,
		       enum order order, uint32_t limit)
{
	return order == ORDER_SETTLE &&
	       board->cpus[item->was_on].fixed +
			       nb_board_load_on(board, item->queue, item->was_on) <=
		       limit;
}

/* The hottest CPU then. */
static uint32_t pack(const struct packing *packing, enum order order, uint32_t limit)
{
	struct nb_board *board = packing->board;
	struct nb_heap cpus;

	take_off(packing);
	cpus = open_cpus(packing);
	for (unsigned i = 0; i < packing->n_items; i++) {
		struct nb_board_item *item = &packing->items[i];

		if (order != ORDER_PURE && may_stay(board, item, limit))
			put(board, item, item->was_on);
		else if (!comes_last(board, item, order, limit))
			put(board, item, coolest(board, item->queue, &cpus));
	}
	for (unsigned i = 0; i < packing->n_items; i++)
		if (packing->items[i].queue->cpu == NB_NOWHERE)
			put(board, &packing->items[i],
			    coolest(board, packing->items[i].queue, &cpus));
	return hottest_of(packing);
}

/* With the items in the better order: the largest load first; or those that may go to the fewest
 * CPUs, where the others can make way. */
static uint32_t find_optimum(const struct packing *packing)
{
	GArray *items = packing->board->item_store;
	uint32_t bound_first, costly_first;

	g_array_sort(items, most_bound_first);
	bound_first = pack(packing, ORDER_PURE, 0);
	g_array_sort(items, costliest_first);
	costly_first = pack(packing, ORDER_PURE, 0);
	if (costly_first <= bound_first)
		return costly_first;
	g_array_sort(items, most_bound_first);
	return bound_first;
}

/* First the optimum, and then nearly that with fewer moves. */
static bool find(const struct packing *packing, uint32_t limit)
{
	uint32_t hottest = find_optimum(packing);
	uint32_t stay = MIN(limit, hottest + STAY_MARGIN);
	uint32_t enough = MIN(limit, hottest + LEAST_GAIN);

	if (hottest > limit)
		return false;
	if (pack(packing, ORDER_SETTLE, stay) > enough && pack(packing, ORDER_STAY, stay) > enough)
		pack(packing, ORDER_PURE, 0);
	return true;
}

/* By measured loads alone: neither noise nor a guess may bring queues back. Not for a CPU that
 * loses packets, of which no load is known. If nothing is full afterwards, all get what they want:
 * that is no guess, and enough for a full CPU, on which an application may starve. */
static bool holds(const struct packing *packing, unsigned hottest, uint32_t gain)
{
	struct nb_board *board = packing->board;
	uint32_t before, after;

	if (board->cpus[hottest].squeezed)
		return true;
	before = hottest_of(packing);
	for (unsigned i = 0; i < packing->n_items; i++)
		nb_board_place(board, packing->items[i].queue, packing->items[i].to);
	after = hottest_of(packing);
	for (unsigned i = 0; i < packing->n_items; i++)
		nb_board_place(board, packing->items[i].queue, packing->items[i].was_on);
	return after + gain <= before || (before >= NB_FULL && after < NB_FULL);
}

/* Any CPU that is full no more is worth it, however little there is to gain. */
static uint32_t limit_of(uint32_t before, uint32_t gain)
{
	uint32_t limit = before - MIN(before, MAX(gain, LEAST_GAIN));

	return before >= NB_FULL ? MAX(limit, NB_FULL - MIN(gain, NB_FULL)) : limit;
}

static void move_all(const struct packing *packing, GArray *moves)
{
	for (unsigned i = 0; i < packing->n_items; i++) {
		const struct nb_board_item *item = &packing->items[i];

		if (item->to != item->was_on)
			nb_moves_add(moves, packing->board, item->queue, item->to,
				     NB_REASON_REPACK);
	}
}

bool nb_repack(struct nb_board *board, struct nb_memory *memory, const struct nb_domain *domain,
	       uint32_t gain, GArray *moves)
{
	struct packing packing = {.board = board, .domain = domain, .reach = domain->cpus};
	const struct nb_board_cpu *hottest = &board->cpus[domain->hottest];
	uint32_t before;
	bool found;

	if (hottest->queues < gain || domain->awaits || !is_for(hottest) ||
	    has_elephant(board, domain) || !is_due(board, memory))
		return false;
	memory->repack_nsec = board->now_nsec;
	memory->repack_tries++;
	gather(&packing);
	mark(&packing, true);
	put_back(&packing, true);
	before = hottest_of(&packing);
	found = find(&packing, limit_of(before, gain));
	put_back(&packing, false);
	found = found && holds(&packing, domain->hottest, gain);
	mark(&packing, false);
	if (found)
		move_all(&packing, moves);
	return found;
}

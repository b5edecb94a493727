/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plan/board.h"

#include "base/memory.h"

#include <assert.h>

void nb_board_init(struct nb_board *board)
{
	*board = (struct nb_board){
		.cpu_store = g_array_new(FALSE, TRUE, sizeof(struct nb_board_cpu)),
		.queue_store = g_array_new(FALSE, TRUE, sizeof(struct nb_board_queue)),
		.domain_store = g_array_new(FALSE, TRUE, sizeof(struct nb_domain)),
		.home_store = g_array_new(FALSE, FALSE, sizeof(struct nb_board_home)),
		.source_store = g_array_new(FALSE, FALSE, sizeof(unsigned)),
		.target_store = g_array_new(FALSE, FALSE, sizeof(struct nb_board_target)),
		.item_store = g_array_new(FALSE, FALSE, sizeof(struct nb_board_item)),
		.ring_store = g_array_new(FALSE, FALSE, sizeof(struct nb_board_ring)),
		.table_store = g_array_new(FALSE, FALSE, sizeof(uint32_t)),
	};
}

void nb_board_clear(struct nb_board *board)
{
	g_clear_pointer(&board->cpu_store, g_array_unref);
	g_clear_pointer(&board->queue_store, g_array_unref);
	g_clear_pointer(&board->domain_store, g_array_unref);
	g_clear_pointer(&board->home_store, g_array_unref);
	g_clear_pointer(&board->source_store, g_array_unref);
	g_clear_pointer(&board->target_store, g_array_unref);
	g_clear_pointer(&board->item_store, g_array_unref);
	g_clear_pointer(&board->ring_store, g_array_unref);
	g_clear_pointer(&board->table_store, g_array_unref);
}

unsigned nb_board_find_cpu(const struct nb_board *board, int id)
{
	unsigned low = 0, high = board->n_cpus;

	if (id < 0)
		return NB_NOWHERE;
	if ((unsigned)id < high && board->cpus[id].id == (unsigned)id)
		return (unsigned)id;
	while (low < high) {
		unsigned middle = low + (high - low) / 2;

		if (board->cpus[middle].id == (unsigned)id)
			return middle;
		if (board->cpus[middle].id < (unsigned)id)
			low = middle + 1;
		else
			high = middle;
	}
	return NB_NOWHERE;
}

uint32_t nb_board_handed(const struct nb_board *board, const struct nb_board_queue *queue,
			 unsigned cpu)
{
	const struct nb_board_cpu *target = &board->cpus[cpu];

	if (target->handed_per_sec == 0)
		return target->backlog;
	if (!queue->steered || !nb_cpumask_has(queue->steered, target->id))
		return 0;
	return (uint32_t)(target->backlog * queue->handed_per_sec / target->handed_per_sec);
}

const struct nb_board_queue *nb_board_biggest_queue(const struct nb_board *board, unsigned cpu)
{
	const struct nb_board_queue *biggest = NULL;

	NB_BOARD_FOREACH_QUEUE(i, board, cpu)
	{
		const struct nb_board_queue *queue = &board->queues[i];

		if (!biggest || queue->load > biggest->load ||
		    (queue->load == biggest->load && queue < biggest))
			biggest = queue;
	}
	return biggest;
}

struct nb_board_queue *nb_board_find_queue(const struct nb_board *board, struct nb_queue_key key)
{
	unsigned low = 0, high = board->n_queues;

	while (low < high) {
		unsigned middle = low + (high - low) / 2;
		int order = nb_queue_key_compare(board->queues[middle].key, key);

		if (order == 0)
			return &board->queues[middle];
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

uint32_t nb_board_whole_load(const struct nb_board_queue *queue)
{
	return nb_capacity_convert(queue->measured, queue->capacity, NB_WHOLE);
}

uint32_t nb_board_least_load(const struct nb_board_queue *queue, const struct nb_domain *domain)
{
	return nb_capacity_convert(queue->measured, queue->capacity, domain->capacity);
}

void nb_board_set_load(struct nb_board_queue *queue, uint32_t measured)
{
	assert(queue->cpu == NB_NOWHERE);
	queue->measured = measured;
	queue->load = measured;
}

uint32_t nb_board_time(const struct nb_board_cpu *cpu, uint32_t work)
{
	return (uint32_t)((uint64_t)work * cpu->stretch / NB_WHOLE);
}

uint32_t nb_board_own(const struct nb_board_cpu *cpu)
{
	return cpu->fixed + cpu->queues + cpu->leaving + cpu->wanted;
}

uint32_t nb_board_load(const struct nb_board *board, unsigned cpu)
{
	uint32_t sibling = 0;

	assert(cpu < board->n_cpus);
	for (unsigned i = board->cpus[cpu].next_thread; i != cpu; i = board->cpus[i].next_thread)
		sibling = MAX(sibling, nb_board_own(&board->cpus[i]));
	return nb_board_own(&board->cpus[cpu]) + sibling * board->policy->sibling_weight / NB_WHOLE;
}

uint32_t nb_board_core_peak(const struct nb_board *board, unsigned cpu)
{
	uint32_t peak = nb_board_load(board, cpu);

	for (unsigned i = board->cpus[cpu].next_thread; i != cpu; i = board->cpus[i].next_thread)
		peak = MAX(peak, nb_board_load(board, i));
	return peak;
}

bool nb_board_in_domain(const struct nb_board *board, unsigned cpu, unsigned domain)
{
	assert(domain < board->n_domains);
	return nb_cpumask_has(&board->domains[domain].cpus, board->cpus[cpu].id);
}

bool nb_board_may_stay(const struct nb_board *board, unsigned cpu, unsigned domain)
{
	assert(domain < board->n_domains);
	return nb_cpumask_has(&board->domains[domain].allowed, board->cpus[cpu].id);
}

bool nb_board_is_open(const struct nb_board *board, unsigned cpu, unsigned domain)
{
	return !board->cpus[cpu].no_vector && nb_board_in_domain(board, cpu, domain);
}

bool nb_board_is_open_far(const struct nb_board *board, unsigned cpu, unsigned domain)
{
	return !board->cpus[cpu].no_vector && nb_board_may_stay(board, cpu, domain) &&
	       !nb_board_in_domain(board, cpu, domain);
}

static bool is_shunned(const struct nb_board *board, const struct nb_board_queue *queue,
		       unsigned cpu)
{
	return queue->memory->shunned_cpu == (int)board->cpus[cpu].id &&
	       board->now_nsec < queue->memory->shunned_until_nsec;
}

void nb_board_limit_rps(const struct nb_board *board, const struct nb_board_queue *queue,
			struct nb_cpumask *mask)
{
	nb_cpumask_and(mask, &board->domains[queue->domain].allowed);
	if (queue->steerable)
		nb_cpumask_and(mask, queue->steerable);
}

bool nb_board_may_steer(const struct nb_board *board, const struct nb_board_queue *queue,
			unsigned cpu)
{
	return !queue->steerable || nb_cpumask_has(queue->steerable, board->cpus[cpu].id);
}

bool nb_board_allows(const struct nb_board *board, const struct nb_board_queue *queue, unsigned cpu)
{
	return !is_shunned(board, queue, cpu) && nb_board_is_open(board, cpu, queue->domain);
}

bool nb_board_allows_far(const struct nb_board *board, const struct nb_board_queue *queue,
			 unsigned cpu)
{
	return !is_shunned(board, queue, cpu) && nb_board_is_open_far(board, cpu, queue->domain);
}

bool nb_board_is_far(const struct nb_board *board, const struct nb_board_queue *queue)
{
	return board->domains[queue->domain].far && queue->cpu != NB_NOWHERE &&
	       nb_board_may_stay(board, queue->cpu, queue->domain) &&
	       !nb_board_in_domain(board, queue->cpu, queue->domain);
}

uint32_t nb_board_mean(const struct nb_board *board, unsigned domain)
{
	uint64_t sum = 0, capacity = 0;

	for (unsigned i = 0; i < board->n_cpus; i++) {
		if (!nb_board_in_domain(board, i, domain))
			continue;
		sum += (uint64_t)nb_board_load(board, i) * board->cpus[i].capacity;
		capacity += board->cpus[i].capacity;
	}
	return capacity > 0 ? (uint32_t)(sum / capacity) : 0;
}

/* The queue left soon after the start, because of an application that has ended since (on a full
 * CPU it may get less because of others). A queue that made things worse where it went has to wait
 * all the same. */
static bool has_calmed(const struct nb_board *board, const struct nb_queue_memory *queue,
		       const struct nb_departure *departure)
{
	unsigned cpu = nb_board_find_cpu(board, (int)departure->cpu);

	return departure->applications > 0 && queue->failures == 0 && cpu != NB_NOWHERE &&
	       board->cpus[cpu].window_busy <= board->policy->panic &&
	       departure->applications > board->cpus[cpu].applications.most + NB_BOARD_ENDED;
}

/* Moves made before loads were known are not noted as departures; but this one did not help. */
static bool left_in_vain(const struct nb_board *board, const struct nb_queue_memory *queue,
			 unsigned cpu)
{
	const struct nb_pending *last = &queue->pending;

	return queue->failures > 0 && last->settling &&
	       last->move.cpu_from == (int)board->cpus[cpu].id &&
	       board->now_nsec <= last->since_nsec + 2 * board->policy->dwell_nsec;
}

bool nb_board_left_lately(const struct nb_board *board, const struct nb_board_queue *queue,
			  unsigned cpu)
{
	for (unsigned i = 0; i < NB_DEPARTURES; i++) {
		const struct nb_departure *departure = &queue->memory->departures[i];

		if (departure->nsec && departure->cpu == board->cpus[cpu].id &&
		    board->now_nsec <= departure->nsec + 2 * board->policy->dwell_nsec &&
		    !has_calmed(board, queue->memory, departure))
			return true;
	}
	return left_in_vain(board, queue->memory, cpu);
}

bool nb_board_may_go(const struct nb_board *board, const struct nb_board_queue *queue, unsigned cpu)
{
	return nb_board_allows(board, queue, cpu) && !nb_board_left_lately(board, queue, cpu);
}

static uint32_t heat_with(const struct nb_board *board, const struct nb_board_queue *queue,
			  unsigned cpu)
{
	return nb_board_core_peak(board, cpu) + nb_board_load_on(board, queue, cpu);
}

unsigned nb_board_coolest(const struct nb_board *board, const struct nb_board_queue *queue)
{
	unsigned coolest = NB_NOWHERE;

	for (unsigned i = 0; i < board->n_cpus; i++)
		if (nb_board_may_go(board, queue, i) &&
		    (coolest == NB_NOWHERE ||
		     heat_with(board, queue, i) < heat_with(board, queue, coolest)))
			coolest = i;
	return coolest;
}

/* Its last move was for its place alone, or its load is known only since: then one failure is no
 * reason to stay. */
static bool was_blind(const struct nb_queue_memory *memory)
{
	const struct nb_move *last = &memory->pending.move;

	if (memory->pending.since_nsec == 0)
		return false;
	if (memory->failures > 0)
		return memory->pending.settling && memory->failures == 1;
	return memory->pending.settling || last->reason == NB_REASON_COLLAPSED ||
	       last->reason == NB_REASON_SEVERAL || last->reason == NB_REASON_REPACK;
}

bool nb_board_is_rejected(const struct nb_board *board, const struct nb_queue_memory *queue)
{
	return nb_memory_is_rejected(&queue->rejections, board->policy->cooldown_nsec,
				     board->now_nsec);
}

bool nb_board_dwells(const struct nb_board *board, const struct nb_board_queue *queue)
{
	const struct nb_queue_memory *memory = queue->memory;
	uint64_t dwell_nsec = nb_memory_back_off(memory, board->policy->dwell_nsec);

	if (queue->cpu != NB_NOWHERE && board->cpus[queue->cpu].panics)
		dwell_nsec /= 3;
	if (was_blind(memory) || has_calmed(board, memory, &memory->departures[0]))
		dwell_nsec = MIN(dwell_nsec, board->policy->cooldown_nsec);
	return memory->moved_nsec && board->now_nsec < memory->moved_nsec + dwell_nsec;
}

static bool is_given_up(const struct nb_board_queue *queue)
{
	return nb_board_is_stuck(queue) && queue->memory->unstick_tries >= NB_BOARD_BELIEVED_TRIES;
}

bool nb_board_is_accompanied(const struct nb_board *board, const struct nb_board_queue *queue)
{
	return board->now_nsec < queue->memory->accompanied_until_nsec;
}

bool nb_board_stays(const struct nb_board *board, const struct nb_board_queue *queue)
{
	const struct nb_queue_memory *memory = queue->memory;
	uint64_t dwell_nsec = nb_memory_back_off(memory, board->policy->dwell_nsec);

	return queue->pinned || queue->steered || queue->deferred || is_given_up(queue) ||
	       nb_board_is_accompanied(board, queue) ||
	       (memory->moved_nsec &&
		board->now_nsec + board->policy->dwell_nsec < memory->moved_nsec + dwell_nsec);
}

bool nb_board_is_stuck(const struct nb_board_queue *queue)
{
	return queue->saturated && queue->polled_on != queue->destination;
}

bool nb_board_may_want_more(const struct nb_board_queue *queue)
{
	return queue->saturated && !queue->known;
}

static void take_off(struct nb_board *board, struct nb_board_queue *queue)
{
	struct nb_board_cpu *cpu = &board->cpus[queue->cpu];

	assert(cpu->n_queues > 0 && cpu->queues >= queue->load && cpu->busy >= queue->time);
	if (queue->prev == NB_NOWHERE)
		cpu->first_queue = queue->next;
	else
		board->queues[queue->prev].next = queue->next;
	if (queue->next != NB_NOWHERE)
		board->queues[queue->next].prev = queue->prev;
	cpu->queues -= queue->load;
	cpu->busy -= queue->time;
	cpu->n_queues--;
}

static void put_on(struct nb_board *board, struct nb_board_queue *queue, struct nb_board_cpu *cpu)
{
	unsigned at = (unsigned)(queue - board->queues);

	queue->prev = NB_NOWHERE;
	queue->next = cpu->first_queue;
	if (queue->next != NB_NOWHERE)
		board->queues[queue->next].prev = at;
	cpu->first_queue = at;
	queue->load = nb_capacity_convert(queue->measured, queue->capacity, cpu->capacity);
	queue->time = nb_board_time(cpu, queue->load);
	cpu->queues += queue->load;
	cpu->busy += queue->time;
	cpu->n_queues++;
}

void nb_board_place(struct nb_board *board, struct nb_board_queue *queue, unsigned cpu)
{
	assert(cpu == NB_NOWHERE || cpu < board->n_cpus);
	if (queue->cpu != NB_NOWHERE)
		take_off(board, queue);
	if (cpu != NB_NOWHERE)
		put_on(board, queue, &board->cpus[cpu]);
	queue->cpu = cpu;
}

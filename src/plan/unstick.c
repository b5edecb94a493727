/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plan/unstick.h"

#include "base/memory.h"
#include "plan/spread.h"

/* A queue with less load has no full polls. */
#define COSTS_NOTHING 100u
#define IDLE_NSEC (5 * NB_NSEC_PER_SEC)
/* Help is checked so often, and ends when all NAPIs have followed, or after this. */
#define AGAIN_NSEC (NB_NSEC_PER_SEC / 5)
#define MOST_NSEC NB_NSEC_PER_SEC
/* The second attempt comes after twice this, each further one after twice as long, up to four
 * minutes: each is logged, and reorders packets. */
#define WAIT_NSEC (NB_NSEC_PER_SEC / 2)
#define MAX_DOUBLINGS 9u
/* Of one poll (include/linux/netdevice.h NAPI_POLL_WEIGHT); of a few drivers less. */
#define BUDGET_PACKETS 64u

static bool is_idle(const struct nb_board_queue *queue)
{
	return !queue->saturated && queue->load < COSTS_NOTHING;
}

/* The NAPIs of a CPU are polled in turn (net/core/dev.c net_rx_action()): once one has been polled
 * twice, every one that has more to do has been polled. On a full, slow CPU a window is shorter. */
static bool had_turns(const struct nb_board *board, unsigned cpu)
{
	bool saturated = false;

	for (unsigned i = 0; i < board->n_queues; i++) {
		const struct nb_board_queue *queue = &board->queues[i];

		if (queue->polled_on != cpu || !queue->saturated || queue->packets == 0)
			continue;
		if (queue->packets >= 2 * BUDGET_PACKETS)
			return true;
		saturated = true;
	}
	return !saturated;
}

/* On a full CPU a queue may not have been polled in a short window. */
static bool was_idle(const struct nb_board *board, const struct nb_board_queue *queue)
{
	uint64_t busy_nsec = queue->memory->busy_nsec;

	return is_idle(queue) && had_turns(board, queue->polled_on) &&
	       (busy_nsec == 0 || board->now_nsec > busy_nsec + IDLE_NSEC);
}

static void note_busy(const struct nb_board *board)
{
	for (unsigned i = 0; i < board->n_queues; i++)
		if (!is_idle(&board->queues[i]))
			board->queues[i].memory->busy_nsec = board->now_nsec;
}

static bool is_due(const struct nb_board *board, const struct nb_queue_memory *memory)
{
	uint64_t wait_nsec = WAIT_NSEC << MIN(memory->unstick_tries, MAX_DOUBLINGS);

	return memory->unstick_tries == 0 || board->now_nsec >= memory->unstick_nsec + wait_nsec;
}

static bool may_be_steered(const struct nb_board *board, struct nb_memory *memory,
			   const struct nb_board_queue *queue)
{
	const struct nb_rps_memory *rps = nb_memory_find_rps(memory, queue->key);

	return queue->has_rx && !queue->is_virtual && !queue->steered && !was_idle(board, queue) &&
	       !(rps && board->now_nsec < rps->yielded_until_nsec);
}

/* Of the stuck queues that are polled where this one is, the first from it on, in a ring. */
static const struct nb_board_queue *next_stuck(const struct nb_board *board,
					       const struct nb_board_queue *from)
{
	unsigned first = (unsigned)(from - board->queues);

	for (unsigned i = 0; i < board->n_queues; i++) {
		const struct nb_board_queue *queue = &board->queues[(first + i) % board->n_queues];

		if (queue->polled_on == from->polled_on && nb_board_is_stuck(queue) &&
		    nb_board_may_stay(board, queue->destination, queue->domain))
			return queue;
	}
	return NULL;
}

/* The CPU to which it goes itself, or another queue that is polled there: one that is to take up
 * such work anyway. */
static struct nb_cpumask own_place(const struct nb_board *board, const struct nb_board_queue *queue)
{
	const struct nb_board_queue *mover = next_stuck(board, queue);
	struct nb_cpumask mask = {};

	if (mover && nb_board_may_steer(board, queue, mover->destination))
		nb_cpumask_add(&mask, board->cpus[mover->destination].id);
	return mask;
}

/* Every CPU of its domain that has time. */
static struct nb_cpumask every_place(const struct nb_board *board,
				     const struct nb_board_queue *queue)
{
	struct nb_cpumask mask = {};

	for (unsigned i = 0; i < board->n_cpus; i++)
		if (board->cpus[i].core != board->cpus[queue->polled_on].core &&
		    nb_board_in_domain(board, i, queue->domain) &&
		    nb_board_may_steer(board, queue, i) &&
		    nb_board_load(board, i) <= board->policy->hot)
			nb_cpumask_add(&mask, board->cpus[i].id);
	return mask;
}

/* All queues that are polled on the CPU, or none completes: polled in turn, one that stays full
 * takes so long that the others use their whole budget again. */
static void steer_all(const struct nb_board *board, struct nb_memory *memory, unsigned cpu,
		      bool wide, GArray *changes)
{
	for (unsigned i = 0; i < board->n_queues; i++) {
		const struct nb_board_queue *queue = &board->queues[i];
		struct nb_rps_change change = {.key = queue->key, .reason = NB_REASON_RPS_UNSTICK};

		if (queue->polled_on != cpu || !may_be_steered(board, memory, queue))
			continue;
		if (wide)
			change.to = every_place(board, queue);
		if (nb_cpumask_empty(&change.to))
			change.to = own_place(board, queue);
		if (!nb_cpumask_empty(&change.to))
			g_array_append_val(changes, change);
	}
}

/* Of the NIC of this queue: the receive queues that do not leave the CPU; of those that all do, the
 * last, so that packets have somewhere to go. */
static struct nb_cpumask queues_that_stay(const struct nb_board *board,
					  const struct nb_board_queue *first, unsigned cpu)
{
	struct nb_cpumask stay = {};
	unsigned last = 0;

	for (const struct nb_board_queue *queue = first;
	     queue < board->queues + board->n_queues && queue->key.ifindex == first->key.ifindex;
	     queue++) {
		if (!queue->has_rx)
			continue;
		last = queue->key.index;
		if (queue->polled_on != cpu || !nb_board_is_stuck(queue))
			nb_cpumask_add(&stay, queue->key.index);
	}
	if (nb_cpumask_empty(&stay))
		nb_cpumask_add(&stay, last);
	return stay;
}

/* Another table would send the packets of buckets that we moved to their old queues. */
static bool may_be_emptied(const struct nb_memory *memory, int ifindex)
{
	const struct nb_rss_memory *rss = nb_memory_find_rss(memory, ifindex);

	return !rss || !(rss->refused || rss->spread);
}

static bool any_stuck_of(const struct nb_board *board, const struct nb_board_queue *first,
			 unsigned cpu)
{
	for (const struct nb_board_queue *queue = first;
	     queue < board->queues + board->n_queues && queue->key.ifindex == first->key.ifindex;
	     queue++)
		if (queue->polled_on == cpu && nb_board_is_stuck(queue))
			return true;
	return false;
}

/* RPS does not take away the driver's work for a packet. NAPIs without packets complete. */
static void empty_all(const struct nb_board *board, const struct nb_memory *memory, unsigned cpu,
		      GArray *changes)
{
	for (unsigned i = 0; i < board->n_queues; i++) {
		const struct nb_board_queue *first = &board->queues[i];
		struct nb_rss_change change = {.key.ifindex = first->key.ifindex,
					       .reason = NB_REASON_RSS_EMPTY};

		if (i > 0 && board->queues[i - 1].key.ifindex == first->key.ifindex)
			continue;
		if (!first->rss || !may_be_emptied(memory, change.key.ifindex) ||
		    !any_stuck_of(board, first, cpu))
			continue;
		change.queues = queues_that_stay(board, first, cpu);
		g_array_append_val(changes, change);
	}
}

/* Alternately: packets of each queue to the CPU where it goes; packets to all CPUs, and none to the
 * queues that leave. One that defers its interrupt does not enable it after short polls either, but
 * without packets. */
static void begin(const struct nb_board *board, struct nb_memory *memory, unsigned cpu,
		  const struct nb_unstick *ret)
{
	bool wide = false, rps_helps = false;

	for (unsigned i = 0; i < board->n_queues; i++) {
		const struct nb_board_queue *queue = &board->queues[i];

		if (queue->polled_on != cpu || !nb_board_is_stuck(queue))
			continue;
		wide |= queue->memory->unstick_tries % 2;
		rps_helps |= !queue->deferred;
		queue->memory->unstick_tries++;
		queue->memory->unstick_nsec = board->now_nsec;
	}
	rps_helps &= board->policy->rps;
	if (rps_helps)
		steer_all(board, memory, cpu, wide, ret->rps);
	if (board->policy->rss && (wide || !rps_helps))
		empty_all(board, memory, cpu, ret->rss);
}

static void begin_where_due(const struct nb_board *board, struct nb_memory *memory,
			    const struct nb_unstick *ret)
{
	for (unsigned i = 0; i < board->n_queues; i++) {
		const struct nb_board_queue *queue = &board->queues[i];

		if (nb_board_is_stuck(queue) && is_due(board, queue->memory) &&
		    queue->memory->unstick_nsec != board->now_nsec)
			begin(board, memory, queue->polled_on, ret);
	}
}

static bool is_held(const struct nb_rps_memory *rps)
{
	return rps->unsticks && !nb_cpumask_empty(&rps->cpus);
}

/* One that completed is polled where its interrupt goes. */
static bool is_done(const struct nb_board *board, const struct nb_rps_memory *rps)
{
	const struct nb_board_queue *queue = nb_board_find_queue(board, rps->key);

	return !queue || (is_idle(queue) && had_turns(board, queue->polled_on)) ||
	       queue->polled_on == queue->destination ||
	       board->now_nsec >= rps->set_nsec + MOST_NSEC;
}

static bool is_emptied(const struct nb_rss_memory *rss)
{
	return !nb_cpumask_empty(&rss->queues);
}

/* Queues that receive no packets have completed. */
static bool is_dry(const struct nb_board *board, const struct nb_rss_memory *rss)
{
	for (unsigned i = 0; i < board->n_queues; i++) {
		const struct nb_board_queue *queue = &board->queues[i];

		if (queue->key.ifindex == rss->ifindex && queue->has_rx &&
		    (queue->saturated || !had_turns(board, queue->polled_on)) &&
		    !nb_cpumask_has(&rss->queues, queue->key.index))
			return board->now_nsec >= rss->set_nsec + MOST_NSEC;
	}
	return true;
}

void nb_unstick_tables_back(const struct nb_memory *memory, GArray *changes)
{
	for (unsigned i = 0; i < memory->n_rss; i++) {
		struct nb_rss_change change = {.key.ifindex = memory->rss[i].ifindex,
					       .reason = NB_REASON_RSS_BACK};

		if (is_emptied(&memory->rss[i]))
			g_array_append_val(changes, change);
	}
}

static void take_masks_back(const struct nb_memory *memory, GArray *changes)
{
	for (unsigned i = 0; i < memory->n_rps; i++) {
		const struct nb_rps_memory *rps = &memory->rps[i];
		struct nb_rps_change change = {
			.key = rps->key, .reason = NB_REASON_RPS_UNSTUCK, .from = rps->cpus};

		if (is_held(rps))
			g_array_append_val(changes, change);
	}
}

static void forget_tries(const struct nb_board *board)
{
	for (unsigned i = 0; i < board->n_queues; i++)
		if (board->queues[i].polled_on == board->queues[i].destination)
			board->queues[i].memory->unstick_tries = 0;
}

void nb_unstick(const struct nb_board *board, struct nb_memory *memory, struct nb_unstick *ret)
{
	bool emptied = false, dry = true, held = false, done = true;

	ret->again_nsec = 0;
	note_busy(board);
	forget_tries(board);
	for (unsigned i = 0; i < memory->n_rss; i++) {
		emptied |= is_emptied(&memory->rss[i]);
		dry &= !is_emptied(&memory->rss[i]) || is_dry(board, &memory->rss[i]);
	}
	for (unsigned i = 0; i < memory->n_rps; i++) {
		held |= is_held(&memory->rps[i]);
		done &= !is_held(&memory->rps[i]) || is_done(board, &memory->rps[i]);
	}
	/* The first packets tell where a queue without packets went: the masks stay until then. */
	if (emptied && dry)
		nb_unstick_tables_back(memory, ret->rss);
	else if (!emptied && held && done)
		take_masks_back(memory, ret->rps);
	else if (!emptied && !held)
		begin_where_due(board, memory, ret);
	if (emptied || (held && !done) || (!held && ret->rps->len + ret->rss->len > 0))
		ret->again_nsec = AGAIN_NSEC;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plan/threaded.h"

#include "base/find.h"
#include "base/memory.h"

/* Consecutive samples for which it must not be needed before it is switched off. */
#define CALM_SAMPLES 10u
/* Without it all CPUs must stay so far below Hot=: that of threads and that of softirqs are not the
 * same time. */
#define SLACK 1000u

/* What all queues that are switched together cost, to the largest CPU, and the packets that they
 * receive. */
struct sums {
	uint32_t load;
	uint64_t packets_per_sec;
	bool never_done; /* one of their NAPIs does not complete */
	bool steered;    /* RPS is set on one of them */
};

static struct sums sum_up(const struct nb_board *board, struct nb_queue_key switched)
{
	struct sums sums = {};

	for (unsigned i = 0; i < board->n_queues; i++) {
		const struct nb_board_queue *queue = &board->queues[i];

		if (!nb_queue_key_covers(switched, queue->key))
			continue;
		sums.load += nb_board_whole_load(queue) + queue->thread_load;
		sums.packets_per_sec += queue->packets_per_sec;
		sums.never_done |= queue->never_done;
		sums.steered |= queue->steered != NULL;
	}
	return sums;
}

/* --- on */

static bool is_before(const struct nb_board_queue *a, const struct nb_board_queue *b)
{
	uint32_t left = nb_board_whole_load(a), right = nb_board_whole_load(b);

	return left != right ? left > right : a < b;
}

/* Of the queues that are switched the one with the next smaller load than last; NULL: the largest.
 */
static const struct nb_board_queue *next_smaller(const struct nb_board *board,
						 struct nb_queue_key switched,
						 const struct nb_board_queue *last)
{
	const struct nb_board_queue *next = NULL;

	for (unsigned i = 0; i < board->n_queues; i++) {
		const struct nb_board_queue *queue = &board->queues[i];

		if (nb_queue_key_covers(switched, queue->key) &&
		    (!last || is_before(last, queue)) && (!next || is_before(queue, next)))
			next = queue;
	}
	return next;
}

static unsigned coolest(const struct nb_board *board, unsigned domain)
{
	unsigned best = NB_NOWHERE;

	for (unsigned i = 0; i < board->n_cpus; i++)
		if (nb_board_is_open(board, i, domain) &&
		    (best == NB_NOWHERE || board->cpus[i].evened < board->cpus[best].evened))
			best = i;
	return best;
}

static void take_off(struct nb_board *board, struct nb_queue_key switched)
{
	for (unsigned i = 0; i < board->n_cpus; i++)
		board->cpus[i].evened = nb_board_load(board, i);
	for (unsigned i = 0; i < board->n_queues; i++) {
		const struct nb_board_queue *queue = &board->queues[i];

		if (nb_queue_key_covers(switched, queue->key) && queue->cpu != NB_NOWHERE)
			board->cpus[queue->cpu].evened =
				nb_growth(queue->load, board->cpus[queue->cpu].evened);
	}
}

/* The scheduler may run each thread where there is most time: the hottest CPU of these, and of the
 * one that a queue makes hot. */
static uint32_t hottest_of_threads(struct nb_board *board, struct nb_queue_key switched,
				   const struct nb_board_queue *culprit)
{
	uint32_t hottest;

	take_off(board, switched);
	hottest = board->cpus[culprit->cpu].evened;
	for (const struct nb_board_queue *queue = next_smaller(board, switched, NULL); queue;
	     queue = next_smaller(board, switched, queue)) {
		unsigned cpu = coolest(board, culprit->domain);

		if (cpu == NB_NOWHERE)
			return UINT32_MAX;
		board->cpus[cpu].evened += nb_board_load_on(board, queue, cpu);
		hottest = MAX(hottest, board->cpus[cpu].evened);
	}
	return hottest;
}

/* Threads that have to wait for applications lose packets that softirqs would not, and do not
 * complete, so that they could be taken back. */
static bool finds_room(struct nb_board *board, struct nb_queue_key switched,
		       const struct nb_board_queue *queue, uint32_t gain)
{
	uint32_t hottest = hottest_of_threads(board, switched, queue);

	return hottest <= board->policy->panic &&
	       hottest + gain <= nb_board_load(board, queue->cpu);
}

/* Then that of the whole NIC is tried. */
static bool is_own_refused(const struct nb_memory *memory, int ifindex)
{
	for (unsigned i = 0; i < memory->n_threaded; i++) {
		const struct nb_threaded_memory *known = &memory->threaded[i];

		if (known->key.ifindex == ifindex && known->key.index != NB_EVERY_QUEUE &&
		    known->refused)
			return true;
	}
	return false;
}

static struct nb_queue_key switch_of(const struct nb_memory *memory,
				     const struct nb_board_queue *queue)
{
	int ifindex = queue->key.ifindex;

	return queue->has_own_switch && !is_own_refused(memory, ifindex)
		       ? queue->key
		       : nb_queue_key_every(ifindex);
}

/* That of the whole NIC sets those of its NAPIs, too (net/core/dev.c netif_set_threaded()). */
static bool is_on(const struct nb_memory *memory, struct nb_queue_key switched)
{
	for (unsigned i = 0; i < memory->n_threaded; i++) {
		const struct nb_threaded_memory *known = &memory->threaded[i];

		if (known->on && (nb_queue_key_covers(known->key, switched) ||
				  nb_queue_key_covers(switched, known->key)))
			return true;
	}
	return false;
}

static bool may_be_tried(const struct nb_board *board, const struct nb_threaded_memory *known)
{
	const struct nb_policy *policy = board->policy;

	if (!known)
		return true;
	if (known->refused ||
	    nb_memory_is_rejected(&known->rejections, policy->cooldown_nsec, board->now_nsec))
		return false;
	if (known->yielded_nsec && board->now_nsec < known->yielded_nsec + policy->yield_nsec)
		return false;
	return known->set_nsec == 0 ||
	       board->now_nsec >= known->set_nsec + nb_memory_quadruple(policy->rps_dwell_nsec,
									known->failures);
}

/* A NAPI that does not complete is handed to no thread (net/core/dev.c napi_set_threaded()), and
 * what RPS hands on takes precedence of threads where it goes. */
bool nb_threaded_begin(struct nb_board *board, const struct nb_memory *memory,
		       const struct nb_domain *domain, uint32_t gain,
		       struct nb_threaded_change *ret)
{
	const struct nb_board_queue *queue = nb_board_biggest_queue(board, domain->hottest);
	struct nb_queue_key switched;
	struct sums sums;

	if (!board->timed || !queue || !queue->may_be_threaded || !queue->has_rx ||
	    queue->threaded || !nb_board_stays(board, queue))
		return false;
	switched = switch_of(memory, queue);
	if (is_on(memory, switched) ||
	    !may_be_tried(board, nb_memory_find_threaded(memory, switched)) ||
	    !finds_room(board, switched, queue, gain))
		return false;
	sums = sum_up(board, switched);
	if (sums.packets_per_sec == 0 || sums.never_done || sums.steered)
		return false;
	*ret = (struct nb_threaded_change){
		.key = switched,
		.reason = NB_REASON_THREADED_ON,
		.on = true,
		.cpu = (int)board->cpus[queue->cpu].id,
		.hottest_before = board->cpus[queue->cpu].window_busy,
		.load = sums.load,
		.packets_per_sec = sums.packets_per_sec,
	};
	return true;
}

/* --- off */

/* What the queue would cost softirqs: by the time of its thread as the trial found, or by packets
 * what all queues did before, whichever is more. The time of threads is not known in every grade,
 * and the run before leaves neither: then as much as the thread. */
static uint32_t load_without(const struct nb_board_queue *queue,
			     const struct nb_threaded_memory *known)
{
	uint64_t share = known->softirq_share ? known->softirq_share : NB_WHOLE;
	uint64_t by_time = (queue->load + queue->thread_load) * share / NB_WHOLE;
	uint64_t by_packets =
		known->packets_per_sec
			? (uint64_t)known->load * queue->packets_per_sec / known->packets_per_sec
			: 0;

	return (uint32_t)MIN(MAX(by_packets, by_time), NB_WHOLE);
}

/* What would come to the CPU of its interrupt, if that is this one. */
static uint32_t would_come(const struct nb_board *board, const struct nb_board_queue *queue,
			   const struct nb_threaded_memory *known, unsigned cpu)
{
	bool is_there = queue->state->thread_cpu == (int)board->cpus[cpu].id;

	if (!nb_queue_key_covers(known->key, queue->key) || queue->cpu != cpu || is_there)
		return 0;
	return nb_growth(queue->load, load_without(queue, known));
}

static bool would_be_hot(const struct nb_board *board, const struct nb_threaded_memory *known,
			 unsigned cpu)
{
	uint32_t come = 0;

	for (unsigned i = 0; i < board->n_queues; i++)
		come += would_come(board, &board->queues[i], known, cpu);
	return come >= board->policy->minimum_gain &&
	       nb_board_load(board, cpu) + come + SLACK > board->policy->hot;
}

/* Nor did the run before this one tell how much there was. */
static bool is_unknown(const struct nb_board *board, const struct nb_threaded_memory *known)
{
	return !board->timed && known->packets_per_sec == 0;
}

static bool is_needed(const struct nb_board *board, const struct nb_threaded_memory *known)
{
	for (unsigned i = 0; i < board->n_queues; i++)
		if (nb_queue_key_covers(known->key, board->queues[i].key) &&
		    board->queues[i].cpu != NB_NOWHERE &&
		    would_be_hot(board, known, board->queues[i].cpu))
			return true;
	return is_unknown(board, known);
}

static bool is_needed_no_more(const struct nb_board *board, const struct nb_memory *memory,
			      struct nb_threaded_memory *known)
{
	if (is_needed(board, known))
		known->calm_samples = 0;
	else if (!memory->hurried)
		known->calm_samples++;
	return known->calm_samples >= CALM_SAMPLES &&
	       board->now_nsec >= known->set_nsec + board->policy->rps_dwell_nsec / 3;
}

static bool is_wanted(const struct nb_machine *machine, int ifindex)
{
	const struct nb_nic *nic = nb_machine_find_nic(machine, ifindex);

	return nic && nic->threaded_allowed && nic->scope != NB_SCOPE_IGNORED;
}

/* The thread of a queue ended since: another program has switched it off, or its driver has made
 * other NAPIs when the device was down. Which one, shows when it is to be switched off. */
static bool is_gone(const struct nb_machine *machine, const struct nb_threaded_memory *known)
{
	const struct nb_queue *queue = nb_machine_find_queue(machine, known->key);

	return queue && queue->threading == NB_THREADING_OFF &&
	       machine->generation > known->generation;
}

/* _NB_REASON_INVALID: it stays. */
static enum nb_reason why_off(const struct nb_board *board, const struct nb_machine *machine,
			      const struct nb_memory *memory, struct nb_threaded_memory *known)
{
	if (!is_wanted(machine, known->key.ifindex))
		return NB_REASON_UNCONFIGURED;
	if (known->no_gain)
		return NB_REASON_THREADED_NO_GAIN;
	if (!known->trial.active &&
	    (is_gone(machine, known) || is_needed_no_more(board, memory, known)))
		return NB_REASON_THREADED_CALM;
	return _NB_REASON_INVALID;
}

/* From Linux 6.17 on the kernel waits for each NAPI to complete, with the RTNL lock held
 * (net/core/dev.c napi_stop_kthread()): none may be such as never does. */
bool nb_threaded_review(const struct nb_board *board, const struct nb_machine *machine,
			struct nb_memory *memory, struct nb_threaded_change *ret)
{
	for (unsigned i = 0; i < memory->n_threaded; i++) {
		struct nb_threaded_memory *known = &memory->threaded[i];
		struct sums sums = sum_up(board, known->key);
		enum nb_reason reason;

		if (!known->on ||
		    nb_memory_is_rejected(&known->rejections, board->policy->cooldown_nsec,
					  board->now_nsec))
			continue;
		reason = why_off(board, machine, memory, known);
		if (reason == _NB_REASON_INVALID || sums.never_done)
			continue;
		*ret = (struct nb_threaded_change){.key = known->key, .reason = reason};
		return true;
	}
	return false;
}

bool nb_threaded_on_trial(const struct nb_memory *memory)
{
	for (unsigned i = 0; i < memory->n_threaded; i++)
		if (memory->threaded[i].trial.active)
			return true;
	return false;
}

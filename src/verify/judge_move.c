/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "verify/judges.h"

#include "base/find.h"
#include "base/memory.h"

#include <assert.h>

/* The mean of two windows is about twice as noisy as the smoothed load, whose noise the gain of a
 * move had to exceed: σ ÷ √2 instead of 0.42 σ. */
#define NOISE_OF_WINDOWS 2u

/* A queue in memory, snapshot and loads. */
struct moved {
	struct nb_queue_memory *queue;
	const struct nb_queue_state *state;
	const struct nb_queue_load *load;
};

static struct moved moved_queue(const struct nb_judging *judging, unsigned queue)
{
	assert(queue < judging->memory->n_queues);
	assert(nb_queue_key_compare(judging->memory->queues[queue].key,
				    judging->snapshot->queues[queue].key) == 0);
	return (struct moved){
		.queue = &judging->memory->queues[queue],
		.state = &judging->snapshot->queues[queue],
		.load = &judging->loads->queues[queue],
	};
}

/* Queues that moved for their place alone owe no gain. */
static bool owes_gain(const struct nb_move *move)
{
	switch (move->reason) {
	case NB_REASON_BALANCE:
	case NB_REASON_SWAP:
	case NB_REASON_PANIC:
	case NB_REASON_SPILL:
	case NB_REASON_DELAY:
	case NB_REASON_UNDO:
		return true;
	case NB_REASON_COLLAPSED:
	case NB_REASON_SEVERAL:
	case NB_REASON_INELIGIBLE:
	case NB_REASON_REPACK:
	case NB_REASON_RETURN:
	case NB_REASON_RPS_WIDEN:
	case NB_REASON_RPS_CALM:
	case NB_REASON_RPS_MEND:
	case NB_REASON_RPS_BUSY:
	case NB_REASON_RPS_UNSTICK:
	case NB_REASON_RPS_UNSTUCK:
	case NB_REASON_RSS_EMPTY:
	case NB_REASON_RSS_BACK:
	case NB_REASON_RSS_SPREAD:
	case NB_REASON_RSS_CALM:
	case NB_REASON_XPS_FOLLOW:
	case NB_REASON_XPS_BACK:
	case NB_REASON_THREAD_FOLLOW:
	case NB_REASON_THREAD_BACK:
	case NB_REASON_THREADED_ON:
	case NB_REASON_THREADED_CALM:
	case NB_REASON_THREADED_NO_GAIN:
	case NB_REASON_RSS_NO_GAIN:
	case NB_REASON_RPS_NO_GAIN:
	case NB_REASON_DEVICE_REMOTE:
	case NB_REASON_DEVICE_CROWDED:
	case NB_REASON_DEVICE_HOT:
	case NB_REASON_CONFIGURED:
	case NB_REASON_UNCONFIGURED:
	case _NB_REASON_MAX:
	case _NB_REASON_INVALID:
		return false;
	}
	return false;
}

static uint32_t mean_of(const struct nb_pending *pending, uint64_t sum)
{
	assert(pending->measured_msec > 0);
	return (uint32_t)(sum / pending->measured_msec);
}

static uint32_t drop_of(uint32_t before, uint32_t after)
{
	return before > after ? before - after : 0;
}

/* What was load of one CPU, if it is of another. */
static uint32_t convert(const struct nb_judging *judging, uint32_t load, int from, int to)
{
	const struct nb_topology *topology = &judging->snapshot->machine->topology;

	return nb_capacity_convert(load, nb_topology_capacity(topology, from),
				   nb_topology_capacity(topology, to));
}

/* The load of the source must have fallen by at least half of what was predicted. A source that was
 * full had more to do than it could, and may stay full for a while: then that of the target must
 * have risen by as much. */
static bool gained(const struct nb_judging *judging, const struct nb_move *move, uint32_t source,
		   uint32_t target)
{
	uint32_t predicted = drop_of(move->source_before, move->source_after);

	if (!owes_gain(move) || drop_of(move->source_before, source) >= predicted / 2)
		return true;
	return move->source_before > judging->policy->panic &&
	       drop_of(target, move->target_before) >=
		       convert(judging, predicted, move->cpu_from, (int)move->cpu_to) / 2;
}

/* NET_RX has to wait less by a quarter at least, on the old CPU and on the new one: what tells
 * delays apart is a bucket, whose bounds are a factor of two apart. */
static bool still_waits(const struct nb_pending *pending)
{
	uint64_t before = pending->move.delay_usec;

	return pending->move.reason == NB_REASON_DELAY && pending->delay_msec > 0 &&
	       pending->delay_sum / pending->delay_msec > before - before / 4;
}

static bool is_timed(const struct nb_judging *judging)
{
	return nb_grade_is_timed(judging->snapshot->grade);
}

/* Packets keep coming, but its NAPI is polled on the old CPU: a NAPI of which every poll uses its
 * whole budget stays there with interrupts masked, wherever they would be delivered (net/core/dev.c
 * napi_poll(), napi_complete_done()). mlx4, mlx5, i40e, iavf and gve check their affinity; others
 * do not. */
static bool is_stuck(const struct moved *moved)
{
	return moved->load->rx_packets_per_sec > 0 &&
	       moved->load->cpu == moved->queue->pending.move.cpu_from;
}

/* A queue that came to the target later explains why that is hotter, and so does one that was to
 * leave and is stuck there. */
static bool was_joined(const struct nb_judging *judging, const struct nb_queue_memory *queue)
{
	for (unsigned i = 0; i < judging->memory->n_queues; i++) {
		const struct moved other = moved_queue(judging, i);
		const struct nb_pending *pending = &other.queue->pending;

		if (other.queue == queue)
			continue;
		if (other.queue->moved_nsec >= queue->moved_nsec &&
		    other.queue->expected_cpu == queue->expected_cpu)
			return true;
		if (pending->active && pending->move.cpu_from == queue->expected_cpu &&
		    is_stuck(&other))
			return true;
	}
	return false;
}

/* The new CPU is hotter than either was before, by more than noise, and that much more above its
 * prediction than the old CPU is off its own: a change of the whole host shows on both, and so does
 * an application that moved from one to the other. An undo is never reverted. */
static bool harmed(const struct nb_judging *judging, const struct nb_queue_memory *queue,
		   uint32_t source, uint32_t target)
{
	const struct nb_pending *pending = &queue->pending;
	const struct nb_move *move = &pending->move;
	uint32_t before = MAX(move->source_before, move->target_before);
	uint32_t excess = drop_of(target, move->target_after);
	uint32_t elsewhere = MAX(source, move->source_after) - MIN(source, move->source_after);
	uint32_t noise = NOISE_OF_WINDOWS * pending->gain;

	return owes_gain(move) && move->reason != NB_REASON_UNDO && target > before + noise &&
	       excess > elsewhere + noise && !was_joined(judging, queue);
}

/* An application left the source and came to the target with the queue, as the scheduler wakes a
 * thread where its packets arrive (kernel/sched/fair.c wake_affine()), so that the hotter of both
 * is as hot as before. By this window alone, since it may have come late. */
static bool is_accompanied(const struct nb_judging *judging, const struct nb_pending *pending)
{
	const struct nb_move *move = &pending->move;
	int to = (int)move->cpu_to;
	uint32_t left = drop_of(move->source_fixed, nb_judging_fixed(judging, move->cpu_from));
	uint32_t came = convert(judging, drop_of(nb_judging_fixed(judging, to), move->target_fixed),
				to, move->cpu_from);
	uint32_t hottest =
		MAX(nb_judging_busy(judging, move->cpu_from), nb_judging_busy(judging, to));
	uint32_t predicted =
		drop_of(move->source_before, MAX(move->source_after, move->target_after));

	return owes_gain(move) && drop_of(move->source_before, hottest) < predicted / 2 &&
	       MIN(left, came) >= MAX(NOISE_OF_WINDOWS * pending->gain, predicted / 2);
}

/* It is left where it is for as long as the longest dwell. */
static void stay_together(const struct nb_judging *judging, struct nb_queue_memory *queue)
{
	queue->accompanied_until_nsec =
		judging->snapshot->taken_nsec + (judging->policy->dwell_nsec << 6);
}

static bool is_idle(const struct nb_judging *judging, const struct moved *moved)
{
	if (moved->load->rx_packets_per_sec > 0)
		return false;
	return is_timed(judging) ? moved->load->interrupts_per_sec == 0
				 : moved->state->landed_cpu < 0;
}

static enum nb_effect effect_of(const struct nb_judging *judging, const struct moved *moved)
{
	const struct nb_pending *pending = &moved->queue->pending;
	const struct nb_move *move = &pending->move;
	uint32_t source = mean_of(pending, pending->source_sum);
	uint32_t target = mean_of(pending, pending->target_sum);

	if (is_idle(judging, moved))
		return NB_EFFECT_IDLE;
	if (moved->load->cpu != (int)move->cpu_to)
		return NB_EFFECT_NOT_FOLLOWED;
	if (is_accompanied(judging, pending)) {
		stay_together(judging, moved->queue);
		return NB_EFFECT_NO_GAIN;
	}
	if (harmed(judging, moved->queue, source, target))
		return NB_EFFECT_WORSE;
	if (still_waits(pending))
		return NB_EFFECT_NO_GAIN;
	return gained(judging, move, source, target) ? NB_EFFECT_WORKED : NB_EFFECT_NO_GAIN;
}

/* An undo that worked is not a success. */
void nb_judge_settle(struct nb_queue_memory *queue, enum nb_effect effect)
{
	queue->pending.active = false;
	queue->undo = effect == NB_EFFECT_WORSE;
	if (effect == NB_EFFECT_NO_GAIN || effect == NB_EFFECT_NOT_FOLLOWED ||
	    effect == NB_EFFECT_WORSE)
		queue->failures++;
	else if (queue->pending.move.reason != NB_REASON_UNDO)
		queue->failures = 0;
}

/* Reported once; then the queue has time to follow, with the planner's help, before the move counts
 * as failed. One that a timer polls is not stuck, and follows when there are no packets for a
 * moment. */
static enum nb_effect wait_stuck(const struct nb_judging *judging, const struct moved *moved)
{
	struct nb_pending *pending = &moved->queue->pending;
	uint64_t waited_nsec = judging->snapshot->taken_nsec - pending->since_nsec;

	if (waited_nsec < NB_VERIFY_NSEC)
		return NB_EFFECT_NONE;
	if (!pending->stuck && !moved->load->deferred) {
		pending->stuck = true;
		return NB_EFFECT_STUCK;
	}
	return waited_nsec < NB_VERIFY_STUCK_NSEC ? NB_EFFECT_NONE : NB_EFFECT_NOT_FOLLOWED;
}

/* A service that started with the daemon shows only now if softirqs took the CPU from it. */
static void note_applications(const struct nb_judging *judging, struct nb_queue_memory *queue)
{
	struct nb_departure *departure = &queue->departures[0];
	uint64_t since_nsec = queue->pending.since_nsec;

	if (departure->nsec == since_nsec && nb_memory_is_starting(judging->memory, since_nsec))
		departure->applications =
			MAX(departure->applications,
			    nb_judging_applications(judging, (int)departure->cpu));
}

static void measure(const struct nb_judging *judging, struct nb_pending *pending)
{
	uint64_t msec = judging->loads->window_nsec / NB_NSEC_PER_MSEC;
	uint32_t usec;

	pending->measured_msec += msec;
	pending->source_sum += nb_judging_busy(judging, pending->move.cpu_from) * msec;
	pending->target_sum += nb_judging_busy(judging, (int)pending->move.cpu_to) * msec;
	if (!nb_judging_delay(judging, pending, &usec))
		return;
	pending->delay_msec += msec;
	pending->delay_sum += usec * msec;
}

static bool is_measured(const struct nb_pending *pending)
{
	return pending->measured_msec * NB_NSEC_PER_MSEC >= NB_VERIFY_NSEC - NB_VERIFY_SLACK_NSEC;
}

/* A saturated NAPI needs help, not another CPU, and one that a timer polls needs a pause. */
static void settle(const struct moved *moved, enum nb_effect effect)
{
	unsigned failures = moved->queue->failures;

	nb_judge_settle(moved->queue, effect);
	if (effect == NB_EFFECT_NOT_FOLLOWED && (moved->load->saturated || moved->load->deferred))
		moved->queue->failures = failures;
}

void nb_judge_move(const struct nb_judging *judging, unsigned queue)
{
	const struct moved moved = moved_queue(judging, queue);
	struct nb_pending *pending = &moved.queue->pending;
	struct nb_finding finding = {
		.event = NB_EVENT_MOVED,
		.kind = NB_KIND_QUEUE,
		.key = moved.queue->key,
		.measured = NB_UNMEASURED,
	};

	if (is_stuck(&moved)) {
		finding.effect = wait_stuck(judging, &moved);
	} else {
		measure(judging, pending);
		note_applications(judging, moved.queue);
		if (!is_measured(pending))
			return;
		finding.effect = effect_of(judging, &moved);
		finding.measured =
			mean_of(pending, finding.effect == NB_EFFECT_WORSE ? pending->target_sum
									   : pending->source_sum);
	}
	if (finding.effect == NB_EFFECT_NONE)
		return;
	if (finding.effect != NB_EFFECT_STUCK)
		settle(&moved, finding.effect);
	g_array_append_val(judging->findings, finding);
}

void nb_judge_company(const struct nb_judging *judging, struct nb_queue_memory *queue)
{
	const struct nb_pending *pending = &queue->pending;

	if (pending->since_nsec == 0 || queue->expected_cpu != (int)pending->move.cpu_to ||
	    judging->snapshot->taken_nsec >= pending->since_nsec + judging->policy->dwell_nsec)
		return;
	if (is_accompanied(judging, pending))
		stay_together(judging, queue);
}

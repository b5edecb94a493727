/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "verify/verify.h"

#include "base/find.h"
#include "base/memory.h"
#include "verify/others.h"

/* The mean of two windows is some twice as noisy as the smoothed load, whose noise the gain of a
 * move had to exceed: σ ÷ √2 beside 0.42 σ, and both are compared. */
#define NOISE_OF_WINDOWS 2u

static uint32_t busy_of(const struct nb_loads *loads, int cpu)
{
	const struct nb_cpu_load *load = cpu < 0 ? NULL : nb_loads_find_cpu(loads, (unsigned)cpu);

	return load ? load->window_busy : 0;
}

/* Queues that were moved for their place alone owe no gain. */
static bool owes_gain(const struct nb_move *move)
{
	switch (move->reason) {
	case NB_REASON_BALANCE:
	case NB_REASON_SWAP:
	case NB_REASON_PANIC:
	case NB_REASON_UNDO:
		return true;
	case NB_REASON_COLLAPSED:
	case NB_REASON_SEVERAL:
	case NB_REASON_INELIGIBLE:
	case NB_REASON_RPS_WIDEN:
	case NB_REASON_RPS_CALM:
	case NB_REASON_RPS_MEND:
	case NB_REASON_RPS_BUSY:
	case NB_REASON_RPS_UNSTICK:
	case NB_REASON_RPS_UNSTUCK:
	case NB_REASON_RPS_NO_GAIN:
	case NB_REASON_OTHER_REMOTE:
	case NB_REASON_OTHER_PILED:
	case NB_REASON_OTHER_HOT:
	case _NB_REASON_MAX:
	case _NB_REASON_INVALID:
		return false;
	}
	return false;
}

static uint32_t mean_of(const struct nb_pending *pending, uint64_t sum)
{
	return (uint32_t)(sum / pending->windows);
}

static uint32_t drop_of(uint32_t before, uint32_t after)
{
	return before > after ? before - after : 0;
}

/* The source must have cooled by at least half of what was predicted. A source that was full had
 * more to do than it could, and may stay full for a while: then the target must have warmed by as
 * much. */
static bool gained(const struct nb_move *move, uint32_t source, uint32_t target,
		   const struct nb_policy *policy)
{
	uint32_t predicted = drop_of(move->source_before, move->source_after);

	if (!owes_gain(move) || drop_of(move->source_before, source) >= predicted / 2)
		return true;
	return move->source_before > policy->panic &&
	       drop_of(target, move->target_before) >= predicted / 2;
}

/* Where its NAPI is polled is the truth; without the probe, where interrupts land. */
static int served_cpu(const struct nb_snapshot *snapshot, const struct nb_queue_state *state)
{
	return nb_grade_is_timed(snapshot->grade) && state->polled_cpu >= 0 ? state->polled_cpu
									    : state->landed_cpu;
}

/* Packets keep coming, but its NAPI is polled where it was, or no interrupt lands anywhere: a poll
 * that always finds its whole budget goes on with interrupts masked where it began, wherever they
 * would be delivered (net/core/dev.c napi_poll(), napi_complete_done()). mlx4, mlx5, i40e, iavf and
 * gve look at their affinity; others do not. */
static bool is_stuck(const struct nb_snapshot *snapshot, const struct nb_pending *pending,
		     const struct nb_queue_state *state, const struct nb_queue_load *load)
{
	int cpu = served_cpu(snapshot, state);

	if (load->rx_packets_per_sec == 0)
		return false;
	return nb_grade_is_timed(snapshot->grade) ? cpu == pending->move.cpu_from : cpu < 0;
}

/* What came to the target after it explains why that is hotter, and so does what was to leave and
 * is stuck there. */
static bool was_joined(const struct nb_snapshot *snapshot, const struct nb_loads *loads,
		       const struct nb_memory *memory, const struct nb_queue_memory *queue)
{
	for (unsigned i = 0; i < memory->n_queues; i++) {
		const struct nb_queue_memory *other = &memory->queues[i];
		const struct nb_pending *pending = &other->pending;

		if (other == queue)
			continue;
		if (other->moved_nsec >= queue->moved_nsec &&
		    other->expected_cpu == queue->expected_cpu)
			return true;
		if (pending->active && pending->move.cpu_from == queue->expected_cpu &&
		    is_stuck(snapshot, pending, &snapshot->queues[i], &loads->queues[i]))
			return true;
	}
	return false;
}

/* The new CPU is hotter than either was before, by more than noise, and that much more above its
 * prediction than the old CPU is off its own: what changed for the whole host shows on both, and so
 * does an application that went from one to the other. A way back is never taken back. */
static bool harmed(const struct nb_snapshot *snapshot, const struct nb_loads *loads,
		   const struct nb_memory *memory, const struct nb_queue_memory *queue,
		   uint32_t source, uint32_t target)
{
	const struct nb_pending *pending = &queue->pending;
	const struct nb_move *move = &pending->move;
	uint32_t before = MAX(move->source_before, move->target_before);
	uint32_t excess = drop_of(target, move->target_after);
	uint32_t elsewhere = MAX(source, move->source_after) - MIN(source, move->source_after);
	uint32_t noise = NOISE_OF_WINDOWS * pending->gain;

	return owes_gain(move) && move->reason != NB_REASON_UNDO && target > before + noise &&
	       excess > elsewhere + noise && !was_joined(snapshot, loads, memory, queue);
}

static bool is_idle(const struct nb_snapshot *snapshot, const struct nb_queue_state *state,
		    const struct nb_queue_load *load)
{
	if (load->rx_packets_per_sec > 0)
		return false;
	return nb_grade_is_timed(snapshot->grade) ? load->interrupts_per_sec == 0
						  : state->landed_cpu < 0;
}

static enum nb_effect effect_of(const struct nb_snapshot *snapshot, const struct nb_loads *loads,
				const struct nb_memory *memory, const struct nb_queue_memory *queue,
				const struct nb_queue_state *state,
				const struct nb_queue_load *load, const struct nb_policy *policy)
{
	const struct nb_move *move = &queue->pending.move;
	uint32_t source = mean_of(&queue->pending, queue->pending.source_sum);
	uint32_t target = mean_of(&queue->pending, queue->pending.target_sum);

	if (is_idle(snapshot, state, load))
		return NB_EFFECT_IDLE;
	if (served_cpu(snapshot, state) != (int)move->cpu_to)
		return NB_EFFECT_NOT_FOLLOWED;
	if (harmed(snapshot, loads, memory, queue, source, target))
		return NB_EFFECT_WORSE;
	return gained(move, source, target, policy) ? NB_EFFECT_WORKED : NB_EFFECT_NO_GAIN;
}

/* That a way back worked does not make good what it took back. */
static void settle(struct nb_queue_memory *queue, enum nb_effect effect)
{
	queue->pending.active = false;
	queue->undo = effect == NB_EFFECT_WORSE;
	if (effect == NB_EFFECT_NO_GAIN || effect == NB_EFFECT_NOT_FOLLOWED ||
	    effect == NB_EFFECT_WORSE)
		queue->failures++;
	else if (queue->pending.move.reason != NB_REASON_UNDO)
		queue->failures = 0;
}

/* Said once; then it has time to follow, with the planner's help, before the move counts as failed.
 */
static bool wait_stuck(struct nb_pending *pending, struct nb_finding *finding)
{
	if (pending->stuck)
		return pending->windows < NB_VERIFY_STUCK_WINDOWS;
	pending->stuck = true;
	pending->windows = 0;
	finding->effect = NB_EFFECT_STUCK;
	return true;
}

/* What was measured until now is of the time before it moved. */
static void begin_anew(struct nb_pending *pending)
{
	*pending =
		(struct nb_pending){.active = true, .gain = pending->gain, .move = pending->move};
}

static void judge_pending(struct nb_queue_memory *queue, const struct nb_queue_state *state,
			  const struct nb_queue_load *load, const struct nb_snapshot *snapshot,
			  const struct nb_loads *loads, const struct nb_policy *policy,
			  const struct nb_memory *memory, GArray *findings)
{
	struct nb_pending *pending = &queue->pending;
	struct nb_finding finding = {
		.event = NB_EVENT_MOVED, .key = queue->key, .measured = NB_UNMEASURED};
	bool stuck = is_stuck(snapshot, pending, state, load);

	if (pending->stuck && !stuck)
		begin_anew(pending);
	pending->windows++;
	pending->source_sum += busy_of(loads, pending->move.cpu_from);
	pending->target_sum += busy_of(loads, (int)pending->move.cpu_to);
	if (pending->windows < NB_VERIFY_WINDOWS)
		return;
	if (!stuck || !wait_stuck(pending, &finding)) {
		finding.effect = effect_of(snapshot, loads, memory, queue, state, load, policy);
		finding.measured =
			mean_of(pending, finding.effect == NB_EFFECT_WORSE ? pending->target_sum
									   : pending->source_sum);
		settle(queue, finding.effect);
	}
	if (finding.effect != NB_EFFECT_NONE)
		g_array_append_val(findings, finding);
}

/* x86 loses a pending move without a word when the target has no vector left
 * (kernel/irq/migration.c irq_move_masked_irq()): the mask is then the one from before our write.
 */
static bool was_lost(const struct nb_queue_memory *queue, const struct nb_queue_state *state)
{
	return queue->pending.active && state->affinity_cpu == queue->pending.move.cpu_from;
}

static void lose(struct nb_queue_memory *queue, GArray *findings)
{
	struct nb_finding finding = {
		.event = NB_EVENT_MOVED,
		.key = queue->key,
		.effect = NB_EFFECT_NOT_FOLLOWED,
		.measured = NB_UNMEASURED,
	};

	queue->expected_cpu = -1;
	settle(queue, finding.effect);
	g_array_append_val(findings, finding);
}

static void yield_queue(struct nb_queue_memory *queue, const struct nb_queue_state *state,
			uint64_t until_nsec, GArray *findings)
{
	struct nb_finding finding = {
		.event = NB_EVENT_YIELDED,
		.key = queue->key,
		.cpu_ours = queue->expected_cpu,
		.cpu_theirs = state->affinity_cpu,
	};

	queue->expected_cpu = -1;
	queue->pending.active = false;
	queue->yielded_until_nsec = until_nsec;
	g_array_append_val(findings, finding);
}

static void judge_affinity(struct nb_queue_memory *queue, const struct nb_queue_state *state,
			   uint64_t until_nsec, GArray *findings)
{
	if (state->n_allowed == 0 || queue->expected_cpu < 0 ||
	    state->affinity_cpu == queue->expected_cpu)
		return;
	if (was_lost(queue, state))
		lose(queue, findings);
	else
		yield_queue(queue, state, until_nsec, findings);
}

static void judge_rps(struct nb_rps_memory *rps, const struct nb_snapshot *snapshot,
		      const struct nb_policy *policy, GArray *findings)
{
	const struct nb_cpumask *now = nb_snapshot_find_rps(snapshot, rps->key);
	struct nb_finding finding = {
		.event = NB_EVENT_YIELDED,
		.key = rps->key,
		.is_rps = true,
		.cpu_ours = -1,
		.cpu_theirs = -1,
		.rps_ours = rps->cpus,
		.rps_theirs = now ? *now : (struct nb_cpumask){},
	};

	if (nb_cpumask_empty(&rps->cpus) ||
	    nb_cpumask_equal(&finding.rps_ours, &finding.rps_theirs))
		return;
	nb_cpumask_clear(&rps->cpus);
	rps->yielded_until_nsec = snapshot->taken_nsec + policy->yield_nsec;
	g_array_append_val(findings, finding);
}

/* The hottest of the queue's CPU and those of its mask, in this window. */
static uint32_t hottest_of(const struct nb_rps_memory *rps, const struct nb_loads *loads, int cpu)
{
	uint32_t hottest = busy_of(loads, cpu);

	NB_CPUMASK_FOREACH (id, &rps->cpus)
		hottest = MAX(hottest, busy_of(loads, (int)id));
	return hottest;
}

/* No CPU of the mask does most of what is handed on: it is not one flow. */
static bool is_shared(const struct nb_rps_memory *rps, const struct nb_loads *loads)
{
	uint32_t most = 0, sum = 0;

	NB_CPUMASK_FOREACH (id, &rps->cpus) {
		const struct nb_cpu_load *load = nb_loads_find_cpu(loads, id);

		most = MAX(most, load ? load->window_backlog : 0);
		sum += load ? load->window_backlog : 0;
	}
	return most < sum / 4 * 3;
}

/* A CPU that was full had more to do than it could, and all of them together may, too: then it is
 * enough that they share it. */
static bool helped(const struct nb_rps_memory *rps, const struct nb_loads *loads,
		   const struct nb_policy *policy)
{
	const struct nb_rps_trial *trial = &rps->trial;
	uint32_t since = (uint32_t)(trial->hottest_sum / trial->windows);

	return since + policy->minimum_gain <= trial->before ||
	       (trial->before > policy->panic && is_shared(rps, loads));
}

static void judge_trial(struct nb_rps_memory *rps, const struct nb_loads *loads,
			const struct nb_policy *policy)
{
	const struct nb_queue_load *queue = nb_loads_find_queue(loads, rps->key);
	struct nb_rps_trial *trial = &rps->trial;

	if (!trial->active || !queue || nb_cpumask_empty(&rps->cpus))
		return;
	trial->windows++;
	trial->hottest_sum += hottest_of(rps, loads, queue->cpu);
	if (trial->windows < NB_VERIFY_WINDOWS)
		return;
	trial->active = false;
	rps->no_gain = !helped(rps, loads, policy);
	rps->failures = rps->no_gain ? rps->failures + 1 : 0;
}

/* The first audit after a rescan has none before it, so it cannot tell where interrupts landed
 * since; the probe can. */
static bool knows_landings(const struct nb_snapshot *snapshot, struct nb_memory *memory)
{
	uint64_t generation = snapshot->machine->generation;
	bool known = nb_grade_is_timed(snapshot->grade) || memory->judged_generation == generation;

	memory->judged_generation = generation;
	return known;
}

/* Panic shortens a dwell, but not this. */
static void shun_target(struct nb_queue_memory *queue, uint64_t now_nsec,
			const struct nb_policy *policy)
{
	queue->shunned_cpu = (int)queue->pending.move.cpu_to;
	queue->shunned_until_nsec = now_nsec + nb_memory_back_off(queue, policy->dwell_nsec);
}

/* A swap goes back as a whole, or not at all while half of it has not even followed. */
static void settle_undo(struct nb_queue_memory *queue, uint64_t now_nsec,
			const struct nb_policy *policy, struct nb_memory *memory)
{
	struct nb_queue_memory *partner = nb_memory_find_partner(memory, queue);

	shun_target(queue, now_nsec, policy);
	if (!partner)
		return;
	queue->undo = partner->undo = !partner->pending.active;
	partner->failures = MAX(partner->failures, queue->failures);
	shun_target(partner, now_nsec, policy);
}

void nb_verify_judge(const struct nb_snapshot *snapshot, const struct nb_loads *loads,
		     const struct nb_policy *policy, struct nb_memory *memory, GArray *findings)
{
	bool landings_known;

	if (loads->window_nsec == 0)
		return;
	nb_verify_others(snapshot, policy, memory, findings);
	for (unsigned i = 0; i < memory->n_rps; i++)
		judge_trial(&memory->rps[i], loads, policy);
	if (!snapshot->audited)
		return;
	landings_known = knows_landings(snapshot, memory);
	for (unsigned i = 0; i < memory->n_queues; i++) {
		struct nb_queue_memory *queue = &memory->queues[i];

		judge_affinity(queue, &snapshot->queues[i],
			       snapshot->taken_nsec + policy->yield_nsec, findings);
		if (landings_known && queue->pending.active)
			judge_pending(queue, &snapshot->queues[i], &loads->queues[i], snapshot,
				      loads, policy, memory, findings);
	}
	for (unsigned i = 0; i < memory->n_queues; i++)
		if (memory->queues[i].undo)
			settle_undo(&memory->queues[i], snapshot->taken_nsec, policy, memory);
	for (unsigned i = 0; i < memory->n_rps; i++)
		judge_rps(&memory->rps[i], snapshot, policy, findings);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "verify/verify.h"

#include "base/find.h"

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
		return true;
	case NB_REASON_COLLAPSED:
	case NB_REASON_SEVERAL:
	case NB_REASON_INELIGIBLE:
	case NB_REASON_RPS_WIDEN:
	case NB_REASON_RPS_CALM:
	case NB_REASON_RPS_MEND:
	case NB_REASON_RPS_BUSY:
	case _NB_REASON_MAX:
	case _NB_REASON_INVALID:
		return false;
	}
	return false;
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

/* Where interrupts land is the truth; without any, packets that keep coming mean that its NAPI
 * still polls where it was, with interrupts masked. */
static enum nb_effect effect_of(const struct nb_pending *pending,
				const struct nb_queue_state *state,
				const struct nb_queue_load *load, const struct nb_policy *policy)
{
	const struct nb_move *move = &pending->move;
	uint32_t source = (uint32_t)(pending->source_sum / pending->windows);
	uint32_t target = (uint32_t)(pending->target_sum / pending->windows);

	if (state->landed_cpu < 0 && load->rx_packets_per_sec == 0)
		return NB_EFFECT_IDLE;
	if (state->landed_cpu != (int)move->cpu_to)
		return NB_EFFECT_NOT_FOLLOWED;
	return gained(move, source, target, policy) ? NB_EFFECT_WORKED : NB_EFFECT_NO_GAIN;
}

static void settle(struct nb_queue_memory *queue, enum nb_effect effect)
{
	queue->pending.active = false;
	if (effect == NB_EFFECT_NO_GAIN || effect == NB_EFFECT_NOT_FOLLOWED)
		queue->failures++;
	else
		queue->failures = 0;
}

static void judge_pending(struct nb_queue_memory *queue, const struct nb_queue_state *state,
			  const struct nb_queue_load *load, const struct nb_loads *loads,
			  const struct nb_policy *policy, GArray *findings)
{
	struct nb_pending *pending = &queue->pending;
	struct nb_finding finding = {.event = NB_EVENT_MOVED, .key = queue->key};

	pending->windows++;
	pending->source_sum += busy_of(loads, pending->move.cpu_from);
	pending->target_sum += busy_of(loads, (int)pending->move.cpu_to);
	if (pending->windows < NB_VERIFY_WINDOWS)
		return;
	finding.measured = (uint32_t)(pending->source_sum / pending->windows);
	finding.effect = effect_of(pending, state, load, policy);
	settle(queue, finding.effect);
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

/* The first audit after a rescan has none before it, so it cannot tell where interrupts landed
 * since. */
static bool knows_landings(const struct nb_snapshot *snapshot, struct nb_memory *memory)
{
	uint64_t generation = snapshot->machine->generation;
	bool known = memory->judged_generation == generation;

	memory->judged_generation = generation;
	return known;
}

void nb_verify_judge(const struct nb_snapshot *snapshot, const struct nb_loads *loads,
		     const struct nb_policy *policy, struct nb_memory *memory, GArray *findings)
{
	bool landings_known;

	if (!snapshot->audited || loads->window_nsec == 0)
		return;
	landings_known = knows_landings(snapshot, memory);
	for (unsigned i = 0; i < memory->n_queues; i++) {
		struct nb_queue_memory *queue = &memory->queues[i];

		judge_affinity(queue, &snapshot->queues[i],
			       snapshot->taken_nsec + policy->yield_nsec, findings);
		if (landings_known && queue->pending.active)
			judge_pending(queue, &snapshot->queues[i], &loads->queues[i], loads, policy,
				      findings);
	}
	for (unsigned i = 0; i < memory->n_rps; i++)
		judge_rps(&memory->rps[i], snapshot, policy, findings);
}

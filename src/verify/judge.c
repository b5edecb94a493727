/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "verify/verify.h"

#include "base/memory.h"

static uint32_t busy_of(const struct nb_loads *loads, int cpu)
{
	for (unsigned i = 0; i < loads->n_cpus; i++)
		if ((int)loads->cpus[i].id == cpu)
			return loads->cpus[i].window_busy;
	return 0;
}

/* The source must have cooled by at least half of what was predicted. What was moved for its place
 * alone, with little or no load, owes no gain. */
static bool gained(const struct nb_move *move, uint32_t measured, const struct nb_policy *policy)
{
	uint32_t predicted = move->source_before - MIN(move->source_before, move->source_after);
	uint32_t actual = move->source_before - MIN(move->source_before, measured);

	return predicted < policy->minimum_gain || actual >= predicted / 2;
}

/* Where interrupts land is the truth; without any, packets that keep coming mean that its NAPI
 * still polls where it was, with interrupts masked. */
static bool follows(const struct nb_queue_state *state, const struct nb_queue_load *load,
		    unsigned cpu_to)
{
	if (state->landed_cpu >= 0)
		return state->landed_cpu == (int)cpu_to;
	return load->rx_packets_per_sec == 0 && state->effective_cpu == (int)cpu_to;
}

static enum nb_effect effect_of(const struct nb_queue_state *state,
				const struct nb_queue_load *load, const struct nb_move *move,
				uint32_t measured, const struct nb_policy *policy)
{
	bool idle = state->landed_cpu < 0 && load->rx_packets_per_sec == 0;

	if (idle)
		return NB_EFFECT_IDLE;
	if (!follows(state, load, move->cpu_to))
		return NB_EFFECT_NOT_FOLLOWED;
	return gained(move, measured, policy) ? NB_EFFECT_WORKED : NB_EFFECT_NO_GAIN;
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
	pending->measured_sum += busy_of(loads, pending->move.cpu_from);
	if (pending->windows < NB_VERIFY_WINDOWS)
		return;
	finding.measured = (uint32_t)(pending->measured_sum / pending->windows);
	finding.effect = effect_of(state, load, &pending->move, finding.measured, policy);
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

static struct nb_cpumask rps_now(const struct nb_snapshot *snapshot, struct nb_queue_key key)
{
	for (unsigned i = 0; i < snapshot->n_rps; i++)
		if (nb_queue_key_compare(snapshot->rps[i].key, key) == 0)
			return snapshot->rps[i].cpus;
	return (struct nb_cpumask){};
}

static void judge_rps(struct nb_rps_memory *rps, const struct nb_snapshot *snapshot,
		      const struct nb_policy *policy, GArray *findings)
{
	struct nb_finding finding = {
		.event = NB_EVENT_YIELDED,
		.key = rps->key,
		.is_rps = true,
		.cpu_ours = -1,
		.cpu_theirs = -1,
		.rps_ours = rps->cpus,
		.rps_theirs = rps_now(snapshot, rps->key),
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

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/find.h"
#include "base/memory.h"
#include "verify/judges.h"

/* x86 silently drops a pending move if the target has no vector left (kernel/irq/migration.c
 * irq_move_masked_irq()): the mask is then the one from before our write. */
static bool was_lost(const struct nb_queue_memory *queue, const struct nb_queue_state *state)
{
	return queue->pending.active && state->affinity_cpu == queue->pending.move.cpu_from;
}

static void lose(const struct nb_judging *judging, struct nb_queue_memory *queue)
{
	struct nb_finding finding = {
		.event = NB_EVENT_MOVED,
		.kind = NB_KIND_QUEUE,
		.key = queue->key,
		.effect = NB_EFFECT_NOT_FOLLOWED,
		.measured = NB_UNMEASURED,
	};

	queue->expected_cpu = -1;
	nb_judge_settle(queue, finding.effect);
	g_array_append_val(judging->findings, finding);
}

static void yield_queue(const struct nb_judging *judging, struct nb_queue_memory *queue,
			int cpu_theirs)
{
	struct nb_finding finding = {
		.kind = NB_KIND_QUEUE,
		.key = queue->key,
		.cpu_ours = queue->expected_cpu,
		.cpu_theirs = cpu_theirs,
	};

	queue->expected_cpu = -1;
	queue->pending.active = false;
	nb_judging_yield(judging, &finding, &queue->yielded_until_nsec);
}

static void judge_affinity(const struct nb_judging *judging, struct nb_queue_memory *queue,
			   const struct nb_queue_state *state)
{
	if (state->n_allowed == 0 || queue->expected_cpu < 0 ||
	    state->affinity_cpu == queue->expected_cpu)
		return;
	if (was_lost(queue, state))
		lose(judging, queue);
	else
		yield_queue(judging, queue, state->affinity_cpu);
}

/* The first complete sample after a rescan has none before it, so it cannot tell where interrupts
 * were handled since; the probe can. */
static bool knows_landings(const struct nb_judging *judging)
{
	uint64_t generation = judging->snapshot->machine->generation;
	bool known = nb_grade_is_timed(judging->snapshot->grade) ||
		     judging->memory->judged_generation == generation;

	judging->memory->judged_generation = generation;
	return known;
}

/* Panic shortens a dwell, but not this. */
static void shun_target(const struct nb_judging *judging, struct nb_queue_memory *queue)
{
	queue->shunned_cpu = (int)queue->pending.move.cpu_to;
	queue->shunned_until_nsec = judging->snapshot->taken_nsec +
				    nb_memory_back_off(queue, judging->policy->dwell_nsec);
}

/* A swap is reverted as a whole, and not while half of it has not followed. */
static void settle_undo(const struct nb_judging *judging, struct nb_queue_memory *queue)
{
	struct nb_queue_memory *partner = nb_memory_find_partner(judging->memory, queue);

	shun_target(judging, queue);
	if (!partner)
		return;
	queue->undo = partner->undo = !partner->pending.active;
	partner->failures = MAX(partner->failures, queue->failures);
	shun_target(judging, partner);
}

static void judge_queues(const struct nb_judging *judging)
{
	const struct nb_memory *memory = judging->memory;
	bool landings_known = knows_landings(judging);

	for (unsigned i = 0; i < memory->n_queues; i++) {
		judge_affinity(judging, &memory->queues[i], &judging->snapshot->queues[i]);
		if (landings_known && memory->queues[i].pending.active)
			nb_judge_move(judging, i);
	}
	for (unsigned i = 0; i < memory->n_queues; i++)
		if (memory->queues[i].undo)
			settle_undo(judging, &memory->queues[i]);
}

void nb_verify_judge(const struct nb_snapshot *snapshot, const struct nb_loads *loads,
		     const struct nb_policy *policy, struct nb_memory *memory, GArray *findings)
{
	const struct nb_judging judging = {snapshot, loads, policy, memory, findings};

	if (loads->window_nsec == 0)
		return;
	nb_judge_device_irqs(&judging);
	for (unsigned i = 0; i < memory->n_rps; i++)
		nb_judge_trial(&judging, &memory->rps[i]);
	if (!snapshot->complete)
		return;
	judge_queues(&judging);
	for (unsigned i = 0; i < memory->n_rps; i++)
		nb_judge_rps(&judging, &memory->rps[i]);
}

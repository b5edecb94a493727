/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/find.h"
#include "base/memory.h"
#include "base/written.h"
#include "verify/judges.h"

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

static void judge_foreign(const struct nb_judging *judging, struct nb_queue_memory *queue,
			  int cpu_theirs)
{
	struct nb_finding finding = {
		.kind = NB_KIND_QUEUE,
		.key = queue->key,
		.cpu_ours = queue->expected_cpu,
		.cpu_theirs = cpu_theirs,
	};
	const struct nb_pool *limit = nb_judging_yield_affinity(judging, &finding, &queue->affinity,
								&queue->yielded_until_nsec);

	queue->fresh = limit ? !limit->pin : queue->expected_cpu < 0;
	queue->expected_cpu = -1;
	queue->pending.active = false;
}

static void judge_affinity(const struct nb_judging *judging, struct nb_queue_memory *queue,
			   const struct nb_queue_state *state)
{
	if (state->n_allowed == 0)
		return;
	if (queue->affinity.unjudged)
		judge_foreign(judging, queue, state->affinity_cpu);
	else if (queue->expected_cpu >= 0 && state->affinity_cpu != queue->expected_cpu)
		lose(judging, queue);
}

/* A complete sample without one before it, as of a new queue, cannot tell where interrupts were
 * handled since; the probe can. */
static bool knows_landing(const struct nb_judging *judging, unsigned queue)
{
	return nb_grade_is_timed(judging->snapshot->grade) ||
	       judging->snapshot->queues[queue].landed_cpu != NB_LANDED_UNKNOWN;
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

/* What the kernel refused may have been changed meanwhile, by a driver or by hand. */
#define REFUSED_NSEC (24 * 3600 * NB_NSEC_PER_SEC)

static void end_refusal(uint64_t now_nsec, bool *refused, struct nb_rejections *rejections)
{
	if (!*refused || now_nsec < rejections->nsec + REFUSED_NSEC)
		return;
	*refused = false;
	rejections->in_a_row = 0;
}

static void end_refusals(const struct nb_judging *judging)
{
	uint64_t now_nsec = judging->snapshot->taken_nsec;
	const struct nb_memory *memory = judging->memory;

	for (unsigned i = 0; i < memory->n_queues; i++)
		end_refusal(now_nsec, &memory->queues[i].refused, &memory->queues[i].rejections);
	for (unsigned i = 0; i < memory->n_device_irqs; i++)
		end_refusal(now_nsec, &memory->device_irqs[i].refused,
			    &memory->device_irqs[i].rejections);
}

static void judge_queues(const struct nb_judging *judging)
{
	const struct nb_memory *memory = judging->memory;

	for (unsigned i = 0; i < memory->n_queues; i++) {
		judge_affinity(judging, &memory->queues[i], &judging->snapshot->queues[i]);
		if (!memory->queues[i].pending.active)
			nb_judge_company(judging, &memory->queues[i]);
		else if (knows_landing(judging, i))
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
	for (unsigned i = 0; i < memory->n_rss; i++) {
		nb_judge_table(&judging, &memory->rss[i]);
		nb_judge_rss(&judging, &memory->rss[i]);
	}
	for (unsigned i = 0; i < memory->n_threaded; i++)
		nb_judge_threaded(&judging, &memory->threaded[i]);
	if (!snapshot->complete)
		return;
	end_refusals(&judging);
	judge_queues(&judging);
	for (unsigned i = 0; i < memory->n_rps; i++)
		nb_judge_rps(&judging, &memory->rps[i]);
}

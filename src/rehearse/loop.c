/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "rehearse/loop.h"

#include "base/memory.h"

void nb_rehearse_loop_init(struct nb_rehearse_loop *loop, const struct nb_policy *policy,
			   nb_obey obey, void *host)
{
	*loop = (struct nb_rehearse_loop){
		.policy = policy,
		.model = nb_model_new(),
		.planner = nb_planner_new(),
		.outcomes = g_array_new(FALSE, FALSE, sizeof(enum nb_outcome)),
		.findings = g_array_new(FALSE, FALSE, sizeof(struct nb_finding)),
		.obey = obey,
		.host = host,
	};
}

void nb_rehearse_loop_clear(struct nb_rehearse_loop *loop)
{
	nb_model_free(loop->model);
	nb_planner_free(loop->planner);
	nb_memory_clear(&loop->memory);
	g_array_unref(loop->outcomes);
	g_array_unref(loop->findings);
}

static enum nb_outcome *outcomes_of(const struct nb_rehearse_loop *loop)
{
	return (enum nb_outcome *)(void *)loop->outcomes->data;
}

static void apply(struct nb_rehearse_loop *loop, const struct nb_plan *plan)
{
	g_array_set_size(loop->outcomes, nb_plan_n_changes(plan));
	if (loop->outcomes->len > 0)
		loop->obey(loop->host, plan, outcomes_of(loop));
}

static void verify(struct nb_rehearse_loop *loop, const struct nb_snapshot *snapshot,
		   const struct nb_loads *loads, const struct nb_plan *plan)
{
	g_array_set_size(loop->findings, 0);
	nb_verify_judge(snapshot, loads, loop->policy, &loop->memory, loop->findings);
	nb_verify_note(plan, outcomes_of(loop), snapshot->taken_nsec, &loop->memory);
}

/* Findings first: they are about moves of earlier cycles. */
static void tell(const struct nb_rehearse_loop *loop, const struct nb_scene *scene,
		 const struct nb_plan *plan, struct nb_rehearsal *rehearsal)
{
	nb_records_add_findings(rehearsal, scene, loop->findings);
	nb_records_add_outcomes(rehearsal, scene, plan, outcomes_of(loop));
}

enum nb_verdict nb_rehearse_cycle(struct nb_rehearse_loop *loop, const struct nb_snapshot *snapshot,
				  uint64_t at_nsec, struct nb_rehearsal *rehearsal)
{
	struct nb_scene scene = {
		.at_nsec = at_nsec,
		.machine = snapshot->machine,
		.from_trace = snapshot->grade == NB_GRADE_REPLAYED,
	};
	const struct nb_loads *loads;
	const struct nb_plan *plan;

	nb_memory_sync(&loop->memory, snapshot);
	loads = nb_model_update(loop->model, loop->previous, snapshot);
	loop->previous = snapshot;
	plan = nb_planner_run(loop->planner, snapshot, loads, loop->policy, &loop->memory);
	apply(loop, plan);
	verify(loop, snapshot, loads, plan);
	tell(loop, &scene, plan, rehearsal);
	loop->again_nsec = plan->again_nsec;
	return plan->verdict;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Our own rule: model, plan and verify as the daemon calls them. */
#include "policy.h"

#include "base/memory.h"
#include "model/model.h"
#include "plan/planner.h"
#include "verify/verify.h"

struct ours {
	struct nb_model *model;
	struct nb_planner *planner;
	struct nb_memory memory;
	GArray *findings, *outcomes;
};

static void begin(struct nb_bench_run *run)
{
	struct ours *ours = g_new0(struct ours, 1);

	ours->model = nb_model_new();
	ours->planner = nb_planner_new();
	ours->findings = g_array_new(FALSE, FALSE, sizeof(struct nb_finding));
	ours->outcomes = g_array_new(FALSE, TRUE, sizeof(enum nb_outcome));
	run->memory = ours;
}

static void note_moves(struct nb_bench_run *run, const struct nb_plan *plan,
		       const enum nb_outcome *outcomes)
{
	for (unsigned i = 0; i < plan->n_moves; i++)
		if (outcomes[i] == NB_OUTCOME_APPLIED)
			nb_bench_note(run, plan->moves[i].key, plan->moves[i].cpu_from,
				      plan->moves[i].cpu_to);
	run->score.n_rps += plan->n_rps;
}

static void each_look(struct nb_bench_run *run)
{
	struct ours *ours = run->memory;
	const struct nb_loads *loads;
	const struct nb_plan *plan;
	enum nb_outcome *outcomes;

	nb_memory_sync(&ours->memory, run->snapshot);
	loads = nb_model_update(ours->model, run->before, run->snapshot);
	plan = nb_planner_run(ours->planner, run->snapshot, loads, run->policy, &ours->memory);

	g_array_set_size(ours->outcomes, nb_plan_n_changes(plan) + 1);
	outcomes = &g_array_index(ours->outcomes, enum nb_outcome, 0);
	nb_world_obey(run->world, plan, outcomes);
	note_moves(run, plan, outcomes);

	g_array_set_size(ours->findings, 0);
	nb_verify_judge(run->snapshot, loads, run->policy, &ours->memory, ours->findings);
	nb_verify_note(plan, outcomes, run->snapshot->taken_nsec, &ours->memory);
	run->again_nsec = plan->again_nsec;
}

static void end(struct nb_bench_run *run)
{
	struct ours *ours = run->memory;

	nb_model_free(ours->model);
	nb_planner_free(ours->planner);
	nb_memory_clear(&ours->memory);
	g_array_unref(ours->findings);
	g_array_unref(ours->outcomes);
	g_free(ours);
}

const struct nb_bench_rule nb_bench_full = {
	.name = "nicbalance, full",
	.grade = NB_GRADE_FULL,
	.ours = true,
	.begin = begin,
	.each_look = each_look,
	.end = end,
};

const struct nb_bench_rule nb_bench_counted = {
	.name = "nicbalance, counted",
	.grade = NB_GRADE_COUNTED,
	.ours = true,
	.begin = begin,
	.each_look = each_look,
	.end = end,
};

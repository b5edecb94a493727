/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Our own rule: the daemon's loop. */
#include "loop/loop.h"
#include "policy.h"

static void begin(struct nb_bench_run *run)
{
	struct nb_loop *loop = g_new(struct nb_loop, 1);

	nb_loop_init(loop);
	run->memory = loop;
}

static void obey(void *host, struct nb_plan *plan)
{
	nb_world_obey(host, plan);
}

static void note(struct nb_bench_run *run, const struct nb_plan *plan)
{
	for (unsigned i = 0; i < plan->n_changes; i++) {
		const struct nb_change *change = &plan->changes[i];

		run->score.n_rps += change->kind == NB_KIND_RPS;
		if (change->kind == NB_KIND_QUEUE && change->outcome == NB_OUTCOME_APPLIED)
			nb_bench_note(run, change->key, change->move->cpu_from,
				      change->move->cpu_to);
	}
}

static void each_look(struct nb_bench_run *run)
{
	struct nb_loop *loop = run->memory;

	nb_loop_see(loop, run->snapshot, false);
	nb_loop_plan(loop, run->policy);
	nb_loop_carry_out(loop, run->policy, obey, run->world);
	note(run, loop->plan);
	run->again_nsec = loop->plan->again_nsec;
}

static void end(struct nb_bench_run *run)
{
	nb_loop_clear(run->memory);
	g_free(run->memory);
}

const struct nb_bench_rule nb_bench_measured = {
	.name = "nicbalance, full",
	.grade = NB_GRADE_MEASURED,
	.ours = true,
	.begin = begin,
	.each_look = each_look,
	.end = end,
};

const struct nb_bench_rule nb_bench_estimated = {
	.name = "nicbalance, counted",
	.grade = NB_GRADE_ESTIMATED,
	.ours = true,
	.begin = begin,
	.each_look = each_look,
	.end = end,
};

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "loop/loop.h"

#include "base/advice.h"
#include "base/memory.h"
#include "base/written.h"

#include <assert.h>

void nb_loop_init(struct nb_loop *loop)
{
	*loop = (struct nb_loop){
		.model = nb_model_new(),
		.planner = nb_planner_new(),
		.findings = g_array_new(FALSE, FALSE, sizeof(struct nb_finding)),
	};
}

void nb_loop_clear(struct nb_loop *loop)
{
	g_clear_pointer(&loop->model, nb_model_free);
	g_clear_pointer(&loop->planner, nb_planner_free);
	nb_memory_clear(&loop->memory);
	g_clear_pointer(&loop->findings, g_array_unref);
}

void nb_loop_see(struct nb_loop *loop, const struct nb_snapshot *snapshot, bool spoilt)
{
	assert(snapshot->n_queues == snapshot->machine->n_queues);
	nb_memory_sync(&loop->memory, snapshot);
	assert(loop->memory.n_queues == snapshot->n_queues);
	loop->loads = nb_model_update(loop->model, spoilt ? NULL : loop->snapshot, snapshot);
	nb_advice_look(&loop->memory, snapshot, loop->loads);
	loop->snapshot = snapshot;
}

void nb_loop_plan(struct nb_loop *loop, const struct nb_policy *policy)
{
	assert(loop->snapshot);
	nb_written_review(&loop->memory, loop->snapshot, policy);
	loop->plan =
		nb_planner_run(loop->planner, loop->snapshot, loop->loads, policy, &loop->memory);
}

void nb_loop_carry_out(struct nb_loop *loop, const struct nb_policy *policy, nb_obey obey,
		       void *host)
{
	assert(loop->snapshot && loop->plan);
	g_array_set_size(loop->findings, 0);
	nb_verify_judge(loop->snapshot, loop->loads, policy, &loop->memory, loop->findings);
	obey(host, loop->plan);
	nb_verify_note(loop->plan, loop->snapshot->taken_nsec, &loop->memory);
}

bool nb_loop_withdraw(struct nb_loop *loop, nb_obey obey, void *host)
{
	struct nb_plan *plan = nb_planner_withdraw(loop->planner, &loop->memory);

	if (plan->n_changes == 0)
		return false;
	loop->plan = plan;
	obey(host, plan);
	nb_verify_note(plan, loop->snapshot->taken_nsec, &loop->memory);
	return true;
}

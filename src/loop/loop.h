/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* The one loop: what was measured, what is to be done about it, what became of that. The daemon,
 * rehearsals, benches and properties drive it, each with a host of its own. Pure: time arrives with
 * the snapshots, and the only thing that touches a host is what its owner hands in. */

#include "model/model.h"
#include "plan/planner.h"
#include "verify/verify.h"

typedef struct nb_loop {
	struct nb_model *model;
	struct nb_planner *planner;
	struct nb_memory memory;
	const struct nb_snapshot *snapshot; /* of the last cycle, borrowed; NULL before it */
	const struct nb_loads *loads;       /* likewise; the model's */
	struct nb_plan *plan;               /* likewise, with its outcomes; the planner's */
	GArray *findings;                   /* struct nb_finding, of the last cycle */
} nb_loop;

/* Carries out the plan on the host and notes the outcomes in it. */
typedef void (*nb_obey)(void *host, struct nb_plan *plan);

void nb_loop_init(struct nb_loop *loop);
void nb_loop_clear(struct nb_loop *loop);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(nb_loop, nb_loop_clear)

/* A cycle is these three. The first: memory comes in step with the machine, and loads are measured
 * between the snapshot before and this one, but not where the window between them is spoilt. The
 * snapshot must stay until the next one was seen. */
void nb_loop_see(struct nb_loop *loop, const struct nb_snapshot *snapshot, bool spoilt);
/* The second: what is to be done. */
void nb_loop_plan(struct nb_loop *loop, const struct nb_policy *policy);
/* The third: judges by the same snapshot what earlier plans did, has this one carried out where
 * there is anything to do, and notes what became of it. */
void nb_loop_carry_out(struct nb_loop *loop, const struct nb_policy *policy, nb_obey obey,
		       void *host);

/* Before nobody acts any more: has put back what was set for a moment. The plan is then that; false
 * when there was nothing. */
bool nb_loop_withdraw(struct nb_loop *loop, nb_obey obey, void *host);

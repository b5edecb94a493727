/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* The one loop over model, planner and verifier. The daemon, rehearsals, benches and property tests
 * drive it, each with a host of its own. Pure: time comes with the snapshots, and a function of the
 * owner carries plans out. */

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

/* A cycle is these three. The first brings memory in step with the machine and makes loads of the
 * window between the last snapshot and this one, unless that window is spoilt. The snapshot must
 * stay valid until the next one was seen. */
void nb_loop_see(struct nb_loop *loop, const struct nb_snapshot *snapshot, bool spoilt);
/* The second finds out what other programs wrote, and plans. */
void nb_loop_plan(struct nb_loop *loop, const struct nb_policy *policy);
/* The third judges earlier plans by the same snapshot, has this one carried out, and
 * notes the outcomes. */
void nb_loop_carry_out(struct nb_loop *loop, const struct nb_policy *policy, nb_obey obey,
		       void *host);

/* Before no more plans are carried out: has restored what is set for a moment only. That is the
 * plan then; false if there was nothing. */
bool nb_loop_withdraw(struct nb_loop *loop, nb_obey obey, void *host);

/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* The daemon's loop over snapshots of any origin: model, plan, apply, verify, and instead of
 * publishing, records. Pure, as far as the host that obeys is. */

#include "model/model.h"
#include "plan/planner.h"
#include "rehearse/records.h"

/* Carries out a plan on the host; nb_plan_n_changes() outcomes. */
typedef void (*nb_obey)(void *host, const struct nb_plan *plan, enum nb_outcome *outcomes);

struct nb_rehearse_loop {
	const struct nb_policy *policy;
	struct nb_model *model;
	struct nb_planner *planner;
	struct nb_memory memory;
	const struct nb_snapshot *previous; /* NULL before the first cycle */
	GArray *outcomes;                   /* enum nb_outcome */
	GArray *findings;                   /* struct nb_finding */
	uint64_t again_nsec; /* when the last plan asks to be looked at again; as in nb_plan */
	nb_obey obey;
	void *host;
};

void nb_rehearse_loop_init(struct nb_rehearse_loop *loop, const struct nb_policy *policy,
			   nb_obey obey, void *host);
void nb_rehearse_loop_clear(struct nb_rehearse_loop *loop);

/* One cycle at at_nsec since the beginning, whose records go into the rehearsal. The snapshot must
 * stay until the next cycle is over. */
enum nb_verdict nb_rehearse_cycle(struct nb_rehearse_loop *loop, const struct nb_snapshot *snapshot,
				  uint64_t at_nsec, struct nb_rehearsal *rehearsal);

/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* One round of planning: snapshot and loads in, moves and the reason for them out. Pure: the same
 * input gives the same plan on any machine. */

#include "nicbalance/load.h"
#include "nicbalance/memory.h"
#include "nicbalance/plan.h"
#include "nicbalance/policy.h"
#include "nicbalance/snapshot.h"

#include <glib.h>

typedef struct nb_planner nb_planner;

/* Holds no state but working memory; what must be remembered is in struct nb_memory. */
struct nb_planner *nb_planner_new(void);
void nb_planner_free(struct nb_planner *planner);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(nb_planner, nb_planner_free)

/* memory must be in step with the snapshot's machine (nb_memory_sync). The plan belongs to the
 * planner and is valid until the next call; who carries it out notes the outcomes in it. The
 * planner only counts samples in memory and clears what it has judged; that a plan was carried out
 * is noted by the verifier. */
struct nb_plan *nb_planner_run(struct nb_planner *planner, const struct nb_snapshot *snapshot,
			       const struct nb_loads *loads, const struct nb_policy *policy,
			       struct nb_memory *memory);

/* Puts back what was set for a moment (RSS tables), and nothing else: for who is about to stop
 * acting. What the plan says of loads stays as it was. */
struct nb_plan *nb_planner_withdraw(struct nb_planner *planner, const struct nb_memory *memory);

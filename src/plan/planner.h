/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* Planning: snapshot and loads in, changes and their reasons out. Pure: the same input gives the
 * same plan on any machine. */

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
 * planner and is valid until the next call; whoever carries it out notes the outcomes in it. The
 * planner counts samples in memory and clears what it has judged; the verifier notes that a plan
 * was carried out. */
struct nb_plan *nb_planner_run(struct nb_planner *planner, const struct nb_snapshot *snapshot,
			       const struct nb_loads *loads, const struct nb_policy *policy,
			       struct nb_memory *memory);

/* Restores what is set for a moment only (RSS tables), before no more plans are carried out. The
 * loads in the plan stay as they were. */
struct nb_plan *nb_planner_withdraw(struct nb_planner *planner, const struct nb_memory *memory);

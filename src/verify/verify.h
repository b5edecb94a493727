/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* Compares what happened with what was planned: notes what the kernel answered, judges two seconds
 * later whether a move did what was predicted, and detects that another program wrote a knob of
 * ours. Pure. */

#include "nicbalance/finding.h"
#include "nicbalance/load.h"
#include "nicbalance/memory.h"
#include "nicbalance/outcome.h"
#include "nicbalance/policy.h"
#include "nicbalance/snapshot.h"

#include <glib.h>

/* For so long the effect of a change is measured before it is judged: two windows by default, whose
 * lengths may be off by a little. */
#define NB_VERIFY_NSEC (2 * NB_NSEC_PER_SEC)
#define NB_VERIFY_SLACK_NSEC (NB_NSEC_PER_SEC / 4)
/* So long after its interrupt moved a NAPI that has not followed is no longer waited for. */
#define NB_VERIFY_STUCK_NSEC (10 * NB_NSEC_PER_SEC)

/* Appends struct nb_finding to findings and settles them in memory. Knobs and moves are judged by
 * complete snapshots only, RPS by each window. */
void nb_verify_judge(const struct nb_snapshot *snapshot, const struct nb_loads *loads,
		     const struct nb_policy *policy, struct nb_memory *memory, GArray *findings);

/* Notes the outcomes of a plan: a queue that moved is expected on its new CPU, and pending; what
 * the kernel refused is not tried again. Call it with the plan of the same cycle, after
 * nb_verify_judge(). */
void nb_verify_note(const struct nb_plan *plan, uint64_t now_nsec, struct nb_memory *memory);

/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* Holds what happened against what was planned: notes what the kernel answered, finds out two
 * windows later whether a move did what was predicted, and notices when someone else wrote a knob
 * of ours. Pure. */

#include "nicbalance/finding.h"
#include "nicbalance/load.h"
#include "nicbalance/memory.h"
#include "nicbalance/outcome.h"
#include "nicbalance/policy.h"
#include "nicbalance/snapshot.h"

#include <glib.h>

/* For so long the effect of a change is measured before it is judged: two windows by default, of
 * which the beats may be off by a little. */
#define NB_VERIFY_NSEC (2 * NB_NSEC_PER_SEC)
#define NB_VERIFY_SLACK_NSEC (NB_NSEC_PER_SEC / 4)
/* So long after its interrupt was moved a NAPI that has not followed is no longer waited for. */
#define NB_VERIFY_STUCK_NSEC (10 * NB_NSEC_PER_SEC)

/* Appends struct nb_finding to findings and settles them in memory. Only a complete snapshot tells
 * anything of knobs and of moves; whether RPS helps, each window does. */
void nb_verify_judge(const struct nb_snapshot *snapshot, const struct nb_loads *loads,
		     const struct nb_policy *policy, struct nb_memory *memory, GArray *findings);

/* Notes what became of a plan, by the outcomes in it: what was moved is where it should be from now
 * on, and pending; what the kernel refused for good is not asked for again. Call it with the plan
 * of the same cycle, after nb_verify_judge(). */
void nb_verify_note(const struct nb_plan *plan, uint64_t now_nsec, struct nb_memory *memory);

/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* The host of a trace with its queues where plans have put them: it shows snapshots of the replayed
 * grade and obeys. Pure. */

#include "rehearse/rehearse.h"

struct nb_stage;

struct nb_stage *nb_stage_new(void);
void nb_stage_free(struct nb_stage *stage);

/* Goes on to the next window of the trace (borrowed). Queues that are new, were reset, or whose CPU
 * went offline are where the trace has them. Returns what a sampler would have read at its end,
 * valid until the call after the next. */
const struct nb_snapshot *nb_stage_advance(struct nb_stage *stage,
					   const struct nb_trace_frame *frame);
/* What it would have read at the beginning of a trace whose first window is frame. */
const struct nb_snapshot *nb_stage_begin(struct nb_stage *stage,
					 const struct nb_trace_frame *frame);

/* Where each queue of the current machine is. */
const int *nb_stage_places(const struct nb_stage *stage);

/* Queues go where the plan says; RPS and RSS changes are only rehearsed. An nb_obey. */
void nb_stage_obey(void *host, struct nb_plan *plan);

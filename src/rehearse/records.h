/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* The records of a rehearsal, as the daemon would publish them. Pure. */

#include "rehearse/rehearse.h"
#include "verify/verify.h"

/* When and on which machine. */
struct nb_scene {
	uint64_t at_nsec;
	const struct nb_machine *machine;
	bool from_trace; /* which does not hold the numbers of queues' interrupts */
};

/* The outcomes of a plan. A change that was rehearsed before is recorded once, except for moves. */
void nb_records_add_outcomes(struct nb_rehearsal *rehearsal, const struct nb_scene *scene,
			     const struct nb_plan *plan);
/* A move that was made, by whomever. */
void nb_records_add_move(struct nb_rehearsal *rehearsal, const struct nb_scene *scene,
			 const struct nb_move *move, enum nb_outcome outcome,
			 enum nb_effect effect);
/* What happened to interrupts of other devices in a window. */
void nb_records_add_device_irqs(struct nb_rehearsal *rehearsal, const struct nb_trace_frame *frame);
/* A finding of the verifier: completes the move it is about, or records a change by another
 * program. */
void nb_records_add_findings(struct nb_rehearsal *rehearsal, const struct nb_scene *scene,
			     const GArray *findings);

/* Adds what an administrator could change that was not said before. */
void nb_records_add_advice(struct nb_rehearsal *rehearsal, const struct nb_snapshot *snapshot,
			   const struct nb_policy *policy, const struct nb_memory *memory);

/* The last record about the interrupts of a queue; NULL when there is none. */
struct nb_record *nb_records_last_move(const struct nb_rehearsal *rehearsal,
				       struct nb_queue_key key);

/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* The parts of nb_verify_judge(). */

#include "verify/verify.h"

/* What a cycle is judged by. All borrowed. */
struct nb_judging {
	const struct nb_snapshot *snapshot;
	const struct nb_loads *loads;
	const struct nb_policy *policy;
	struct nb_memory *memory;
	GArray *findings; /* struct nb_finding */
};

/* Busy share in this window, basis points; 0 if there is no such CPU. */
uint32_t nb_judging_busy(const struct nb_judging *judging, int cpu);
/* Yields a knob that another program wrote, for as long as the policy says, and reports it. */
void nb_judging_yield(const struct nb_judging *judging, struct nb_finding *finding,
		      uint64_t *until_nsec);

/* Judges the pending move of a queue, by its position. */
void nb_judge_move(const struct nb_judging *judging, unsigned queue);
/* Its measurement has ended with this effect. */
void nb_judge_settle(struct nb_queue_memory *queue, enum nb_effect effect);

/* Judges whether RPS relieves the hottest of its CPUs. */
void nb_judge_trial(const struct nb_judging *judging, struct nb_rps_memory *rps);
/* Yields the mask if another program wrote it. */
void nb_judge_rps(const struct nb_judging *judging, struct nb_rps_memory *rps);

/* Yields device interrupts that another program has moved since we did. Once for each reading of
 * them. */
void nb_judge_device_irqs(const struct nb_judging *judging);

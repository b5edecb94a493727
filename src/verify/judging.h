/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* The parts of nb_verify_judge(). */

#include "verify/verify.h"

/* One cycle, as it is judged. All of it is borrowed. */
struct nb_judging {
	const struct nb_snapshot *snapshot;
	const struct nb_loads *loads;
	const struct nb_policy *policy;
	struct nb_memory *memory;
	GArray *findings; /* struct nb_finding */
};

/* Permyriad of the CPU in this window; 0 when there is no such CPU. */
uint32_t nb_judging_busy(const struct nb_judging *judging, int cpu);
/* Leaves what someone else wrote alone, for as long as the policy says, and tells of it. */
void nb_judging_yield(const struct nb_judging *judging, struct nb_finding *finding,
		      uint64_t *until_nsec);

/* The move of a queue, by its position, that is under measurement. */
void nb_judge_move(const struct nb_judging *judging, unsigned queue);
/* Its measurement is over, with this effect. */
void nb_judge_settle(struct nb_queue_memory *queue, enum nb_effect effect);

/* Whether RPS takes anything off the hottest of its CPUs. */
void nb_judge_trial(const struct nb_judging *judging, struct nb_rps_memory *rps);
/* Whether someone else wrote its mask. */
void nb_judge_rps(const struct nb_judging *judging, struct nb_rps_memory *rps);

/* Interrupts that are no NIC's: yields those that someone else has moved since we did. Once for
 * each look at them. */
void nb_judge_device_irqs(const struct nb_judging *judging);

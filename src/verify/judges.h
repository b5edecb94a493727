/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* The parts of nb_verify_judge(), each in a file judge_….c. */

#include "verify/judging.h"

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

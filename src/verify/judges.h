/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* The parts of nb_verify_judge(), each in a file judge_….c. */

#include "verify/judging.h"

/* Judges the pending move of a queue, by its position. */
void nb_judge_move(const struct nb_judging *judging, unsigned queue);
/* An application may follow a queue later than its move is judged. */
void nb_judge_company(const struct nb_judging *judging, struct nb_queue_memory *queue);
/* Its measurement has ended with this effect. */
void nb_judge_settle(struct nb_queue_memory *queue, enum nb_effect effect);

/* Judges whether RPS relieves the hottest of its CPUs. */
void nb_judge_trial(const struct nb_judging *judging, struct nb_rps_memory *rps);
/* Yields the mask if another program wrote it. */
void nb_judge_rps(const struct nb_judging *judging, struct nb_rps_memory *rps);

/* Judges whether buckets that moved relieve the hottest CPU of their NIC's queues. */
void nb_judge_table(const struct nb_judging *judging, struct nb_rss_memory *rss);
/* Yields the table if another program wrote it. Only while its buckets are counted it is known. */
void nb_judge_rss(const struct nb_judging *judging, struct nb_rss_memory *rss);

/* Judges whether threaded NAPI relieves the CPU for which it was switched on. */
void nb_judge_threaded(const struct nb_judging *judging, struct nb_threaded_memory *threaded);

/* Yields device interrupts that another program has moved since we did. Once each time that they
 * are read. */
void nb_judge_device_irqs(const struct nb_judging *judging);

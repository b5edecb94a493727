/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* Over which CPUs a queue hands its packets on by RPS, and over how many. Pure. */

#include "plan/board.h"

/* Never the CPU of its own interrupt, where RPS is pure cost, nor a thread of that core. */
bool nb_spread_allows(const struct nb_board *board, const struct nb_board_queue *queue,
		      unsigned cpu);

/* The queue's own CPU, those of keep, and every other that has time for so much work: where no
 * others can take over what a queue does they can share it. Where there is none, those that
 * applications leave a quarter of their time, and queues time for the work. False when there is
 * none of these either; ret is then untouched. */
bool nb_spread_with_own(const struct nb_board *board, const struct nb_board_queue *queue,
			const struct nb_cpumask *keep, uint32_t work, struct nb_cpumask *ret);

/* What work costs when RPS hands it on: the interrupt to another CPU and colder caches. */
uint32_t nb_spread_cost(uint32_t work);

/* The narrowest mask, no narrower than keep or least_width, that makes no core hotter than limit:
 * each of its CPUs has an equal part of cost to do beside its other work. CPUs of keep come first,
 * as far as they have room, and what they are handed today is part of cost. False when there is
 * none, or none that the policy allows; ret is then untouched. */
bool nb_spread(const struct nb_board *board, const struct nb_board_queue *queue,
	       const struct nb_cpumask *keep, unsigned least_width, uint32_t cost, uint32_t limit,
	       struct nb_cpumask *ret);

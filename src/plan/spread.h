/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* To which CPUs the packets of a queue are steered by RPS, and to how many. Work and cost are what
 * they are to the queue's own CPU. Pure. */

#include "plan/board.h"

/* Never to the core of its own interrupt, where RPS only costs time. */
bool nb_spread_allows(const struct nb_board *board, const struct nb_board_queue *queue,
		      unsigned cpu);

/* The queue's own CPU, those of keep, and every other that has time for so much work: if no others
 * can take over the work of a queue they can share it. If there are none, those that applications
 * leave a quarter of their time, and queues time for the work. False if there are none of these
 * either; ret is then untouched. */
bool nb_spread_with_own(const struct nb_board *board, const struct nb_board_queue *queue,
			const struct nb_cpumask *keep, uint32_t work, struct nb_cpumask *ret);

/* What work costs if RPS steers it: with the interrupt to another CPU and colder caches. */
uint32_t nb_spread_cost(uint32_t work);

/* The narrowest mask, no narrower than keep or least_width, that makes no core hotter than limit:
 * each of its CPUs gets an equal part of cost besides its other load. CPUs of keep come first, as
 * far as they have room, and what is steered to them now is part of cost. False if there is none,
 * or none that the policy allows; ret is then untouched. */
bool nb_spread(const struct nb_board *board, const struct nb_board_queue *queue,
	       const struct nb_cpumask *keep, unsigned least_width, uint32_t cost, uint32_t limit,
	       struct nb_cpumask *ret);

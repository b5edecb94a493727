/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* Balancing: a local search from the present placement, one move or swap at a time. Pure. */

#include "plan/moves.h"

/* What is in the way of a better placement. */
enum nb_obstacle {
	NB_OBSTACLE_NONE,
	NB_OBSTACLE_GAIN,  /* nothing gains enough */
	NB_OBSTACLE_HOLD,  /* what would gain enough dwells or is yielded */
	NB_OBSTACLE_FIXED, /* what would gain enough cannot move, or not for long */
};

/* Appends at most policy->moves_per_round moves of queues of one domain away from its hottest CPUs
 * (those that are hot and more than the gap above the mean), each with a gain of at least gain: the
 * load of the hotter of the two CPUs (with siblings) must fall by so much. Under constant load each
 * step lowers Σ load² by at least 2 × gain², so there are finitely many; and noise below gain ÷ 2
 * cannot make a step and its reverse both gain (Aggarwal, Motwani, Zhu: The load rebalancing
 * problem, J. Algorithms 60, 2006, is the problem solved here). NB_OBSTACLE_NONE if there is a
 * move. */
enum nb_obstacle nb_balance(struct nb_board *board, unsigned domain, uint32_t gain, GArray *moves);

/* Whether some move of a queue of the domain from a hot CPU to one of another node would gain so
 * much now or before long, and make no CPU hot there. Spill= does not count. */
bool nb_balance_would_spill(struct nb_board *board, unsigned domain, uint32_t gain);
/* Appends such moves of queues that may spill, as long as the mean of the domain is
 * hot. False:
 * there is none. */
bool nb_balance_spill(struct nb_board *board, unsigned domain, uint32_t gain, GArray *moves);

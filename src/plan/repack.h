/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* Places queues again by load, if no single step relieves a hot CPU. Pure. */

#include "plan/moves.h"

/* Appends the moves to a placement of the domain's queues, and of those that share its CPUs, in
 * which its hottest CPU is cooler by at least gain, and by a tenth of a CPU: the longest processing
 * time first (Graham, SIAM Journal on Applied Mathematics 17, 1969), except that a queue stays
 * where it may. Dwells do not count. A saturated queue is assumed to want a quarter more than it
 * gets. False if there is no such placement, or it was tried shortly before; each further attempt
 * waits twice as long. */
bool nb_repack(struct nb_board *board, struct nb_memory *memory, const struct nb_domain *domain,
	       uint32_t gain, GArray *moves);

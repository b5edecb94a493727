/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* Placement: corrects what is wrong by its place alone, whatever the load. Pure. */

#include "plan/moves.h"

/* Appends the moves that correct, in one cycle:
 *  - a queue on a CPU that it may not use, at any time;
 *  - of NICs seen for the first time or after a reset: a queue whose mask allows several CPUs, and,
 * if the NIC's queues are collapsed on too few CPUs, those beyond each CPU's fair share. A NIC is
 * collapsed if one CPU has all its queues, or more than twice its fair share of them;
 *  - of queues placed while an application filled a CPU: its share of them, once the application no
 * longer does, within a dwell. Marks all queues as no longer fresh. */
void nb_place(struct nb_board *board, GArray *moves);

/* Only moves queues whose interrupts go where they may not: what can be done while loads are not
 * known. */
void nb_place_obey(struct nb_board *board, GArray *moves);

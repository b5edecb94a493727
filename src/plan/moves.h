/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* The moves of a cycle, gathered while the board changes. Pure. */

#include "plan/board.h"

/* Moves the queue on the board and appends the move, with loads before and after, to moves (a
 * GArray of struct nb_move). */
void nb_moves_add(GArray *moves, struct nb_board *board, struct nb_board_queue *queue, unsigned cpu,
		  enum nb_reason reason);

/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* Taking back what made things worse. Pure. */

#include "plan/moves.h"

/* Appends the moves that take back what the verifier found harmful: each queue, and the one it was
 * swapped with, to where it came from, unless that has become no better since, or may not be used.
 * What is not taken back now never is. False when there is nothing to take back. */
bool nb_undo(struct nb_board *board, const struct nb_memory *memory, GArray *moves);

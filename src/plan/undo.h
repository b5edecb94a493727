/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* Reverts moves that made things worse. Pure. */

#include "plan/moves.h"

/* Appends the moves that revert what the verifier found harmful: each queue, and the one it was
 * swapped with, to its old CPU, unless that is no better by now, or may not be used. What is not
 * reverted now never is. False if there is nothing to revert. */
bool nb_undo(struct nb_board *board, const struct nb_memory *memory, GArray *moves);

/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* CPUs that are not hot, and on which NET_RX waits too long all the same: bursts of several queues
 * that meet there. Pure. */

#include "plan/moves.h"

enum nb_delay_answer {
	NB_DELAY_NONE,     /* no CPU is delayed */
	NB_DELAY_MOVED,    /* a move was appended */
	NB_DELAY_HELPLESS, /* one is, and no move would help, or two have been made */
};

/* Moves one queue of a delayed CPU that serves at least two with load of their own, and spends most
 * of its load on queues, to where it evens out loads by gain, as a step of balancing would. At most
 * two moves of a CPU until it is no longer delayed. */
enum nb_delay_answer nb_delay_relieve(struct nb_board *board, const struct nb_memory *memory,
				      uint32_t gain, GArray *moves);

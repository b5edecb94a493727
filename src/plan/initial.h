/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* Seats for queues of one NIC: taken off the board, then put on it one after the other. Pure. */

#include "plan/moves.h"

struct nb_initial {
	struct nb_board *board;
	struct nb_board_queue *queues; /* of the NIC: board->queues[first .. first + n) */
	unsigned n;
	unsigned *on_cpu; /* queues of this NIC by CPU index, as they sit or are to sit */
	unsigned fair_share;
	bool second_placement; /* a CPU is free of applications only if it has been calm for a while
				*/
	GArray *taken_off;     /* struct nb_taken_off */
};

/* One queue that is to be put somewhere, with the reason and where it was. */
struct nb_taken_off {
	struct nb_board_queue *queue;
	enum nb_reason reason;
	unsigned was_on;
	unsigned seat; /* where it is to go; NB_NOWHERE: there is no place for it */
	uint32_t load;
	uint32_t weight;
};

/* With board, queues and n set. False when no CPU may have any of them: then there is nothing to
 * end. */
bool nb_initial_begin(struct nb_initial *initial);
void nb_initial_end(struct nb_initial *initial);

/* The queue is to be put somewhere again. */
void nb_initial_take_off(struct nb_initial *initial, struct nb_board_queue *queue,
			 enum nb_reason reason);
/* Where each would be put that was taken off, the costliest first. The board is as it was found,
 * on_cpu as it will be. */
void nb_initial_choose(struct nb_initial *initial);
/* Moves what is to go elsewhere. */
void nb_initial_move(const struct nb_initial *initial, GArray *moves);

/* The most queues of the NIC on one CPU. */
unsigned nb_initial_most(const struct nb_initial *initial);
/* How many its CPUs lack to the fair share of each: those that an application fills, or those that
 * none does. */
unsigned nb_initial_room(const struct nb_initial *initial, bool filled);

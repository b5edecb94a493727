/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* Initial placement of the queues of one NIC that may use the same CPUs: taken off the board, then
 * put on it one after the other. Pure. */

#include "plan/moves.h"

struct nb_initial {
	struct nb_board *board;
	struct nb_board_queue *queues; /* of the NIC: board->queues[first .. first + n_queues) */
	unsigned n_queues;
	unsigned domain;       /* those of other domains are not looked at */
	unsigned n;            /* of this domain */
	unsigned *on_cpu;      /* these by CPU index, as they are or are to be placed */
	uint64_t capacities;   /* of all CPUs that may have them */
	bool second_placement; /* a CPU counts as free of applications only after a while */
	GArray *taken_off;     /* struct nb_taken_off */
};

/* A queue to be placed, with the reason and where it was. */
struct nb_taken_off {
	struct nb_board_queue *queue;
	enum nb_reason reason;
	unsigned was_on;
	unsigned target;       /* where it is to go; NB_NOWHERE: no CPU may have it */
	uint32_t load, weight; /* on the CPU where it was measured */
};

#define NB_INITIAL_FOREACH(queue, initial)                             \
	for (struct nb_board_queue *queue = (initial)->queues;         \
	     queue < (initial)->queues + (initial)->n_queues; queue++) \
		if (queue->domain == (initial)->domain)

/* With board, queues, n_queues and domain set. False if no CPU may have any of them; then there is
 * no end. */
bool nb_initial_begin(struct nb_initial *initial);
void nb_initial_end(struct nb_initial *initial);

/* The queue is to be placed again. */
void nb_initial_take_off(struct nb_initial *initial, struct nb_board_queue *queue,
			 enum nb_reason reason);
/* Chooses a CPU for each that was taken off, the largest load first. The board is as before then,
 * on_cpu as it will be. */
void nb_initial_choose(struct nb_initial *initial);
/* Moves those that are to go elsewhere. */
void nb_initial_move(const struct nb_initial *initial, GArray *moves);

/* How many of the queues a CPU should have, by its capacity; rounded up. */
unsigned nb_initial_fair_share(const struct nb_initial *initial, unsigned cpu);
/* Whether it has more of them. */
bool nb_initial_is_crowded(const struct nb_initial *initial, unsigned cpu);
/* How many queues its CPUs lack to their fair share: those that an application fills, or the
 * others. */
unsigned nb_initial_room(const struct nb_initial *initial, bool filled);

/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* One step of balancing: a queue of one CPU to another, and in a swap a queue of that CPU back.
 * Pure. */

#include "plan/board.h"

struct nb_step {
	struct nb_board_queue *queue; /* NULL: there is no step */
	struct nb_board_queue *back;  /* in exchange; NULL: a single move */
	bool far;                     /* to another node */
	unsigned target;
	uint32_t gain; /* source before minus the hottest CPU that the step touches after it */
	uint32_t heat; /* of the target's core after it: its hottest thread */
};

/* Fills in gain and heat of the step, where a queue is taken to need a quarter more on another
 * node. With the loads as measured, a step of gain g lowers the energy Σ over cores of (Σ own² + 2
 * s × own × own of the sibling) by at least 2 × g², s being the sibling's weight (see
 * docs/POLICY.md). */
void nb_step_weigh(struct nb_board *board, struct nb_step *step);

/* Which queues that may not move now are taken into account all the same. */
enum nb_step_holds {
	NB_STEP_HOLDS_NONE,
	NB_STEP_HOLDS_PASSING, /* those that may before long */
	NB_STEP_HOLDS_ALL,
};

/* A search for steps from the CPUs of one domain, hottest first. */
struct nb_step_search {
	struct nb_board *board;
	unsigned domain;
	uint32_t gain; /* minimum gain of a step */
	enum nb_step_holds holds;
	bool far;       /* to CPUs of other nodes, none of which gets hot by it */
	uint32_t limit; /* the targets were checked last for sources of this load less gain … */
	uint32_t room;  /* … and then the roomiest could take so much */
	uint32_t fall;  /* and each has at least so much less by now: this source is cooler */
	bool roomy;     /* there may be room for something of this source */
	uint64_t costs[NB_WHOLE / 64 + 1]; /* a bit for each load that a queue of a target has */
};

/* To be called again whenever the board has changed. */
void nb_step_search_begin(struct nb_step_search *search);
/* The best step from this CPU, a swap only if no single move gains enough. Of steps whose gains
 * differ by less than the minimum, the nearest: within the last-level cache, or within the node.
 * Between two calls of begin each source must be no hotter than the one before. */
struct nb_step nb_step_search_from(struct nb_step_search *search, unsigned source, unsigned budget);

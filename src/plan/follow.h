/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* When what follows the interrupts of a NIC is to do so: for each kind of it. Pure. */

#include "plan/board.h"

struct nb_follow_view {
	const struct nb_board *board;
	const struct nb_machine *machine;
	const struct nb_memory *memory;
	const struct nb_follow_rows *rows;
	const struct nb_nic *nic;           /* looked at … */
	const struct nb_follow_memory *row; /* … and its row; NULL: none */
	bool wanted;                        /* by the configuration */
};

/* The view is of the machine's i-th NIC from now on. False: there are no more. */
bool nb_follow_look_at(struct nb_follow_view *view, unsigned i);

/* A digest of places, of one word after the other; it ends with nb_follow_end(). */
#define NB_FOLLOW_BEGIN UINT64_C(14695981039346656037)
uint64_t nb_follow_add(uint64_t digest, uint64_t word);
uint64_t nb_follow_end(uint64_t digest);

uint64_t nb_follow_carrier_changes(const struct nb_follow_view *view);
/* n of them would follow now. Drivers reset the NIC since, or it has more or fewer. */
bool nb_follow_was_reset(const struct nb_follow_view *view, unsigned n);
/* It is wanted, and neither was it refused, nor another program's, shortly before. */
bool nb_follow_may_be_tried(const struct nb_follow_view *view, unsigned n);
/* It follows these places already, or was only rehearsed to. */
bool nb_follow_is_done(const struct nb_follow_view *view, uint64_t places, unsigned n);
/* It is ours, and no longer wanted. What was refused is forgotten in the same way. */
bool nb_follow_is_to_return(const struct nb_follow_view *view);

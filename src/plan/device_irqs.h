/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* Device interrupts: placed once, then left alone. Pure. */

#include "plan/board.h"

/* Judges each reading of device interrupts once, as soon as no queue's move is being measured.
 * Appends struct nb_move to moves, a few dozen at most, for those that
 *  - are on a CPU that is isolated, banned or offline;
 *  - are on another node than their device;
 *  - are crowded: as nb_place() for queues, over all of them in the node;
 *  - share a hot CPU with queues because their mask allows several CPUs, or make it hot.
 * One of the latter three stays if it is rare, was placed by us (unless its CPU is hot), or is of a
 * device that has each of them on a CPU of its own. None goes where it is hot. Of a device of which
 * none has moved yet one is tried, and no other if it is refused. Makes the entries in memory of
 * those that are to move. */
void nb_plan_device_irqs(struct nb_board *board, const struct nb_machine *machine,
			 const struct nb_loads *loads, struct nb_memory *memory, GArray *moves);

/* All that are where they may not be, by the last reading, whatever else is under way. */
void nb_plan_device_irqs_obey(struct nb_board *board, const struct nb_machine *machine,
			      const struct nb_loads *loads, struct nb_memory *memory,
			      GArray *moves);

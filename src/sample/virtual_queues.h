/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* What the probe tells of devices without hardware: of those that have a queue, and whether there
 * is another one that costs. */

#include "sample/bind.h"

/* After the devices and tunnels of the machine were told to the probe. Errors are those of
 * nb_probe_set_scope(). */
int nb_virtual_queues_adopt(struct nb_timing *timing, const struct nb_virtual_slots *slots);

/* Adds what was counted since the last call to the queues of snapshot. */
void nb_virtual_queues_read(struct nb_timing *timing, const struct nb_probe_view *view,
			    struct nb_snapshot *snapshot);

/* The most that the device in this place had of one CPU between the last two readings. */
uint64_t nb_virtual_queues_nsec(const struct nb_timing *timing, unsigned slot);

/* A device out of scope that had so much of one CPU between them, and lately more of it than all
 * others out of scope; 0: none. */
int nb_virtual_queues_find_untold(const struct nb_timing *timing, uint64_t least_nsec);
/* Whether devices out of scope are told apart. */
void nb_virtual_queues_watch(struct nb_timing *timing, bool on);

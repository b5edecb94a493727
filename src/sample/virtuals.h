/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* Devices without hardware whose NAPIs cost (WireGuard, a veth with GRO): each one that does
 * becomes a queue without an interrupt, so that RPS can relieve it. All others are neither read nor
 * looked up, however many there are. */

#include "nicbalance/snapshot.h"
#include "sample/timing.h"

struct nb_virtuals {
	bool wanted; /* others are looked for */
	struct nb_virtual_slots slots;
	uint64_t cost_nsec[NB_VIRTUALS_MAX]; /* CLOCK_MONOTONIC, when it cost last */
};

/* It is measured after the next rescan, if that finds it. False if it is listed already, or as many
 * are. */
bool nb_virtuals_add(struct nb_virtuals *virtuals, int ifindex, uint64_t now_nsec);

/* After each sample of the measured grade, with the one before it of the same machine: notes which
 * of them cost, and lists one that is found to. Whether there is one, for which a rescan is due. */
bool nb_virtuals_look(struct nb_virtuals *virtuals, const struct nb_timing *timing,
		      const struct nb_snapshot *before, const struct nb_snapshot *now);

/* Leaves those that have long cost nothing, and have no RPS mask in the last sample, before a
 * rescan.
 */
void nb_virtuals_expire(struct nb_virtuals *virtuals, const struct nb_snapshot *last);

/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* What a daemon makes of a host of data: windows that are noisy, or seen through the tick, then
 * smoothed as the model does it, and their noise learnt. */

#include "support/host.h"

struct nb_meter {
	uint64_t random;    /* state of its numbers: the seed at first */
	uint32_t amplitude; /* basis points: each load of a window is off by up to so much of itself
			     */
	unsigned hz;        /* of the tick that samples what runs; 0: exact times */
	GArray *fixed, *time; /* smoothed, finer than a basis point; kept by the meter */
	uint64_t noise;
};

void nb_meter_clear(struct nb_meter *meter);

/* After nb_host_tick() of one second: makes the loads what would have been measured of them. */
void nb_meter_read(struct nb_meter *meter, struct nb_host *host);

/* SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, OOPSLA 2014). */
uint64_t nb_random(uint64_t *state);
unsigned nb_random_below(uint64_t *state, unsigned bound);

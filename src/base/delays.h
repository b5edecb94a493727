/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* How long NET_RX waits from raise to entry, and which CPUs let it wait too long. Pure. */

#include "nicbalance/load.h"
#include "nicbalance/memory.h"
#include "nicbalance/policy.h"
#include "nicbalance/snapshot.h"

/* What 99 of 100 runs between two readings waited no longer than, in µs; between the bounds of a
 * bucket by proportion. False: there were too few, and *ret_usec is untouched. */
bool nb_delays_p99(const uint32_t before[NB_DELAYS], const uint32_t now[NB_DELAYS],
		   uint32_t *ret_usec);

/* Notes the delays of this window: a CPU above DelayMax= for three seconds of windows in a row is
 * delayed, until it is below half of that for as long. A window in which the delay of a CPU is not
 * known counts neither way, but what was known minutes ago is forgotten. */
void nb_delays_look(struct nb_memory *memory, const struct nb_loads *loads,
		    const struct nb_policy *policy);

/* NULL: it does not let NET_RX wait. */
struct nb_delay_memory *nb_delays_find(const struct nb_memory *memory, unsigned cpu);
/* It is delayed, and was in each of the windows of three seconds since its last move. */
bool nb_delays_acts(const struct nb_delay_memory *delay);
/* A few windows more will tell whether a CPU is delayed, or still is. */
bool nb_delays_are_deciding(const struct nb_memory *memory);

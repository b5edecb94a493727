/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* What the parts of nb_verify_judge() share. */

#include "verify/verify.h"

/* What a cycle is judged by. All borrowed. */
struct nb_judging {
	const struct nb_snapshot *snapshot;
	const struct nb_loads *loads;
	const struct nb_policy *policy;
	struct nb_memory *memory;
	GArray *findings; /* struct nb_finding */
};

/* Busy share in this window, basis points; 0 if there is no such CPU. */
uint32_t nb_judging_busy(const struct nb_judging *judging, int cpu);
/* The part of it that is not of queues. */
uint32_t nb_judging_fixed(const struct nb_judging *judging, int cpu);
/* What its applications get at least. */
uint32_t nb_judging_applications(const struct nb_judging *judging, int cpu);
/* How long NET_RX waited since a move, on its old CPU or the new one, whichever is longer, in µs.
 * False if it is known of neither. */
bool nb_judging_delay(const struct nb_judging *judging, const struct nb_pending *pending,
		      uint32_t *ret_usec);
/* Yields a knob that another program wrote, for as long as the policy says, and reports it. */
void nb_judging_yield(const struct nb_judging *judging, struct nb_finding *finding,
		      uint64_t *until_nsec);
/* The same of an affinity, with cpu_ours of finding where we put it, or -1. One that limits is left
 * alone for a short while, and what it limits to is returned; NULL if it does not. */
const struct nb_pool *nb_judging_yield_affinity(const struct nb_judging *judging,
						struct nb_finding *finding,
						struct nb_affinity_memory *affinity,
						uint64_t *until_nsec);

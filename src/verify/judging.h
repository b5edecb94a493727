/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* What the parts of nb_verify_judge() share. */

#include "verify/verify.h"

/* One cycle, as it is judged. All of it is borrowed. */
struct nb_judging {
	const struct nb_snapshot *snapshot;
	const struct nb_loads *loads;
	const struct nb_policy *policy;
	struct nb_memory *memory;
	GArray *findings; /* struct nb_finding */
};

/* Permyriad of the CPU in this window; 0 when there is no such CPU. */
uint32_t nb_judging_busy(const struct nb_judging *judging, int cpu);
/* Leaves what someone else wrote alone, for as long as the policy says, and tells of it. */
void nb_judging_yield(const struct nb_judging *judging, struct nb_finding *finding,
		      uint64_t *until_nsec);

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "rehearse/cycle.h"

/* Findings first: they are about moves of earlier cycles. */
void nb_rehearse_cycle(struct nb_rehearsing *rehearsing, const struct nb_snapshot *snapshot,
		       uint64_t at_nsec)
{
	struct nb_loop *loop = &rehearsing->loop;
	struct nb_scene scene = {
		.at_nsec = at_nsec,
		.machine = snapshot->machine,
		.from_trace = snapshot->grade == NB_GRADE_REPLAYED,
	};

	nb_loop_see(loop, snapshot, false);
	nb_loop_plan(loop, rehearsing->policy);
	nb_loop_carry_out(loop, rehearsing->policy, rehearsing->obey, rehearsing->host);
	nb_records_add_findings(rehearsing->rehearsal, &scene, loop->findings);
	nb_records_add_outcomes(rehearsing->rehearsal, &scene, loop->plan);
	nb_records_add_advice(rehearsing->rehearsal, snapshot, rehearsing->policy, &loop->memory);
}

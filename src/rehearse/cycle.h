/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* A cycle of the loop that writes records instead of publishing. */

#include "loop/loop.h"
#include "rehearse/records.h"

/* Who rehearses what, on which host. */
struct nb_rehearsing {
	struct nb_loop loop;
	const struct nb_policy *policy;
	nb_obey obey;
	void *host;
	struct nb_rehearsal *rehearsal;
};

/* One cycle at at_nsec since the beginning. The snapshot must stay until the next cycle is over. */
void nb_rehearse_cycle(struct nb_rehearsing *rehearsing, const struct nb_snapshot *snapshot,
		       uint64_t at_nsec);

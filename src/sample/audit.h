/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* What changes only when someone changes it, and costs several files an interrupt: affinities,
 * where interrupts land, RPS masks. */

#include "sample/scan.h"

/* What one audit keeps for the next: the counts of each queue's interrupts by CPU. */
struct nb_audit {
	uint32_t *last; /* NULL before the first audit; owned */
	uint32_t *next; /* read, but not committed; owned */
};

/* Fills the queues of snapshot but for their packets, and rps (struct nb_rps_state, ascending by
 * key). -ESTALE: an interrupt is gone. */
int nb_audit_read(struct nb_audit *audit, struct nb_sysroot *root, const struct nb_scan *scan,
		  struct nb_snapshot *snapshot, GArray *rps);
/* The reading is good: the next audit compares with it. */
void nb_audit_commit(struct nb_audit *audit);
/* Forgets; also for another machine. */
void nb_audit_clear(struct nb_audit *audit);

/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* What changes only when someone changes it, and costs a file an interrupt: affinities, where
 * interrupts land, RPS masks. */

#include "sample/irq_files.h"
#include "sample/scan.h"

struct nb_audit {
	struct nb_irq_files files;
	uint32_t *last; /* counts of each queue's interrupts by CPU; NULL before the first audit;
			   owned */
	uint32_t *next; /* read, but not committed; owned */
};

/* What is looked at besides affinities and the RPS masks there were. */
enum nb_audit_flags {
	NB_AUDIT_COUNTS = 1 << 0, /* how often interrupts came, and where they landed */
	/* Nothing is taken over from the audit before: also which affinities may be set, and RPS
	 * masks where there were none. */
	NB_AUDIT_SURVEY = 1 << 1,
};

/* root is borrowed. */
void nb_audit_init(struct nb_audit *audit, struct nb_sysroot *root);
void nb_audit_clear(struct nb_audit *audit);
/* Another machine: counts are forgotten. Its first audit must be a survey. */
void nb_audit_adopt(struct nb_audit *audit, const struct nb_machine *machine);

/* Fills the queues of snapshot and rps (struct nb_rps_state, ascending by key), which hold what the
 * audit before found. flags are of enum nb_audit_flags. -ESTALE: an interrupt is gone. */
int nb_audit_read(struct nb_audit *audit, const struct nb_scan *scan, unsigned flags,
		  struct nb_snapshot *snapshot, GArray *rps);
/* The reading is good: the next audit compares with it. */
void nb_audit_commit(struct nb_audit *audit);

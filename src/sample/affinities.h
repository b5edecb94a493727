/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* What changes only when someone changes it, and costs a file an interrupt: affinities, where
 * interrupts land, RPS masks. */

#include "sample/discover/scan.h"
#include "sample/irq_files.h"

struct nb_affinities {
	struct nb_irq_files files;
	uint32_t *last;  /* counts of each queue's interrupts by CPU; NULL before the first complete
			    sample; owned */
	uint32_t *next;  /* read, but not committed; owned */
	unsigned n_cpus; /* of a row of these */
	struct nb_queue *queues; /* of these rows; owned */
	unsigned n_queues;
	bool *counted; /* parallel: last has a row of it; owned */
};

/* What is read besides affinities and the RPS masks there were. */
enum nb_affinities_flags {
	/* Numbers of interrupts, and where they were handled. Of channels of the VMBus they are
	 * always read, since eBPF does not see these. */
	NB_AFFINITIES_COUNTS = 1 << 0,
	/* Nothing is taken over from the complete sample before: also which affinities may be set,
	 * and RPS masks where there were none. */
	NB_AFFINITIES_UNCACHED = 1 << 1,
};

/* root is borrowed. */
void nb_affinities_init(struct nb_affinities *affinities, struct nb_sysroot *root);
void nb_affinities_clear(struct nb_affinities *affinities);
/* Another machine: counts of the queues that are not in it with the same interrupts are forgotten.
 * Its first complete sample must be an uncached one. */
void nb_affinities_adopt(struct nb_affinities *affinities, const struct nb_machine *machine);

/* Rows of a snapshot, both ascending by key. */
struct nb_affinity_rows {
	GArray *rps;     /* struct nb_rps_state; holds what the complete sample before found */
	GArray *several; /* struct nb_several; empty */
};

/* Fills these and the queues of snapshot, which hold what the complete sample before found; its
 * default affinity is set. flags are of enum nb_affinities_flags. -ESTALE: an interrupt is gone. */
int nb_affinities_read(struct nb_affinities *affinities, const struct nb_scan *scan, unsigned flags,
		       struct nb_snapshot *snapshot, const struct nb_affinity_rows *rows);
/* The sample is good: the next complete sample compares with it. */
void nb_affinities_commit(struct nb_affinities *affinities);

/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* Counts what runs on CPUs that are excluded, from when on it should not. Pure: whoever calls reads
 * counters and clocks.
 *
 * A CPU is read when it becomes excluded, so that what ran before does not count, and again when
 * everything must have left it; what came in between is told apart. From then on everything counts,
 * however seldom it is read: counters only grow. */

#include "base/rules.h"
#include "nicbalance/intrusion.h"

#include <glib.h>

/* What is ordered is obeyed within this time, and so is what a rescan or a restart finds. */
#define NB_OBEYED_NSEC (2 * NB_NSEC_PER_SEC)
/* Between two readings, if no CPU was excluded meanwhile. */
#define NB_INTRUSIONS_GAP_NSEC (10 * NB_NSEC_PER_SEC)
/* Longer where many interrupts are busy: one costs two files or so, 50 us each with hundreds of
 * CPUs. */
#define NB_INTRUSIONS_FILE_NSEC (40 * NB_NSEC_PER_MSEC)

struct nb_intrusions {
	GArray *cpus; /* struct nb_excluded_cpu, ascending */
	/* struct nb_intrusion, ascending by CPU, source and number; some of one number, if its
	 * handlers change: the last of them. */
	GArray *rows;
	struct nb_cpumask excluded;
	uint64_t read_nsec; /* the last reading; 0: none */
	uint64_t gap_nsec;  /* to the next */
};

void nb_intrusions_init(struct nb_intrusions *intrusions);
void nb_intrusions_clear(struct nb_intrusions *intrusions);

/* Which CPUs are excluded now. One that was not a moment ago begins anew. */
void nb_intrusions_watch(struct nb_intrusions *intrusions, const struct nb_rules *rules,
			 uint64_t now_nsec, uint64_t realtime_usec);
/* Whether they are to be read now. */
bool nb_intrusions_are_due(const struct nb_intrusions *intrusions, uint64_t now_nsec);
/* Takes in what was read of these CPUs. */
void nb_intrusions_add(struct nb_intrusions *intrusions, const struct nb_machine *machine,
		       const struct nb_rules *rules, const struct nb_arrivals *arrivals,
		       uint64_t realtime_usec);

/* A CPU of which there is something to tell, as it was before this counted as told: each once an
 * hour at most. False: there is none. */
bool nb_intrusions_tell(struct nb_intrusions *intrusions, uint64_t now_nsec,
			struct nb_excluded_cpu *ret);

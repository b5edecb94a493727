/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* The loop without a host: model, plan and verify over a world of the simulator or over a trace,
 * and what came of it, second by second. Pure. */

#include "nicbalance/policy.h"
#include "nicbalance/status.h"
#include "sim/world.h"
#include "trace/trace.h"

/* A CPU does network work when it serves a queue or is handed packets by RPS. The others are none
 * of the daemon's business, however busy: they are in demand alone.
 *
 * One second of a scenario (less where a plan asked for a look before its end), or one window of a
 * trace. Shares are basis points of one CPU and may
 * exceed a whole (demand). */
struct nb_rehearsed_second {
	uint64_t at_nsec; /* its end, since the beginning */
	uint64_t window_nsec;
	enum nb_verdict verdict; /* UNKNOWN also where nobody was there to judge */
	uint32_t hottest;        /* demand of the hottest CPU that does network work */
	uint64_t hot_nsec;       /* of it, all CPUs together were above 90 % with network work */
	uint64_t dropped;        /* packets, since the second before */
	unsigned first_record;   /* records made in it */
	unsigned n_records;
};

/* In demand: the CPU was offline. */
#define NB_REHEARSED_OFFLINE UINT32_MAX

typedef struct nb_rehearsal {
	unsigned n_cpus;
	unsigned *cpu_ids; /* ascending, of all that were ever online; owned, as are the others */
	int *cpu_nodes;    /* parallel to them; NB_NODE_NONE */
	GArray *seconds;   /* struct nb_rehearsed_second */
	GArray *demand;    /* uint32_t: n_cpus for each second */
	GArray *records;   /* struct nb_record; times are since the beginning */
	unsigned n_moves;  /* of queues' interrupts that were written */
	unsigned n_ping_pongs; /* a queue back on the CPU it had left within a minute */
	uint64_t dropped;
} nb_rehearsal;

/* Runs a scenario to its end under a policy, the daemon looking once a second and when a plan asks
 * for it; acts false: what would have been without the daemon. Without records then. */
struct nb_rehearsal *nb_rehearse_scenario(const struct nb_scenario *scenario,
					  const struct nb_policy *policy, bool acts);

/* The trace as it was. Its records are the moves that were made, what else changed its place,
 * without a reason (_NB_REASON_INVALID), and what happened to interrupts of other devices. */
struct nb_rehearsal *nb_rehearse_actual(const struct nb_trace *trace);

/* The trace as it would have been: costs and everything else as recorded, places of queues by the
 * plans of this policy from the trace's first placement on. What a trace does not hold cannot
 * change:
 * - RPS is planned but not carried out, for how much of a cost it could steer is not recorded;
 *   its records say REHEARSED. Masks of the trace stay, with what they made other CPUs do.
 * - A CPU that was full did less than it was asked to, and only what it did is recorded.
 * - Interrupts of other devices are moved as they were, and yielded and put back, too.
 * - Windows are as long as they were: a look that a plan asks for in between does not come.
 * - Drops count as long as their CPU is as busy as it was, and no new ones are made up. */
struct nb_rehearsal *nb_rehearse_trace(const struct nb_trace *trace,
				       const struct nb_policy *policy);

void nb_rehearsal_free(struct nb_rehearsal *rehearsal);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(nb_rehearsal, nb_rehearsal_free)

/* What is told at the end. Times weigh in with their length. */
struct nb_rehearsal_sum {
	uint64_t length_nsec;
	uint32_t hottest_mean;
	uint32_t hottest_p99; /* in 99 % of the time it was not above */
	uint64_t hot_msec;    /* CPU time above 90 % with network work: summed over CPUs */
	unsigned n_moves;
	unsigned n_steered; /* RPS masks that were written */
	unsigned n_ping_pongs;
	uint64_t dropped;
	uint64_t verdict_nsec[_NB_VERDICT_MAX]; /* how long each held */
};
void nb_rehearsal_sum(const struct nb_rehearsal *rehearsal, struct nb_rehearsal_sum *ret);

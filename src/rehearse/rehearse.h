/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* The loop without a host: model, plan and verify over a world of the simulator or over a trace,
 * and what came of it, second by second. Pure. */

#include "nicbalance/policy.h"
#include "nicbalance/status.h"
#include "sim/world.h"
#include "trace/trace.h"

/* One second of a scenario (less if a plan asked for a cycle before its end), or one window of a
 * trace. A CPU does network work if it serves a queue or packets are steered to it by RPS; others
 * are in demand only. Shares are basis points of one CPU and may exceed a whole (demand). */
struct nb_rehearsed_second {
	uint64_t at_nsec; /* its end, since the beginning */
	uint64_t window_nsec;
	enum nb_verdict verdict; /* UNKNOWN also where nobody was there to judge */
	uint32_t hottest;        /* demand of the hottest CPU that does network work */
	uint64_t hot_nsec;       /* of it, all CPUs together were above 90 % with network work */
	uint64_t dropped;        /* packets, since the second before */
	uint32_t
		delay_usec; /* p99 wait of NET_RX on the CPU where it is longest; 0 where unknown */
	unsigned first_record; /* records made in it */
	unsigned n_records;
};

/* Something to be said about a NIC that balancing does not get at. */
struct nb_rehearsed_advice {
	char nic[NB_IFNAME_MAX];
	enum nb_advice advice;
	char *text; /* owned */
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
	GArray *advice;    /* struct nb_rehearsed_advice, each once */
	unsigned n_moves;  /* of queues' interrupts that were written */
	unsigned n_ping_pongs; /* a queue back on the CPU it had left within a minute */
	uint64_t dropped;
} nb_rehearsal;

/* Runs a scenario to its end under a policy, with a cycle each second and when a plan asks for one;
 * acts false: without the daemon, and without records. */
struct nb_rehearsal *nb_rehearse_scenario(const struct nb_scenario *scenario,
					  const struct nb_policy *policy, bool acts);

/* The trace as it was. Its records are the moves that were made, other changes of place, without a
 * reason (_NB_REASON_INVALID), and changes of device interrupts. */
struct nb_rehearsal *nb_rehearse_actual(const struct nb_trace *trace);

/* The trace as it would have been: times and everything else as recorded, places of queues by the
 * plans of this policy from the first placement in the trace on. What is not in a trace cannot
 * change:
 * - RPS is planned but not carried out, since how much it would steer is not recorded; its records
 *   say REHEARSED. Masks of the trace stay, with their effect on other CPUs.
 * - A CPU that was full did less than it was asked to, and only what it did is recorded.
 * - Device interrupts are moved, yielded and restored as recorded.
 * - Windows are as long as recorded: a cycle that a plan asks for in between does not come.
 * - Drops count as long as their CPU is as busy as it was; there are no new ones. */
struct nb_rehearsal *nb_rehearse_trace(const struct nb_trace *trace,
				       const struct nb_policy *policy);

void nb_rehearsal_free(struct nb_rehearsal *rehearsal);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(nb_rehearsal, nb_rehearsal_free)

/* Summary. Values are weighted by time. */
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

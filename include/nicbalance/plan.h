/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* What the planner wants done in one round, and why. Plain data. Loads are permyriad of one CPU. */

#include "nicbalance/cpumask.h"
#include "nicbalance/netdev.h"

/* What a round came to, also when it does nothing. */
enum nb_verdict {
	NB_VERDICT_UNKNOWN,  /* no window of measurement yet */
	NB_VERDICT_QUIET,    /* no CPU with a queue is hot */
	NB_VERDICT_EVEN,     /* hot, but evenly so */
	NB_VERDICT_ARMING,   /* hot and uneven, not for long enough yet */
	NB_VERDICT_COOLING,  /* a round was made shortly before */
	NB_VERDICT_HELD,     /* a move would help, but its queue dwells, was yielded or refuses */
	NB_VERDICT_NO_GAIN,  /* hot and uneven, but no move gains enough */
	NB_VERDICT_ONE_FLOW, /* one queue fills its CPU and RPS cannot help: nothing to balance */
	NB_VERDICT_PLACING,  /* a collapsed placement is put right */
	NB_VERDICT_BALANCING,
	NB_VERDICT_STEERING, /* an RPS mask changes */
	NB_VERDICT_UNDOING,  /* a move that made things worse is taken back */
	_NB_VERDICT_MAX,
	_NB_VERDICT_INVALID = -1,
};

enum nb_reason {
	NB_REASON_COLLAPSED, /* too many queues of its NIC on one CPU */
	NB_REASON_SEVERAL, /* its mask allows several CPUs: the hardware uses one, picked blindly */
	NB_REASON_INELIGIBLE,   /* its CPU is isolated, banned or offline */
	NB_REASON_BALANCE,      /* its CPU is hotter than the mean */
	NB_REASON_SWAP,         /* makes room for the move before it */
	NB_REASON_REPACK,       /* a full CPU that no single move helps: queues go by their costs */
	NB_REASON_PANIC,        /* its CPU is about to drop packets, or does */
	NB_REASON_RPS_WIDEN,    /* one queue is too much for one CPU */
	NB_REASON_RPS_CALM,     /* the load that asked for RPS is gone */
	NB_REASON_RPS_MEND,     /* its mask holds a CPU that may no longer be used */
	NB_REASON_RPS_BUSY,     /* the node has no CPU time to spend on RPS */
	NB_REASON_RPS_UNSTICK,  /* a NAPI of its CPU never finishes, and so cannot follow */
	NB_REASON_RPS_UNSTUCK,  /* it did finish, or was given up */
	NB_REASON_RSS_EMPTY,    /* NAPIs that never finish are to run out of packets */
	NB_REASON_RSS_BACK,     /* they did, or were given up */
	NB_REASON_RPS_NO_GAIN,  /* RPS did not help: one flow, or no CPU time to spare */
	NB_REASON_UNDO,         /* its move made things worse */
	NB_REASON_OTHER_REMOTE, /* an interrupt of no NIC: its CPU is not of its device's node */
	NB_REASON_OTHER_PILED,  /* too many such interrupts on its CPU */
	NB_REASON_OTHER_HOT,    /* its CPU is hot */
	_NB_REASON_MAX,
	_NB_REASON_INVALID = -1,
};

/* Every interrupt of one queue, or one interrupt of no queue (nb_other_key()), to one CPU. */
struct nb_move {
	struct nb_queue_key key;
	enum nb_reason reason;
	int cpu_from; /* -1 unknown */
	unsigned cpu_to;
	bool saturated; /* it was never done: cost is what it got, not what it wants */
	uint32_t cost;  /* of the queue */
	uint32_t source_applications;         /* what applications get of cpu_from now, at least */
	uint32_t source_before, source_after; /* busy share of cpu_from now, and as predicted */
	uint32_t target_before, target_after; /* and of cpu_to */
};

struct nb_rps_change {
	struct nb_queue_key key;
	enum nb_reason reason;
	struct nb_cpumask from;
	struct nb_cpumask to;    /* empty: off */
	bool own;                /* its own CPU is in it on purpose */
	uint32_t hottest_before; /* WIDEN: of the queue's CPU and those of from, busy share */
	uint32_t applications;   /* what applications get of all CPUs, summed up, at least */
};

/* For a moment the RSS table of a NIC points at some of its receive queues alone, so that the NAPIs
 * of the others finish. */
struct nb_rss_change {
	int ifindex;
	enum nb_reason reason;
	struct nb_cpumask queues; /* numbers of these; empty: the table as it was found */
};

struct nb_plan {
	enum nb_verdict verdict;
	int hottest_cpu;      /* of those that serve a queue; -1 none */
	uint32_t hottest;     /* its load */
	uint32_t mean;        /* over the eligible CPUs of its domain */
	uint32_t gain_needed; /* a move must lower the hotter of its two CPUs by so much */
	struct nb_move *moves;
	unsigned n_moves;
	struct nb_rps_change *rps;
	unsigned n_rps;         /* one, but when NAPIs are helped to follow */
	uint64_t again_nsec;    /* look again so long after the snapshot; 0: at the next beat */
	struct nb_move *others; /* of interrupts that are no queue's: cost and loads are 0 */
	unsigned n_others;
	struct nb_rss_change *rss;
	unsigned n_rss;
};

/* Each has an outcome, in this order: those of the moves, of the RPS masks, of the others, of the
 * RSS tables. */
static inline unsigned nb_plan_n_changes(const struct nb_plan *plan)
{
	return plan->n_moves + plan->n_rps + plan->n_others + plan->n_rss;
}

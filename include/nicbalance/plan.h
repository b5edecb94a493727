/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* What the planner wants changed in one cycle, and why. Plain data. Loads are basis points of one
 * CPU. */

#include "nicbalance/cpumask.h"
#include "nicbalance/netdev.h"
#include "nicbalance/outcome.h"

/* What a cycle decided, also if it changes nothing. */
enum nb_verdict {
	NB_VERDICT_UNKNOWN,  /* no window yet */
	NB_VERDICT_QUIET,    /* no CPU with a queue is hot */
	NB_VERDICT_EVEN,     /* hot, but evenly so */
	NB_VERDICT_ARMING,   /* hot and uneven, not for long enough yet */
	NB_VERDICT_COUNTING, /* packets are counted by RSS table entry, to move some of these */
	NB_VERDICT_COOLING,  /* queues were moved shortly before */
	NB_VERDICT_HELD,     /* a move would help, but its queue may not move now */
	NB_VERDICT_DEFERRED, /* a move would help, but its queue would not follow its interrupt */
	NB_VERDICT_NO_GAIN,  /* hot and uneven, but no move gains enough */
	NB_VERDICT_ONE_FLOW, /* one queue fills its CPU, and RPS does not help */
	NB_VERDICT_DELAYED,  /* NET_RX waits too long on a CPU that is not hot, and no move helps */
	NB_VERDICT_PLACING,  /* a placement is corrected, or queues are placed again by load */
	NB_VERDICT_BALANCING,
	NB_VERDICT_STEERING,    /* an RPS mask, an RSS table or threaded NAPI changes */
	NB_VERDICT_UNDOING,     /* a move that made things worse is reverted */
	NB_VERDICT_CONFIGURING, /* a NIC gets what its [Device] section asks for */
	_NB_VERDICT_MAX,
	_NB_VERDICT_INVALID = -1,
};

enum nb_reason {
	NB_REASON_COLLAPSED,     /* too many queues of its NIC on one CPU */
	NB_REASON_SEVERAL,       /* its mask allows several CPUs; the hardware picks one blindly */
	NB_REASON_INELIGIBLE,    /* its CPU is isolated, banned or offline */
	NB_REASON_BALANCE,       /* its CPU is hotter than the mean */
	NB_REASON_SWAP,          /* makes room for the move before it */
	NB_REASON_REPACK,        /* no single move relieves a hot CPU; queues are placed by load */
	NB_REASON_PANIC,         /* its CPU is about to drop packets, or does */
	NB_REASON_SPILL,         /* its node is full, and another one has time */
	NB_REASON_RETURN,        /* its own node has room again */
	NB_REASON_DELAY,         /* NET_RX waits too long on its CPU, which it shares with others */
	NB_REASON_RPS_WIDEN,     /* one queue is too much for one CPU */
	NB_REASON_RPS_CALM,      /* the load no longer needs RPS */
	NB_REASON_RPS_MEND,      /* its mask contains a CPU that is ineligible or hot */
	NB_REASON_RPS_BUSY,      /* the node has no CPU time to spend on RPS */
	NB_REASON_RPS_UNSTICK,   /* a saturated NAPI of its CPU does not follow its interrupt */
	NB_REASON_RPS_UNSTUCK,   /* it did follow, or was given up */
	NB_REASON_RSS_EMPTY,     /* saturated NAPIs are to run out of packets */
	NB_REASON_RSS_BACK,      /* they did, or were given up */
	NB_REASON_RSS_SPREAD,    /* no placement evens out the queues of its NIC; buckets move */
	NB_REASON_RSS_CALM,      /* the load no longer needs another table */
	NB_REASON_RSS_NO_GAIN,   /* moving buckets did not help */
	NB_REASON_RPS_NO_GAIN,   /* RPS did not help: one flow, or no CPU time to spare */
	NB_REASON_XPS_FOLLOW,    /* interrupts of transmit queues are on other CPUs */
	NB_REASON_XPS_BACK,      /* XPS is no longer to follow them */
	NB_REASON_THREAD_FOLLOW, /* interrupts are on other CPUs than the threads that poll */
	NB_REASON_THREAD_BACK,   /* the threads are no longer to follow them */
	NB_REASON_THREADED_ON,   /* a queue of its NIC makes a CPU hot, and cannot move */
	NB_REASON_THREADED_CALM, /* the load no longer needs threaded NAPI */
	NB_REASON_THREADED_NO_GAIN, /* threaded NAPI did not help */
	NB_REASON_UNDO,             /* its move made things worse */
	NB_REASON_DEVICE_REMOTE,    /* its CPU is not on the node of the device */
	NB_REASON_DEVICE_CROWDED,   /* too many device interrupts on its CPU */
	NB_REASON_DEVICE_HOT,       /* its CPU is hot */
	NB_REASON_CONFIGURED,       /* the configuration asks for it */
	NB_REASON_UNCONFIGURED,     /* and no longer does */
	_NB_REASON_MAX,
	_NB_REASON_INVALID = -1,
};

/* All interrupts of one queue, or one device interrupt (nb_device_irq_key()), to one CPU. */
struct nb_move {
	struct nb_queue_key key;
	enum nb_reason reason;
	int cpu_from; /* -1 unknown */
	unsigned cpu_to;
	bool saturated;                       /* or beside one: load is what it got */
	uint32_t load;                        /* of the queue */
	uint32_t source_applications;         /* time that applications get of cpu_from, at least */
	uint32_t source_before, source_after; /* busy share of cpu_from now, and as predicted */
	uint32_t target_before, target_after; /* and of cpu_to */
	uint32_t source_fixed, target_fixed;  /* the part of before that is not of queues */
	uint32_t delay_usec; /* DELAY: of cpu_from now, 99 of 100 runs wait no longer */
};

struct nb_rps_change {
	struct nb_queue_key key;
	enum nb_reason reason;
	struct nb_cpumask from;
	struct nb_cpumask to;    /* empty: off */
	bool own;                /* its own CPU is in it on purpose */
	uint32_t hottest_before; /* WIDEN: of the queue's CPU and those of from, busy share */
	uint32_t applications;   /* time that applications get of all CPUs together, at least */
	uint32_t load;           /* of the queue to the largest CPU, and its packets */
	uint64_t packets_per_sec;
};

/* Another RSS table for a NIC. EMPTY: for a moment it is limited to some of its receive queues, so
 * that the NAPIs of the others complete. SPREAD: some of its entries (buckets) get other queues.
 * Else the original one. */
struct nb_rss_change {
	struct nb_queue_key key; /* its ifindex; no queue */
	enum nb_reason reason;
	struct nb_cpumask queues; /* EMPTY: their numbers */
	/* SPREAD: the table as it was, and as it is to be. Belong to the planner until its next
	 * run. */
	const uint32_t *from, *to;
	unsigned n_entries, n_moved;
	uint32_t hottest_before;          /* SPREAD: of the CPUs of its queues, busy share */
	uint32_t load_before, load_after; /* SPREAD: of the hottest of these, and as predicted */
	uint64_t packets_per_sec;         /* SPREAD: that all of these received */
};

/* Threaded NAPI, on or off: whether kernel threads poll queues, which the scheduler places, or
 * softirqs where their interrupts go. */
struct nb_threaded_change {
	struct nb_queue_key key; /* of one queue, or NB_EVERY_QUEUE */
	enum nb_reason reason;
	bool on;
	/* On: the CPU that one of them makes hot, and its busy share. */
	int cpu;
	uint32_t hottest_before;
	/* On: of all of them, to the largest CPU, and the packets that they received. */
	uint32_t load;
	uint64_t packets_per_sec;
};

/* What follows the interrupts of a NIC: its XPS masks, which tell from which CPUs each of its
 * transmit queues gets packets, or the kernel threads that poll its receive queues. */
struct nb_follow_change {
	struct nb_queue_key key; /* its ifindex; no queue */
	enum nb_reason reason;
	/* FOLLOW: of each transmit queue or thread; belong to the planner until its next run. Of a
	 * thread one CPU, or none: as found. BACK: NULL. */
	const struct nb_cpumask *to;
	const uint32_t *threads; /* their pids; likewise. NULL of XPS */
	unsigned n;
	uint64_t places;          /* FOLLOW: digest of where interrupts are */
	uint64_t carrier_changes; /* as in struct nb_nic_memory */
	/* Its driver may have set other masks since we wrote: these are judged as when they were
	 * first seen. */
	bool reset;
	/* This run wrote them. Else a run that crashed may have been about to: then they may hold
	 * what it found, too. */
	bool written;
};

/* A setting of a NIC as a whole, which the configuration asks for. */
struct nb_setting_change {
	struct nb_queue_key key; /* its ifindex; no queue */
	enum nb_reason reason;
	/* UDP_HASH: enum nb_udp_hash; CHANNELS: how many; RFS: flows, from 0: not read. To 0: as
	 * found. */
	unsigned from, to;
	unsigned asked; /* by the configuration, as in struct nb_nic or struct nb_policy */
	unsigned n_rx;  /* RFS: receive queues that share the flows; else 0 */
};

/* What can be changed, in the order of writing: interrupts move before the RSS table takes packets
 * from a queue or gives them back. A change of channels makes other interrupts, and is therefore
 * the only one of its plan. */
enum nb_kind {
	NB_KIND_QUEUE,      /* the interrupts of a queue: move */
	NB_KIND_RPS,        /* the RPS mask of a receive queue: rps */
	NB_KIND_DEVICE_IRQ, /* a device interrupt: move, of which all loads are 0 */
	NB_KIND_RSS,        /* the RSS indirection table of a NIC: rss */
	NB_KIND_THREADED,   /* threaded NAPI of a NIC or a queue: threaded */
	NB_KIND_XPS,        /* the XPS masks of a NIC, all or none: follow */
	NB_KIND_THREAD,     /* the affinity of the NAPI threads of a NIC, all or none: follow */
	NB_KIND_RFS,        /* the flow tables of a NIC's queues, and of the host: setting */
	NB_KIND_UDP_HASH,   /* by what a NIC hashes UDP: setting */
	NB_KIND_CHANNELS,   /* how many channels a NIC has: setting */
	_NB_KIND_MAX,
	_NB_KIND_INVALID = -1,
};

/* key and reason are those of the struct of its kind. */
struct nb_change {
	enum nb_kind kind;
	struct nb_queue_key key;
	enum nb_reason reason;
	enum nb_outcome outcome; /* REHEARSED until it is carried out */
	union {
		const struct nb_move *move;
		const struct nb_rps_change *rps;
		const struct nb_rss_change *rss;
		const struct nb_threaded_change *threaded;
		const struct nb_follow_change *follow;
		const struct nb_setting_change *setting;
	};
};

/* Changes that nobody has carried out yet; what they point to is borrowed. */
static inline struct nb_change nb_change_of_move(enum nb_kind kind, const struct nb_move *move)
{
	return (struct nb_change){kind, move->key, move->reason, NB_OUTCOME_REHEARSED, {move}};
}

static inline struct nb_change nb_change_of_rps(const struct nb_rps_change *rps)
{
	return (struct nb_change){
		NB_KIND_RPS, rps->key, rps->reason, NB_OUTCOME_REHEARSED, {.rps = rps}};
}

static inline struct nb_change nb_change_of_rss(const struct nb_rss_change *rss)
{
	return (struct nb_change){
		NB_KIND_RSS, rss->key, rss->reason, NB_OUTCOME_REHEARSED, {.rss = rss}};
}

static inline struct nb_change nb_change_of_threaded(const struct nb_threaded_change *threaded)
{
	return (struct nb_change){NB_KIND_THREADED,
				  threaded->key,
				  threaded->reason,
				  NB_OUTCOME_REHEARSED,
				  {.threaded = threaded}};
}

static inline struct nb_change nb_change_of_follow(enum nb_kind kind,
						   const struct nb_follow_change *follow)
{
	return (struct nb_change){
		kind, follow->key, follow->reason, NB_OUTCOME_REHEARSED, {.follow = follow}};
}

static inline struct nb_change nb_change_of_setting(enum nb_kind kind,
						    const struct nb_setting_change *setting)
{
	return (struct nb_change){
		kind, setting->key, setting->reason, NB_OUTCOME_REHEARSED, {.setting = setting}};
}

struct nb_plan {
	enum nb_verdict verdict;
	int hottest_cpu;      /* of those that serve a queue; -1 none */
	uint32_t hottest;     /* its load */
	uint32_t mean;        /* over the eligible CPUs of its domain */
	uint32_t gain_needed; /* a move must lower the hotter of its two CPUs by so much */
	uint64_t again_nsec;  /* next cycle so long after the snapshot; 0: after the interval */
	int count_buckets;    /* of the NIC of this ifindex packets are to be counted; 0: of none */
	struct nb_change *changes; /* ascending by kind */
	unsigned n_changes;
};

static inline unsigned nb_plan_count(const struct nb_plan *plan, enum nb_kind kind)
{
	unsigned n = 0;

	for (unsigned i = 0; i < plan->n_changes; i++)
		n += plan->changes[i].kind == kind;
	return n;
}

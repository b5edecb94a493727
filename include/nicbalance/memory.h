/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* What planner and verifier remember from one cycle to the next. Goes in and comes out; the only
 * other input is the snapshot. Plain data. Times are CLOCK_MONOTONIC nanoseconds; 0: never. */

#include "nicbalance/device_irq.h"
#include "nicbalance/plan.h"
#include "nicbalance/snapshot.h"
#include "nicbalance/units.h"

/* Writes of one knob that the kernel did not carry out. */
struct nb_rejections {
	unsigned in_a_row; /* for reasons that may pass */
	uint64_t nsec;     /* the last of them, or when the kernel refused */
};

/* A move whose effect is still being measured. */
struct nb_pending {
	bool active;
	bool settling;          /* made before the loads of queues just placed were known */
	bool stuck;             /* its NAPI is still polled on the old CPU, and that was reported */
	uint64_t since_nsec;    /* when it was written */
	uint64_t measured_msec; /* of the windows since it was first seen on cpu_to */
	uint64_t source_sum;    /* busy share of cpu_from in these windows, times their msec */
	uint64_t target_sum;    /* and of cpu_to */
	uint32_t gain;          /* that the move had to promise; any less is noise */
	uint64_t delay_msec;    /* of these windows, the ones in which delays were known … */
	uint64_t delay_sum;     /* … of the CPU that waits longer, µs, times their msec */
	struct nb_move move;    /* the last one, also when no longer active */
};

/* Number of departures remembered of a queue. */
#define NB_DEPARTURES 4u

struct nb_departure {
	unsigned cpu;
	uint64_t nsec;         /* 0: none */
	uint32_t applications; /* time they got of the CPU, soon after the start; 0: irrelevant */
};

/* The affinity of a queue or device interrupt as last seen, and what other programs did to it. */
struct nb_affinity_memory {
	int cpu;               /* the only one of its mask; -1: several */
	unsigned n_allowed;    /* of its mask; 0: not seen yet */
	uint64_t hinted_nsec;  /* when it was last taken for reset by the hint alone */
	bool unjudged;         /* another program wrote it, and the verifier has not seen that */
	int cpu_before;        /* where it was until then; -1: several */
	unsigned in_a_row;     /* such writes, without a long pause in between */
	uint64_t foreign_nsec; /* when the last one was found */
};

struct nb_queue_memory {
	struct nb_queue_key key;
	uint32_t irqs[NB_QUEUE_IRQS_MAX]; /* a change of these is a reset of its device */
	/* As last read: a reset restarts them. */
	uint64_t rx_packets;
	uint32_t interrupts;
	uint64_t restarted_nsec; /* when they last went back */
	struct nb_affinity_memory affinity;
	bool fresh; /* new or reset: its placement has not been judged yet */
	/* Placed while an application filled the CPU that should have got it. */
	uint64_t provisional_until_nsec;
	bool refused; /* the kernel does not allow moving it; asked again after a day */
	struct nb_rejections rejections;
	int expected_cpu; /* where we put it; -1: where we found it */
	uint64_t moved_nsec;
	/* When it was last to leave a CPU that it may not use, and that CPU. */
	uint64_t ordered_nsec;
	unsigned ordered_cpu;
	uint64_t busy_nsec; /* when it last had load */
	/* When it last went to another node since its own was full, and how often it did so
	 * without having been back for long in between. */
	uint64_t spilled_nsec;
	unsigned spills;
	/* An application goes where its interrupt goes, so that moving it gains nothing. */
	uint64_t accompanied_until_nsec;
	/* Of a saturated NAPI that is polled elsewhere than its interrupt goes. */
	uint64_t unstick_nsec;  /* when it was last helped to follow */
	unsigned unstick_tries; /* in vain, since it last was where its interrupt goes */
	uint64_t yielded_until_nsec;
	unsigned failures; /* moves in a row that did not help; each doubles the dwell */
	bool undo;         /* its last move made things worse; to be reverted in this cycle */
	int shunned_cpu;   /* where it made things worse; no target until then */
	uint64_t shunned_until_nsec;
	struct nb_departure departures[NB_DEPARTURES]; /* latest first */
	struct nb_pending pending;
};

/* An RPS mask whose effect is still being measured. */
struct nb_rps_trial {
	bool active;
	struct nb_cpumask from; /* the mask before */
	uint64_t measured_msec; /* since it was set or widened */
	uint32_t before;        /* busy share of the hottest of its queue's CPU and its own, then */
	uint64_t hottest_sum;   /* and since, times the msec of each window */
	uint64_t steered_sum;   /* likewise, of all steered work */
	uint64_t most_sum;      /* and of the CPU with the most steered work */
};

/* A receive queue whose rps_cpus we set. */
struct nb_rps_memory {
	struct nb_queue_key key;
	struct nb_cpumask cpus; /* empty: kept for what follows it alone */
	bool own;               /* the CPU of the queue itself is in it on purpose */
	uint64_t set_nsec;
	uint64_t yielded_until_nsec;
	unsigned calm_samples;
	/* Of its queue when the mask was first set: what it would cost without, to the largest CPU.
	 */
	uint32_t load;
	uint64_t packets_per_sec;
	uint32_t applications; /* as in struct nb_rps_change, soon after the start; 0: irrelevant */
	struct nb_rps_trial trial;
	bool no_gain;      /* its trial failed; back to trial.from */
	unsigned failures; /* trials in a row that failed; each quadruples the dwell */
	bool unsticks;     /* set to let a stuck NAPI complete, not to share its work */
	/* The mask that was removed because its node had no time, when, and what the queue received
	 * with it, until it is known whether it loses packets without; else empty. */
	struct nb_cpumask removed;
	uint64_t removed_nsec;
	uint64_t removed_packets_per_sec;
	/* Since then: samples, those in which the queue was saturated, and the sum over all of what
	 * it received. */
	struct {
		unsigned samples, saturated;
		uint64_t packets_per_sec;
	} without;
	unsigned regrets; /* removals in a row that lost packets; each quadruples the dwell */
};

/* An RSS table whose effect is still being measured. */
struct nb_rss_trial {
	bool active;
	uint64_t measured_msec;          /* since it was set */
	uint32_t before;                 /* busy share of the hottest CPU of its queues, then */
	uint64_t packets_per_sec_before; /* received by all of these */
	uint64_t hottest_sum;            /* both since, times the msec of each window */
	uint64_t packets_sum;
};

/* A NIC whose RSS table we changed, or may not change. */
struct nb_rss_memory {
	int ifindex;
	struct nb_cpumask queues; /* as in struct nb_rss_change; empty: not limited */
	uint64_t asked_nsec;      /* since when its packets are to be counted, and are not; 0: no */
	uint32_t spread;          /* digest of the table in which buckets moved; 0: none did */
	uint64_t set_nsec;        /* 0: by the run before this one */
	bool refused;             /* no other table is to be tried */
	uint64_t yielded_until_nsec;
	unsigned calm_samples;
	struct nb_rss_trial trial;
	bool no_gain;      /* its trial failed: the original table is to return */
	unsigned failures; /* attempts in a row in vain; each quadruples the dwell */
};

/* Threaded NAPI whose effect is still being measured. */
struct nb_threaded_trial {
	bool active;
	uint64_t measured_msec;          /* since it was switched on */
	int cpu;                         /* as in struct nb_threaded_change */
	uint32_t before;                 /* its busy share then */
	uint64_t packets_per_sec_before; /* received by what was switched */
	uint64_t hottest_sum; /* of this CPU and those of the threads, times the msec … */
	uint64_t packets_sum; /* … of each window; and packets likewise … */
	uint64_t time_sum;    /* … and what these queues took, threads and softirqs */
};

/* What we switched threaded NAPI on for, or may not. */
struct nb_threaded_memory {
	struct nb_queue_key key; /* as in struct nb_threaded_change */
	bool on;                 /* by us */
	bool refused;            /* by the kernel: it is not tried again */
	uint64_t set_nsec;       /* when it was tried last; 0: by the run before this one */
	uint64_t generation;     /* of the machine when it was switched last; likewise */
	uint64_t yielded_nsec;   /* when it was found to be another program's; 0: it is not */
	/* When it was switched on: as in struct nb_threaded_change. 0: by the run before. */
	uint32_t load;
	uint64_t packets_per_sec;
	/* What softirqs take for packets for which threads take NB_WHOLE, found by the trial; 0:
	 * not known. */
	uint32_t softirq_share;
	unsigned calm_samples;
	struct nb_threaded_trial trial;
	bool no_gain;      /* its trial failed: it is to be switched off */
	unsigned failures; /* attempts in a row in vain; each quadruples the dwell */
	struct nb_rejections rejections;
};

#define NB_FOLLOW_RETURN 1u /* no digest of places */

/* A NIC of which something follows its interrupts, or may not: its XPS masks, its NAPI threads. */
struct nb_follow_memory {
	int ifindex;
	bool ours;       /* some of it may be */
	uint64_t places; /* as in struct nb_follow_change, when they were last looked at; 0: not yet
			  */
	unsigned n;      /* both then, too */
	uint64_t carrier_changes;
	bool refused;          /* by the kernel, when it was tried last */
	uint64_t yielded_nsec; /* when it was, or was found to be another program's; 0: neither */
	/* Places of a change that was only rehearsed, or NB_FOLLOW_RETURN; 0: none was. It is
	 * planned again once changes are made. */
	uint64_t rehearsed;
	struct nb_rejections rejections;
};

struct nb_follow_rows {
	struct nb_follow_memory *rows; /* ascending by ifindex */
	unsigned n;
};

/* What the configuration asked of a NIC, and what came of it. It is done once: what another program
 * sets afterwards stays. */
struct nb_setting_memory {
	enum nb_kind kind;
	int ifindex;
	/* As in struct nb_setting_change. 0: nothing came of it yet, or by the run before. */
	unsigned asked;
	unsigned n_rx; /* then */
	unsigned ours; /* as in struct nb_setting_change; 0: it was not written */
	/* The last change was only rehearsed. It is planned again once changes are made. */
	bool rehearsed;
	struct nb_rejections rejections;
};

/* A device interrupt. */
struct nb_device_irq_memory {
	uint32_t irq;
	char handlers[NB_HANDLERS_MAX]; /* with others it is another interrupt */
	bool refused;                   /* as of a queue */
	struct nb_rejections rejections;
	struct nb_affinity_memory affinity;
	struct nb_cpumask allowed; /* the mask as last seen */
	int expected_cpu;          /* where we put it; -1: where we found it */
	uint64_t moved_nsec;
	uint64_t moved_version; /* device_irqs_version of the machine then */
	uint64_t yielded_until_nsec;
};

/* What tells of a reset of a NIC, as last seen. */
struct nb_nic_memory {
	int ifindex;
	unsigned n_queues;
	uint64_t carrier_changes;
	uint64_t unsteady_until_nsec; /* until then its driver may set affinities */
};

/* A CPU that had no free vector. */
struct nb_cpu_memory {
	unsigned id;
	uint64_t no_vector_until_nsec;
};

/* A CPU on which NET_RX waits, or lately waited, too long. Windows in which its delay is not known
 * count neither way. */
struct nb_delay_memory {
	unsigned id;
	uint64_t seen_nsec; /* the last window in which it was known … */
	uint32_t usec;      /* … and how long */
	uint64_t over_msec; /* of windows in a row above DelayMax=, since its last move */
	uint64_t calm_msec; /* of windows in a row below half of it, since */
	bool delayed;
	unsigned moves; /* of its queues, since it is delayed */
};

/* Something is so of a NIC. */
struct nb_spell {
	int ifindex;
	uint64_t since_nsec;
	uint64_t seen_nsec; /* the last time */
};

struct nb_spells {
	struct nb_spell *rows; /* ascending by ifindex */
	unsigned n;
};

/* A full node that lasts for a shorter time is a burst, and not worth telling. */
#define NB_FULL_NODE_LASTS_NSEC (180 * NB_NSEC_PER_SEC)

typedef struct nb_memory {
	uint64_t generation;         /* of the machine last seen */
	uint64_t begun_nsec;         /* the first sample */
	enum nb_grade counted_grade; /* of the counters in queues */
	unsigned armed_samples;
	bool hurried;                 /* the last plan asked for a cycle before the interval ends */
	uint64_t last_moves_nsec;     /* the last cycle that moved queues */
	unsigned steady_cycles;       /* since loads last shifted */
	bool last_moves_placed;       /* it corrected a placement */
	uint64_t repack_nsec;         /* last attempt to place queues again by load */
	unsigned repack_tries;        /* since CPUs were last even */
	uint64_t settling_until_nsec; /* queues were placed whose loads were not known */
	struct nb_queue_memory *queues; /* parallel to the machine's queues */
	unsigned n_queues;
	struct nb_rps_memory *rps; /* ascending by key */
	unsigned n_rps;
	struct nb_rss_memory *rss; /* ascending by ifindex */
	unsigned n_rss;
	struct nb_threaded_memory *threaded; /* ascending by key: the whole NIC last */
	unsigned n_threaded;
	struct nb_follow_rows xps, threads;
	struct nb_setting_memory *settings; /* a few, in no order */
	unsigned n_settings;
	struct nb_cpu_memory *no_vector_cpus; /* ascending by id */
	unsigned n_no_vector_cpus;
	struct nb_delay_memory *delays; /* ascending by id */
	unsigned n_delays;
	struct nb_device_irq_memory *device_irqs; /* ascending by irq */
	unsigned n_device_irqs;
	/* Of NICs whose node is full: the mean load of its CPUs that the NIC may use is hot, and
	 * one of its queues would relieve some CPU if it went to another node. */
	struct nb_spells full_nodes;
	/* Of NICs one queue of which has most of the load, see base/advice.h. */
	struct nb_spells lopsided;
	struct nb_spells tunnelled; /* of these, by packets of nb_nic.tunnel */
	struct nb_pools written;    /* affinities by other programs that narrow; NB_RULE_WRITTEN */
	uint64_t written_version;   /* grows with each change of these */
	struct nb_several *several; /* of the last complete sample */
	unsigned n_several;
	struct nb_nic_memory *nics; /* parallel to those of the last complete sample */
	unsigned n_nics;
	struct nb_cpumask online;          /* of the last complete sample */
	uint64_t cpus_unsteady_until_nsec; /* as of a NIC, since CPUs came or went */
	struct nb_cpumask common;          /* what may be used without a pool, in the last plan */
	/* nb_machine.device_irqs_version whose affinities were reviewed, and that the planner has
	 * seen. */
	uint64_t device_irqs_reviewed;
	uint64_t device_irqs_planned;
} nb_memory;

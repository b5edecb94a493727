/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* One sample of the host. Counters only grow (32-bit ones wrap); the model subtracts. Plain data:
 * machines and snapshots belong to the sampler that made them. */

#include "nicbalance/device_irq.h"
#include "nicbalance/netdev.h"
#include "nicbalance/rules.h"
#include "nicbalance/topology.h"

/* How the time of a queue is known. */
enum nb_grade {
	NB_GRADE_ESTIMATED, /* ticks and packets */
	NB_GRADE_MEASURED,  /* eBPF timings */
	NB_GRADE_REPLAYED,  /* from a trace */
	_NB_GRADE_MAX,
	_NB_GRADE_INVALID = -1,
};

/* Whether the snapshot has the time of each queue. A trace does, of whatever grade the recording
 * was. */
static inline bool nb_grade_is_timed(enum nb_grade grade)
{
	return grade == NB_GRADE_MEASURED || grade == NB_GRADE_REPLAYED;
}

/* How the kernel fills the irq and softirq columns of /proc/stat. */
enum nb_accounting {
	NB_ACCOUNTING_UNKNOWN,
	NB_ACCOUNTING_TICK,    /* sampled by the tick; coarse, and blind for an idle CPU */
	NB_ACCOUNTING_PRECISE, /* CONFIG_IRQ_TIME_ACCOUNTING */
	_NB_ACCOUNTING_MAX,
	_NB_ACCOUNTING_INVALID = -1,
};

/* What changes seldom: rebuilt by a rescan, shared by the snapshots taken since. */
struct nb_machine {
	uint64_t generation; /* grows with each rescan */
	struct nb_topology topology;
	enum nb_accounting accounting;
	struct nb_nic *nics; /* ascending by ifindex; those out of scope too */
	unsigned n_nics;
	struct nb_queue *queues; /* those of nb_scope_has_queues(), ascending by key */
	unsigned n_queues;
	struct nb_device_irq *device_irqs; /* ascending by irq; as read last */
	unsigned n_device_irqs;
	uint64_t device_irqs_version; /* grows when they are read, not in every rescan; 0: never */
	struct nb_pools pools; /* of the configuration and of .link files, for what is there */
	/* Of NICs, by their .link files: where RPS may hand packets. No CPU: nowhere. */
	struct nb_pools rps_pools;
};

/* Delays from raise to entry of NET_RX: counts[i] of those below 2^i microseconds, the last of all
 * longer ones. They grow only while delays are measured. */
#define NB_DELAYS 24u

struct nb_cpu_counters {
	unsigned id;
	uint64_t user_nsec; /* user, nice, system: busy, neither irq nor softirq */
	uint64_t irq_nsec;  /* measured grade: from the probe, and so is softirq_nsec */
	uint64_t softirq_nsec;
	/* Measured grade: interrupts and NAPI polls of the machine's queues; NAPI polls that belong
	 * to no queue: the backlog (RPS, loopback, veth) and devices out of scope. */
	uint64_t queues_nsec;
	uint64_t backlog_nsec;
	/* Measured grade: polls of NAPIs of NICs in scope while it was not known of which queue
	 * they are, and the packets that these received. */
	uint64_t unknown_nsec;
	uint64_t unknown_packets;
	uint64_t idle_nsec; /* idle and iowait; the kernel lets it decrease */
	uint64_t steal_nsec;
	uint32_t net_rx; /* /proc/softirqs; wraps */
	uint32_t net_tx;
	uint32_t processed; /* /proc/net/softnet_stat; these wrap too */
	uint32_t dropped;
	uint32_t squeezed;
	uint32_t received_rps;
	bool delays_known;          /* they are measured just now */
	uint32_t delays[NB_DELAYS]; /* wrap */
};

#define NB_LANDED_UNKNOWN (-2)

/* One queue. Between two complete samples a snapshot takes over from the last complete one:
 * affinity and dropped; in the estimated grade also interrupts and landed_cpu; in the measured
 * grade also packets. */
struct nb_queue_state {
	struct nb_queue_key key;
	uint64_t rx_packets; /* 0 where the NIC has no packet counters */
	uint64_t tx_packets;
	uint32_t interrupts; /* all its interrupts on all CPUs; wraps */
	int affinity_cpu; /* the only CPU in the masks of its interrupts; -1: several or unknown */
	unsigned n_allowed; /* CPUs in the masks of its interrupts together; 0: unreadable */
	int effective_cpu;  /* where the hardware delivers, by the kernel's word; -1 unknown */
	/* Where most of its interrupts since the complete sample before were handled; -1: none
	 * occurred; NB_LANDED_UNKNOWN: there was no such sample. */
	int landed_cpu;
	/* The affinity file of every interrupt may be written, by the kernel and by the
	 * configuration. */
	bool settable;
	/* Its affinity is the one that its driver asks for (/proc/irq/N/affinity_hint), as drivers
	 * do when they open the device (kernel/irq/manage.c irq_set_affinity_and_hint()). */
	bool hinted;
	bool defers;      /* as in struct nb_queue; of a replay, whether it did in that window */
	uint64_t dropped; /* by the NIC, as in struct nb_nic_state; 0 where it does not say */
	/* Measured grade only. */
	uint64_t time_nsec;      /* its interrupt handlers and its NAPI polls in softirq */
	uint64_t threaded_nsec;  /* run time of its NAPI's kernel threads, where it has them */
	uint64_t polled_packets; /* received, by the return values of its polls */
	uint32_t polls;          /* wraps */
	uint32_t exhausted;      /* polls that used their whole budget; wraps */
	int polled_cpu;          /* where its NAPI was polled last, in softirq; -1: unknown, or
				    applications poll it more often */
	uint32_t thread; /* pid of the kernel thread that polled its receive queue last; 0: softirqs
			    did, or unknown */
	int thread_cpu;  /* where it did; -1: unknown */
	uint32_t thread_polls; /* by kernel threads; also in exhausted; wraps */
};

/* A queue whose interrupts may be handled on several CPUs, but not on all that are online, nor on
 * just those of the default affinity. */
struct nb_several {
	struct nb_queue_key key;
	bool apart;             /* no CPU is in the masks of all of its interrupts */
	struct nb_cpumask cpus; /* in the masks of all; apart: of any */
};

/* A NIC in scope. What it dropped on receive, because no buffer of its rings was free, is read with
 * complete samples, once a second at most, and taken over in between. */
struct nb_nic_state {
	int ifindex;
	/* As read with the last complete sample, after the affinities: a driver takes the carrier
	 * away before it opens its device again, and with it sets affinities. */
	uint64_t carrier_changes;
	uint64_t read_nsec; /* CLOCK_MONOTONIC; 0: never */
	uint64_t missed;    /* rx_missed_errors of the device; may include those of its queues */
	bool by_queue;      /* dropped of its queues was read, too */
};

/* A receive queue whose rps_cpus is not empty. */
struct nb_rps_state {
	struct nb_queue_key key;
	struct nb_cpumask cpus;
};

/* The packets that one NIC receives, by the entry of its RSS indirection table (a bucket) to which
 * their hash belongs. Counted while the plan asks for it (nb_plan.count_buckets). The arrays are
 * valid as long as the snapshot; their contents are those of the latest one. */
struct nb_bucket_counts {
	bool able;              /* packets can be counted: the programs measure */
	bool soon;              /* not yet, but they are loaded, and will as soon as a CPU is hot */
	int ifindex;            /* of the NIC; 0: none are counted */
	uint64_t since_nsec;    /* when that began */
	unsigned n;             /* buckets; 0: its table cannot be read, or is too large */
	unsigned n_rings;       /* its receive queues */
	const uint32_t *queues; /* of each bucket, when that began */
	const uint32_t *packets; /* of each bucket, since, in the queue that the table names */
	uint64_t strayed;        /* in other queues: a filter chose them, or hashes tell nothing */
	/* Of those counted by bucket, packets whose hash was reckoned from their headers since the
	 * NIC did not tell it; and buckets of which more such packets came in the queue that the
	 * table names than in others, or not. */
	uint64_t reckoned;
	unsigned n_agreeing, n_disagreeing;
};

struct nb_snapshot {
	uint64_t taken_nsec; /* CLOCK_MONOTONIC */
	/* When user, idle and steal times were read: in the measured grade they may be older than
	 * taken_nsec while there is little network load. */
	uint64_t times_nsec;
	enum nb_grade grade;
	/* Affinities and RPS masks were read now, not taken over; in the estimated grade
	 * interrupts, too. */
	bool complete;
	/* /proc/irq/default_smp_affinity; empty: unknown. */
	struct nb_cpumask default_affinity;
	const struct nb_machine *machine;
	struct nb_cpu_counters *cpus; /* ascending by id; online CPUs only */
	unsigned n_cpus;
	struct nb_queue_state *queues; /* parallel to machine->queues */
	unsigned n_queues;
	struct nb_several *several; /* ascending by key; of complete samples */
	unsigned n_several;
	struct nb_nic_state *nics; /* ascending by ifindex */
	unsigned n_nics;
	struct nb_rps_state *rps; /* ascending by key */
	unsigned n_rps;
	struct nb_bucket_counts buckets;
};

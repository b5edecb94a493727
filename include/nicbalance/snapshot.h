/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* What one reading of the host saw. Counters only grow (32-bit ones wrap); subtracting is the
 * model's work. Plain data: machines and snapshots belong to the sampler that made them. */

#include "nicbalance/device_irq.h"
#include "nicbalance/netdev.h"
#include "nicbalance/topology.h"

/* How the cost of a queue is measured. */
enum nb_grade {
	NB_GRADE_ESTIMATED, /* ticks and packets */
	NB_GRADE_MEASURED,  /* eBPF timings */
	NB_GRADE_REPLAYED,  /* from a trace */
	_NB_GRADE_MAX,
	_NB_GRADE_INVALID = -1,
};

/* Whether the time of each queue was measured, and not split among them by packets. A trace holds
 * times whatever they came from. */
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
	struct nb_queue *queues; /* queues of the NICs in scope, ascending by key */
	unsigned n_queues;
	struct nb_device_irq *device_irqs; /* ascending by irq; as of the last look at them */
	unsigned n_device_irqs;
	uint64_t device_irqs_version; /* grows with each such look, which not every rescan takes; 0:
					 none */
};

struct nb_cpu_counters {
	unsigned id;
	uint64_t
		user_nsec; /* user, nice, system: everything busy that is neither irq nor softirq */
	uint64_t irq_nsec; /* measured grade: from the probe, and so is softirq_nsec */
	uint64_t softirq_nsec;
	uint64_t
		queues_nsec; /* measured grade: interrupts and NAPI polls of the machine's queues */
	uint64_t backlog_nsec; /* measured grade: NAPI polls that belong to no queue: the backlog
				  (RPS, loopback, veth) and devices out of scope */
	uint64_t idle_nsec;    /* idle and iowait; the kernel lets it decrease */
	uint64_t steal_nsec;
	uint32_t net_rx; /* /proc/softirqs; wraps */
	uint32_t net_tx;
	uint32_t processed; /* /proc/net/softnet_stat; these wrap too */
	uint32_t dropped;
	uint32_t squeezed;
	uint32_t received_rps;
};

#define NB_LANDED_UNKNOWN (-2)

/* One queue. What a complete sample reads is carried over from the last complete sample in the
 * snapshots between two complete samples: affinity; in the estimated grade also interrupts and
 * landed_cpu; in the measured grade also packets. */
struct nb_queue_state {
	struct nb_queue_key key;
	uint64_t rx_packets; /* 0 where the NIC has no packet counters */
	uint64_t tx_packets;
	uint32_t interrupts; /* all its interrupts on all CPUs; wraps */
	int affinity_cpu; /* the only CPU that the masks of all its interrupts allow; -1: several,
			     or unreadable */
	unsigned
		n_allowed; /* CPUs that the masks of its interrupts allow together; 0: unreadable */
	int effective_cpu; /* where the hardware delivers, by the kernel's word; -1 unknown */
	int landed_cpu; /* where most of its interrupts since the complete sample before landed; -1:
			   none did; NB_LANDED_UNKNOWN: there was none before */
	bool settable;  /* every interrupt's affinity file may be written */
	/* Full grade alone. */
	uint64_t work_nsec;      /* its interrupt handlers and its NAPI polls in softirq */
	uint64_t threaded_nsec;  /* run time of its NAPI's kernel threads, where it has them */
	uint64_t polled_packets; /* that its polls reported as received */
	uint32_t polls;          /* wraps */
	uint32_t exhausted;      /* polls that used their whole budget; wraps */
	int polled_cpu;          /* where its NAPI was polled last, in softirq; -1 unknown */
};

/* A receive queue whose rps_cpus is not empty. */
struct nb_rps_state {
	struct nb_queue_key key;
	struct nb_cpumask cpus;
};

struct nb_snapshot {
	uint64_t taken_nsec; /* CLOCK_MONOTONIC */
	uint64_t times_nsec; /* when user, idle and steal times were read: in the measured grade
				they may be older than taken_nsec while the network is calm */
	enum nb_grade grade;
	bool complete; /* affinities and RPS masks were read now, not carried over; in the counted
			 grade interrupts, too */
	const struct nb_machine *machine;
	struct nb_cpu_counters *cpus; /* ascending by id; online CPUs only */
	unsigned n_cpus;
	struct nb_queue_state *queues; /* parallel to machine->queues */
	unsigned n_queues;
	struct nb_rps_state *rps; /* ascending by key */
	unsigned n_rps;
};

/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* A CPU's network time and the queues it was spent on; in the estimated grade it is divided among
 * them by packets. Pure. */

#include "nicbalance/snapshot.h"

/* One queue in a window. */
struct nb_queue_work {
	struct nb_queue_key key;
	int cpu; /* where it was polled; -1 unknown */
	uint64_t rx_packets;
	uint64_t tx_packets;
	uint32_t interrupts;
	bool counts_packets;    /* false: only its interrupts are known */
	bool measured;          /* it was in the sample before */
	bool steered;           /* by RPS: its protocol work is done elsewhere */
	uint64_t time_nsec;     /* result, or in the measured grade as timed */
	uint64_t threaded_nsec; /* measured grade */
	bool saturated;         /* as in struct nb_queue_load */
	bool never_done;        /* likewise */
	bool defers;            /* as in struct nb_queue_state */
	bool lost;              /* scratch of locating it */
	int was_on;             /* likewise: its CPU in the window before … */
	bool was_saturated;     /* … and whether it was saturated there and not polled since */
	uint64_t waited_nsec;   /* for its turn to be polled, or its NAPI to be known, until now */
	bool waits;             /* scratch */
};

/* Network time of one CPU, and what it was spent on. */
struct nb_cpu_split {
	unsigned id;
	bool measured;         /* as above */
	uint64_t network_nsec; /* to be divided */
	uint32_t processed;    /* packets its protocol layers received (softnet_stat) */
	uint64_t explained;    /* scratch of locating queues: those of queues polled there */
	uint64_t queues_nsec;  /* the queues' part: result, or as timed */
	uint64_t backlog_nsec; /* the part of packets from RPS, loopback or veth; likewise */
	/* Measured grade: of NAPIs that are not known yet, as in struct nb_cpu_counters. */
	uint64_t unknown_nsec;
	uint64_t unknown_packets;
	unsigned n_waiting; /* queues that may be theirs */
	struct {
		uint64_t weight; /* of all packets */
		uint64_t interrupts;
		uint64_t own_rx;    /* packets of its queues for its own protocol layers */
		bool by_interrupts; /* one of its queues counts no packets: compare interrupts */
	} sums;                     /* of its queues; filled by the split */
};

/* Sets time_nsec of every queue and the results of every CPU (ascending by id). A queue on a CPU
 * that is not among cpus has none. The sums start at zero. */
void nb_split_by_packets(struct nb_cpu_split *cpus, unsigned n_cpus, struct nb_queue_work *queues,
			 unsigned n_queues);

/* The entry of cpus (ascending by id) for a CPU; NULL if there is none. */
struct nb_cpu_split *nb_split_find(struct nb_cpu_split *cpus, unsigned n_cpus, int cpu);

/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* A CPU's network time and the queues it was spent on; in the estimated grade it is split among
 * them by packets. Pure. */

#include "nicbalance/snapshot.h"

/* What one queue did in a window. */
struct nb_queue_work {
	struct nb_queue_key key;
	int cpu; /* where it was served; -1 unknown */
	uint64_t rx_packets;
	uint64_t tx_packets;
	uint32_t interrupts;
	bool counts_packets;    /* false: interrupts are all that is known of it */
	bool measured;          /* the window has a beginning: it was there at the reading before */
	bool steered;           /* by RPS: its protocol work is done elsewhere */
	uint64_t cost_nsec;     /* result, or in the measured grade as it was timed */
	uint64_t threaded_nsec; /* measured grade */
	bool saturated;         /* as in struct nb_queue_load */
};

/* What one CPU spent on the network, and on whom. */
struct nb_cpu_split {
	unsigned id;
	bool measured;         /* as above */
	uint64_t network_nsec; /* to be split */
	uint32_t processed;    /* packets its protocol layers took in (softnet_stat) */
	uint64_t queues_nsec;  /* the queues' part: result, or as it was timed */
	uint64_t backlog_nsec; /* the part of packets from RPS, loopback or veth; likewise */
	struct {
		uint64_t weight; /* of all packets */
		uint64_t interrupts;
		uint64_t own_rx;    /* packets its queues hand to its own protocol layers */
		bool by_interrupts; /* one of its queues counts no packets: compare interrupts */
	} sums;                     /* of its queues; filled by the split */
};

/* Sets cost_nsec of every queue and the results of every CPU (ascending by id). A queue served by a
 * CPU that is not among cpus costs nothing. The sums start at zero. */
void nb_split_by_packets(struct nb_cpu_split *cpus, unsigned n_cpus, struct nb_queue_work *queues,
			 unsigned n_queues);

/* The entry of cpus (ascending by id) for a CPU; NULL when there is none. */
struct nb_cpu_split *nb_split_find(struct nb_cpu_split *cpus, unsigned n_cpus, int cpu);

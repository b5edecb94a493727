/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* What was ordered at run time: CPUs banned, or claimed for a NIC, a queue or an interrupt. Plain
 * data. */

#include "nicbalance/cpumask.h"
#include "nicbalance/netdev.h"

#define NB_OWNER_MAX 64
#define NB_CONNECTION_MAX 64

enum nb_target_type {
	NB_TARGET_NONE, /* of a ban */
	NB_TARGET_NIC,  /* all its queues */
	NB_TARGET_QUEUE,
	NB_TARGET_IRQ, /* of a queue, or a device interrupt */
};

/* Named as whoever ordered it did: it need not exist (yet). */
struct nb_target {
	enum nb_target_type type;
	char nic[NB_IFNAME_MAX]; /* of NIC and QUEUE */
	uint32_t number;         /* of QUEUE and IRQ */
};

struct nb_order {
	uint64_t id; /* from 1 */
	struct nb_target target;
	struct nb_cpumask cpus;
	bool exclusive; /* of a claim: nothing else may use these CPUs */
	bool present;   /* of a claim: the target exists now */
	char owner[NB_OWNER_MAX];
	char connection[NB_CONNECTION_MAX]; /* its end is that of the order; "": none */
	uint64_t since_realtime_usec;
	/* The end of its lease, in CLOCK_MONOTONIC and for people; 0: it has none. */
	uint64_t ends_nsec;
	uint64_t ends_realtime_usec;
};

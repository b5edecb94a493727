/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* What was ordered at run time: CPUs banned, or claimed for a NIC, a queue or an interrupt. Plain
 * data. */

#include "nicbalance/cpumask.h"
#include "nicbalance/netdev.h"

#define NB_OWNER_MAX 64
#define NB_CONNECTION_MAX 64
/* Of an order that names none. */
#define NB_DEFAULT_OWNER "operator"

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

/* A ban or a claim as a client wrote it; everything is borrowed. */
struct nb_order_request {
	const char *target; /* NULL: a ban */
	const char *cpus;
	const char *owner;
	uint64_t lease_usec; /* 0: none */
	bool exclusive;
	const char *connection; /* that it ends with; NULL: none */
};

enum nb_refusal_cause {
	NB_REFUSAL_ARGUMENT,    /* one of them does not say what it should */
	NB_REFUSAL_UNAVAILABLE, /* CPUs do not exist or are offline */
	NB_REFUSAL_TAKEN,       /* another order has these CPUs */
	NB_REFUSAL_NO_CPU_LEFT, /* for anything else */
	NB_REFUSAL_NO_ORDER,    /* of this owner is called so */
	NB_REFUSAL_NOT_NOW,     /* the daemon cannot do it at the moment */
};

/* Why nothing was changed. */
struct nb_refusal {
	enum nb_refusal_cause cause;
	char *text;             /* a sentence for people; owned */
	const char *argument;   /* of ARGUMENT: its name; borrowed, and never freed */
	struct nb_cpumask cpus; /* of UNAVAILABLE and TAKEN: those that are */
	struct nb_order other;  /* of TAKEN: whose they are */
};

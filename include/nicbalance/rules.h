/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* By whose word a queue or a device interrupt may use a CPU or not. Plain data. */

#include "nicbalance/cpumask.h"
#include "nicbalance/netdev.h"

/* Of the rules that take a CPU away, the first of this order is what is told of it. */
enum nb_rule {
	NB_RULE_OFFLINE,
	NB_RULE_TAKEN,      /* banned at run time, or claimed exclusively for something else */
	NB_RULE_CLAIM,      /* claimed at run time for this one, with other CPUs */
	NB_RULE_CONFIGURED, /* CPUs= of its [Device] or [Interrupt] section */
	NB_RULE_LINK,       /* IRQAffinity= of the device's .link file */
	NB_RULE_BANNED,     /* BannedCPUs=, or irqbalance's list of banned CPUs */
	NB_RULE_ISOLATED,   /* enum nb_isolation says by what */
	NB_RULE_WRITTEN,    /* the affinity that another program wrote */
	NB_RULE_DEFAULT,    /* /proc/irq/default_smp_affinity */
	_NB_RULE_MAX,
	_NB_RULE_INVALID = -1,
};

/* The CPUs that something is limited to. */
struct nb_pool {
	struct nb_queue_key key; /* of a queue, or of a device interrupt; may be NB_EVERY_QUEUE */
	enum nb_rule rule;
	bool exclusive; /* a claim: nothing else may use these CPUs */
	/* NB_RULE_WRITTEN: one CPU, or different ones for the interrupts of a queue. What it is of
	 * stays where it is; where its packets may be handed to is another matter. */
	bool pin;
	uint64_t since_nsec; /* NB_RULE_WRITTEN: CLOCK_MONOTONIC, when it was found */
	struct nb_cpumask cpus;
};

/* Ascending by key; several rows may have the same one. */
struct nb_pools {
	struct nb_pool *rows;
	unsigned n;
};

/* What was ordered at run time. Claims of what does not exist (now) are not in it. */
struct nb_claims {
	struct nb_cpumask banned;
	struct nb_pools pools; /* NB_RULE_CLAIM */
};

/* The CPUs that one thing may use. None: it is left where it is. */
struct nb_allowed {
	struct nb_cpumask cpus;
	unsigned set_aside; /* 1u << rule of each that would have left nothing */
};

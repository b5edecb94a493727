/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* What the [Device] and [Interrupt] sections of the configuration say. Plain data. */

#include "nicbalance/cpumask.h"
#include "nicbalance/netdev.h"

#include <stdbool.h>

/* Of a section that does not name a node. */
#define NB_NODE_UNSET (-2)

struct nb_device_rule {
	/* Glob over the interface's name, or over what follows "driver:", "pci:" or "mac:"; owned
	 */
	char *match;
	bool ignore;
	char *interrupts;       /* glob over handler names, for unknown drivers; owned, or NULL */
	struct nb_cpumask cpus; /* of all its queues; empty: not limited */
	int node;               /* instead of its own: a number, NB_NODE_NONE or NB_NODE_UNSET */
	bool spill;             /* to other nodes, while its own is full */
	uint32_t channels;      /* a number, NB_CHANNELS_KEEP or NB_CHANNELS_MAX */
	enum nb_udp_hash udp_hash; /* UNKNOWN: as it is */
	bool threaded;             /* threaded NAPI, where nothing cheaper helps */
};

struct nb_interrupt_rule {
	char *match; /* a number, or a glob over handler names, or "driver:" and a glob; owned */
	bool ignore;
	struct nb_cpumask cpus; /* empty: not limited */
};

/* The first rule that matches counts. */
struct nb_interrupt_rules {
	struct nb_interrupt_rule *rules;
	unsigned n_rules;
};

/* The first rule that matches a device counts. */
struct nb_device_rules {
	struct nb_device_rule *rules;
	unsigned n_rules;
	struct nb_interrupt_rules interrupts;
	const struct nb_interrupt_rules *irqbalance; /* come after these; borrowed; NULL: none */
};

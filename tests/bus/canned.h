/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* A status that never changes, and handlers that note what was asked of them: what the bus and
 * nicbalancectl are tested against. 8 CPUs on 2 nodes; eth0 with 4 queues on node 0, one of them
 * too hot; CPU 7 isolated, CPU 6 banned. CPUs 4-5 are claimed for eth1:2, and CPU 5 is banned at
 * run time. An order for CPU 0 leaves something there. */

#include "publish/bus.h"

struct canned {
	struct nb_status status;
	struct nb_config *config;
	bool before_first_cycle; /* get_status answers as a daemon that has just started */
	bool fails;              /* the changing methods fail, and say why */
	unsigned n_watched;      /* how often delays were asked for; they grow each time */
	struct nb_recorder *recorder;
	unsigned n_recorded;       /* how often it was asked for; a second passes each time */
	struct nb_bus *bus;        /* restoring tells of one record here */
	struct nb_order orders[3]; /* a claim, a ban, and what was ordered last */
};

#define CANNED_COUNTED "Delays need loads measured with eBPF: the kernel has no BTF."
#define CANNED_REMAINS "eth0 queue 0 (IRQ 40) on CPU 0: not moved yet"
#define CANNED_FAULT "/etc/nicbalance/nicbalance.conf:3: Hot=banana is no share; write a percentage"

void canned_init(struct canned *canned);
/* Costs are timed: queue 0 is saturated, queue 2 polled by a thread besides; delays are
 * counted. */
void canned_make_full(struct canned *canned);
void canned_clear(struct canned *canned);
extern const struct nb_handlers canned_handlers;

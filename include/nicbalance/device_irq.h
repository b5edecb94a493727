/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* Device interrupts: of disks, host adapters, USB controllers …, of anything that is no NIC. Plain
 * data. */

#include "nicbalance/cpumask.h"
#include "nicbalance/netdev.h"

#define NB_HANDLERS_MAX 32
#define NB_DEVICE_MAX 32

/* One that occurred since device interrupts were read before. */
struct nb_device_irq {
	uint32_t irq;
	uint32_t per_sec;   /* mean rate; 0 for less than one a second */
	int node;           /* nearest NUMA node that has CPUs, or NB_NODE_NONE */
	int cpu;            /* where it is delivered; -1 unknown */
	unsigned n_allowed; /* CPUs that its mask allows */
	struct nb_cpumask allowed;
	bool settable; /* its affinity file may be written */
	bool hinted;   /* as of a queue (struct nb_queue_state) */
	/* Of a NIC that has no interface here: it is in another network namespace, or a guest's.
	 * Whoever has it places its interrupts. */
	bool foreign;
	/* Of a DPAA portal: bound to its CPU, as are the cache lines that the hardware fills for
	 * it, by its driver, or by the application that has it. */
	bool portal;
	/* Names joined by commas, truncated at this length; numbers are reused. */
	char handlers[NB_HANDLERS_MAX];
	char device[NB_DEVICE_MAX]; /* PCI function; "" if there is none */
};

/* Its key among those of queues: no device has the ifindex 0. */
static inline struct nb_queue_key nb_device_irq_key(uint32_t irq)
{
	return (struct nb_queue_key){.ifindex = 0, .index = irq};
}

static inline bool nb_key_is_device_irq(struct nb_queue_key key)
{
	return key.ifindex == 0;
}

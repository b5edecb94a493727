/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* Whose an interrupt is. To find out of one means to look through the whole PCI bus, once. */

#include "nicbalance/device_irq.h"
#include "nicbalance/topology.h"
#include "sysroot/sysroot.h"

typedef struct nb_irq_devices {
	struct nb_sysroot *root;            /* borrowed */
	const struct nb_topology *topology; /* borrowed */
	char **functions;                   /* names on the PCI bus; NULL until asked for; owned */
	GHashTable *by_irq;                 /* interrupt → name of its function; owned */
} nb_irq_devices;

void nb_irq_devices_init(struct nb_irq_devices *devices, struct nb_sysroot *root,
			 const struct nb_topology *topology);
void nb_irq_devices_clear(struct nb_irq_devices *devices);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(nb_irq_devices, nb_irq_devices_clear)

/* Fills device, node and foreign of other by its irq, which must be none of a NIC that has an
 * interface. What is on no PCI bus has no device here; its node is the one that the kernel keeps
 * the interrupt's memory on. */
void nb_irq_devices_find(struct nb_irq_devices *devices, struct nb_device_irq *other);

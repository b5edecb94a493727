/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* One network device as sysfs shows it, before its interrupts are looked for. */

#include "nicbalance/netdev.h"
#include "sysroot/sysroot.h"

struct nb_nic_facts {
	struct nb_nic nic; /* node as the device says, not yet the nearest with CPUs */
	bool loopback;
	bool tunnel;      /* up, and of a kind of which a NIC sees only the outer addresses */
	bool overlay;     /* likewise a tunnel, of a kind whose ports a NIC tells apart */
	bool vmbus;       /* on Hyper-V's bus, whose channels serve its queues */
	char device[64];  /* name on its bus: "0000:3b:00.0", "virtio2"; "" without hardware */
	char pci[32];     /* "" when not behind PCI */
	char mac[64];     /* permanent if the kernel tells; "" when unknown */
	GArray *own_irqs; /* uint32_t, ascending; what the bus lists for the device; owned */
	bool defers; /* its NAPIs are set to defer their interrupts, unless they say themselves */
};

/* Reads sys/class/net/NAME. nic.scope is NB_SCOPE_IN where nothing seen here speaks against it.
 * -ENOENT: it vanished. */
int nb_nic_facts_read(struct nb_sysroot *root, const char *name, struct nb_nic_facts *ret);
void nb_nic_facts_clear(struct nb_nic_facts *facts);

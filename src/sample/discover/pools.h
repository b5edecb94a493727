/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* The CPUs that the configuration leaves to queues and device interrupts. */

#include "nicbalance/snapshot.h"
#include "sample/discover/device_rules.h"
#include "sample/discover/handlers.h"

/* Appends what [Device] and [Interrupt] sections say of a NIC and of its queues, and marks queues
 * with an interrupt that must not be moved. */
void nb_pools_add_nic(struct nb_pools *pools, const struct nb_device_rules *rules,
		      const struct nb_nic_facts *facts, struct nb_handlers *handlers,
		      struct nb_queue *queues, unsigned n_queues);
/* Appends what the .link file of a NIC says, unless its [Device] section names CPUs. What is wrong
 * in it is appended to faults, owned texts; then it says nothing. */
void nb_pools_add_link_file(struct nb_machine *machine, const struct nb_device_rules *rules,
			    const struct nb_nic_facts *facts, struct nb_sysroot *root,
			    GPtrArray *faults);
/* Appends what an [Interrupt] section says of a device interrupt. False: it must not be moved. */
bool nb_pools_add_device_irq(struct nb_pools *pools, const struct nb_device_rules *rules,
			     const struct nb_interrupt_facts *facts);

/* Removes those of device interrupts again. */
void nb_pools_forget_device_irqs(struct nb_pools *pools);
/* Rows are appended in any order; rules want them by key. */
void nb_pools_sort(struct nb_pools *pools);

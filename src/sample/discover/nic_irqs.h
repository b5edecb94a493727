/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* Which interrupt serves which queue of a device: from netlink, else from the names of the
 * handlers, else from the configuration; or which channel of the VMBus. */

#include "netlink/netlink.h"
#include "nicbalance/device.h"
#include "sample/discover/handlers.h"
#include "sample/discover/nic.h"
#include "sample/discover/queue_map.h"

/* What all devices of one rescan are looked up in. */
struct nb_nic_irqs_context {
	struct nb_sysroot *root;
	struct nb_netlink *netlink; /* may be NULL */
	struct nb_handlers *handlers;
	const struct nb_device_rules *rules;
	char *const *ifnames; /* of all devices, NULL-terminated */
	GHashTable *taken;    /* interrupts that already serve another device */
};

/* Fills map, and mapping, scope and n_slow_path of facts->nic, for a device whose scope is
 * NB_SCOPE_IN. Takes the interrupts it uses. */
void nb_nic_irqs_find(const struct nb_nic_irqs_context *context, struct nb_nic_facts *facts,
		      struct nb_queue_map *map);

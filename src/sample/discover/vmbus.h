/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* The queues of hv_netvsc, the NIC of Hyper-V, which no interrupts serve but channels of the VMBus.
 */

#include "sample/discover/queue_map.h"
#include "sysroot/sysroot.h"

/* Enters the channels of a device in the place of interrupts. False: it has none that serves a
 * queue. */
bool nb_vmbus_find_channels(struct nb_sysroot *root, const char *ifname, struct nb_queue_map *map);

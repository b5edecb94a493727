/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* Rates of what NICs drop on receive, and whether a CPU is to blame. Pure. */

#include "nicbalance/load.h"
#include "nicbalance/snapshot.h"

#include <glib.h>

/* Remembers the last reading of each NIC: readings are seldom, and windows without one lie between
 * them. */
struct nb_nic_drops {
	uint64_t generation;
	GArray *nics;   /* parallel to those of the snapshot */
	GArray *queues; /* likewise */
	GArray *loads;  /* struct nb_nic_load, likewise */
};

void nb_nic_drops_init(struct nb_nic_drops *drops);
void nb_nic_drops_clear(struct nb_nic_drops *drops);

/* Takes a snapshot and its loads, which may be without a window, and sets in them nics, and of
 * queues and CPUs what was dropped. A NIC's first reading gives no rate; counters that went back
 * have not grown. */
void nb_nic_drops_update(struct nb_nic_drops *drops, const struct nb_snapshot *cur,
			 struct nb_loads *loads);

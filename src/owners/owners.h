/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* What holds now each setting that says where packets are processed, and who wrote it: read from
 * the kernel when someone asks, some files and requests for each queue. */

#include "apply/apply.h"
#include "nicbalance/owned.h"
#include "nicbalance/status.h"

/* Everything is borrowed. */
struct nb_owners_source {
	struct nb_sysroot *root;
	struct nb_netlink
		*netlink; /* NULL for a captured machine: nothing that is asked by ethtool */
	struct nb_applier *applier;
	const struct nb_status *status;
	uint64_t realtime_usec; /* now */
};

/* A GArray of struct nb_owned: those of the host, then of each NIC in scope, then of device
 * interrupts. What a device does not have, or cannot be read, is left out. Caller unrefs. */
GArray *nb_owners_read(const struct nb_owners_source *source);

/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* What the .link file of a device says about CPUs (systemd.link(5), systemd 260). */

#include "nicbalance/cpumask.h"
#include "sysroot/sysroot.h"

struct nb_link_settings {
	struct nb_cpumask cpus; /* IRQAffinity=, or its first with IRQAffinityPolicy=single */
	bool limits_rps;
	struct nb_cpumask rps; /* ReceivePacketSteeringCPUMask=; empty: "disable" */
};

/* Of the file and the drop-ins that udev applied to the device, as its database names them; empty
 * where they say nothing. As with systemd, assignments add up, and an empty one begins anew.
 * -EINVAL: a value is no list of CPUs, and *ret_fault says "path:line: what is wrong; what to write
 * instead" (caller frees). */
int nb_link_file_read(struct nb_sysroot *root, int ifindex, struct nb_link_settings *ret,
		      char **ret_fault);

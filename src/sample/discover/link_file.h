/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* IRQAffinity= and IRQAffinityPolicy= in the .link file of a device (systemd.link(5), systemd 260).
 */

#include "nicbalance/cpumask.h"
#include "sysroot/sysroot.h"

/* The CPUs that the file and the drop-ins leave which udev applied to the device, as its database
 * names them; empty where they say nothing. As with systemd, assignments of IRQAffinity= add up, an
 * empty one begins anew, and "single" is the first CPU alone.
 * -EINVAL: a value is no list of CPUs, and *ret_fault says "path:line: what is wrong; what to write
 * instead" (caller frees). */
int nb_link_file_read(struct nb_sysroot *root, int ifindex, struct nb_cpumask *ret,
		      char **ret_fault);

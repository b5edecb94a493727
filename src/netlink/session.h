/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* What the requests of this folder share. */

#include "netlink/family.h"
#include "netlink/netlink.h"
#include "netlink/region.h"

struct nb_netlink {
	struct nb_port *port;
	struct nb_family netdev; /* all 0 where the kernel has no such family */
	int ioctl_fd;
	struct nb_region ethtool; /* what ethtool ioctls read and write */
	nb_ethtool_answer answer; /* NULL: the kernel's */
	void *answer_userdata;
};

/* SIOCETHTOOL with what the region ethtool holds. -ESTALE: the answer did not fit in it. */
int nb_ethtool_call(struct nb_netlink *netlink, const char *ifname);

/* Begins a dump of the netdev family. -EOPNOTSUPP: this kernel has no such command. */
int nb_netlink_dump_message(const struct nb_netlink *netlink, unsigned command,
			    int ifindex_attribute, int ifindex, struct nl_msg **ret);

/* Rows that a dump appends to an array. */
struct nb_dump_rows {
	GArray *rows;
	unsigned n_before; /* rows that stood there already */
};

/* Has message take the answers, with a struct nb_dump_rows as its userdata. On failure rows is as
 * it was. */
int nb_netlink_dump_rows(struct nb_netlink *netlink, struct nl_msg *msg, nb_answer_message message,
			 GArray *rows);

/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* What the requests of this folder share. */

#include "netlink/errand.h"
#include "netlink/family.h"
#include "netlink/netlink.h"
#include "netlink/region.h"

struct nb_netlink {
	struct nb_port *port;
	/* All 0 where the kernel has no such family. */
	struct nb_family netdev;
	struct nb_family ethtool_family;
	struct nb_errand *errand; /* makes all its system calls */
	int ioctl_fd;
	struct nb_region ethtool; /* what ethtool ioctls read and write */
	char ifname[IFNAMSIZ];    /* of the one that is made */
	nb_ethtool_answer answer; /* NULL: the kernel's */
	void *answer_userdata;
	nb_ethtool_change_answer change_answer; /* likewise */
	void *change_userdata;
	nb_netdev_answer netdev_answer; /* likewise */
	void *netdev_userdata;
};

/* Begins a command in the region ethtool: its head is zero but for cmd, and room more bytes follow.
 * -EBUSY: the last one is not yet answered. */
int nb_ethtool_begin(struct nb_netlink *netlink, uint32_t cmd, size_t head, size_t room);
/* SIOCETHTOOL with what the region holds. -ESTALE: the answer did not fit in it. */
int nb_ethtool_call(struct nb_netlink *netlink, const char *ifname);
/* The same for a command that changes something: waits for its end, however long. */
int nb_ethtool_change(struct nb_netlink *netlink, const char *ifname);

/* The fields (RXH_…) by which flows of this type are hashed (ETHTOOL_GRXFH). -EOPNOTSUPP: by none,
 * or it does not tell. */
int nb_ethtool_get_fields(struct nb_netlink *netlink, const char *ifname, uint32_t flow_type,
			  uint64_t *ret);

/* Begins a dump of the netdev family. -EOPNOTSUPP: this kernel has no such command. */
int nb_netlink_dump_message(const struct nb_netlink *netlink, unsigned command,
			    int ifindex_attribute, int ifindex, struct nl_msg **ret);

/* Makes a request of the netdev family. */
int nb_netlink_ask(struct nb_netlink *netlink, struct nl_msg *msg, const struct nb_sink *sink);

/* Rows that a dump appends to an array. */
struct nb_dump_rows {
	GArray *rows;
	unsigned n_before; /* rows that stood there already */
};

/* Has message take the answers, with a struct nb_dump_rows as its userdata. On failure rows is as
 * it was. */
int nb_netlink_dump_rows(struct nb_netlink *netlink, struct nl_msg *msg, nb_answer_message message,
			 GArray *rows);

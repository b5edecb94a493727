/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "netlink/error.h"
#include "netlink/messages.h"
#include "netlink/netdev_family.h"
#include "netlink/session.h"

#include <errno.h>

static int take_stats(struct nlmsghdr *hdr, void *userdata)
{
	struct nb_dump_rows *dump = userdata;
	struct nb_netlink_queue_stats stats;
	int r;

	r = nb_message_parse_queue_stats(hdr, &stats);
	if (r == -ENODATA)
		return 0;
	if (r < 0)
		return r;
	g_array_append_val(dump->rows, stats);
	return 0;
}

int nb_netlink_get_queue_stats(struct nb_netlink *netlink, int ifindex, GArray *stats)
{
	g_autoptr(nl_msg) msg = NULL;
	int r;

	r = nb_netlink_dump_message(netlink, NB_NETDEV_QSTATS_GET, NB_NETDEV_QSTATS_IFINDEX,
				    ifindex, &msg);
	if (r < 0)
		return r;

	r = nb_nl_errno(nla_put_u32(msg, NB_NETDEV_QSTATS_SCOPE, NB_NETDEV_QSTATS_SCOPE_QUEUE));
	if (r < 0)
		return r;

	g_array_set_size(stats, 0);
	return nb_netlink_dump_rows(netlink, msg, take_stats, stats);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "netlink/join.h"
#include "netlink/messages.h"
#include "netlink/netdev_family.h"
#include "netlink/session.h"

#include <errno.h>

static int take_queue(struct nlmsghdr *hdr, void *userdata)
{
	struct nb_dump_rows *dump = userdata;
	struct nb_netlink_queue queue;
	int r;

	r = nb_message_parse_queue(hdr, &queue);
	if (r < 0)
		return r;
	g_array_append_val(dump->rows, queue);
	return 0;
}

static int dump_queues(struct nb_netlink *netlink, int ifindex, GArray *queues)
{
	g_autoptr(nl_msg) msg = NULL;
	int r;

	r = nb_netlink_dump_message(netlink, NB_NETDEV_QUEUE_GET, NB_NETDEV_QUEUE_IFINDEX, ifindex,
				    &msg);
	if (r < 0)
		return r;
	return nb_netlink_dump_rows(netlink, msg, take_queue, queues);
}

static int take_napi(struct nlmsghdr *hdr, void *userdata)
{
	struct nb_dump_rows *dump = userdata;
	struct nb_napi napi;
	int r;

	r = nb_message_parse_napi(hdr, &napi);
	if (r < 0)
		return r;
	g_array_append_val(dump->rows, napi);
	return 0;
}

static int dump_napis(struct nb_netlink *netlink, int ifindex, GArray *napis)
{
	g_autoptr(nl_msg) msg = NULL;
	int r;

	r = nb_netlink_dump_message(netlink, NB_NETDEV_NAPI_GET, NB_NETDEV_NAPI_IFINDEX, ifindex,
				    &msg);
	if (r < 0)
		return r;
	return nb_netlink_dump_rows(netlink, msg, take_napi, napis);
}

int nb_netlink_get_queues(struct nb_netlink *netlink, int ifindex, GArray *queues)
{
	g_autoptr(GArray) napis = g_array_new(FALSE, FALSE, sizeof(struct nb_napi));
	unsigned n_before = queues->len;
	int r;

	/* NAPIs first: a failure then leaves queues as it was. */
	r = dump_napis(netlink, ifindex, napis);
	if (r < 0)
		return r;
	r = dump_queues(netlink, ifindex, queues);
	if (r < 0)
		return r;

	nb_join_napis(queues, n_before, napis);
	return 0;
}

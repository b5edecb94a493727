/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "netlink/join.h"
#include "netlink/messages.h"
#include "netlink/netdev_family.h"
#include "netlink/session.h"

#include <errno.h>

static int take_queue(struct nlmsghdr *hdr, void *userdata)
{
	struct nb_netlink_queue *queue = userdata;

	return nb_message_parse_queue(hdr, queue);
}

static int take_napi(struct nlmsghdr *hdr, void *userdata)
{
	struct nb_napi *napi = userdata;

	return nb_message_parse_napi(hdr, napi);
}

/* net/core/netdev-genl.c netdev_nl_queue_fill(): ENOENT is a device that is down, EINVAL a queue
 * that it does not have. */
static int find_napi(struct nb_netlink *netlink, int ifindex, unsigned index, uint32_t *ret_id)
{
	struct nb_netlink_queue queue = {0};
	const struct nb_sink sink = {.message = take_queue, .userdata = &queue};
	g_autoptr(nl_msg) msg = NULL;
	int r;

	if (!nb_family_has(&netlink->netdev, NB_NETDEV_NAPI_SET))
		return -EOPNOTSUPP;
	r = nb_message_get_queue(netlink->netdev.id, ifindex, index, &msg);
	if (r < 0)
		return r;
	r = nb_netlink_ask(netlink, msg, &sink);
	if (r == -ENOENT)
		return -EAGAIN;
	if (r == -EINVAL)
		return -ENOENT;
	if (r < 0)
		return r;
	if (queue.napi_id == 0)
		return -EOPNOTSUPP;

	*ret_id = queue.napi_id;
	return 0;
}

/* A driver that resets its device disables NAPIs, which are not found then (net/core/dev.c
 * napi_save_config()). */
static int again_if_gone(int r)
{
	return r == -ENOENT ? -EAGAIN : r;
}

int nb_netlink_get_threading(struct nb_netlink *netlink, int ifindex, unsigned queue,
			     enum nb_threading *ret)
{
	struct nb_napi napi = {0};
	const struct nb_sink sink = {.message = take_napi, .userdata = &napi};
	g_autoptr(nl_msg) msg = NULL;
	uint32_t id;
	int r;

	r = find_napi(netlink, ifindex, queue, &id);
	if (r < 0)
		return r;
	r = nb_message_get_napi(netlink->netdev.id, id, &msg);
	if (r < 0)
		return r;
	r = again_if_gone(nb_netlink_ask(netlink, msg, &sink));
	if (r < 0)
		return r;
	if (napi.threading == NB_THREADING_UNKNOWN)
		return -EOPNOTSUPP;

	*ret = napi.threading;
	return 0;
}

int nb_netlink_set_threading(struct nb_netlink *netlink, int ifindex, unsigned queue, bool on)
{
	g_autoptr(nl_msg) msg = NULL;
	uint32_t id;
	int r;

	r = find_napi(netlink, ifindex, queue, &id);
	if (r < 0)
		return r;
	r = nb_message_set_threading(
		netlink->netdev.id, id,
		on ? NB_NETDEV_NAPI_THREADED_ENABLED : NB_NETDEV_NAPI_THREADED_DISABLED, &msg);
	if (r < 0)
		return r;
	return again_if_gone(netlink->netdev_answer
				     ? netlink->netdev_answer(nlmsg_hdr(msg), NULL, NULL,
							      netlink->netdev_userdata)
				     : nb_port_change(netlink->port, msg));
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "netlink/batch.h"
#include "netlink/error.h"
#include "netlink/family.h"
#include "netlink/filter.h"
#include "netlink/links.h"
#include "netlink/messages.h"
#include "netlink/uevent.h"

#include <errno.h>
#include <linux/ethtool_netlink.h>
#include <linux/rtnetlink.h>

/* Group 1 is the kernel's own; udev passes its events on in group 2. */
#define UEVENT_GROUP_KERNEL 1

struct nb_netlink_monitor {
	nb_netlink_notify change;
	void *userdata;
	/* Asks for the links, so that notifications are not mistaken for the answer. */
	struct nb_port *list_port;
	struct nb_errand *errand;
	bool stale; /* links are those of before something was lost */
	struct nb_port *link_port;
	struct nb_port *ethtool_port; /* NULL: the kernel has none (before 5.6) */
	struct nb_port *uevent_port;
	struct nb_family ethtool;
	struct nb_links *links;
	struct nb_batch batch; /* what dispatch has taken in so far */
};

static int take_known_link(struct nlmsghdr *hdr, void *userdata)
{
	int ifindex;

	nb_links_take(userdata, hdr, &ifindex);
	return 0;
}

/* Where links come and go without end the kernel calls each list inconsistent. What several lists
 * told together is kept: what one of them missed, or told last, follows in notifications, which are
 * joined before. */
static int load_links(struct nb_netlink_monitor *monitor)
{
	g_autoptr(nl_msg) msg = nlmsg_alloc_simple(RTM_GETLINK, NLM_F_DUMP);
	struct ifinfomsg info = {.ifi_family = AF_UNSPEC};
	struct nb_sink sink = {.message = take_known_link, .userdata = monitor->links};
	int r;

	if (!msg)
		return -ENOMEM;
	nb_links_clear(monitor->links);
	r = nb_nl_errno(nlmsg_append(msg, &info, sizeof(info), NLMSG_ALIGNTO));
	if (r < 0)
		return r;
	/* For statistics a driver may have to ask its firmware. */
	r = nb_nl_errno(nla_put_u32(msg, IFLA_EXT_MASK, RTEXT_FILTER_SKIP_STATS));
	if (r < 0)
		return r;
	r = nb_port_request(monitor->list_port, msg, &sink);
	return r == -EINTR ? 0 : r;
}

static int open_list(struct nb_netlink_monitor *monitor)
{
	int r = nb_port_open(NETLINK_ROUTE, &monitor->list_port);

	if (r < 0)
		return r;
	nb_port_use(monitor->list_port, monitor->errand);
	r = load_links(monitor);
	/* Before 6.10 it takes the RTNL lock. */
	nb_errand_set_patience(monitor->errand, NB_NETLINK_PATIENCE_USEC);
	return r;
}

static int open_links(struct nb_netlink_monitor *monitor)
{
	int r;

	r = nb_port_open(NETLINK_ROUTE, &monitor->link_port);
	if (r < 0)
		return r;
	/* Without it, virtual links are told from others only when their messages have been read.
	 */
	(void)nb_filter_links(nb_port_fd(monitor->link_port));
	r = nb_port_join(monitor->link_port, RTNLGRP_LINK);
	if (r < 0)
		return r;
	/* After joining: changes in between are reported, possibly twice. */
	return open_list(monitor);
}

static int open_ethtool(struct nb_netlink_monitor *monitor)
{
	g_autoptr(nb_port) port = NULL;
	int r;

	r = nb_port_open(NETLINK_GENERIC, &port);
	if (r < 0)
		return r;
	r = nb_family_resolve(port, ETHTOOL_GENL_NAME, ETHTOOL_MCGRP_MONITOR_NAME,
			      &monitor->ethtool);
	if (r == -ENOENT)
		return 0;
	if (r < 0)
		return r;
	r = nb_port_join(port, monitor->ethtool.group);
	if (r < 0)
		return r;
	monitor->ethtool_port = g_steal_pointer(&port);
	return 0;
}

static int open_uevents(struct nb_netlink_monitor *monitor)
{
	int r;

	r = nb_port_open(NETLINK_KOBJECT_UEVENT, &monitor->uevent_port);
	if (r < 0)
		return r;
	(void)nb_filter_uevents(nb_port_fd(monitor->uevent_port));
	return nb_port_join(monitor->uevent_port, UEVENT_GROUP_KERNEL);
}

int nb_netlink_monitor_new(nb_netlink_notify change, void *userdata,
			   struct nb_netlink_monitor **ret)
{
	g_autoptr(nb_netlink_monitor) monitor = g_new0(struct nb_netlink_monitor, 1);
	int r;

	monitor->change = change;
	monitor->userdata = userdata;
	monitor->links = nb_links_new();
	monitor->errand = nb_errand_new();

	r = open_links(monitor);
	if (r < 0)
		return r;
	r = open_ethtool(monitor);
	if (r < 0)
		return r;
	r = open_uevents(monitor);
	if (r < 0)
		return r;

	*ret = g_steal_pointer(&monitor);
	return 0;
}

void nb_netlink_monitor_free(struct nb_netlink_monitor *monitor)
{
	if (!monitor)
		return;
	if (nb_errand_free(monitor->errand))
		nb_port_free(monitor->list_port);
	nb_port_free(monitor->link_port);
	nb_port_free(monitor->ethtool_port);
	nb_port_free(monitor->uevent_port);
	nb_links_free(monitor->links);
	g_free(monitor);
}

unsigned nb_netlink_monitor_fds(const struct nb_netlink_monitor *monitor,
				int fds[NB_NETLINK_MONITOR_FDS])
{
	unsigned n = 0;

	fds[n++] = nb_port_fd(monitor->link_port);
	fds[n++] = nb_port_fd(monitor->uevent_port);
	if (monitor->ethtool_port)
		fds[n++] = nb_port_fd(monitor->ethtool_port);
	return n;
}

static void take_links(struct nb_netlink_monitor *monitor, void *data, size_t len)
{
	struct nlmsghdr *hdr = data;
	int ifindex, left = (int)len;

	for (; nlmsg_ok(hdr, left); hdr = nlmsg_next(hdr, &left))
		if (nb_links_take(monitor->links, hdr, &ifindex))
			nb_batch_add(&monitor->batch, NB_NOTICE_LINK, ifindex);
}

static void take_ethtool(struct nb_netlink_monitor *monitor, void *data, size_t len)
{
	struct nlmsghdr *hdr = data;
	int ifindex, left = (int)len;

	for (; nlmsg_ok(hdr, left); hdr = nlmsg_next(hdr, &left))
		if (hdr->nlmsg_type == monitor->ethtool.id &&
		    nb_message_is_queue_change(hdr, &ifindex) &&
		    nb_links_has(monitor->links, ifindex))
			nb_batch_add(&monitor->batch, NB_NOTICE_QUEUES, ifindex);
}

static void take_uevent(struct nb_netlink_monitor *monitor, void *data, size_t len)
{
	struct nb_uevent uevent;

	if (nb_uevent_parse(data, len, &uevent))
		nb_batch_add(&monitor->batch, uevent.change,
			     nb_links_find(monitor->links, uevent.ifname));
}

static int take_all(struct nb_netlink_monitor *monitor, struct nb_port *port,
		    void (*take)(struct nb_netlink_monitor *, void *, size_t))
{
	void *data;
	size_t len;
	int r;

	for (;;) {
		r = nb_port_receive(port, &data, &len);
		if (r == -EAGAIN)
			return 0;
		if (r == -ENOBUFS)
			nb_batch_add(&monitor->batch, NB_NOTICE_LOST, 0);
		else if (r < 0)
			return r;
		else
			take(monitor, data, len);
	}
}

/* A table that missed a change would not see the change back. While the answer takes long the
 * next notices ask again. */
static int renew_links(struct nb_netlink_monitor *monitor)
{
	int r;

	monitor->stale |= nb_batch_has(&monitor->batch, NB_NOTICE_LOST);
	if (!monitor->stale)
		return 0;
	r = load_links(monitor);
	monitor->stale = r < 0;
	return r == -ETIMEDOUT || r == -EBUSY ? 0 : r;
}

/* Links first: the table then knows the device of a queue's uevent. */
static int take_waiting(struct nb_netlink_monitor *monitor)
{
	int r;

	r = take_all(monitor, monitor->link_port, take_links);
	if (r < 0)
		return r;
	if (monitor->ethtool_port) {
		r = take_all(monitor, monitor->ethtool_port, take_ethtool);
		if (r < 0)
			return r;
	}
	r = take_all(monitor, monitor->uevent_port, take_uevent);
	if (r < 0)
		return r;
	return renew_links(monitor);
}

int nb_netlink_monitor_dispatch(struct nb_netlink_monitor *monitor)
{
	int r;

	monitor->batch = (struct nb_batch){0};
	r = take_waiting(monitor);
	nb_batch_tell(&monitor->batch, monitor->change, monitor->userdata);
	return r;
}

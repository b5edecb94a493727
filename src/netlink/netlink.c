/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "netlink/error.h"
#include "netlink/netdev_family.h"
#include "netlink/session.h"

#include <errno.h>
#include <linux/ethtool_netlink.h>
#include <sys/socket.h>
#include <unistd.h>

/* ethtool ioctls work on a socket of any family (net/socket.c sock_do_ioctl()); this one exists in
 * every sandbox. */
static int open_ioctl(struct nb_netlink *netlink)
{
	netlink->ioctl_fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	return netlink->ioctl_fd < 0 ? -errno : 0;
}

static struct nb_netlink *new_session(void)
{
	struct nb_netlink *netlink = g_new0(struct nb_netlink, 1);

	netlink->errand = nb_errand_new();
	netlink->ioctl_fd = -1;
	return netlink;
}

int nb_netlink_new_ethtool(struct nb_netlink **ret)
{
	g_autoptr(nb_netlink) netlink = new_session();
	int r;

	r = open_ioctl(netlink);
	if (r < 0)
		return r;

	*ret = g_steal_pointer(&netlink);
	return 0;
}

static int resolve(struct nb_netlink *netlink, const char *name, struct nb_family *ret)
{
	int r = nb_family_resolve(netlink->port, name, NULL, ret);

	return r == -ENOENT ? 0 : r;
}

int nb_netlink_new(struct nb_netlink **ret)
{
	g_autoptr(nb_netlink) netlink = new_session();
	int r;

	r = open_ioctl(netlink);
	if (r < 0)
		return r;

	r = nb_port_open(NETLINK_GENERIC, &netlink->port);
	if (r < 0)
		return r;

	nb_port_use(netlink->port, netlink->errand);
	r = resolve(netlink, NB_NETDEV_FAMILY, &netlink->netdev);
	if (r == 0)
		r = resolve(netlink, ETHTOOL_GENL_NAME, &netlink->ethtool_family);
	if (r < 0)
		return r;

	*ret = g_steal_pointer(&netlink);
	return 0;
}

void nb_netlink_free(struct nb_netlink *netlink)
{
	/* A thread that waits in the kernel still uses all of it. */
	if (!netlink || !nb_errand_free(netlink->errand))
		return;
	nb_port_free(netlink->port);
	if (netlink->ioctl_fd >= 0)
		close(netlink->ioctl_fd);
	nb_region_release(&netlink->ethtool);
	g_free(netlink);
}

void nb_netlink_set_patience(struct nb_netlink *netlink, uint64_t patience_usec)
{
	nb_errand_set_patience(netlink->errand, patience_usec);
}

unsigned nb_netlink_given_up(const struct nb_netlink *netlink)
{
	return nb_errand_given_up(netlink->errand);
}

int nb_netlink_dump_message(const struct nb_netlink *netlink, unsigned command,
			    int ifindex_attribute, int ifindex, struct nl_msg **ret)
{
	g_autoptr(nl_msg) msg = NULL;
	int r;

	if (!nb_family_has(&netlink->netdev, command))
		return -EOPNOTSUPP;

	msg = nb_family_message(netlink->netdev.id, command, NLM_F_DUMP);
	r = nb_nl_errno(nla_put_u32(msg, ifindex_attribute, (uint32_t)ifindex));
	if (r < 0)
		return r;

	*ret = g_steal_pointer(&msg);
	return 0;
}

static void forget_rows(void *userdata)
{
	struct nb_dump_rows *dump = userdata;

	g_array_set_size(dump->rows, dump->n_before);
}

int nb_netlink_ask(struct nb_netlink *netlink, struct nl_msg *msg, const struct nb_sink *sink)
{
	return netlink->netdev_answer
		       ? netlink->netdev_answer(nlmsg_hdr(msg), sink->message, sink->userdata,
						netlink->netdev_userdata)
		       : nb_port_request(netlink->port, msg, sink);
}

void nb_netlink_set_netdev(struct nb_netlink *netlink, nb_netdev_answer answer, void *userdata)
{
	netlink->netdev.ops = UINT64_C(1) << NB_NETDEV_QUEUE_GET |
			      UINT64_C(1) << NB_NETDEV_NAPI_GET | UINT64_C(1) << NB_NETDEV_NAPI_SET;
	netlink->netdev_answer = answer;
	netlink->netdev_userdata = userdata;
}

int nb_netlink_dump_rows(struct nb_netlink *netlink, struct nl_msg *msg, nb_answer_message message,
			 GArray *rows)
{
	struct nb_dump_rows dump = {.rows = rows, .n_before = rows->len};
	struct nb_sink sink = {message, forget_rows, &dump};
	int r;

	r = nb_netlink_ask(netlink, msg, &sink);
	if (r < 0)
		forget_rows(&dump);
	return r;
}

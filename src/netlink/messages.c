/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "netlink/messages.h"
#include "netlink/error.h"
#include "netlink/ethtool_family.h"
#include "netlink/family.h"
#include "netlink/netdev_family.h"

#include <errno.h>
#include <linux/ethtool_netlink.h>

static int parse_direction(struct nlattr *attr, enum nb_queue_direction *ret)
{
	switch (nla_get_u32(attr)) {
	case NB_NETDEV_QUEUE_TYPE_RX:
		*ret = NB_QUEUE_RX;
		return 0;
	case NB_NETDEV_QUEUE_TYPE_TX:
		*ret = NB_QUEUE_TX;
		return 0;
	default:
		return -EBADMSG;
	}
}

int nb_message_parse_queue(struct nlmsghdr *hdr, struct nb_netlink_queue *ret)
{
	struct nla_policy policy[NB_NETDEV_QUEUE_ATTRIBUTES + 1] = {
		[NB_NETDEV_QUEUE_ID] = {.type = NLA_U32},
		[NB_NETDEV_QUEUE_TYPE] = {.type = NLA_U32},
		[NB_NETDEV_QUEUE_NAPI_ID] = {.type = NLA_U32},
	};
	struct nlattr *tb[NB_NETDEV_QUEUE_ATTRIBUTES + 1];
	struct nb_netlink_queue queue = {0};
	int r;

	if (genlmsg_parse(hdr, 0, tb, NB_NETDEV_QUEUE_ATTRIBUTES, policy) < 0 ||
	    !tb[NB_NETDEV_QUEUE_ID] || !tb[NB_NETDEV_QUEUE_TYPE])
		return -EBADMSG;

	r = parse_direction(tb[NB_NETDEV_QUEUE_TYPE], &queue.direction);
	if (r < 0)
		return r;
	queue.index = nla_get_u32(tb[NB_NETDEV_QUEUE_ID]);
	if (tb[NB_NETDEV_QUEUE_NAPI_ID])
		queue.napi_id = nla_get_u32(tb[NB_NETDEV_QUEUE_NAPI_ID]);
	*ret = queue;
	return 0;
}

/* The kernel writes a uint of netlink in 4 bytes when its value fits, else in 8
 * (include/net/netlink.h nla_put_uint()). The policy asks for 4 at least. */
static uint64_t get_uint(struct nlattr *attr)
{
	if (!attr)
		return 0;
	return nla_len(attr) < (int)sizeof(uint64_t) ? nla_get_u32(attr) : nla_get_u64(attr);
}

/* The deferral acts if both of its values are set (net/core/dev.c napi_complete_done()). */
static enum nb_deferral deferral_of(struct nlattr **tb)
{
	if (!tb[NB_NETDEV_NAPI_DEFER_HARD_IRQS])
		return NB_DEFERRAL_UNKNOWN;
	if (get_uint(tb[NB_NETDEV_NAPI_IRQ_SUSPEND_TIMEOUT]) > 0 ||
	    (nla_get_u32(tb[NB_NETDEV_NAPI_DEFER_HARD_IRQS]) > 0 &&
	     get_uint(tb[NB_NETDEV_NAPI_GRO_FLUSH_TIMEOUT]) > 0))
		return NB_DEFERRAL_ON;
	return NB_DEFERRAL_OFF;
}

static enum nb_threading threading_of(struct nlattr *attr)
{
	if (!attr)
		return NB_THREADING_UNKNOWN;
	switch (get_uint(attr)) {
	case NB_NETDEV_NAPI_THREADED_DISABLED:
		return NB_THREADING_OFF;
	case NB_NETDEV_NAPI_THREADED_ENABLED:
		return NB_THREADING_ON;
	default:
		return NB_THREADING_BUSY;
	}
}

int nb_message_parse_napi(struct nlmsghdr *hdr, struct nb_napi *ret)
{
	struct nla_policy policy[NB_NETDEV_NAPI_ATTRIBUTES + 1] = {
		[NB_NETDEV_NAPI_ID] = {.type = NLA_U32},
		[NB_NETDEV_NAPI_IRQ] = {.type = NLA_U32},
		[NB_NETDEV_NAPI_PID] = {.type = NLA_U32},
		[NB_NETDEV_NAPI_DEFER_HARD_IRQS] = {.type = NLA_U32},
		[NB_NETDEV_NAPI_GRO_FLUSH_TIMEOUT] = {.minlen = sizeof(uint32_t)},
		[NB_NETDEV_NAPI_IRQ_SUSPEND_TIMEOUT] = {.minlen = sizeof(uint32_t)},
		[NB_NETDEV_NAPI_THREADED] = {.minlen = sizeof(uint32_t)},
	};
	struct nlattr *tb[NB_NETDEV_NAPI_ATTRIBUTES + 1];

	if (genlmsg_parse(hdr, 0, tb, NB_NETDEV_NAPI_ATTRIBUTES, policy) < 0 ||
	    !tb[NB_NETDEV_NAPI_ID])
		return -EBADMSG;

	*ret = (struct nb_napi){
		.id = nla_get_u32(tb[NB_NETDEV_NAPI_ID]),
		.irq = tb[NB_NETDEV_NAPI_IRQ] ? nla_get_u32(tb[NB_NETDEV_NAPI_IRQ]) : 0,
		.thread = tb[NB_NETDEV_NAPI_PID] ? nla_get_u32(tb[NB_NETDEV_NAPI_PID]) : 0,
		.deferral = deferral_of(tb),
		.threading = threading_of(tb[NB_NETDEV_NAPI_THREADED]),
	};
	return 0;
}

/* All that it drops includes what it filters and what is malformed. */
static void take_drops(struct nlattr *const *tb, struct nb_netlink_queue_stats *stats)
{
	struct nlattr *drops = tb[NB_NETDEV_QSTATS_RX_HW_DROP_OVERRUNS];

	if (!drops)
		drops = tb[NB_NETDEV_QSTATS_RX_HW_DROPS];
	stats->counts_drops = drops;
	stats->drops = get_uint(drops);
}

int nb_message_parse_queue_stats(struct nlmsghdr *hdr, struct nb_netlink_queue_stats *ret)
{
	struct nla_policy policy[NB_NETDEV_QSTATS_ATTRIBUTES + 1] = {
		[NB_NETDEV_QSTATS_QUEUE_TYPE] = {.type = NLA_U32},
		[NB_NETDEV_QSTATS_QUEUE_ID] = {.type = NLA_U32},
		[NB_NETDEV_QSTATS_RX_PACKETS] = {.minlen = sizeof(uint32_t)},
		[NB_NETDEV_QSTATS_RX_BYTES] = {.minlen = sizeof(uint32_t)},
		[NB_NETDEV_QSTATS_TX_PACKETS] = {.minlen = sizeof(uint32_t)},
		[NB_NETDEV_QSTATS_TX_BYTES] = {.minlen = sizeof(uint32_t)},
		[NB_NETDEV_QSTATS_RX_HW_DROPS] = {.minlen = sizeof(uint32_t)},
		[NB_NETDEV_QSTATS_RX_HW_DROP_OVERRUNS] = {.minlen = sizeof(uint32_t)},
	};
	struct nlattr *tb[NB_NETDEV_QSTATS_ATTRIBUTES + 1], *packets, *bytes;
	struct nb_netlink_queue_stats stats = {0};
	int r;

	if (genlmsg_parse(hdr, 0, tb, NB_NETDEV_QSTATS_ATTRIBUTES, policy) < 0 ||
	    !tb[NB_NETDEV_QSTATS_QUEUE_ID] || !tb[NB_NETDEV_QSTATS_QUEUE_TYPE])
		return -EBADMSG;

	r = parse_direction(tb[NB_NETDEV_QSTATS_QUEUE_TYPE], &stats.direction);
	if (r < 0)
		return r;
	packets = tb[stats.direction == NB_QUEUE_RX ? NB_NETDEV_QSTATS_RX_PACKETS
						    : NB_NETDEV_QSTATS_TX_PACKETS];
	bytes = tb[stats.direction == NB_QUEUE_RX ? NB_NETDEV_QSTATS_RX_BYTES
						  : NB_NETDEV_QSTATS_TX_BYTES];
	if (!packets)
		return -ENODATA;

	stats.index = nla_get_u32(tb[NB_NETDEV_QSTATS_QUEUE_ID]);
	stats.packets = get_uint(packets);
	stats.bytes = get_uint(bytes);
	if (stats.direction == NB_QUEUE_RX)
		take_drops(tb, &stats);
	*ret = stats;
	return 0;
}

/* One after the other: pairs of an attribute and its value. */
static int put_numbers(struct nl_msg *msg, const uint32_t (*pairs)[2], unsigned n)
{
	int r = 0;

	for (unsigned i = 0; i < n && r == 0; i++)
		r = nb_nl_errno(nla_put_u32(msg, (int)pairs[i][0], pairs[i][1]));
	return r;
}

static int make_message(uint16_t family, unsigned command, const uint32_t (*pairs)[2], unsigned n,
			struct nl_msg **ret)
{
	g_autoptr(nl_msg) msg = nb_family_message(family, command, 0);
	int r;

	r = put_numbers(msg, pairs, n);
	if (r < 0)
		return r;

	*ret = g_steal_pointer(&msg);
	return 0;
}

int nb_message_get_queue(uint16_t family, int ifindex, unsigned queue, struct nl_msg **ret)
{
	const uint32_t pairs[][2] = {
		{NB_NETDEV_QUEUE_ID, queue},
		{NB_NETDEV_QUEUE_TYPE, NB_NETDEV_QUEUE_TYPE_RX},
		{NB_NETDEV_QUEUE_IFINDEX, (uint32_t)ifindex},
	};

	return make_message(family, NB_NETDEV_QUEUE_GET, pairs, G_N_ELEMENTS(pairs), ret);
}

int nb_message_get_napi(uint16_t family, uint32_t id, struct nl_msg **ret)
{
	const uint32_t pairs[][2] = {{NB_NETDEV_NAPI_ID, id}};

	return make_message(family, NB_NETDEV_NAPI_GET, pairs, G_N_ELEMENTS(pairs), ret);
}

int nb_message_set_threading(uint16_t family, uint32_t id, uint32_t threaded, struct nl_msg **ret)
{
	const uint32_t pairs[][2] = {{NB_NETDEV_NAPI_ID, id}, {NB_NETDEV_NAPI_THREADED, threaded}};

	return make_message(family, NB_NETDEV_NAPI_SET, pairs, G_N_ELEMENTS(pairs), ret);
}

static int put_device(struct nl_msg *msg, const char *ifname)
{
	struct nlattr *header = nla_nest_start(msg, NB_ETHTOOL_RSS_HEADER | NLA_F_NESTED);
	int r;

	if (!header)
		return -EMSGSIZE;
	r = nb_nl_errno(nla_put_string(msg, ETHTOOL_A_HEADER_DEV_NAME, ifname));
	if (r == 0)
		nla_nest_end(msg, header);
	return r;
}

int nb_message_set_rss(uint16_t family, const char *ifname, const uint32_t *entries, unsigned n,
		       struct nl_msg **ret)
{
	size_t size = (size_t)n * sizeof(*entries);
	g_autoptr(nl_msg) msg = NULL;
	int r;

	if (NLA_HDRLEN + size > UINT16_MAX)
		return -EMSGSIZE;
	msg = nb_family_message_with(family, NB_ETHTOOL_RSS_SET, 0, size);
	r = put_device(msg, ifname);
	if (r == 0)
		r = nb_nl_errno(nla_put(msg, NB_ETHTOOL_RSS_INDIR, (int)size, entries));
	if (r < 0)
		return r;

	*ret = g_steal_pointer(&msg);
	return 0;
}

/* The header is attribute 1 of both notifications. */
G_STATIC_ASSERT((int)ETHTOOL_A_CHANNELS_HEADER == (int)ETHTOOL_A_RINGS_HEADER);

bool nb_message_is_queue_change(struct nlmsghdr *hdr, int *ret_ifindex)
{
	struct nla_policy policy[ETHTOOL_A_CHANNELS_HEADER + 1] = {
		[ETHTOOL_A_CHANNELS_HEADER] = {.type = NLA_NESTED},
	};
	struct nla_policy header_policy[ETHTOOL_A_HEADER_DEV_INDEX + 1] = {
		[ETHTOOL_A_HEADER_DEV_INDEX] = {.type = NLA_U32},
	};
	struct nlattr *tb[ETHTOOL_A_CHANNELS_HEADER + 1];
	struct nlattr *header[ETHTOOL_A_HEADER_DEV_INDEX + 1] = {0};
	uint8_t command;

	if (genlmsg_parse(hdr, 0, tb, ETHTOOL_A_CHANNELS_HEADER, policy) < 0)
		return false;
	command = genlmsg_hdr(hdr)->cmd;
	if (command != ETHTOOL_MSG_CHANNELS_NTF && command != ETHTOOL_MSG_RINGS_NTF)
		return false;

	*ret_ifindex = 0;
	if (tb[ETHTOOL_A_CHANNELS_HEADER] &&
	    nla_parse_nested(header, ETHTOOL_A_HEADER_DEV_INDEX, tb[ETHTOOL_A_CHANNELS_HEADER],
			     header_policy) >= 0 &&
	    header[ETHTOOL_A_HEADER_DEV_INDEX])
		*ret_ifindex = (int)nla_get_u32(header[ETHTOOL_A_HEADER_DEV_INDEX]);
	return true;
}

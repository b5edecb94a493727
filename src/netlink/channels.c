/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "netlink/session.h"

#include <linux/ethtool.h>

/* RXH_DISCARD, which linux/ethtool.h has as a shift of a signed number. */
#define HASH_DISCARD (UINT64_C(1) << 31)

/* Has the kernel fill in a command of this size. */
static int ask(struct nb_netlink *netlink, const char *ifname, uint32_t cmd, size_t size)
{
	int r = nb_ethtool_begin(netlink, cmd, size, 0);

	return r < 0 ? r : nb_ethtool_call(netlink, ifname);
}

int nb_netlink_get_channels(struct nb_netlink *netlink, const char *ifname, struct nb_channels *ret)
{
	const struct ethtool_channels *got;
	int r;

	r = ask(netlink, ifname, ETHTOOL_GCHANNELS, sizeof(*got));
	if (r < 0)
		return r;

	got = netlink->ethtool.memory;
	*ret = (struct nb_channels){
		.rx = got->rx_count,
		.tx = got->tx_count,
		.other = got->other_count,
		.combined = got->combined_count,
		.most_rx = got->max_rx,
		.most_tx = got->max_tx,
		.most_other = got->max_other,
		.most_combined = got->max_combined,
	};
	return 0;
}

bool nb_channels_combine(const struct nb_channels *channels)
{
	/* Some drivers have either kind, and then one of them in use. */
	return channels->combined > 0 || channels->most_rx == 0;
}

unsigned nb_channels_in_use(const struct nb_channels *channels)
{
	return nb_channels_combine(channels) ? channels->combined : channels->rx;
}

int nb_netlink_set_channels(struct nb_netlink *netlink, const char *ifname, unsigned n)
{
	struct ethtool_channels *set;
	struct nb_channels now;
	int r;

	r = nb_netlink_get_channels(netlink, ifname, &now);
	if (r < 0)
		return r;
	r = nb_ethtool_begin(netlink, ETHTOOL_SCHANNELS, sizeof(*set), 0);
	if (r < 0)
		return r;

	set = netlink->ethtool.memory;
	set->rx_count = now.rx;
	set->tx_count = now.tx;
	set->other_count = now.other;
	set->combined_count = now.combined;
	if (nb_channels_combine(&now))
		set->combined_count = n;
	else
		set->rx_count = n;
	return nb_ethtool_change(netlink, ifname);
}

const uint64_t nb_port_fields = RXH_L4_B_0_1 | RXH_L4_B_2_3;

static int begin_fields(struct nb_netlink *netlink, uint32_t cmd, uint32_t flow_type,
			struct ethtool_rxnfc **ret)
{
	int r = nb_ethtool_begin(netlink, cmd, sizeof(**ret), 0);

	if (r < 0)
		return r;
	*ret = netlink->ethtool.memory;
	(*ret)->flow_type = flow_type;
	return 0;
}

int nb_ethtool_get_fields(struct nb_netlink *netlink, const char *ifname, uint32_t flow_type,
			  uint64_t *ret)
{
	struct ethtool_rxnfc *rxnfc;
	int r;

	r = begin_fields(netlink, ETHTOOL_GRXFH, flow_type, &rxnfc);
	if (r < 0)
		return r;
	r = nb_ethtool_call(netlink, ifname);
	if (r < 0)
		return r;
	/* Of a driver that does not hash them. */
	if (rxnfc->data == 0 || rxnfc->data & HASH_DISCARD)
		return -EOPNOTSUPP;

	*ret = rxnfc->data;
	return 0;
}

static uint32_t udp_flow(unsigned ip_version)
{
	return ip_version == 4 ? UDP_V4_FLOW : UDP_V6_FLOW;
}

int nb_netlink_get_udp_fields(struct nb_netlink *netlink, const char *ifname, unsigned ip_version,
			      uint64_t *ret)
{
	return nb_ethtool_get_fields(netlink, ifname, udp_flow(ip_version), ret);
}

int nb_netlink_set_udp_fields(struct nb_netlink *netlink, const char *ifname, unsigned ip_version,
			      uint64_t fields)
{
	struct ethtool_rxnfc *rxnfc;
	int r;

	r = begin_fields(netlink, ETHTOOL_SRXFH, udp_flow(ip_version), &rxnfc);
	if (r < 0)
		return r;
	rxnfc->data = fields;
	return nb_ethtool_change(netlink, ifname);
}

int nb_netlink_get_udp_hash(struct nb_netlink *netlink, const char *ifname, bool *ret_ports)
{
	uint64_t fields;
	int r;

	r = nb_netlink_get_udp_fields(netlink, ifname, 4, &fields);
	if (r < 0)
		return r;
	*ret_ports = (fields & nb_port_fields) != 0;
	return 0;
}

int nb_netlink_get_coalescing(struct nb_netlink *netlink, const char *ifname,
			      struct nb_coalescing *ret)
{
	const struct ethtool_coalesce *got;
	int r;

	r = ask(netlink, ifname, ETHTOOL_GCOALESCE, sizeof(*got));
	if (r < 0)
		return r;

	got = netlink->ethtool.memory;
	*ret = (struct nb_coalescing){
		.adaptive_rx = got->use_adaptive_rx_coalesce,
		.adaptive_tx = got->use_adaptive_tx_coalesce,
		.rx_usec = got->rx_coalesce_usecs,
		.rx_frames = got->rx_max_coalesced_frames,
		.tx_usec = got->tx_coalesce_usecs,
		.tx_frames = got->tx_max_coalesced_frames,
	};
	return 0;
}

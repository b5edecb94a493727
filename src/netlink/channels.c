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

int nb_netlink_get_udp_hash(struct nb_netlink *netlink, const char *ifname, bool *ret_ports)
{
	struct ethtool_rxnfc *rxnfc;
	int r = nb_ethtool_begin(netlink, ETHTOOL_GRXFH, sizeof(*rxnfc), 0);

	if (r < 0)
		return r;
	rxnfc = netlink->ethtool.memory;
	rxnfc->flow_type = UDP_V4_FLOW;
	r = nb_ethtool_call(netlink, ifname);
	if (r < 0)
		return r;
	/* Of a driver that hashes no UDP. */
	if (rxnfc->data == 0 || rxnfc->data & HASH_DISCARD)
		return -EOPNOTSUPP;

	*ret_ports = (rxnfc->data & (RXH_L4_B_0_1 | RXH_L4_B_2_3)) != 0;
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

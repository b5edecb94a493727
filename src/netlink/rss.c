/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "netlink/ethtool_family.h"
#include "netlink/messages.h"
#include "netlink/session.h"

#include <errno.h>
#include <linux/ethtool.h>
#include <string.h>

/* Since 6.8 the byte behind hfunc is input_xfrm, how the hash's input is transformed, and 0 turns
 * that off; before it was reserved, and had to be 0. What was read is written again, which is right
 * for both (net/ethtool/ioctl.c ethtool_set_rxfh()). */
#define INPUT_XFRM (offsetof(struct ethtool_rxfh, hfunc) + 1)

/* An empty command with room for n entries. No key and hfunc 0, ETH_RSS_HASH_NO_CHANGE: of the one
 * nothing is asked, and what is set leaves both as they are. */
static int begin_command(struct nb_netlink *netlink, uint32_t cmd, uint32_t n,
			 struct ethtool_rxfh **ret)
{
	struct ethtool_rxfh *rxfh;
	int r;

	r = nb_ethtool_begin(netlink, cmd, sizeof(*rxfh), (size_t)n * sizeof(rxfh->rss_config[0]));
	if (r < 0)
		return r;

	rxfh = netlink->ethtool.memory;
	rxfh->indir_size = n;
	*ret = rxfh;
	return 0;
}

static uint8_t input_xfrm_of(const struct ethtool_rxfh *rxfh)
{
	return ((const uint8_t *)rxfh)[INPUT_XFRM];
}

/* Asks for the head, and for as many entries as n says. */
static int read_table(struct nb_netlink *netlink, const char *ifname, uint32_t n,
		      struct ethtool_rxfh **ret)
{
	int r;

	r = begin_command(netlink, ETHTOOL_GRSSH, n, ret);
	return r < 0 ? r : nb_ethtool_call(netlink, ifname);
}

static int count_rings(struct nb_netlink *netlink, const char *ifname, unsigned *ret)
{
	struct ethtool_rxnfc *rxnfc;
	int r;

	r = nb_ethtool_begin(netlink, ETHTOOL_GRXRINGS, sizeof(*rxnfc), 0);
	if (r < 0)
		return r;

	rxnfc = netlink->ethtool.memory;
	r = nb_ethtool_call(netlink, ifname);
	if (r < 0)
		return r;
	if (rxnfc->data == 0 || rxnfc->data > UINT32_MAX)
		return -EOPNOTSUPP;

	*ret = (unsigned)rxnfc->data;
	return 0;
}

int nb_netlink_get_rss(struct nb_netlink *netlink, const char *ifname, GArray *entries,
		       unsigned *ret_n_rings)
{
	struct ethtool_rxfh *rxfh;
	unsigned n_rings;
	uint32_t n;
	int r;

	r = count_rings(netlink, ifname, &n_rings);
	if (r < 0)
		return r;
	r = read_table(netlink, ifname, 0, &rxfh);
	if (r < 0)
		return r;
	n = rxfh->indir_size;
	/* A driver that can hash, but has no table on this device, as virtio-net without RSS. */
	if (n == 0)
		return -EOPNOTSUPP;
	r = read_table(netlink, ifname, n, &rxfh);
	/* Another size than a moment ago. */
	if (r == -EINVAL || (r == 0 && rxfh->indir_size != n))
		return -EAGAIN;
	if (r < 0)
		return r;

	g_array_set_size(entries, 0);
	g_array_append_vals(entries, rxfh->rss_config, n);
	*ret_n_rings = n_rings;
	return 0;
}

/* ETH_RSS_HASH_TOP: linux/ethtool.h has the bits of hfunc only inside the kernel. */
#define HFUNC_TOEPLITZ 1u

/* The head as it was read, and behind it the key without entries. */
static int read_key(struct nb_netlink *netlink, const char *ifname, uint32_t size, uint8_t *ret)
{
	struct ethtool_rxfh *rxfh;
	int r;

	r = nb_ethtool_begin(netlink, ETHTOOL_GRSSH, sizeof(*rxfh), size);
	if (r < 0)
		return r;
	rxfh = netlink->ethtool.memory;
	rxfh->key_size = size;
	r = nb_ethtool_call(netlink, ifname);
	if (r < 0)
		return r;
	memcpy(ret, rxfh->rss_config, NB_RSS_KEY);
	return 0;
}

/* A driver that does not tell the fields has those that most have at first. */
static bool hashes_ports(struct nb_netlink *netlink, const char *ifname, uint32_t flow_type,
			 bool unless_told)
{
	uint64_t fields;

	if (nb_ethtool_get_fields(netlink, ifname, flow_type, &fields) < 0)
		return unless_told;
	return (fields & nb_port_fields) == nb_port_fields;
}

int nb_netlink_get_rss_hash(struct nb_netlink *netlink, const char *ifname, struct nb_rss_hash *ret)
{
	struct nb_rss_hash hash = {0};
	struct ethtool_rxfh *rxfh;
	uint32_t key_size;
	int r;

	r = read_table(netlink, ifname, 0, &rxfh);
	if (r < 0)
		return r;
	key_size = rxfh->key_size;
	if (rxfh->hfunc != HFUNC_TOEPLITZ || input_xfrm_of(rxfh) ||
	    (key_size > 0 && key_size < NB_RSS_KEY))
		return -EOPNOTSUPP;
	hash.has_key = key_size > 0;
	if (hash.has_key) {
		r = read_key(netlink, ifname, key_size, hash.key);
		if (r < 0)
			return r;
	}
	hash.tcp_ports[0] = hashes_ports(netlink, ifname, TCP_V4_FLOW, true);
	hash.tcp_ports[1] = hashes_ports(netlink, ifname, TCP_V6_FLOW, true);
	hash.udp_ports[0] = hashes_ports(netlink, ifname, UDP_V4_FLOW, false);
	hash.udp_ports[1] = hashes_ports(netlink, ifname, UDP_V6_FLOW, false);
	*ret = hash;
	return 0;
}

void nb_netlink_set_ethtool_change(struct nb_netlink *netlink, nb_ethtool_change_answer answer,
				   void *userdata)
{
	netlink->ethtool_family.ops = UINT64_C(1) << NB_ETHTOOL_RSS_SET;
	netlink->change_answer = answer;
	netlink->change_userdata = userdata;
}

static int set_by_message(struct nb_netlink *netlink, const char *ifname, const uint32_t *entries,
			  unsigned n)
{
	g_autoptr(nl_msg) msg = NULL;
	struct ethtool_rxfh *rxfh;
	int r;

	if (!nb_family_has(&netlink->ethtool_family, NB_ETHTOOL_RSS_SET))
		return -EOPNOTSUPP;
	r = read_table(netlink, ifname, 0, &rxfh);
	if (r < 0)
		return r;
	/* A part of a table would be repeated to fill it. */
	if (n > 0 && rxfh->indir_size != n)
		return -EINVAL;
	r = nb_message_set_rss(netlink->ethtool_family.id, ifname, entries, n, &msg);
	if (r < 0)
		return r;
	return netlink->change_answer
		       ? netlink->change_answer(nlmsg_hdr(msg), netlink->change_userdata)
		       : nb_port_change(netlink->port, msg);
}

/* Up to 7.1 a message that changes nothing in the first quarter of the table is answered with
 * success and not passed on to the driver: the kernel compared as many bytes as there are entries
 * (net/ethtool/rss.c rss_set_prep_indir(), "ethtool: rss: fix falsely ignoring indir table
 * updates"). */
static bool was_taken(struct nb_netlink *netlink, const char *ifname, const uint32_t *entries,
		      unsigned n)
{
	g_autoptr(GArray) table = g_array_new(FALSE, FALSE, sizeof(uint32_t));
	unsigned n_rings;

	if (nb_netlink_get_rss(netlink, ifname, table, &n_rings) < 0 || (n > 0 && table->len != n))
		return false;
	for (unsigned i = 0; i < table->len; i++) {
		/* ethtool_rxfh_indir_default() */
		uint32_t wanted = n > 0 ? entries[i] : i % n_rings;

		if (g_array_index(table, uint32_t, i) != wanted)
			return false;
	}
	return true;
}

/* Since this has to tell input_xfrm as well, that is what it was a moment ago. */
static int set_by_ioctl(struct nb_netlink *netlink, const char *ifname, const uint32_t *entries,
			unsigned n)
{
	struct ethtool_rxfh *rxfh;
	uint8_t input_xfrm;
	int r;

	r = read_table(netlink, ifname, 0, &rxfh);
	if (r < 0)
		return r;
	input_xfrm = input_xfrm_of(rxfh);
	r = begin_command(netlink, ETHTOOL_SRSSH, n, &rxfh);
	if (r < 0)
		return r;

	((uint8_t *)rxfh)[INPUT_XFRM] = input_xfrm;
	if (n > 0)
		memcpy(rxfh->rss_config, entries, (size_t)n * sizeof(rxfh->rss_config[0]));
	return nb_ethtool_change(netlink, ifname);
}

int nb_netlink_set_rss(struct nb_netlink *netlink, const char *ifname, const uint32_t *entries,
		       unsigned n)
{
	int r = set_by_message(netlink, ifname, entries, n);

	if (r == 0 && was_taken(netlink, ifname, entries, n))
		return 0;
	if (r < 0 && r != -EOPNOTSUPP && r != -EMSGSIZE)
		return r;
	return set_by_ioctl(netlink, ifname, entries, n);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "support/fake_rss.h"

#include "netlink/ethtool_family.h"
#include "netlink/libnl.h"
#include "support/support.h"

#include <errno.h>
#include <linux/ethtool.h>
#include <linux/ethtool_netlink.h>
#include <string.h>

static uint8_t *input_xfrm_of(struct ethtool_rxfh *rxfh)
{
	return &rxfh->hfunc + 1;
}

void nb_fake_rss_reset(struct nb_fake_rss *rss)
{
	for (unsigned i = 0; i < rss->n; i++)
		rss->entries[i] = i % rss->n_rings;
	rss->configured = false;
}

static int get(struct nb_fake_rss *rss, struct ethtool_rxfh *rxfh)
{
	uint32_t wanted = rxfh->indir_size, wanted_key = rxfh->key_size;

	if (rxfh->rss_context || *input_xfrm_of(rxfh) || rxfh->rsvd32)
		return -EINVAL;
	rxfh->indir_size = rss->n;
	rxfh->key_size = rss->key_size;
	rxfh->hfunc = rss->hfunc;
	*input_xfrm_of(rxfh) = rss->input_xfrm;
	if ((wanted && wanted != rss->n) || (wanted_key && wanted_key != rss->key_size))
		return -EINVAL;
	memcpy(rxfh->rss_config, rss->entries, wanted * sizeof(rss->entries[0]));
	memcpy(rxfh->rss_config + wanted, rss->key, wanted_key);
	return 0;
}

static bool are_rings(const struct nb_fake_rss *rss, const uint32_t *entries, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (entries[i] >= rss->n_rings)
			return false;
	return true;
}

static void store(struct nb_fake_rss *rss, const uint32_t *entries, unsigned n)
{
	nb_fake_rss_reset(rss);
	if (n == 0)
		return;
	for (unsigned i = 0; i < rss->n; i++)
		rss->entries[i] = entries[i % n];
	rss->configured = true;
}

static int set(struct nb_fake_rss *rss, struct ethtool_rxfh *rxfh)
{
	if (rss->lacks_net_admin)
		return -EPERM;
	if (rxfh->rsvd32 || rxfh->rss_context || rxfh->key_size ||
	    (rxfh->indir_size && rxfh->indir_size != rss->n) ||
	    !are_rings(rss, rxfh->rss_config, rxfh->indir_size))
		return -EINVAL;
	if (rss->fixed)
		return -EOPNOTSUPP;

	rss->n_sets++;
	rss->hfunc = rxfh->hfunc ? rxfh->hfunc : rss->hfunc;
	rss->input_xfrm = *input_xfrm_of(rxfh);
	store(rss, rxfh->rss_config, rxfh->indir_size);
	return 0;
}

static bool is_change(const struct nb_fake_rss *rss, const uint32_t *entries, unsigned n)
{
	struct nb_fake_rss changed = *rss;

	store(&changed, entries, n);
	return memcmp(changed.entries, rss->entries,
		      rss->compares_bytes ? rss->n : rss->n * sizeof(rss->entries[0])) != 0;
}

static int set_by_message(struct nb_fake_rss *rss, const uint32_t *entries, unsigned n)
{
	if (rss->lacks_net_admin)
		return -EPERM;
	if ((n > 0 && rss->n % n != 0) || !are_rings(rss, entries, n))
		return -EINVAL;
	if (is_change(rss, entries, n)) {
		if (rss->fixed)
			return -EOPNOTSUPP;
		store(rss, entries, n);
	}
	rss->configured = n > 0;
	return 0;
}

static void get_channels(const struct nb_fake_rss *rss, struct ethtool_channels *channels)
{
	channels->max_combined = rss->most_channels;
	channels->combined_count = rss->n_rings;
	channels->max_other = channels->other_count = 1;
}

/* A table that somebody set keeps its queues (net/ethtool/channels.c). */
static int set_channels(struct nb_fake_rss *rss, const struct ethtool_channels *channels)
{
	if (channels->combined_count == 0 || channels->combined_count > rss->most_channels ||
	    channels->rx_count || channels->tx_count || channels->other_count != 1)
		return -EINVAL;
	for (unsigned i = 0; rss->configured && i < rss->n; i++)
		if (rss->entries[i] >= channels->combined_count)
			return -EINVAL;
	rss->n_rings = channels->combined_count;
	rss->n_flaps++;
	if (!rss->configured)
		nb_fake_rss_reset(rss);
	return 0;
}

static uint64_t *fields_of(struct nb_fake_rss *rss, const struct ethtool_rxnfc *rxnfc)
{
	switch (rxnfc->flow_type) {
	case UDP_V4_FLOW:
		return &rss->udp_fields[0];
	case UDP_V6_FLOW:
		return &rss->udp_fields[1];
	case TCP_V4_FLOW:
		return &rss->tcp_fields[0];
	default:
		return &rss->tcp_fields[1];
	}
}

static bool is_to_fail(struct nb_fake_rss *rss)
{
	rss->n_requests++;
	return rss->n_requests >= rss->fail_first &&
	       rss->n_requests - rss->fail_first < rss->fail_count;
}

static int answer(const char *ifname, void *request, void *userdata)
{
	struct nb_fake_rss *rss = userdata;
	struct ethtool_rxnfc *rxnfc = request;

	if (is_to_fail(rss))
		return rss->fail_error;
	if (strcmp(ifname, rss->ifname) != 0)
		return -ENODEV;
	if (rss->unsupported)
		return -EOPNOTSUPP;
	switch (rxnfc->cmd) {
	case ETHTOOL_GRXRINGS:
		rxnfc->data = rss->n_rings;
		return 0;
	case ETHTOOL_GRSSH:
		return get(rss, request);
	case ETHTOOL_SRSSH:
		return set(rss, request);
	case ETHTOOL_GRXFH:
		if (*fields_of(rss, rxnfc) == 0)
			return -EOPNOTSUPP;
		rxnfc->data = *fields_of(rss, rxnfc);
		return 0;
	case ETHTOOL_SRXFH:
		if (rss->lacks_net_admin)
			return -EPERM;
		*fields_of(rss, rxnfc) = rxnfc->data;
		return 0;
	case ETHTOOL_GCHANNELS:
		if (rss->most_channels == 0)
			return -EOPNOTSUPP;
		get_channels(rss, request);
		return 0;
	case ETHTOOL_SCHANNELS:
		return rss->lacks_net_admin ? -EPERM : set_channels(rss, request);
	default:
		return -EOPNOTSUPP;
	}
}

void nb_fake_rss_attach(struct nb_fake_rss *rss, struct nb_netlink *netlink)
{
	nb_netlink_set_ethtool(netlink, answer, rss);
}

static int answer_message(struct nlmsghdr *request, void *userdata)
{
	struct nlattr *tb[NB_ETHTOOL_RSS_INDIR + 1], *header[ETHTOOL_A_HEADER_DEV_NAME + 1];
	struct nb_fake_rss *rss = userdata;

	rss->n_messages++;
	if (is_to_fail(rss))
		return rss->fail_error;
	assert_int_equal(genlmsg_hdr(request)->cmd, NB_ETHTOOL_RSS_SET);
	assert_int_equal(genlmsg_parse(request, 0, tb, NB_ETHTOOL_RSS_INDIR, NULL), 0);
	assert_int_equal(nla_parse_nested(header, ETHTOOL_A_HEADER_DEV_NAME,
					  tb[NB_ETHTOOL_RSS_HEADER], NULL),
			 0);
	if (strcmp(nla_get_string(header[ETHTOOL_A_HEADER_DEV_NAME]), rss->ifname) != 0)
		return -ENODEV;
	return set_by_message(rss, nla_data(tb[NB_ETHTOOL_RSS_INDIR]),
			      (unsigned)nla_len(tb[NB_ETHTOOL_RSS_INDIR]) / 4);
}

void nb_fake_rss_attach_messages(struct nb_fake_rss *rss, struct nb_netlink *netlink)
{
	nb_fake_rss_attach(rss, netlink);
	nb_netlink_set_ethtool_change(netlink, answer_message, rss);
}

char *nb_fake_rss_text(const struct nb_fake_rss *rss)
{
	GString *text = g_string_new(NULL);

	for (unsigned i = 0; i < rss->n; i++)
		g_string_append_printf(text, i ? ",%u" : "%u", rss->entries[i]);
	return g_string_free(text, FALSE);
}

void nb_fake_rss_set(struct nb_fake_rss *rss, const char *text)
{
	g_auto(GStrv) words = g_strsplit(text, ",", -1);

	assert_int_equal(g_strv_length(words), rss->n);
	for (unsigned i = 0; i < rss->n; i++)
		rss->entries[i] = (uint32_t)g_ascii_strtoull(words[i], NULL, 10);
	rss->configured = true;
}

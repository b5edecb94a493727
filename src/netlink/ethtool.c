/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "netlink/session.h"

#include <errno.h>
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <string.h>
#include <sys/ioctl.h>

/* Kernels before 6.19 copy as many entries as the driver has now, not as many as were asked for
 * (net/ethtool/ioctl.c ethtool_get_stats(), ethtool_get_strings()); the number may have changed
 * since it was asked. Later ones copy none when the numbers differ. Hence the guarded region, and
 * -ESTALE for both. */
static int call_kernel(struct nb_netlink *netlink)
{
	struct ifreq request = {.ifr_data = netlink->ethtool.memory};

	memcpy(request.ifr_name, netlink->ifname, sizeof(request.ifr_name));
	if (ioctl(netlink->ioctl_fd, SIOCETHTOOL, &request) < 0)
		return errno == EFAULT ? -ESTALE : -errno;
	return 0;
}

static int call(void *userdata)
{
	struct nb_netlink *netlink = userdata;

	return netlink->answer ? netlink->answer(netlink->ifname, netlink->ethtool.memory,
						 netlink->answer_userdata)
			       : call_kernel(netlink);
}

int nb_ethtool_begin(struct nb_netlink *netlink, uint32_t cmd, size_t head, size_t room)
{
	int r = nb_errand_reserve(netlink->errand);

	if (r == 0)
		r = nb_region_reserve(&netlink->ethtool, head + room);
	if (r < 0)
		return r;
	memset(netlink->ethtool.memory, 0, head);
	/* All commands begin with it. */
	*(uint32_t *)netlink->ethtool.memory = cmd;
	return 0;
}

int nb_ethtool_call(struct nb_netlink *netlink, const char *ifname)
{
	g_strlcpy(netlink->ifname, ifname, sizeof(netlink->ifname));
	return nb_errand_run(netlink->errand, call, netlink);
}

int nb_ethtool_change(struct nb_netlink *netlink, const char *ifname)
{
	g_strlcpy(netlink->ifname, ifname, sizeof(netlink->ifname));
	return nb_errand_see_through(netlink->errand, call, netlink);
}

void nb_netlink_set_ethtool(struct nb_netlink *netlink, nb_ethtool_answer answer, void *userdata)
{
	netlink->answer = answer;
	netlink->answer_userdata = userdata;
}

static int count_stats(struct nb_netlink *netlink, const char *ifname, uint32_t *ret)
{
	struct ethtool_sset_info *info;
	int r;

	r = nb_ethtool_begin(netlink, ETHTOOL_GSSET_INFO, sizeof(*info) + sizeof(info->data[0]), 0);
	if (r < 0)
		return r;

	info = netlink->ethtool.memory;
	info->sset_mask = UINT64_C(1) << ETH_SS_STATS;
	r = nb_ethtool_call(netlink, ifname);
	if (r < 0)
		return r;
	/* The kernel clears the bit of a set that the driver does not have. */
	if (info->sset_mask == 0 || info->data[0] == 0)
		return -EOPNOTSUPP;

	*ret = info->data[0];
	return 0;
}

static char **copy_names(const struct ethtool_gstrings *strings)
{
	char **names = g_new0(char *, (size_t)strings->len + 1);

	/* A name that fills its room has no NUL. */
	for (uint32_t i = 0; i < strings->len; i++)
		names[i] = g_strndup((const char *)strings->data + (size_t)i * ETH_GSTRING_LEN,
				     ETH_GSTRING_LEN);
	return names;
}

int nb_netlink_get_stat_names(struct nb_netlink *netlink, const char *ifname, char ***ret_names)
{
	struct ethtool_gstrings *strings;
	uint32_t n;
	int r;

	r = count_stats(netlink, ifname, &n);
	if (r < 0)
		return r;
	r = nb_ethtool_begin(netlink, ETHTOOL_GSTRINGS, sizeof(*strings),
			     (size_t)n * ETH_GSTRING_LEN);
	if (r < 0)
		return r;

	strings = netlink->ethtool.memory;
	strings->string_set = ETH_SS_STATS;
	strings->len = n;
	r = nb_ethtool_call(netlink, ifname);
	if (r < 0)
		return r;
	if (strings->len != n)
		return -ESTALE;

	*ret_names = copy_names(strings);
	return 0;
}

int nb_netlink_get_stat_values(struct nb_netlink *netlink, const char *ifname, unsigned n_names,
			       GArray *values)
{
	struct ethtool_stats *stats;
	int r;

	r = nb_ethtool_begin(netlink, ETHTOOL_GSTATS, sizeof(*stats),
			     (size_t)n_names * sizeof(stats->data[0]));
	if (r < 0)
		return r;

	stats = netlink->ethtool.memory;
	stats->n_stats = n_names;
	r = nb_ethtool_call(netlink, ifname);
	if (r < 0)
		return r;
	if (stats->n_stats != n_names)
		return -ESTALE;

	g_array_set_size(values, 0);
	g_array_append_vals(values, stats->data, n_names);
	return 0;
}

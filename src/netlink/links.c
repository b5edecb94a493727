/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "netlink/links.h"

#include <linux/if.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <string.h>

/* The only flags that decide whether a link's queues raise interrupts. IFF_RUNNING follows
 * IFF_LOWER_UP a moment later (net/core/link_watch.c) and would report each change twice. */
#define FLAGS (IFF_UP | IFF_LOWER_UP)

struct link {
	int ifindex;
	unsigned flags;
	uint32_t master;
	char name[IFNAMSIZ];
};

struct nb_links {
	GHashTable *table; /* of struct link, by ifindex */
};

struct nb_links *nb_links_new(void)
{
	struct nb_links *links = g_new(struct nb_links, 1);

	/* The key is the first field of the value, which owns it. */
	links->table = g_hash_table_new_full(g_int_hash, g_int_equal, NULL, g_free);
	return links;
}

void nb_links_free(struct nb_links *links)
{
	if (!links)
		return;
	g_hash_table_unref(links->table);
	g_free(links);
}

void nb_links_clear(struct nb_links *links)
{
	g_hash_table_remove_all(links->table);
}

/* What rtnl_link_ops make (veth, bridge, VLAN) has a kind (net/core/rtnetlink.c rtnl_link_fill());
 * with a device behind it (IPoIB) it has a parent, too, which the kernel names since 5.14. */
static bool is_virtual(struct nlattr *const *tb)
{
	return tb[IFLA_LINKINFO] && !tb[IFLA_PARENT_DEV_NAME] &&
	       nla_find(nla_data(tb[IFLA_LINKINFO]), nla_len(tb[IFLA_LINKINFO]), IFLA_INFO_KIND);
}

static bool parse(struct nlmsghdr *hdr, struct link *ret)
{
	struct nla_policy policy[IFLA_PARENT_DEV_NAME + 1] = {
		[IFLA_IFNAME] = {.type = NLA_STRING, .maxlen = IFNAMSIZ},
		[IFLA_MASTER] = {.type = NLA_U32},
	};
	struct nlattr *tb[IFLA_PARENT_DEV_NAME + 1];
	struct ifinfomsg *info;

	if (nlmsg_parse(hdr, sizeof(*info), tb, IFLA_PARENT_DEV_NAME, policy) < 0 ||
	    !tb[IFLA_IFNAME] || is_virtual(tb))
		return false;
	info = nlmsg_data(hdr);
	/* A bridge reports its ports in the same group: RTM_DELLINK of AF_BRIDGE is a port that
	 * left, not a link that went (net/bridge/br_netlink.c). */
	if (info->ifi_family != AF_UNSPEC)
		return false;

	*ret = (struct link){.ifindex = info->ifi_index, .flags = info->ifi_flags & FLAGS};
	if (tb[IFLA_MASTER])
		ret->master = nla_get_u32(tb[IFLA_MASTER]);
	g_strlcpy(ret->name, nla_get_string(tb[IFLA_IFNAME]), sizeof(ret->name));
	return true;
}

static bool same(const struct link *a, const struct link *b)
{
	return a->flags == b->flags && a->master == b->master && strcmp(a->name, b->name) == 0;
}

static bool put(struct nb_links *links, const struct link *link)
{
	struct link *known = g_hash_table_lookup(links->table, &link->ifindex);

	if (!known) {
		known = g_new(struct link, 1);
		*known = *link;
		g_hash_table_insert(links->table, &known->ifindex, known);
		return true;
	}
	if (same(known, link))
		return false;
	*known = *link;
	return true;
}

bool nb_links_take(struct nb_links *links, struct nlmsghdr *hdr, int *ret_ifindex)
{
	struct link link;
	bool changed;

	if ((hdr->nlmsg_type != RTM_NEWLINK && hdr->nlmsg_type != RTM_DELLINK) ||
	    !parse(hdr, &link))
		return false;

	if (hdr->nlmsg_type == RTM_DELLINK)
		changed = g_hash_table_remove(links->table, &link.ifindex);
	else
		changed = put(links, &link);
	if (changed)
		*ret_ifindex = link.ifindex;
	return changed;
}

bool nb_links_has(const struct nb_links *links, int ifindex)
{
	return g_hash_table_contains(links->table, &ifindex);
}

int nb_links_find(const struct nb_links *links, const char *name)
{
	GHashTableIter iter;
	void *value;

	g_hash_table_iter_init(&iter, links->table);
	while (g_hash_table_iter_next(&iter, NULL, &value)) {
		const struct link *link = value;

		if (strcmp(link->name, name) == 0)
			return link->ifindex;
	}
	return 0;
}

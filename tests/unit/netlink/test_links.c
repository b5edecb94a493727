/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "netlink/links.h"
#include "support/support.h"

#include <linux/if.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <string.h>

struct look {
	int type;
	int family;
	int ifindex;
	unsigned flags;
	uint32_t master;
	const char *name;
	bool endless; /* the name lacks its NUL */
	const char *kind, *parent;
	uint64_t packets;
};

static struct nl_msg *build(const struct look *look)
{
	struct nl_msg *msg = nlmsg_alloc_simple(look->type, 0);
	struct rtnl_link_stats64 stats = {.rx_packets = look->packets};
	struct ifinfomsg info = {
		.ifi_family = (unsigned char)look->family,
		.ifi_index = look->ifindex,
		.ifi_flags = look->flags,
	};

	assert_int_equal(nlmsg_append(msg, &info, sizeof(info), NLMSG_ALIGNTO), 0);
	if (look->name)
		assert_int_equal(nla_put(msg, IFLA_IFNAME,
					 (int)strlen(look->name) + (look->endless ? 0 : 1),
					 look->name),
				 0);
	if (look->master)
		assert_int_equal(nla_put_u32(msg, IFLA_MASTER, look->master), 0);
	if (look->kind) {
		struct nlattr *nest = nla_nest_start(msg, IFLA_LINKINFO);

		assert_int_equal(nla_put_string(msg, IFLA_INFO_KIND, look->kind), 0);
		nla_nest_end(msg, nest);
	}
	if (look->parent)
		assert_int_equal(nla_put_string(msg, IFLA_PARENT_DEV_NAME, look->parent), 0);
	assert_int_equal(nla_put(msg, IFLA_STATS64, sizeof(stats), &stats), 0);
	return msg;
}

/* The ifindex that is told, or 0. */
static int take(struct nb_links *links, struct look look)
{
	g_autoptr(nl_msg) msg = build(&look);
	int ifindex = 0;

	return nb_links_take(links, nlmsg_hdr(msg), &ifindex) ? ifindex : 0;
}

static const struct look eth0 = {
	.type = RTM_NEWLINK, .ifindex = 2, .flags = IFF_UP | IFF_LOWER_UP, .name = "eth0"};

static struct look gone(struct look look)
{
	look.type = RTM_DELLINK;
	return look;
}

static void a_link_that_comes_or_goes_is_told_once(void **state)
{
	g_autoptr(nb_links) links = nb_links_new();

	(void)state;
	assert_int_equal(take(links, eth0), 2);
	assert_int_equal(take(links, eth0), 0);
	assert_int_equal(take(links, gone(eth0)), 2);
	assert_int_equal(take(links, gone(eth0)), 0);
	assert_int_equal(take(links, eth0), 2);
}

static void what_decides_about_its_queues_is_told(void **state)
{
	g_autoptr(nb_links) links = nb_links_new();
	struct look look = eth0;

	(void)state;
	take(links, look);
	look.flags = IFF_UP;
	assert_int_equal(take(links, look), 2);
	look.flags = 0;
	assert_int_equal(take(links, look), 2);
	look.name = "lan0";
	assert_int_equal(take(links, look), 2);
	look.master = 7;
	assert_int_equal(take(links, look), 2);
	look.master = 0;
	assert_int_equal(take(links, look), 2);
}

static void statistics_and_other_flags_are_not_told(void **state)
{
	g_autoptr(nb_links) links = nb_links_new();
	struct look look = eth0;

	(void)state;
	take(links, look);
	look.packets = 1000000;
	assert_int_equal(take(links, look), 0);
	look.flags |= IFF_PROMISC | IFF_RUNNING | IFF_ALLMULTI;
	assert_int_equal(take(links, look), 0);
}

static void a_bridge_that_loses_a_port_does_not_lose_the_link(void **state)
{
	g_autoptr(nb_links) links = nb_links_new();
	struct look look = gone(eth0);

	(void)state;
	take(links, eth0);
	look.family = AF_BRIDGE;
	assert_int_equal(take(links, look), 0);
	assert_int_equal(nb_links_find(links, "eth0"), 2);
}

static void virtual_links_are_not_told(void **state)
{
	g_autoptr(nb_links) links = nb_links_new();
	struct look look = eth0;

	(void)state;
	look.kind = "veth";
	assert_int_equal(take(links, look), 0);
	assert_false(nb_links_has(links, 2));
	assert_int_equal(take(links, gone(look)), 0);
	/* IPoIB has a kind, and hardware. */
	look.kind = "ipoib";
	look.parent = "0000:01:00.0";
	assert_int_equal(take(links, look), 2);
	assert_true(nb_links_has(links, 2));
	assert_int_equal(take(links, gone(look)), 2);
	assert_false(nb_links_has(links, 2));
}

static void links_are_kept_apart_by_number(void **state)
{
	g_autoptr(nb_links) links = nb_links_new();
	struct look other = eth0;

	(void)state;
	other.ifindex = 3;
	other.name = "eth1";
	assert_int_equal(take(links, eth0), 2);
	assert_int_equal(take(links, other), 3);
	assert_int_equal(take(links, eth0), 0);
	assert_int_equal(take(links, gone(eth0)), 2);
	assert_int_equal(take(links, other), 0);
}

static void a_link_is_found_by_its_present_name(void **state)
{
	g_autoptr(nb_links) links = nb_links_new();
	struct look look = eth0;

	(void)state;
	take(links, look);
	assert_int_equal(nb_links_find(links, "eth0"), 2);
	look.name = "lan0";
	take(links, look);
	assert_int_equal(nb_links_find(links, "eth0"), 0);
	assert_int_equal(nb_links_find(links, "lan0"), 2);
	assert_int_equal(nb_links_find(links, ""), 0);
	nb_links_clear(links);
	assert_int_equal(nb_links_find(links, "lan0"), 0);
}

static void what_is_no_link_message_is_passed_over(void **state)
{
	g_autoptr(nb_links) links = nb_links_new();
	struct look look = eth0;

	(void)state;
	look.type = RTM_NEWADDR;
	assert_int_equal(take(links, look), 0);
	look.type = RTM_NEWLINK;
	look.name = NULL;
	assert_int_equal(take(links, look), 0);
	look.name = "a-name-beyond-15-letters";
	assert_int_equal(take(links, look), 0);
}

static void a_name_without_an_end_is_passed_over(void **state)
{
	g_autoptr(nb_links) links = nb_links_new();
	struct look endless = eth0;

	(void)state;
	endless.endless = true;
	assert_int_equal(take(links, endless), 0);
	assert_int_equal(take(links, eth0), 2);
}

static void a_cut_message_is_passed_over(void **state)
{
	g_autoptr(nb_links) links = nb_links_new();
	g_autoptr(nl_msg) msg = build(&eth0);
	struct nlmsghdr *hdr = nlmsg_hdr(msg);
	int ifindex;

	(void)state;
	hdr->nlmsg_len = NLMSG_LENGTH(sizeof(struct ifinfomsg)) - 1;
	assert_false(nb_links_take(links, hdr, &ifindex));
	hdr->nlmsg_len = NLMSG_LENGTH(sizeof(struct ifinfomsg)) + 6;
	assert_false(nb_links_take(links, hdr, &ifindex));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_link_that_comes_or_goes_is_told_once),
		cmocka_unit_test(what_decides_about_its_queues_is_told),
		cmocka_unit_test(statistics_and_other_flags_are_not_told),
		cmocka_unit_test(a_bridge_that_loses_a_port_does_not_lose_the_link),
		cmocka_unit_test(virtual_links_are_not_told),
		cmocka_unit_test(links_are_kept_apart_by_number),
		cmocka_unit_test(a_link_is_found_by_its_present_name),
		cmocka_unit_test(what_is_no_link_message_is_passed_over),
		cmocka_unit_test(a_name_without_an_end_is_passed_over),
		cmocka_unit_test(a_cut_message_is_passed_over),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

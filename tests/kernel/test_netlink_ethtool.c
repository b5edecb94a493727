/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The driver's own statistics as this kernel tells them. */
#include "kernel/test_netlink.h"
#include "netlink/ethtool_family.h"
#include "netlink/messages.h"
#include "netlink/session.h"

#include <arpa/inet.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <poll.h>
#include <unistd.h>

#define PATIENCE_MSEC 10000

static nb_netlink *open_netlink(void)
{
	nb_netlink *netlink = NULL;

	assert_int_equal(nb_netlink_new(&netlink), 0);
	return netlink;
}

static GArray *new_values(void)
{
	return g_array_new(FALSE, FALSE, sizeof(uint64_t));
}

static void a_device_without_statistics_or_that_is_not_there_says_so(void **state)
{
	g_autoptr(nb_netlink) netlink = open_netlink();
	g_autoptr(GArray) values = new_values();
	char **names;

	(void)state;
	assert_int_equal(nb_netlink_get_stat_names(netlink, "lo", &names), -EOPNOTSUPP);
	assert_int_equal(nb_netlink_get_stat_values(netlink, "lo", 4, values), -EOPNOTSUPP);
	assert_int_equal(nb_netlink_get_stat_names(netlink, "nothere", &names), -ENODEV);
	assert_int_equal(nb_netlink_get_stat_values(netlink, "nothere", 4, values), -ENODEV);
}

static void each_statistic_has_a_name_and_a_value(void **state)
{
	g_autoptr(nb_netlink) netlink = open_netlink();
	g_autoptr(GArray) values = new_values();
	g_auto(GStrv) names = NULL;
	const void *memory;

	(void)state;
	assert_int_equal(nb_netlink_get_stat_names(netlink, "vv0", &names), 0);
	assert_true(g_strv_contains((const char *const *)names, "rx_queue_3_xdp_packets"));
	assert_int_equal(nb_netlink_get_stat_values(netlink, "vv0", g_strv_length(names), values),
			 0);
	assert_int_equal(values->len, g_strv_length(names));
	assert_string_equal(names[0], "peer_ifindex");
	assert_int_equal(g_array_index(values, uint64_t, 0), if_nametoindex("vv1"));

	memory = values->data;
	assert_int_equal(nb_netlink_get_stat_values(netlink, "vv0", values->len, values), 0);
	assert_ptr_equal(values->data, memory);
}

static void a_changed_number_of_statistics_is_stale(void **state)
{
	g_autoptr(nb_netlink) netlink = open_netlink();
	g_autoptr(GArray) values = new_values();
	g_auto(GStrv) names = NULL;
	unsigned n;

	(void)state;
	assert_int_equal(nb_netlink_get_stat_names(netlink, "vv0", &names), 0);
	n = g_strv_length(names);
	assert_int_equal(nb_netlink_get_stat_values(netlink, "vv0", n, values), 0);
	run("ethtool -L vv0 rx 2 tx 2");
	assert_int_equal(nb_netlink_get_stat_values(netlink, "vv0", n, values), -ESTALE);
	assert_int_equal(values->len, n);
}

/* More statistics than a page holds, where room was made for one. */
static void more_statistics_than_there_is_room_for_are_stale(void **state)
{
	g_autoptr(nb_netlink) netlink = open_netlink();
	g_autoptr(GArray) values = new_values();
	g_auto(GStrv) names = NULL;

	(void)state;
	run("ip link add vv2 numrxqueues 128 numtxqueues 128 type veth peer name vv3");
	assert_int_equal(nb_netlink_get_stat_values(netlink, "vv2", 1, values), -ESTALE);
	assert_int_equal(values->len, 0);
	assert_int_equal(nb_netlink_get_stat_names(netlink, "vv2", &names), 0);
	assert_true(g_strv_length(names) > 512);
	assert_int_equal(nb_netlink_get_stat_values(netlink, "vv2", g_strv_length(names), values),
			 0);
	run("ip link del vv2");
}

/* No virtual device has a table; that the kernel understands the request is all it can tell. */
static void channels_are_what_ethtool_sets(void **state)
{
	g_autoptr(nb_netlink) netlink = open_netlink();
	struct nb_channels channels;
	struct nb_coalescing coalescing;

	(void)state;
	run("ethtool -L vv0 rx 3 tx 2");
	assert_int_equal(nb_netlink_get_channels(netlink, "vv0", &channels), 0);
	assert_int_equal(channels.rx, 3);
	assert_int_equal(channels.tx, 2);
	assert_int_equal(channels.most_rx, 4);
	assert_int_equal(channels.combined, 0);
	assert_int_equal(nb_netlink_get_channels(netlink, "nothere", &channels), -ENODEV);
	assert_int_equal(nb_netlink_get_coalescing(netlink, "lo", &coalescing), -EOPNOTSUPP);
}

static void a_device_without_an_rss_table_says_so(void **state)
{
	g_autoptr(nb_netlink) netlink = open_netlink();
	g_autoptr(GArray) entries = g_array_new(FALSE, FALSE, sizeof(uint32_t));
	unsigned n_rings;

	(void)state;
	assert_int_equal(nb_netlink_get_rss(netlink, "vv0", entries, &n_rings), -EOPNOTSUPP);
	assert_int_equal(nb_netlink_set_rss(netlink, "vv0", NULL, 0), -EOPNOTSUPP);
	assert_int_equal(nb_netlink_get_rss(netlink, "nothere", entries, &n_rings), -ENODEV);
	assert_int_equal(entries->len, 0);
}

/* One datagram through vv0; returns when it came out of vv1. */
static int send_table(struct nb_netlink *netlink, const char *ifname)
{
	const uint32_t entries[] = {0, 1};
	g_autoptr(nl_msg) msg = NULL;

	assert_int_equal(nb_message_set_rss(netlink->ethtool_family.id, ifname, entries, 2, &msg),
			 0);
	return nb_port_change(netlink->port, msg);
}

/* A message that is malformed would be -EINVAL. */
static void a_message_that_sets_the_table_is_understood(void **state)
{
	g_autoptr(nb_netlink) netlink = NULL;

	(void)state;
	assert_int_equal(nb_netlink_new(&netlink), 0);
	if (!nb_family_has(&netlink->ethtool_family, NB_ETHTOOL_RSS_SET))
		nb_skip("this kernel sets no RSS table by netlink (before 6.17)");
	assert_int_equal(send_table(netlink, "vv0"), -EOPNOTSUPP);
	assert_int_equal(send_table(netlink, "nothere"), -ENODEV);
}

static void send_through(int sender, int receiver)
{
	struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(9)};
	struct pollfd polled = {.fd = receiver, .events = POLLIN};
	char packet[2048];

	assert_int_equal(inet_pton(AF_INET, "192.0.2.2", &to.sin_addr), 1);
	assert_int_equal(sendto(sender, "x", 1, 0, (struct sockaddr *)&to, sizeof(to)), 1);
	assert_int_equal(poll(&polled, 1, PATIENCE_MSEC), 1);
	assert_true(recv(receiver, packet, sizeof(packet), 0) > 0);
}

static uint64_t sum_packets(nb_netlink *netlink, char **names, GArray *values)
{
	uint64_t sum = 0;

	assert_int_equal(nb_netlink_get_stat_values(netlink, "vv1", g_strv_length(names), values),
			 0);
	for (unsigned i = 0; names[i]; i++)
		if (g_str_has_prefix(names[i], "rx_queue_") &&
		    g_str_has_suffix(names[i], "_xdp_packets"))
			sum += g_array_index(values, uint64_t, i);
	return sum;
}

static void values_grow_with_traffic(void **state)
{
	g_autoptr(nb_netlink) netlink = open_netlink();
	g_autoptr(GArray) values = new_values();
	g_auto(GStrv) names = NULL;
	struct sockaddr_ll port = {.sll_family = AF_PACKET, .sll_protocol = htons(ETH_P_IP)};
	int sender = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	int receiver = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);
	uint64_t before, after;

	(void)state;
	bring_up_with_napi();
	run("ip addr add 192.0.2.1/24 dev vv0");
	run("ip neigh add 192.0.2.2 lladdr 02:00:00:00:00:02 dev vv0");
	port.sll_ifindex = (int)if_nametoindex("vv1");
	assert_int_equal(bind(receiver, (struct sockaddr *)&port, sizeof(port)), 0);
	assert_int_equal(nb_netlink_get_stat_names(netlink, "vv1", &names), 0);

	before = sum_packets(netlink, names, values);
	/* A poll adds to its counters when it ends, that is, after it delivered the packet. */
	for (unsigned i = 0; i < 1000; i++) {
		send_through(sender, receiver);
		after = sum_packets(netlink, names, values);
		if (after > before)
			break;
	}
	assert_true(after > before);
	close(sender);
	close(receiver);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define WITH_VETH(test) cmocka_unit_test_setup_teardown(test, add_veth, del_veth)
		cmocka_unit_test(a_device_without_statistics_or_that_is_not_there_says_so),
		WITH_VETH(each_statistic_has_a_name_and_a_value),
		WITH_VETH(channels_are_what_ethtool_sets),
		WITH_VETH(a_changed_number_of_statistics_is_stale),
		cmocka_unit_test(more_statistics_than_there_is_room_for_are_stale),
		WITH_VETH(values_grow_with_traffic),
		WITH_VETH(a_device_without_an_rss_table_says_so),
		WITH_VETH(a_message_that_sets_the_table_is_understood),
	};

	if (!enter_namespace())
		return NB_TEST_SKIPPED;
	return cmocka_run_group_tests(tests, NULL, NULL);
}

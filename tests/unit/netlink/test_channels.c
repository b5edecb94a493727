/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "netlink/netlink.h"
#include "support/support.h"

#include <errno.h>
#include <linux/ethtool.h>
#include <string.h>

static int answer(const char *ifname, void *memory, void *userdata)
{
	struct ethtool_channels *channels = memory;
	struct ethtool_coalesce *coalesce = memory;

	if (strcmp(ifname, "eth0") != 0)
		return -EOPNOTSUPP;
	switch (*(uint32_t *)memory) {
	case ETHTOOL_GRXFH:
		if (((struct ethtool_rxnfc *)memory)->flow_type != UDP_V4_FLOW)
			return -EINVAL;
		((struct ethtool_rxnfc *)memory)->data = *(const uint64_t *)userdata;
		return 0;
	case ETHTOOL_GCHANNELS:
		if (channels->combined_count != 0)
			return -EINVAL;
		channels->max_rx = 1;
		channels->max_tx = 2;
		channels->max_other = 3;
		channels->max_combined = 16;
		channels->rx_count = 4;
		channels->tx_count = 5;
		channels->other_count = 6;
		channels->combined_count = 8;
		return 0;
	case ETHTOOL_GCOALESCE:
		coalesce->use_adaptive_rx_coalesce = 1;
		coalesce->rx_coalesce_usecs = 50;
		coalesce->rx_max_coalesced_frames = 64;
		coalesce->tx_coalesce_usecs = 100;
		coalesce->tx_max_coalesced_frames = 32;
		return 0;
	default:
		return -EINVAL;
	}
}

static int set_up(void **state)
{
	struct nb_netlink *netlink;

	assert_int_equal(nb_netlink_new_ethtool(&netlink), 0);
	nb_netlink_set_ethtool(netlink, answer, NULL);
	*state = netlink;
	return 0;
}

static int tear_down(void **state)
{
	nb_netlink_free(*state);
	return 0;
}

static void channels_are_told_by_kind(void **state)
{
	struct nb_channels channels;

	assert_int_equal(nb_netlink_get_channels(*state, "eth0", &channels), 0);
	assert_int_equal(channels.most_rx, 1);
	assert_int_equal(channels.most_tx, 2);
	assert_int_equal(channels.most_other, 3);
	assert_int_equal(channels.most_combined, 16);
	assert_int_equal(channels.rx, 4);
	assert_int_equal(channels.tx, 5);
	assert_int_equal(channels.other, 6);
	assert_int_equal(channels.combined, 8);
}

static void coalescing_is_told_by_direction(void **state)
{
	struct nb_coalescing coalescing;

	assert_int_equal(nb_netlink_get_coalescing(*state, "eth0", &coalescing), 0);
	assert_true(coalescing.adaptive_rx);
	assert_false(coalescing.adaptive_tx);
	assert_int_equal(coalescing.rx_usec, 50);
	assert_int_equal(coalescing.rx_frames, 64);
	assert_int_equal(coalescing.tx_usec, 100);
	assert_int_equal(coalescing.tx_frames, 32);
}

static void assert_udp_hash(struct nb_netlink *netlink, uint64_t fields, int result, bool expected)
{
	bool ports = !expected;

	nb_netlink_set_ethtool(netlink, answer, &fields);
	assert_int_equal(nb_netlink_get_udp_hash(netlink, "eth0", &ports), result);
	if (result == 0)
		assert_int_equal(ports, expected);
}

static void udp_is_hashed_by_ports_or_by_addresses_alone(void **state)
{
	const uint64_t addresses = RXH_IP_SRC | RXH_IP_DST;

	assert_udp_hash(*state, addresses, 0, false);
	assert_udp_hash(*state, addresses | RXH_L4_B_0_1 | RXH_L4_B_2_3, 0, true);
	assert_udp_hash(*state, 0, -EOPNOTSUPP, false);
	assert_udp_hash(*state, UINT64_C(1) << 31, -EOPNOTSUPP, false);
}

/* What SCHANNELS and SRXFH were asked for, of a device with these channels. */
struct nic {
	struct ethtool_channels channels;
	struct ethtool_rxnfc hash;
};

static void set_counts(struct ethtool_channels *channels, const struct ethtool_channels *asked)
{
	channels->rx_count = asked->rx_count;
	channels->tx_count = asked->tx_count;
	channels->other_count = asked->other_count;
	channels->combined_count = asked->combined_count;
}

static int answer_of_nic(const char *ifname, void *memory, void *userdata)
{
	struct nic *nic = userdata;

	(void)ifname;
	switch (*(uint32_t *)memory) {
	case ETHTOOL_GCHANNELS:
		memcpy(memory, &nic->channels, sizeof(nic->channels));
		return 0;
	case ETHTOOL_SCHANNELS:
		set_counts(&nic->channels, memory);
		return 0;
	case ETHTOOL_GRXFH:
	case ETHTOOL_SRXFH:
		memcpy(&nic->hash, memory, sizeof(nic->hash));
		return 0;
	default:
		return -EINVAL;
	}
}

static void a_change_of_channels_keeps_the_other_kinds(void **state)
{
	struct nic nic = {.channels = {.max_combined = 8,
				       .max_rx = 8,
				       .combined_count = 2,
				       .tx_count = 1,
				       .other_count = 3}};
	struct nb_channels channels;

	nb_netlink_set_ethtool(*state, answer_of_nic, &nic);
	assert_int_equal(nb_netlink_set_channels(*state, "eth0", 8), 0);
	assert_int_equal(nic.channels.combined_count, 8);
	assert_int_equal(nic.channels.rx_count, 0);
	assert_int_equal(nic.channels.tx_count, 1);
	assert_int_equal(nic.channels.other_count, 3);
	assert_int_equal(nb_netlink_get_channels(*state, "eth0", &channels), 0);
	assert_true(nb_channels_combine(&channels));
	assert_int_equal(nb_channels_in_use(&channels), 8);

	nic.channels.combined_count = 0; /* each kind for itself */
	nic.channels.rx_count = 4;
	assert_int_equal(nb_netlink_set_channels(*state, "eth0", 6), 0);
	assert_int_equal(nic.channels.combined_count, 0);
	assert_int_equal(nic.channels.rx_count, 6);
	assert_int_equal(nb_netlink_get_channels(*state, "eth0", &channels), 0);
	assert_false(nb_channels_combine(&channels));
	assert_int_equal(nb_channels_in_use(&channels), 6);
}

static void the_fields_of_udp_are_those_of_one_version_of_ip(void **state)
{
	struct nic nic = {0};

	nb_netlink_set_ethtool(*state, answer_of_nic, &nic);
	assert_int_equal(nb_netlink_set_udp_fields(*state, "eth0", 4, 0xf0), 0);
	assert_int_equal(nic.hash.flow_type, UDP_V4_FLOW);
	assert_int_equal(nic.hash.data, 0xf0);
	assert_int_equal(nb_netlink_set_udp_fields(*state, "eth0", 6, 0x30), 0);
	assert_int_equal(nic.hash.flow_type, UDP_V6_FLOW);
	assert_int_equal(nic.hash.data, 0x30);
}

static void a_driver_without_either_says_so(void **state)
{
	struct nb_channels channels = {.rx = 7};
	struct nb_coalescing coalescing = {.rx_usec = 7};

	assert_int_equal(nb_netlink_get_channels(*state, "eth1", &channels), -EOPNOTSUPP);
	assert_int_equal(nb_netlink_get_coalescing(*state, "eth1", &coalescing), -EOPNOTSUPP);
	assert_int_equal(channels.rx, 7);
	assert_int_equal(coalescing.rx_usec, 7);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(channels_are_told_by_kind),
		TEST(coalescing_is_told_by_direction),
		TEST(udp_is_hashed_by_ports_or_by_addresses_alone),
		TEST(a_change_of_channels_keeps_the_other_kinds),
		TEST(the_fields_of_udp_are_those_of_one_version_of_ip),
		TEST(a_driver_without_either_says_so),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

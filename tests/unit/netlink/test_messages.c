/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "netlink/ethtool_family.h"
#include "netlink/messages.h"
#include "netlink/netdev_family.h"
#include "support/support.h"

#include <errno.h>
#include <linux/ethtool_netlink.h>

static struct nl_msg *begin(unsigned command)
{
	struct nl_msg *msg = nlmsg_alloc();

	genlmsg_put(msg, 0, 1, 31, 0, 0, (uint8_t)command, 1);
	return msg;
}

static void put(struct nl_msg *msg, int attribute, uint32_t value)
{
	assert_int_equal(nla_put_u32(msg, attribute, value), 0);
}

static void a_queue_has_a_number_a_direction_and_a_napi(void **state)
{
	g_autoptr(nl_msg) msg = begin(NB_NETDEV_QUEUE_GET);
	struct nb_netlink_queue queue;

	(void)state;
	put(msg, NB_NETDEV_QUEUE_ID, 5);
	put(msg, NB_NETDEV_QUEUE_TYPE, NB_NETDEV_QUEUE_TYPE_TX);
	put(msg, NB_NETDEV_QUEUE_IFINDEX, 2);
	put(msg, NB_NETDEV_QUEUE_NAPI_ID, 8193);
	put(msg, NB_NETDEV_QUEUE_NAPI_ID + 3, 1);
	assert_int_equal(nb_message_parse_queue(nlmsg_hdr(msg), &queue), 0);
	assert_int_equal(queue.index, 5);
	assert_int_equal(queue.direction, NB_QUEUE_TX);
	assert_int_equal(queue.napi_id, 8193);
	assert_int_equal(queue.irq, 0);
}

static void a_queue_without_napi_is_one_whose_driver_does_not_say(void **state)
{
	g_autoptr(nl_msg) msg = begin(NB_NETDEV_QUEUE_GET);
	struct nb_netlink_queue queue;

	(void)state;
	put(msg, NB_NETDEV_QUEUE_ID, 0);
	put(msg, NB_NETDEV_QUEUE_TYPE, NB_NETDEV_QUEUE_TYPE_RX);
	assert_int_equal(nb_message_parse_queue(nlmsg_hdr(msg), &queue), 0);
	assert_int_equal(queue.direction, NB_QUEUE_RX);
	assert_int_equal(queue.napi_id, 0);
}

static void a_queue_without_direction_or_of_a_new_one_is_refused(void **state)
{
	g_autoptr(nl_msg) msg = begin(NB_NETDEV_QUEUE_GET);
	struct nb_netlink_queue queue = {.index = 77};

	(void)state;
	put(msg, NB_NETDEV_QUEUE_ID, 0);
	assert_int_equal(nb_message_parse_queue(nlmsg_hdr(msg), &queue), -EBADMSG);
	put(msg, NB_NETDEV_QUEUE_TYPE, 2);
	assert_int_equal(nb_message_parse_queue(nlmsg_hdr(msg), &queue), -EBADMSG);
	assert_int_equal(queue.index, 77);
}

static void a_napi_may_have_an_interrupt(void **state)
{
	g_autoptr(nl_msg) with = begin(NB_NETDEV_NAPI_GET);
	g_autoptr(nl_msg) without = begin(NB_NETDEV_NAPI_GET);
	struct nb_napi napi;

	(void)state;
	put(with, NB_NETDEV_NAPI_ID, 8193);
	put(with, NB_NETDEV_NAPI_IRQ, 41);
	assert_int_equal(nb_message_parse_napi(nlmsg_hdr(with), &napi), 0);
	assert_int_equal(napi.id, 8193);
	assert_int_equal(napi.irq, 41);
	assert_int_equal(napi.thread, 0);
	put(without, NB_NETDEV_NAPI_ID, 8194);
	assert_int_equal(nb_message_parse_napi(nlmsg_hdr(without), &napi), 0);
	assert_int_equal(napi.id, 8194);
	assert_int_equal(napi.irq, 0);
}

static void a_napi_that_a_kernel_thread_polls_has_its_pid(void **state)
{
	g_autoptr(nl_msg) msg = begin(NB_NETDEV_NAPI_GET);
	struct nb_napi napi;

	(void)state;
	put(msg, NB_NETDEV_NAPI_ID, 8193);
	put(msg, NB_NETDEV_NAPI_PID, 901);
	assert_int_equal(nb_message_parse_napi(nlmsg_hdr(msg), &napi), 0);
	assert_int_equal(napi.thread, 901);
}

static enum nb_threading threading(uint32_t threaded)
{
	g_autoptr(nl_msg) msg = begin(NB_NETDEV_NAPI_GET);
	struct nb_napi napi;

	put(msg, NB_NETDEV_NAPI_ID, 8193);
	put(msg, NB_NETDEV_NAPI_THREADED, threaded);
	assert_int_equal(nb_message_parse_napi(nlmsg_hdr(msg), &napi), 0);
	return napi.threading;
}

static void from_6_17_on_a_napi_says_whether_a_thread_polls_it(void **state)
{
	g_autoptr(nl_msg) older = begin(NB_NETDEV_NAPI_GET);
	struct nb_napi napi;

	(void)state;
	assert_int_equal(threading(0), NB_THREADING_OFF);
	assert_int_equal(threading(1), NB_THREADING_ON);
	assert_int_equal(threading(2), NB_THREADING_BUSY);
	put(older, NB_NETDEV_NAPI_ID, 8193);
	assert_int_equal(nb_message_parse_napi(nlmsg_hdr(older), &napi), 0);
	assert_int_equal(napi.threading, NB_THREADING_UNKNOWN);
}

static void a_napi_without_number_is_refused(void **state)
{
	g_autoptr(nl_msg) msg = begin(NB_NETDEV_NAPI_GET);
	struct nb_napi napi;

	(void)state;
	put(msg, NB_NETDEV_NAPI_IRQ, 41);
	assert_int_equal(nb_message_parse_napi(nlmsg_hdr(msg), &napi), -EBADMSG);
}

static enum nb_deferral deferral(uint32_t defer, uint32_t flush_timeout, uint64_t suspend_timeout)
{
	g_autoptr(nl_msg) msg = begin(NB_NETDEV_NAPI_GET);
	struct nb_napi napi;

	put(msg, NB_NETDEV_NAPI_ID, 8193);
	put(msg, NB_NETDEV_NAPI_DEFER_HARD_IRQS, defer);
	put(msg, NB_NETDEV_NAPI_GRO_FLUSH_TIMEOUT, flush_timeout);
	assert_int_equal(nla_put_u64(msg, NB_NETDEV_NAPI_IRQ_SUSPEND_TIMEOUT, suspend_timeout), 0);
	assert_int_equal(nb_message_parse_napi(nlmsg_hdr(msg), &napi), 0);
	return napi.deferral;
}

static void a_napi_defers_its_interrupt_by_two_values_or_suspends_it_by_one(void **state)
{
	(void)state;
	assert_int_equal(deferral(0, 0, 0), NB_DEFERRAL_OFF);
	assert_int_equal(deferral(2, 0, 0), NB_DEFERRAL_OFF);
	assert_int_equal(deferral(0, 20000, 0), NB_DEFERRAL_OFF);
	assert_int_equal(deferral(2, 20000, 0), NB_DEFERRAL_ON);
	assert_int_equal(deferral(0, 0, UINT64_C(6000000000)), NB_DEFERRAL_ON);
}

static void before_6_13_a_napi_does_not_say_whether_it_defers_its_interrupt(void **state)
{
	g_autoptr(nl_msg) msg = begin(NB_NETDEV_NAPI_GET);
	struct nb_napi napi;

	(void)state;
	put(msg, NB_NETDEV_NAPI_ID, 8193);
	assert_int_equal(nb_message_parse_napi(nlmsg_hdr(msg), &napi), 0);
	assert_int_equal(napi.deferral, NB_DEFERRAL_UNKNOWN);
}

static struct nl_msg *begin_stats(uint32_t index, uint32_t type)
{
	struct nl_msg *msg = begin(NB_NETDEV_QSTATS_GET);

	put(msg, NB_NETDEV_QSTATS_IFINDEX, 2);
	put(msg, NB_NETDEV_QSTATS_QUEUE_ID, index);
	put(msg, NB_NETDEV_QSTATS_QUEUE_TYPE, type);
	return msg;
}

static void counters_come_in_four_bytes_or_eight(void **state)
{
	g_autoptr(nl_msg) msg = begin_stats(3, NB_NETDEV_QUEUE_TYPE_RX);
	struct nb_netlink_queue_stats stats;

	(void)state;
	put(msg, NB_NETDEV_QSTATS_RX_PACKETS, 4000000000u);
	assert_int_equal(nla_put_u64(msg, NB_NETDEV_QSTATS_RX_BYTES, UINT64_C(6000000000000)), 0);
	assert_int_equal(nb_message_parse_queue_stats(nlmsg_hdr(msg), &stats), 0);
	assert_int_equal(stats.index, 3);
	assert_int_equal(stats.direction, NB_QUEUE_RX);
	assert_int_equal(stats.packets, 4000000000u);
	assert_int_equal(stats.bytes, UINT64_C(6000000000000));
}

static void a_queue_counts_what_goes_its_way(void **state)
{
	g_autoptr(nl_msg) msg = begin_stats(3, NB_NETDEV_QUEUE_TYPE_TX);
	struct nb_netlink_queue_stats stats;

	(void)state;
	put(msg, NB_NETDEV_QSTATS_RX_PACKETS, 1);
	put(msg, NB_NETDEV_QSTATS_TX_PACKETS, 2);
	assert_int_equal(nb_message_parse_queue_stats(nlmsg_hdr(msg), &stats), 0);
	assert_int_equal(stats.direction, NB_QUEUE_TX);
	assert_int_equal(stats.packets, 2);
	assert_int_equal(stats.bytes, 0);
}

static void drops_for_want_of_a_buffer_come_before_all_drops(void **state)
{
	g_autoptr(nl_msg) msg = begin_stats(3, NB_NETDEV_QUEUE_TYPE_RX);
	struct nb_netlink_queue_stats stats;

	(void)state;
	put(msg, NB_NETDEV_QSTATS_RX_PACKETS, 1);
	assert_int_equal(nb_message_parse_queue_stats(nlmsg_hdr(msg), &stats), 0);
	assert_false(stats.counts_drops);
	put(msg, NB_NETDEV_QSTATS_RX_HW_DROPS, 12964);
	assert_int_equal(nb_message_parse_queue_stats(nlmsg_hdr(msg), &stats), 0);
	assert_true(stats.counts_drops);
	assert_int_equal(stats.drops, 12964);
	put(msg, NB_NETDEV_QSTATS_RX_HW_DROP_OVERRUNS, 0);
	assert_int_equal(nb_message_parse_queue_stats(nlmsg_hdr(msg), &stats), 0);
	assert_true(stats.counts_drops);
	assert_int_equal(stats.drops, 0);
}

static void a_transmit_queue_drops_nothing_received(void **state)
{
	g_autoptr(nl_msg) msg = begin_stats(3, NB_NETDEV_QUEUE_TYPE_TX);
	struct nb_netlink_queue_stats stats;

	(void)state;
	put(msg, NB_NETDEV_QSTATS_TX_PACKETS, 2);
	put(msg, NB_NETDEV_QSTATS_RX_HW_DROP_OVERRUNS, 5);
	assert_int_equal(nb_message_parse_queue_stats(nlmsg_hdr(msg), &stats), 0);
	assert_false(stats.counts_drops);
}

static void a_queue_that_does_not_count_packets_has_no_data(void **state)
{
	g_autoptr(nl_msg) msg = begin_stats(3, NB_NETDEV_QUEUE_TYPE_RX);
	struct nb_netlink_queue_stats stats;

	(void)state;
	put(msg, NB_NETDEV_QSTATS_RX_BYTES, 1);
	assert_int_equal(nb_message_parse_queue_stats(nlmsg_hdr(msg), &stats), -ENODATA);
}

static void a_counter_of_two_bytes_is_refused(void **state)
{
	g_autoptr(nl_msg) msg = begin_stats(3, NB_NETDEV_QUEUE_TYPE_RX);
	struct nb_netlink_queue_stats stats;

	(void)state;
	assert_int_equal(nla_put_u16(msg, NB_NETDEV_QSTATS_RX_PACKETS, 1), 0);
	assert_int_equal(nb_message_parse_queue_stats(nlmsg_hdr(msg), &stats), -EBADMSG);
}

static struct nl_msg *ethtool(unsigned command, uint32_t ifindex)
{
	struct nl_msg *msg = begin(command);
	struct nlattr *header = nla_nest_start(msg, ETHTOOL_A_CHANNELS_HEADER);

	put(msg, ETHTOOL_A_HEADER_DEV_INDEX, ifindex);
	assert_int_equal(nla_put_string(msg, ETHTOOL_A_HEADER_DEV_NAME, "eth0"), 0);
	nla_nest_end(msg, header);
	put(msg, ETHTOOL_A_CHANNELS_COMBINED_COUNT, 4);
	return msg;
}

static void channels_and_rings_rebuild_queues(void **state)
{
	g_autoptr(nl_msg) channels = ethtool(ETHTOOL_MSG_CHANNELS_NTF, 2);
	g_autoptr(nl_msg) rings = ethtool(ETHTOOL_MSG_RINGS_NTF, 3);
	int ifindex;

	(void)state;
	assert_true(nb_message_is_queue_change(nlmsg_hdr(channels), &ifindex));
	assert_int_equal(ifindex, 2);
	assert_true(nb_message_is_queue_change(nlmsg_hdr(rings), &ifindex));
	assert_int_equal(ifindex, 3);
}

static void other_ethtool_notifications_do_not(void **state)
{
	g_autoptr(nl_msg) coalesce = ethtool(ETHTOOL_MSG_COALESCE_NTF, 2);
	int ifindex;

	(void)state;
	assert_false(nb_message_is_queue_change(nlmsg_hdr(coalesce), &ifindex));
}

static void a_queue_change_without_device_is_of_none(void **state)
{
	g_autoptr(nl_msg) msg = begin(ETHTOOL_MSG_CHANNELS_NTF);
	int ifindex = 9;

	(void)state;
	assert_true(nb_message_is_queue_change(nlmsg_hdr(msg), &ifindex));
	assert_int_equal(ifindex, 0);
}

static void messages_too_short_for_their_header_are_refused(void **state)
{
	g_autoptr(nl_msg) msg = ethtool(ETHTOOL_MSG_CHANNELS_NTF, 2);
	struct nb_netlink_queue queue;
	int ifindex;

	(void)state;
	nlmsg_hdr(msg)->nlmsg_len = NLMSG_HDRLEN + 2;
	assert_false(nb_message_is_queue_change(nlmsg_hdr(msg), &ifindex));
	assert_int_equal(nb_message_parse_queue(nlmsg_hdr(msg), &queue), -EBADMSG);
}

/* As a little-endian machine sends it, from behind the header of netlink: command and version, the
 * device by name in a nest, the entries. */
static void a_table_is_set_by_device_and_entries_and_nothing_else(void **state)
{
	static const uint32_t entries[] = {3, 0, 1, 0x10002};
	static const uint8_t expected[] = {
		48,   1,   0,   0,                             /* RSS_SET */
		0x10, 0,   1,   0x80,                          /* its header, nested */
		9,    0,   2,   0,                             /* the name */
		'e',  't', 'h', '0',  0, 0, 0, 0, 20, 0, 4, 0, /* the table */
		3,    0,   0,   0,    0, 0, 0, 0, 1,  0, 0, 0, 2, 0, 1, 0,
	};
	g_autoptr(nl_msg) msg = NULL;
	const struct nlmsghdr *hdr;

	(void)state;
	if (G_BYTE_ORDER != G_LITTLE_ENDIAN)
		nb_skip("the bytes are of another order");
	assert_int_equal(nb_message_set_rss(21, "eth0", entries, 4, &msg), 0);
	hdr = nlmsg_hdr(msg);
	assert_int_equal(hdr->nlmsg_type, 21);
	assert_int_equal(hdr->nlmsg_len, NLMSG_HDRLEN + sizeof(expected));
	assert_memory_equal(nlmsg_data(hdr), expected, sizeof(expected));
}

static void a_reset_has_a_table_without_entries(void **state)
{
	g_autoptr(nl_msg) msg = NULL;
	struct nlattr *tb[NB_ETHTOOL_RSS_INDIR + 1];

	(void)state;
	assert_int_equal(nb_message_set_rss(21, "eth0", NULL, 0, &msg), 0);
	assert_int_equal(genlmsg_parse(nlmsg_hdr(msg), 0, tb, NB_ETHTOOL_RSS_INDIR, NULL), 0);
	assert_non_null(tb[NB_ETHTOOL_RSS_INDIR]);
	assert_int_equal(nla_len(tb[NB_ETHTOOL_RSS_INDIR]), 0);
}

static void the_largest_table_that_an_attribute_holds_is_sent(void **state)
{
	static const uint32_t entries[16383];
	g_autoptr(nl_msg) msg = NULL;

	(void)state;
	assert_int_equal(nb_message_set_rss(21, "eth0", entries, 16383, &msg), -EMSGSIZE);
	assert_null(msg);
	assert_int_equal(nb_message_set_rss(21, "eth0", entries, 16382, &msg), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_queue_has_a_number_a_direction_and_a_napi),
		cmocka_unit_test(a_queue_without_napi_is_one_whose_driver_does_not_say),
		cmocka_unit_test(a_queue_without_direction_or_of_a_new_one_is_refused),
		cmocka_unit_test(a_napi_may_have_an_interrupt),
		cmocka_unit_test(a_napi_that_a_kernel_thread_polls_has_its_pid),
		cmocka_unit_test(from_6_17_on_a_napi_says_whether_a_thread_polls_it),
		cmocka_unit_test(a_napi_without_number_is_refused),
		cmocka_unit_test(a_napi_defers_its_interrupt_by_two_values_or_suspends_it_by_one),
		cmocka_unit_test(before_6_13_a_napi_does_not_say_whether_it_defers_its_interrupt),
		cmocka_unit_test(counters_come_in_four_bytes_or_eight),
		cmocka_unit_test(a_queue_counts_what_goes_its_way),
		cmocka_unit_test(drops_for_want_of_a_buffer_come_before_all_drops),
		cmocka_unit_test(a_transmit_queue_drops_nothing_received),
		cmocka_unit_test(a_queue_that_does_not_count_packets_has_no_data),
		cmocka_unit_test(a_counter_of_two_bytes_is_refused),
		cmocka_unit_test(channels_and_rings_rebuild_queues),
		cmocka_unit_test(other_ethtool_notifications_do_not),
		cmocka_unit_test(a_queue_change_without_device_is_of_none),
		cmocka_unit_test(messages_too_short_for_their_header_are_refused),
		cmocka_unit_test(a_table_is_set_by_device_and_entries_and_nothing_else),
		cmocka_unit_test(a_reset_has_a_table_without_entries),
		cmocka_unit_test(the_largest_table_that_an_attribute_holds_is_sent),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sample/drivers/stat_names.h"
#include "support/support.h"

typedef void (*resolver)(const char *driver, char *const *names, GArray *stats);

/* "rx0=2 tx1=3 ": queue and position of each statistic found. */
static void assert_stats(resolver resolve, const char *driver, const char *const *names,
			 const char *expected)
{
	g_autoptr(GArray) stats = g_array_new(FALSE, FALSE, sizeof(struct nb_stat));
	g_autoptr(GString) text = g_string_new(NULL);

	resolve(driver, (char *const *)names, stats);
	for (unsigned i = 0; i < stats->len; i++) {
		const struct nb_stat *stat = &g_array_index(stats, struct nb_stat, i);

		g_string_append_printf(text, "%s%u=%u ", stat->rx ? "rx" : "tx", stat->queue,
				       stat->value);
	}
	assert_string_equal(text->str, expected);
}

#define assert_resolves(driver, expected, ...)                                                \
	assert_stats(nb_stat_names_resolve, driver, (const char *const[]){__VA_ARGS__, NULL}, \
		     expected)
#define assert_drops(driver, expected, ...)                                                   \
	assert_stats(nb_drop_names_resolve, driver, (const char *const[]){__VA_ARGS__, NULL}, \
		     expected)

static void each_driver_is_understood(void **state)
{
	(void)state;
	assert_resolves("igb", "tx0=1 rx10=3 ", "rx_packets", "tx_queue_0_packets",
			"tx_queue_0_bytes", "rx_queue_10_packets", "rx_queue_10_drops");
	assert_resolves("ixgbe", "rx0=0 tx0=1 ", "rx_queue_0_packets", "tx_queue_0_packets");
	assert_resolves("ice", "rx3=0 ", "rx_queue_3_packets", "rx_queue_3_bytes");
	assert_resolves("virtio_net", "rx0=0 ", "rx_queue_0_packets", "rx_queue_0_xdp_packets");
	assert_resolves("virtio_net", "rx1=0 tx1=1 ", "rx1_packets", "tx1_packets");
	assert_resolves("mlx5_core", "rx7=1 tx7=2 ", "rx_packets", "rx7_packets", "tx7_packets",
			"rx7_xdp_tx_xmit", "rx_vport_unicast_packets");
	assert_resolves("i40e", "tx2=0 rx2=1 ", "tx-2.packets", "rx-2.packets", "rx-2.bytes");
	assert_resolves("ena", "tx4=0 rx4=1 ", "queue_4_tx_cnt", "queue_4_rx_cnt",
			"queue_4_rx_bytes");
	assert_resolves("mana", "rx5=0 tx5=1 ", "rx_5_packets", "tx_5_packets", "rx_5_bytes");
	assert_resolves("hns3", "tx0=0 rx0=1 ", "txq0_packets", "rxq0_packets");
	assert_resolves("gvnic", "rx1=0 tx1=1 ", "rx_completed_desc[1]", "tx_completed_desc[1]");
	assert_resolves("nfp", "rx1=0 tx1=1 ", "rvec_1_rx_pkts", "rvec_1_tx_pkts");
	assert_resolves("ionic", "tx1=0 rx1=1 ", "tx_1_pkts", "rx_1_pkts", "rx_pkts");
}

static void kinds_of_packets_are_all_found(void **state)
{
	(void)state;
	assert_resolves("bnxt_en", "rx2=0 rx2=1 rx2=2 tx2=4 ", "[2]: rx_ucast_packets",
			"[2]: rx_mcast_packets", "[2]: rx_bcast_packets", "[2]: rx_discards",
			"[2]: tx_ucast_packets");
}

static void blocks_are_counted_by_their_headlines(void **state)
{
	(void)state;
	assert_resolves("vmxnet3", "tx0=1 rx0=4 rx0=5 tx1=7 rx1=9 ", "Tx Queue#", "  ucast pkts tx",
			"  ucast bytes tx", "Rx Queue#", "  ucast pkts rx", "  mcast pkts rx",
			"Tx Queue#", "  bcast pkts tx", "Rx Queue#", "  ucast pkts rx",
			"tx timeout count");
	assert_resolves("vmxnet3", "", "  ucast pkts rx", "  ucast pkts tx");
}

static void totals_of_the_device_are_no_queue(void **state)
{
	(void)state;
	assert_resolves("e1000e", "", "rx_packets", "tx_packets", "rx_bytes");
	assert_resolves("igb", "", "");
}

static void drops_for_want_of_a_buffer_are_found(void **state)
{
	(void)state;
	assert_drops("igb", "rx10=3 ", "rx_no_buffer_count", "rx_missed_errors",
		     "rx_queue_10_packets", "rx_queue_10_drops", "rx_queue_10_alloc_failed");
	assert_drops("igc", "rx0=0 rx1=1 ", "rx_queue_0_drops", "rx_queue_1_drops");
	assert_drops("bnxt_en", "rx2=1 ", "[2]: rx_ucast_packets", "[2]: rx_discards",
		     "[2]: rx_errors", "[2]: tx_discards");
	assert_drops("be2net", "rx1=1 ", "rxq1: rx_pkts", "rxq1: rx_drops_no_frags");
	assert_drops("vmxnet3", "rx0=2 rx1=5 ", "Rx Queue#", "  ucast pkts rx", "  pkts rx OOB",
		     "  drv dropped rx total", "Rx Queue#", "  pkts rx OOB");
}

static void what_the_driver_drops_is_not_the_nics(void **state)
{
	(void)state;
	assert_drops("virtio_net", "", "rx_queue_0_drops", "rx0_drops", "rx0_xdp_drops");
	assert_drops("mlx4_en", "", "rx0_dropped");
	assert_false(nb_drop_names_are_known("virtio_net"));
	assert_false(nb_drop_names_are_known("ice"));
	assert_true(nb_drop_names_are_known("igb"));
	assert_true(nb_drop_names_are_known("vmxnet3"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_driver_is_understood),
		cmocka_unit_test(kinds_of_packets_are_all_found),
		cmocka_unit_test(blocks_are_counted_by_their_headlines),
		cmocka_unit_test(totals_of_the_device_are_no_queue),
		cmocka_unit_test(drops_for_want_of_a_buffer_are_found),
		cmocka_unit_test(what_the_driver_drops_is_not_the_nics),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

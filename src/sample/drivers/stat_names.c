/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sample/drivers/stat_names.h"
#include "sample/drivers/pattern.h"

#include <fnmatch.h>

struct row {
	const char *driver; /* glob over the name of the driver in sysfs */
	const char *rx;
	const char *tx;
};

/* The first row that fits a name counts it. Of several kinds of packets all are added up. */
static const struct row rows[] = {
	{"bnxt_en", "[{n}]: rx_ucast_packets", "[{n}]: tx_ucast_packets"},
	{"bnxt_en", "[{n}]: rx_mcast_packets", "[{n}]: tx_mcast_packets"},
	{"bnxt_en", "[{n}]: rx_bcast_packets", "[{n}]: tx_bcast_packets"},
	{"bnx2x", "[{n}]: rx_ucast_packets", "[{n}]: tx_ucast_packets"},
	{"bnx2x", "[{n}]: rx_mcast_packets", "[{n}]: tx_mcast_packets"},
	{"bnx2x", "[{n}]: rx_bcast_packets", "[{n}]: tx_bcast_packets"},
	{"ena", "queue_{n}_rx_cnt", "queue_{n}_tx_cnt"},
	{"mana", "rx_{n}_packets", "tx_{n}_packets"},
	{"hns3", "rxq{n}_packets", "txq{n}_packets"},
	{"hns3", "rxq#{n}_packets", "txq#{n}_packets"},
	{"gve*", "rx_completed_desc[{n}]", "tx_completed_desc[{n}]"},
	{"gvnic", "rx_completed_desc[{n}]", "tx_completed_desc[{n}]"},
	{"qede", "{n}: rcv_pkts", "{n}: xmit_pkts"},
	{"sfc*", "rx-{n}.rx_packets", "tx-{n}.tx_packets"},
	{"be2net", "rxq{n}: rx_pkts", "txq{n}: tx_pkts"},
	{"nfp*", "rvec_{n}_rx_pkts", "rvec_{n}_tx_pkts"},
	{"rvu_nic*", "rxq{n}: frames", "txq{n}: frames"},
	{"ionic", "rx_{n}_pkts", "tx_{n}_pkts"},
	{"atlantic", "Queue[{n}] InPackets", "Queue[{n}] OutPackets"},
	/* igb, igc, ixgbe, ice, virtio-net until 6.8, hv_netvsc and others */
	{"*", "rx_queue_{n}_packets", "tx_queue_{n}_packets"},
	{"*", "rx-{n}.packets", "tx-{n}.packets"}, /* i40e, iavf */
	{"*", "rx{n}_packets", "tx{n}_packets"},   /* mlx5, mlx4, virtio-net since 6.8 */
};

static const struct nb_pattern_names no_names = {"", "", "", NULL};

/* Borrowed; ended by a row without driver. */
static void pick_rows(const char *driver, struct row *ret)
{
	for (unsigned i = 0; i < G_N_ELEMENTS(rows); i++)
		if (fnmatch(rows[i].driver, driver, 0) == 0)
			*ret++ = rows[i];
	*ret = (struct row){0};
}

static void resolve_one(const struct row *row, const char *name, unsigned value, GArray *stats)
{
	for (; row->driver; row++) {
		struct nb_stat stat = {.value = value};

		stat.rx = nb_pattern_match(row->rx, name, &no_names, &stat.queue);
		if (!stat.rx && !nb_pattern_match(row->tx, name, &no_names, &stat.queue))
			continue;
		g_array_append_val(stats, stat);
		return;
	}
}

/* vmxnet3 writes a headline before the statistics of each queue, which then have the same names for
 * all of them (vmxnet3_ethtool.c): a queue is known by how many headlines came before. */
static void resolve_blocks(char *const *names, GArray *stats)
{
	static const char *const rx_names[] = {"  ucast pkts rx", "  mcast pkts rx",
					       "  bcast pkts rx", NULL};
	static const char *const tx_names[] = {"  ucast pkts tx", "  mcast pkts tx",
					       "  bcast pkts tx", NULL};
	unsigned n_rx = 0, n_tx = 0;

	for (unsigned i = 0; names[i]; i++) {
		bool rx = g_strv_contains(rx_names, names[i]);
		bool tx = g_strv_contains(tx_names, names[i]);
		struct nb_stat stat = {.value = i, .rx = rx, .queue = (rx ? n_rx : n_tx) - 1};

		n_rx += g_str_equal(names[i], "Rx Queue#");
		n_tx += g_str_equal(names[i], "Tx Queue#");
		if ((rx && n_rx > 0) || (tx && n_tx > 0))
			g_array_append_val(stats, stat);
	}
}

void nb_stat_names_resolve(const char *driver, char *const *names, GArray *stats)
{
	struct row picked[G_N_ELEMENTS(rows) + 1];

	if (g_str_equal(driver, "vmxnet3")) {
		resolve_blocks(names, stats);
		return;
	}
	pick_rows(driver, picked);
	for (unsigned i = 0; names[i]; i++)
		resolve_one(picked, names[i], i, stats);
}

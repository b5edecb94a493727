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

/* What the NIC dropped for want of a buffer in the ring of the queue. virtio-net's and mlx4's
 * statistics of a similar name count what the driver dropped. */
static const struct row drop_rows[] = {
	{"igb", "rx_queue_{n}_drops", NULL}, /* RQDPC (igb_main.c igb_update_stats()) */
	{"igc", "rx_queue_{n}_drops", NULL},
	{"bnxt_en", "[{n}]: rx_discards", NULL},
	{"be2net", "rxq{n}: rx_drops_no_frags", NULL},
};

static const struct nb_pattern_names no_names = {"", "", "", NULL};

/* Those of the driver; ended by a row without one. */
static void pick_rows(const struct row *from, size_t n, const char *driver, struct row *ret)
{
	for (size_t i = 0; i < n; i++)
		if (fnmatch(from[i].driver, driver, 0) == 0)
			*ret++ = from[i];
	*ret = (struct row){0};
}

static void resolve_one(const struct row *row, const char *name, unsigned value, GArray *stats)
{
	for (; row->driver; row++) {
		struct nb_stat stat = {.value = value};

		stat.rx = nb_pattern_match(row->rx, name, &no_names, &stat.queue);
		if (!stat.rx &&
		    (!row->tx || !nb_pattern_match(row->tx, name, &no_names, &stat.queue)))
			continue;
		g_array_append_val(stats, stat);
		return;
	}
}

/* vmxnet3 writes a headline before the statistics of each queue, which then have the same names for
 * all of them (vmxnet3_ethtool.c): a queue is known by how many headlines came before. */
static void resolve_blocks(char *const *names, const char *const *rx_names,
			   const char *const *tx_names, GArray *stats)
{
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

static bool has_blocks(const char *driver)
{
	return g_str_equal(driver, "vmxnet3");
}

static void resolve(const struct row *picked, char *const *names, GArray *stats)
{
	for (unsigned i = 0; names[i]; i++)
		resolve_one(picked, names[i], i, stats);
}

void nb_stat_names_resolve(const char *driver, char *const *names, GArray *stats)
{
	static const char *const rx_names[] = {"  ucast pkts rx", "  mcast pkts rx",
					       "  bcast pkts rx", NULL};
	static const char *const tx_names[] = {"  ucast pkts tx", "  mcast pkts tx",
					       "  bcast pkts tx", NULL};
	struct row picked[G_N_ELEMENTS(rows) + 1];

	if (has_blocks(driver)) {
		resolve_blocks(names, rx_names, tx_names, stats);
		return;
	}
	pick_rows(rows, G_N_ELEMENTS(rows), driver, picked);
	resolve(picked, names, stats);
}

bool nb_drop_names_are_known(const char *driver)
{
	struct row picked[G_N_ELEMENTS(drop_rows) + 1];

	pick_rows(drop_rows, G_N_ELEMENTS(drop_rows), driver, picked);
	return has_blocks(driver) || picked[0].driver;
}

void nb_drop_names_resolve(const char *driver, char *const *names, GArray *stats)
{
	static const char *const rx_names[] = {"  pkts rx OOB", NULL}; /* out of buffers */
	static const char *const tx_names[] = {NULL};
	struct row picked[G_N_ELEMENTS(drop_rows) + 1];

	if (has_blocks(driver)) {
		resolve_blocks(names, rx_names, tx_names, stats);
		return;
	}
	pick_rows(drop_rows, G_N_ELEMENTS(drop_rows), driver, picked);
	resolve(picked, names, stats);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sample/drivers/packets.h"
#include "sample/drivers/stat_names.h"

#include <errno.h>

/* Adds to the unit a queue belongs to: one that shares its interrupt is counted with it. */
static void add(const struct nb_packets *packets, bool rx, unsigned index, uint64_t count,
		struct nb_queue_state *queues)
{
	unsigned n = rx ? packets->n_rx : packets->n_tx;
	int position = index < n ? (rx ? packets->rx_queues : packets->tx_queues)[index] : -1;

	if (position < 0)
		return;
	if (rx)
		queues[position].rx_packets += count;
	else
		queues[position].tx_packets += count;
}

static void reset(const struct nb_packets *packets, struct nb_queue_state *queues)
{
	for (unsigned i = 0; i < packets->n_queues; i++) {
		queues[packets->first_queue + i].rx_packets = 0;
		queues[packets->first_queue + i].tx_packets = 0;
	}
}

static int read_qstats(struct nb_packets *packets, struct nb_netlink *netlink,
		       struct nb_queue_state *queues)
{
	int r;

	r = nb_netlink_get_queue_stats(netlink, packets->ifindex, packets->buffer);
	if (r < 0)
		return r;
	reset(packets, queues);
	for (unsigned i = 0; i < packets->buffer->len; i++) {
		const struct nb_netlink_queue_stats *stats =
			&g_array_index(packets->buffer, struct nb_netlink_queue_stats, i);

		add(packets, stats->direction == NB_QUEUE_RX, stats->index, stats->packets, queues);
	}
	return 0;
}

static int read_ethtool(struct nb_packets *packets, struct nb_netlink *netlink,
			struct nb_queue_state *queues)
{
	int r;

	r = nb_netlink_get_stat_values(netlink, packets->ifname, packets->n_values,
				       packets->buffer);
	if (r < 0)
		return r;
	if (packets->buffer->len != packets->n_values)
		return -ESTALE;
	reset(packets, queues);
	for (unsigned i = 0; i < packets->stats->len; i++) {
		const struct nb_stat *stat = &g_array_index(packets->stats, struct nb_stat, i);

		add(packets, stat->rx, stat->queue,
		    g_array_index(packets->buffer, uint64_t, stat->value), queues);
	}
	return 0;
}

static int read_source(struct nb_packets *packets, struct nb_netlink *netlink,
		       struct nb_queue_state *queues)
{
	switch (packets->source) {
	case NB_PACKETS_QSTATS:
		return read_qstats(packets, netlink, queues);
	case NB_PACKETS_ETHTOOL:
		return read_ethtool(packets, netlink, queues);
	case NB_PACKETS_NONE:
	case _NB_PACKETS_MAX:
	case _NB_PACKETS_INVALID:
		break;
	}
	return 0;
}

int nb_packets_read(struct nb_packets *packets, struct nb_netlink *netlink,
		    struct nb_queue_state *queues)
{
	int r = read_source(packets, netlink, queues);

	packets->answered = r == 0;
	return r;
}

static bool probe_qstats(struct nb_packets *packets, struct nb_netlink *netlink)
{
	g_autoptr(GArray) stats = g_array_new(FALSE, FALSE, sizeof(struct nb_netlink_queue_stats));

	if (nb_netlink_get_queue_stats(netlink, packets->ifindex, stats) < 0)
		return false;
	/* Drivers may answer with totals of the device alone. */
	for (unsigned i = 0; i < stats->len; i++)
		if (g_array_index(stats, struct nb_netlink_queue_stats, i).direction ==
		    NB_QUEUE_RX) {
			packets->buffer = g_steal_pointer(&stats);
			return true;
		}
	return false;
}

static bool probe_ethtool(struct nb_packets *packets, struct nb_netlink *netlink,
			  const char *driver)
{
	g_autoptr(GArray) stats = g_array_new(FALSE, FALSE, sizeof(struct nb_stat));
	g_auto(GStrv) names = NULL;

	if (nb_netlink_get_stat_names(netlink, packets->ifname, &names) < 0)
		return false;
	nb_stat_names_resolve(driver, names, stats);
	if (stats->len == 0)
		return false;
	packets->n_values = g_strv_length(names);
	packets->stats = g_steal_pointer(&stats);
	packets->buffer = g_array_new(FALSE, FALSE, sizeof(uint64_t));
	return true;
}

void nb_packets_probe(struct nb_packets *packets, struct nb_netlink *netlink, const char *driver)
{
	packets->source = NB_PACKETS_NONE;
	if (!netlink)
		return;
	if (probe_qstats(packets, netlink))
		packets->source = NB_PACKETS_QSTATS;
	else if (probe_ethtool(packets, netlink, driver))
		packets->source = NB_PACKETS_ETHTOOL;
}

void nb_packets_clear(struct nb_packets *packets)
{
	g_clear_pointer(&packets->rx_queues, g_free);
	g_clear_pointer(&packets->tx_queues, g_free);
	g_clear_pointer(&packets->stats, g_array_unref);
	g_clear_pointer(&packets->buffer, g_array_unref);
}

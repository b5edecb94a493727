/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sample/drivers/drops.h"
#include "sample/drivers/stat_names.h"

#include <errno.h>

/* Not by netlink: that would wait for the RTNL lock, this does not (net/core/net-sysfs.c
 * netstat_show()). */
static int read_missed(struct nb_sysroot *root, const char *ifname, uint64_t *ret)
{
	g_autofree char *path =
		g_strdup_printf("sys/class/net/%s/statistics/rx_missed_errors", ifname);

	return nb_sysroot_read_number(root, path, UINT64_MAX, ret);
}

/* Adds to the unit a queue belongs to: one that shares its interrupt is counted with it. */
static void add(const struct nb_packets *packets, unsigned index, uint64_t count,
		struct nb_queue_state *queues)
{
	int position = index < packets->n_rx ? packets->rx_queues[index] : -1;

	if (position >= 0)
		queues[position].dropped += count;
}

static void reset(const struct nb_packets *packets, struct nb_queue_state *queues)
{
	for (unsigned i = 0; i < packets->n_queues; i++)
		queues[packets->first_queue + i].dropped = 0;
}

static void take_qstats(const GArray *answer, const struct nb_packets *packets,
			struct nb_queue_state *queues)
{
	for (unsigned i = 0; i < answer->len; i++) {
		const struct nb_netlink_queue_stats *stats =
			&g_array_index(answer, struct nb_netlink_queue_stats, i);

		if (stats->counts_drops)
			add(packets, stats->index, stats->drops, queues);
	}
}

static void take_ethtool(const GArray *answer, const struct nb_drops *drops,
			 const struct nb_packets *packets, struct nb_queue_state *queues)
{
	for (unsigned i = 0; i < drops->stats->len; i++) {
		const struct nb_stat *stat = &g_array_index(drops->stats, struct nb_stat, i);

		add(packets, stat->queue, g_array_index(answer, uint64_t, stat->value), queues);
	}
}

/* From the answer that told the packets, if there was one, or from one of its own. */
static int read_queues(struct nb_drops *drops, const struct nb_packets *packets,
		       struct nb_netlink *netlink, struct nb_queue_state *queues)
{
	bool qstats = drops->source == NB_PACKETS_QSTATS;
	bool same = packets->answered && packets->source == drops->source;
	const GArray *answer = same ? packets->buffer : drops->buffer;
	int r = 0;

	if (drops->source == NB_PACKETS_NONE)
		return 0;
	if (!same && qstats)
		r = nb_netlink_get_queue_stats(netlink, packets->ifindex, drops->buffer);
	else if (!same)
		r = nb_netlink_get_stat_values(netlink, packets->ifname, drops->n_values,
					       drops->buffer);
	if (r < 0)
		return r;
	if (!qstats && answer->len != drops->n_values)
		return -ESTALE;
	reset(packets, queues);
	if (qstats)
		take_qstats(answer, packets, queues);
	else
		take_ethtool(answer, drops, packets, queues);
	return 0;
}

/* Both or neither: they are compared. */
void nb_drops_read(struct nb_drops *drops, const struct nb_packets *packets,
		   struct nb_sysroot *root, struct nb_netlink *netlink, uint64_t now_nsec,
		   struct nb_nic_state *nic, struct nb_queue_state *queues)
{
	uint64_t missed = 0;

	if (!drops->missed && drops->source == NB_PACKETS_NONE)
		return;
	if (drops->missed && read_missed(root, packets->ifname, &missed) < 0)
		return;
	if (read_queues(drops, packets, netlink, queues) < 0)
		return;
	nic->read_nsec = now_nsec;
	nic->missed = missed;
	nic->by_queue = drops->source != NB_PACKETS_NONE;
}

/* The kernel says so for each queue that its driver answers for. */
static bool probe_qstats(struct nb_drops *drops, const struct nb_packets *packets,
			 struct nb_netlink *netlink)
{
	g_autoptr(GArray) stats = g_array_new(FALSE, FALSE, sizeof(struct nb_netlink_queue_stats));

	if (packets->source != NB_PACKETS_QSTATS ||
	    nb_netlink_get_queue_stats(netlink, packets->ifindex, stats) < 0)
		return false;
	for (unsigned i = 0; i < stats->len; i++)
		if (g_array_index(stats, struct nb_netlink_queue_stats, i).counts_drops) {
			drops->buffer = g_steal_pointer(&stats);
			return true;
		}
	return false;
}

static bool probe_ethtool(struct nb_drops *drops, const struct nb_packets *packets,
			  struct nb_netlink *netlink, const char *driver)
{
	g_autoptr(GArray) stats = g_array_new(FALSE, FALSE, sizeof(struct nb_stat));
	g_auto(GStrv) names = NULL;

	if (!nb_drop_names_are_known(driver) ||
	    nb_netlink_get_stat_names(netlink, packets->ifname, &names) < 0)
		return false;
	nb_drop_names_resolve(driver, names, stats);
	if (stats->len == 0)
		return false;
	drops->n_values = g_strv_length(names);
	drops->stats = g_steal_pointer(&stats);
	drops->buffer = g_array_new(FALSE, FALSE, sizeof(uint64_t));
	return true;
}

void nb_drops_probe(struct nb_drops *drops, const struct nb_packets *packets,
		    struct nb_sysroot *root, struct nb_netlink *netlink, const char *driver)
{
	uint64_t missed;

	*drops = (struct nb_drops){.missed = read_missed(root, packets->ifname, &missed) == 0};
	if (!netlink)
		return;
	if (probe_qstats(drops, packets, netlink))
		drops->source = NB_PACKETS_QSTATS;
	else if (probe_ethtool(drops, packets, netlink, driver))
		drops->source = NB_PACKETS_ETHTOOL;
}

void nb_drops_clear(struct nb_drops *drops)
{
	g_clear_pointer(&drops->stats, g_array_unref);
	g_clear_pointer(&drops->buffer, g_array_unref);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sample/buckets.h"

#include <errno.h>
#include <string.h>

void nb_buckets_use_probe(struct nb_buckets *buckets, struct nb_probe *probe)
{
	nb_buckets_stop(buckets);
	buckets->probe = probe;
}

static bool names_rings(const GArray *table, unsigned n_rings)
{
	for (unsigned i = 0; i < table->len; i++)
		if (g_array_index(table, uint32_t, i) >= n_rings)
			return false;
	return true;
}

static int read_table(struct nb_buckets *buckets, const char *ifname, unsigned *ret_n)
{
	g_autoptr(GArray) table = g_array_new(FALSE, FALSE, sizeof(uint32_t));
	unsigned n_rings;
	int r;

	r = nb_netlink_get_rss(buckets->netlink, ifname, table, &n_rings);
	if (r < 0)
		return r;
	if (table->len > NB_PROBE_BUCKETS_MAX)
		return -E2BIG;
	if (!names_rings(table, n_rings))
		return -ERANGE;
	memcpy(buckets->queues, table->data, table->len * sizeof(uint32_t));
	buckets->n_rings = n_rings;
	*ret_n = table->len;
	return 0;
}

/* What the probe counted before belongs to others. */
static void begin(struct nb_buckets *buckets, unsigned n)
{
	const struct nb_probe_bucket *counters = nb_probe_buckets(buckets->probe);

	for (unsigned i = 0; i < n; i++) {
		buckets->begin[i].packets = counters[i].packets;
		buckets->begin[i].strayed = counters[i].strayed;
	}
	buckets->n = n;
}

bool nb_buckets_start(struct nb_buckets *buckets, int ifindex, const char *ifname,
		      uint64_t now_nsec)
{
	unsigned n;

	if (ifindex == buckets->ifindex || !buckets->probe || !buckets->netlink)
		return false;
	nb_buckets_stop(buckets);
	buckets->ifindex = ifindex;
	buckets->since_nsec = now_nsec;
	if (read_table(buckets, ifname, &n) < 0 ||
	    nb_probe_count_buckets(buckets->probe, ifindex, buckets->queues, n, NULL) < 0)
		return false;
	begin(buckets, n);
	return true;
}

void nb_buckets_stop(struct nb_buckets *buckets)
{
	if (!buckets->ifindex)
		return;
	nb_probe_stop_buckets(buckets->probe);
	buckets->ifindex = 0;
	buckets->since_nsec = 0;
	buckets->n = 0;
	buckets->n_rings = 0;
}

void nb_buckets_read(struct nb_buckets *buckets, struct nb_bucket_counts *ret)
{
	bool able = buckets->netlink && buckets->probe && nb_probe_measures(buckets->probe);
	struct nb_bucket_counts counts = {
		.able = able,
		.soon = !able && buckets->netlink && buckets->expected,
		.ifindex = buckets->ifindex,
		.since_nsec = buckets->since_nsec,
		.n = buckets->n,
		.n_rings = buckets->n_rings,
		.queues = buckets->queues,
		.packets = buckets->packets,
	};
	const struct nb_probe_bucket *counters =
		buckets->n ? nb_probe_buckets(buckets->probe) : NULL;

	for (unsigned i = 0; i < buckets->n; i++) {
		buckets->packets[i] = counters[i].packets - buckets->begin[i].packets;
		counts.strayed += (uint32_t)(counters[i].strayed - buckets->begin[i].strayed);
	}
	*ret = counts;
}

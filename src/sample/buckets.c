/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sample/buckets.h"

#include "sample/parse/parse.h"

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

/* Drivers that do not tell their key have the kernel's, most of them: netdev_rss_key_fill(). */
static int read_kernel_key(struct nb_sysroot *root, uint8_t *ret)
{
	g_autofree char *text = NULL;
	size_t len;
	int r;

	r = nb_sysroot_read(root, "proc/sys/net/core/netdev_rss_key", &text, &len);
	return r < 0 ? r : nb_parse_rss_key(text, len, ret, NB_TOEPLITZ_KEY);
}

G_STATIC_ASSERT(NB_RSS_KEY == NB_TOEPLITZ_KEY);

/* Asked in any case: packets without a hash are not seen before. */
static int read_hashing(struct nb_buckets *buckets, const char *ifname, struct nb_rss_hash *hash,
			struct nb_probe_hashing *ret)
{
	int r;

	r = nb_netlink_get_rss_hash(buckets->netlink, ifname, hash);
	if (r == 0 && !hash->has_key)
		r = read_kernel_key(buckets->root, hash->key);
	if (r < 0)
		return r;
	*ret = (struct nb_probe_hashing){
		.key = hash->key,
		.ports = (hash->tcp_ports[0] ? NB_PROBE_TCP4 : 0) |
			 (hash->udp_ports[0] ? NB_PROBE_UDP4 : 0) |
			 (hash->tcp_ports[1] ? NB_PROBE_TCP6 : 0) |
			 (hash->udp_ports[1] ? NB_PROBE_UDP6 : 0),
	};
	return 0;
}

/* Has the probe count n buckets. */
static int tell_probe(struct nb_buckets *buckets, const char *ifname, unsigned n)
{
	struct nb_probe_hashing hashing;
	struct nb_rss_hash hash;
	bool known = read_hashing(buckets, ifname, &hash, &hashing) == 0;

	return nb_probe_count_buckets(buckets->probe, buckets->ifindex, buckets->queues, n,
				      known ? &hashing : NULL);
}

/* What the probe counted before belongs to others. */
static void begin(struct nb_buckets *buckets, unsigned n)
{
	memcpy(buckets->begin, nb_probe_buckets(buckets->probe), n * sizeof(buckets->begin[0]));
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
	if (read_table(buckets, ifname, &n) < 0 || tell_probe(buckets, ifname, n) < 0)
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

static void add_reckoned(struct nb_bucket_counts *counts, const struct nb_probe_bucket *now,
			 const struct nb_probe_bucket *begin)
{
	uint32_t agreeing = now->reckoned - begin->reckoned;
	uint32_t disagreeing = now->reckoned_strayed - begin->reckoned_strayed;

	counts->reckoned += agreeing;
	if (agreeing > disagreeing)
		counts->n_agreeing++;
	else if (disagreeing > 0)
		counts->n_disagreeing++;
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
		add_reckoned(&counts, &counters[i], &buckets->begin[i]);
	}
	*ret = counts;
}

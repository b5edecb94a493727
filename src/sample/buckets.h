/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* Counts the packets of one NIC by the entry of its RSS table (bucket): the table from ethtool, the
 * packets from the probe. */

#include "bpf/probe.h"
#include "netlink/netlink.h"
#include "nicbalance/snapshot.h"
#include "sysroot/sysroot.h"

/* Zeroed it counts nothing. Snapshots point into it: what they say of buckets is lost with it. */
struct nb_buckets {
	struct nb_sysroot *root;    /* borrowed */
	struct nb_netlink *netlink; /* borrowed; NULL: no table can be read */
	struct nb_probe *probe;     /* borrowed; NULL: there is none */
	bool expected;              /* there will be one as soon as a CPU is hot */
	int ifindex;                /* 0: nothing is counted */
	uint64_t since_nsec;
	unsigned n; /* 0: its packets cannot be counted */
	unsigned n_rings;
	uint32_t queues[NB_PROBE_BUCKETS_MAX];
	uint32_t packets[NB_PROBE_BUCKETS_MAX];             /* by the last nb_buckets_read() */
	struct nb_probe_bucket begin[NB_PROBE_BUCKETS_MAX]; /* of the probe, when it began */
};

/* Ends what was counted with the probe before, which must still be there. probe is borrowed until
 * the next call. */
void nb_buckets_use_probe(struct nb_buckets *buckets, struct nb_probe *probe);

/* Counts for this NIC from now on; nothing changes if it does already. Without netlink or a probe
 * nothing is counted. A table that cannot be read, that is too large for the probe, or that names
 * rings which are not there is not tried again before another call for it. Returns whether counting
 * began with this call. */
bool nb_buckets_start(struct nb_buckets *buckets, int ifindex, const char *ifname,
		      uint64_t now_nsec);
void nb_buckets_stop(struct nb_buckets *buckets);

/* What came since. Allocates nothing. The arrays that *ret points to are those of the last call, of
 * whatever NIC. */
void nb_buckets_read(struct nb_buckets *buckets, struct nb_bucket_counts *ret);

/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* Counting the packets of one device by the entry of its RSS table (bucket) to which their hash
 * belongs. Attached only while someone wants to know: these programs run for each packet. */

#include "bpf/headers.bpf.h"
#include "bpf/napi.bpf.h"

/* A table of n entries is indexed by the hash modulo n, which for powers of two is its low bits. A
 * packet that is in another queue than the table says was put there by a filter, or has a hash that
 * is not the table's: moving the entry would not move it. */
static __always_inline bool is_of_table(__u32 hash, __u16 queue_plus_one, __u32 bucket)
{
	return hash && queue_plus_one == control.bucket_queues[bucket] + 1;
}

/* Atomic: packets may stray into several queues, and those are polled by several CPUs. */
static __always_inline int count_packet(struct sk_buff *skb, bool typed)
{
	__u32 ifindex = control.buckets_ifindex, n = control.n_buckets, told, hash, bucket;
	struct nb_probe_bucket *counters;
	struct net_device *dev;

	if (!ifindex || !n)
		return 0;
	dev = GET(typed, skb, dev);
	if ((__u32)GET(typed, dev, ifindex) != ifindex || !is_in_own_netns(dev, typed))
		return 0;
	told = GET(typed, skb, hash);
	hash = told ? told : reckon_hash(skb, typed);
	bucket = hash % n;
	counters = bpf_map_lookup_elem(&buckets, &bucket);
	if (!counters || bucket >= NB_PROBE_BUCKETS_MAX)
		return 0;
	if (is_of_table(hash, GET(typed, skb, queue_mapping), bucket)) {
		__sync_fetch_and_add(&counters->packets, 1);
		if (!told)
			__sync_fetch_and_add(&counters->reckoned, 1);
	} else {
		__sync_fetch_and_add(&counters->strayed, 1);
		if (!told && hash)
			__sync_fetch_and_add(&counters->reckoned_strayed, 1);
	}
	return 0;
}

/* Outside of a slice they count, too: that is of no harm, and user space detaches them then. */
#define PACKET_PROGRAM(tracepoint)                          \
	SEC("tp_btf/" #tracepoint)                          \
	int tracepoint##_btf(__u64 *ctx)                    \
	{                                                   \
		return count_packet((void *)ctx[0], true);  \
	}                                                   \
	SEC("raw_tp/" #tracepoint)                          \
	int tracepoint##_raw(__u64 *ctx)                    \
	{                                                   \
		return count_packet((void *)ctx[0], false); \
	}

/* Drivers hand each packet to one of these before it is merged with others (net/core/gro.c). */
PACKET_PROGRAM(napi_gro_receive_entry)
PACKET_PROGRAM(napi_gro_frags_entry)

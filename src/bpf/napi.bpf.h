/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* Finding the counters of a NAPI, and the interrupt that it follows. */

#include "bpf/maps.bpf.h"

#define VOTES_MAX 64

/* The same number can be another device's in another network namespace. */
static __always_inline bool is_in_own_netns(struct net_device *dev, bool typed)
{
	struct net *net;

	if (!own_netns || !bpf_core_field_exists(dev->nd_net.net))
		return true;
	net = GET(typed, dev, nd_net.net);
	return GET(typed, net, ns.inum) == own_netns;
}

/* What it was told to be; 0: nothing. */
static __always_inline __u32 kind_of(struct net_device *dev, __u32 ifindex, bool typed)
{
	const __u32 *found = bpf_map_lookup_elem(&devices, &ifindex);

	return found && is_in_own_netns(dev, typed) ? *found : 0;
}

/* Drivers may tell the interrupt of a NAPI (netif_napi_set_irq(), 6.8). */
static __always_inline bool ask_irq(struct nb_probe_napi *counters, struct napi_struct *napi,
				    bool typed)
{
	int irq;

	if (!bpf_core_field_exists(napi->irq))
		return false;
	irq = GET(typed, napi, irq);
	if (irq <= 0)
		return false;
	counters->irq = irq;
	counters->irq_votes = VOTES_MAX;
	return true;
}

/* Majority vote (Boyer and Moore): whatever share of the votes is noise, what has more than half
 * wins, and a change shows after as many votes as there were in favour. */
static __always_inline void count_vote(struct nb_probe_napi *counters, __u32 irq, __u32 weight)
{
	if (counters->irq == irq) {
		if (counters->irq_votes < VOTES_MAX)
			counters->irq_votes += weight;
	} else if (counters->irq_votes > weight) {
		counters->irq_votes -= weight;
	} else {
		counters->irq = irq;
		counters->irq_votes = weight;
	}
}

/* The interrupt in scope that came last to this CPU may be the one that scheduled this NAPI: very
 * likely if its dev_id is close to the NAPI, else only if there was no other. A NAPI whose last
 * poll used the whole budget is polled again without any: the interrupt is for one that comes
 * later. Once found it can still change: a reset of the device may give the NAPI another. */
static __always_inline void find_irq(struct nb_probe_cpu *cpu, struct nb_probe_napi *counters,
				     struct napi_struct *napi, bool typed)
{
	__u32 irq = cpu->state.irq, n_irqs = cpu->state.n_irqs;

	if (!irq || counters->goes_on)
		return;
	cpu->state.irq = 0;
	cpu->state.n_irqs = 0;
	if (ask_irq(counters, napi, typed))
		return;
	if (counters->address - cpu->state.dev_id < NB_PROBE_NEAR_BYTES)
		count_vote(counters, irq, NB_PROBE_SURE);
	else if (n_irqs == 1)
		count_vote(counters, irq, 1);
}

/* The counters go on growing, only they are another's from now on. */
static __always_inline void identify(struct nb_probe_napi *counters, struct napi_struct *napi,
				     struct net_device *dev, __u32 ifindex, bool typed)
{
	counters->dev = (__u64)dev;
	counters->napi_id = GET(typed, napi, napi_id);
	counters->ifindex = ifindex;
	counters->irq = 0;
	counters->irq_votes = 0;
	counters->pid = 0;
	counters->goes_on = 1;
	(void)ask_irq(counters, napi, typed);
}

static __always_inline struct nb_probe_napi *add_napi(struct napi_struct *napi,
						      struct net_device *dev, bool typed)
{
	__u32 ifindex = GET(typed, dev, ifindex), position;
	struct nb_probe_napi *counters;
	__u64 address = (__u64)napi;

	if (kind_of(dev, ifindex, typed) != NB_PROBE_NIC)
		return NULL;
	/* A NAPI too many comes by here with each poll, on any CPU: so it takes no lock, and writes
	 * no line that others read. */
	if (totals.napis >= NB_PROBE_NAPIS_MAX || bpf_map_pop_elem(&free_napis, &position) < 0) {
		if (!totals.lost)
			totals.lost = 1;
		return NULL;
	}
	counters = bpf_map_lookup_elem(&napis, &position);
	if (!counters)
		return NULL;
	counters->position = position;
	counters->address = address;
	identify(counters, napi, dev, ifindex, typed);
	bpf_map_update_elem(&napi_positions, &address, &position, BPF_ANY);
	__sync_fetch_and_add(&totals.napis, 1);
	return counters;
}

/* NULL: none of its own. Drivers free NAPIs and get the same memory for others, so the address
 * alone does not tell which one it is; and a device can get another number on its way through
 * another namespace. User space marks what left the scope, here it is taken in again. */
static __always_inline struct nb_probe_napi *find_napi(struct napi_struct *napi,
						       struct net_device *dev, bool typed)
{
	struct nb_probe_napi *counters;
	__u64 address = (__u64)napi;
	__u32 *position, own, ifindex;
	bool same;

	position = bpf_map_lookup_elem(&napi_positions, &address);
	if (!position)
		return add_napi(napi, dev, typed);
	own = *position & ~NB_PROBE_OUT;
	counters = bpf_map_lookup_elem(&napis, &own);
	if (!counters)
		return NULL;
	same = counters->dev == (__u64)dev && counters->napi_id == GET(typed, napi, napi_id);
	if (same && own == *position)
		return counters;

	ifindex = GET(typed, dev, ifindex);
	if (kind_of(dev, ifindex, typed) != NB_PROBE_NIC) {
		*position = own | NB_PROBE_OUT;
		return NULL;
	}
	*position = own;
	if (!same || counters->ifindex != ifindex) {
		identify(counters, napi, dev, ifindex, typed);
		counters->serial++;
	}
	return counters;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* A NIC whose packets are counted by RSS table entry: eight CPUs, four queues of which each has a
 * CPU, and sixteen buckets of which each queue has every fourth. */

#include "plan/buckets.h"
#include "unit/plan/fixture.h"

#define N_QUEUES 4u
#define N_BUCKETS 16u

static uint32_t table[N_BUCKETS], packets[N_BUCKETS];

static inline int set_up(void **state)
{
	struct nb_host *host = nb_host_new(8, 1, 1);

	nb_host_add_nic(host, NB_NODE_NONE, N_QUEUES, 0, 1000);
	for (unsigned i = 0; i < N_QUEUES; i++)
		nb_host_place(host, i, i);
	for (unsigned i = 0; i < N_BUCKETS; i++) {
		table[i] = i % N_QUEUES;
		packets[i] = 1000;
	}
	host->snapshot.buckets = (struct nb_bucket_counts){
		.able = true,
		.ifindex = host->machine.nics[0].ifindex,
		.n = N_BUCKETS,
		.n_rings = N_QUEUES,
		.queues = table,
		.packets = packets,
	};
	return begin_with(state, host);
}

/* Queue 0 takes so much, in these shares by bucket 0, 4, 8, 12. */
static inline void load_first(struct fixture *f, uint32_t load, const uint32_t shares[4])
{
	f->host->time[0] = load;
	for (unsigned i = 0; i < 4; i++)
		packets[i * N_QUEUES] = shares[i];
	look(f);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "bpf/call.h"
#include "bpf/probe_internal.h"

#include <errno.h>
#include <unistd.h>

#define PROGRAMS 2u

static const struct {
	enum nb_fd fd;
	const char *tracepoint;
} programs[PROGRAMS] = {
	{NB_FD_GRO_RECEIVE, "napi_gro_receive_entry"},
	{NB_FD_GRO_FRAGS, "napi_gro_frags_entry"},
};

/* A queue travels in 16 bits, plus one (include/linux/skbuff.h skb_record_rx_queue()). */
static int check(int ifindex, const uint32_t *queues, unsigned n)
{
	if (ifindex <= 0 || n == 0)
		return -EINVAL;
	if (n > NB_PROBE_BUCKETS_MAX)
		return -E2BIG;
	for (unsigned i = 0; i < n; i++)
		if (queues[i] >= UINT16_MAX)
			return -E2BIG;
	return 0;
}

/* The index of the device comes last, for the programs may be attached already. One that is under
 * way meanwhile counts its packet by the one table or the other. */
static void tell(struct nb_probe_control *control, int ifindex, const uint32_t *queues, unsigned n,
		 const struct nb_probe_hashing *hashing)
{
	__atomic_store_n(&control->buckets_ifindex, 0, __ATOMIC_RELEASE);
	for (unsigned i = 0; i < n; i++)
		control->bucket_queues[i] = (uint16_t)queues[i];
	control->n_buckets = n;
	control->reckoning.on = hashing != NULL;
	if (hashing) {
		control->reckoning.ports = hashing->ports;
		nb_toeplitz_prepare(hashing->key, &control->reckoning.toeplitz);
	}
	__atomic_store_n(&control->buckets_ifindex, (uint32_t)ifindex, __ATOMIC_RELEASE);
}

static int attach(struct nb_probe *probe)
{
	int r;

	if (!probe->buckets) {
		r = nb_probe_map(probe, NB_ARRAY_BUCKETS);
		if (r < 0)
			return r;
	}
	for (unsigned i = 0; i < PROGRAMS; i++) {
		if (probe->bucket_links[i] >= 0)
			continue;
		r = nb_bpf_attach(probe->fds[programs[i].fd],
				  probe->typed ? NULL : programs[i].tracepoint);
		if (r < 0)
			return r;
		probe->bucket_links[i] = r;
	}
	return 0;
}

int nb_probe_count_buckets(struct nb_probe *probe, int ifindex, const uint32_t *queues, unsigned n,
			   const struct nb_probe_hashing *hashing)
{
	int r = check(ifindex, queues, n);

	if (r == 0)
		tell(probe->control, ifindex, queues, n, hashing);
	if (r == 0 && probe->loaded)
		r = attach(probe);
	if (r < 0)
		nb_probe_stop_buckets(probe);
	return r;
}

void nb_probe_stop_buckets(struct nb_probe *probe)
{
	if (probe->control)
		__atomic_store_n(&probe->control->buckets_ifindex, 0, __ATOMIC_RELEASE);
	for (unsigned i = 0; probe->loaded && i < PROGRAMS; i++) {
		if (probe->bucket_links[i] >= 0)
			close(probe->bucket_links[i]);
		probe->bucket_links[i] = -1;
	}
}

const struct nb_probe_bucket *nb_probe_buckets(const struct nb_probe *probe)
{
	return probe->buckets;
}

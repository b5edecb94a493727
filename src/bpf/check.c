/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "bpf/call.h"
#include "bpf/probe_internal.h"

#include <errno.h>

/* A CPU that only notifies others of packets (RPS) enters NET_RX without a poll, but then those
 * poll. So many without any poll mean that polls are not seen. */
#define NET_RX_WITHOUT_POLL 1000

static int check_links(const struct nb_probe *probe)
{
	for (unsigned i = 0; i < NB_PROBE_PROGRAMS; i++)
		if (nb_bpf_check_link(probe->links[i]) < 0)
			return -EIO;
	return 0;
}

static int check_counts(struct nb_probe *probe)
{
	uint32_t softirqs = 0, net_rx = 0, polls = 0;

	for (unsigned i = 0; i < probe->n_cpus; i++) {
		softirqs += probe->cpus[i].softirqs;
		net_rx += probe->cpus[i].net_rx;
		polls += probe->cpus[i].polls;
	}
	if (softirqs == probe->last_softirqs)
		return -EIO;
	probe->last_softirqs = softirqs;
	if (polls == probe->last_polls)
		return net_rx - probe->last_net_rx > NET_RX_WITHOUT_POLL ? -EIO : 0;
	probe->last_polls = polls;
	probe->last_net_rx = net_rx;
	return 0;
}

int nb_probe_check(struct nb_probe *probe)
{
	int r;

	r = check_counts(probe);
	if (r < 0)
		return r;
	return probe->loaded ? check_links(probe) : 0;
}

/* Where entering a program could not be timed: bench/probe, three programs added 533 ns to a
 * packet, and saw 75 each. */
#define ENTERING_NSEC 100

uint32_t nb_probe_entering_nsec(const struct nb_probe *probe)
{
	return probe->entering_nsec ? probe->entering_nsec : ENTERING_NSEC;
}

uint64_t nb_probe_cost_nsec(const struct nb_probe *probe)
{
	uint64_t entering_nsec = nb_probe_entering_nsec(probe);
	uint64_t nsec = 0;

	for (unsigned i = 0; i < probe->n_cpus; i++) {
		uint64_t runs = probe->cpus[i].state.own_runs;

		nsec += MAX(probe->cpus[i].state.own_nsec, runs * probe->clock_nsec) +
			runs * entering_nsec;
	}
	return nsec;
}

uint32_t nb_probe_clock_nsec(const struct nb_probe *probe)
{
	return probe->clock_nsec;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "support/fake_probe.h"

#include "bpf/probe_internal.h"

#include <assert.h>

/* net/core/dev.c NAPI_POLL_WEIGHT: the budget of one poll. */
#define BUDGET 64

struct nb_probe *nb_fake_probe_new(unsigned n_cpus)
{
	struct nb_probe *probe = g_new0(struct nb_probe, 1);

	probe->cpus = g_new0(struct nb_probe_cpu, n_cpus);
	probe->n_cpus = n_cpus;
	probe->napis = g_new0(struct nb_probe_napi, NB_PROBE_NAPIS_MAX);
	probe->max_napis = NB_PROBE_NAPIS_MAX;
	probe->totals = g_new0(struct nb_probe_totals, 1);
	probe->control = g_new0(struct nb_probe_control, 1);
	probe->irqs = g_new0(struct nb_probe_irq, NB_PROBE_IRQS_MAX);
	probe->max_irqs = NB_PROBE_IRQS_MAX;
	probe->buckets = g_new0(struct nb_probe_bucket, NB_PROBE_BUCKETS_MAX);
	probe->delays = g_new0(struct nb_probe_delays, n_cpus);
	return probe;
}

void nb_fake_probe_free(struct nb_probe *probe)
{
	void *owned[] = {probe->cpus,    probe->napis,   probe->irqs,  probe->totals,
			 probe->control, probe->buckets, probe->delays};

	nb_probe_free(probe);
	for (unsigned i = 0; i < G_N_ELEMENTS(owned); i++)
		g_free(owned[i]);
}

struct nb_probe_cpu *nb_fake_probe_cpu(struct nb_probe *probe, unsigned cpu)
{
	return &probe->cpus[cpu];
}

unsigned nb_fake_probe_add_napi(struct nb_probe *probe, unsigned ifindex, uint32_t napi_id,
				uint32_t irq)
{
	uint32_t position = probe->totals->napis++;

	probe->napis[position] = (struct nb_probe_napi){
		.ifindex = ifindex,
		.napi_id = napi_id,
		.irq = irq,
		.irq_votes = irq ? NB_PROBE_SURE : 0,
	};
	return position;
}

struct nb_probe_napi *nb_fake_probe_napi(struct nb_probe *probe, unsigned position)
{
	return &probe->napis[position];
}

struct nb_probe_irq *nb_fake_probe_irq(struct nb_probe *probe, uint32_t irq)
{
	int position = nb_probe_find_irq(probe, irq);

	assert(position >= 0);
	return &probe->irqs[position];
}

void nb_fake_probe_receive(struct nb_probe *probe, unsigned bucket, unsigned packets,
			   unsigned strayed)
{
	probe->buckets[bucket].packets += packets;
	probe->buckets[bucket].strayed += strayed;
}

void nb_fake_probe_reckon(struct nb_probe *probe, unsigned bucket, unsigned packets,
			  unsigned strayed)
{
	nb_fake_probe_receive(probe, bucket, packets, strayed);
	probe->buckets[bucket].reckoned += packets;
	probe->buckets[bucket].reckoned_strayed += strayed;
}

void nb_fake_probe_poll(struct nb_probe *probe, unsigned napi, unsigned cpu, uint64_t nsec,
			unsigned packets)
{
	struct nb_probe_napi *counters = &probe->napis[napi];

	counters->poll_nsec += nsec;
	counters->packets += packets;
	counters->polls++;
	counters->exhausted += packets == BUDGET;
	counters->cpu = cpu;
	probe->cpus[cpu].softirq_nsec[NB_PROBE_NET_RX] += nsec;
	probe->cpus[cpu].net_rx++;
	probe->cpus[cpu].polls++;
}

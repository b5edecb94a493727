/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/split.h"

#include <stdlib.h>

/* A received packet passes the protocol layers, on another CPU if it is steered by RPS; a sent one
 * is only freed in NAPI. The ratios are of the order that NAPI polls of common drivers show; they
 * matter only between queues of one CPU whose mixes differ. */
#define RX_WEIGHT 4u
#define STEERED_WEIGHT 1u
#define TX_WEIGHT 1u

static int compare_id(const void *key, const void *entry)
{
	unsigned id = *(const unsigned *)key;
	const struct nb_cpu_split *cpu = entry;

	return id == cpu->id ? 0 : id < cpu->id ? -1 : 1;
}

struct nb_cpu_split *nb_split_find(struct nb_cpu_split *cpus, unsigned n_cpus, int cpu)
{
	unsigned id = (unsigned)cpu;

	if (cpu < 0)
		return NULL;
	if (id < n_cpus && cpus[id].id == id)
		return &cpus[id];
	return bsearch(&id, cpus, n_cpus, sizeof(*cpus), compare_id);
}

static uint64_t packet_weight(const struct nb_queue_work *queue)
{
	unsigned rx_weight = queue->steered ? STEERED_WEIGHT : RX_WEIGHT;

	return queue->rx_packets * rx_weight + queue->tx_packets * TX_WEIGHT;
}

static void add_queue(struct nb_cpu_split *cpu, const struct nb_queue_work *queue)
{
	cpu->sums.weight += packet_weight(queue);
	cpu->sums.interrupts += queue->interrupts;
	cpu->sums.by_interrupts |= !queue->counts_packets;
	if (!queue->steered)
		cpu->sums.own_rx += queue->rx_packets;
}

/* Packets that reached the protocol layers here without coming from a queue served here: RPS from
 * another CPU, loopback, veth. GRO merges packets before they are counted, so this is never too
 * much. */
static void add_backlog(struct nb_cpu_split *cpu, uint64_t *ret_weight)
{
	uint64_t packets =
		cpu->processed > cpu->sums.own_rx ? cpu->processed - cpu->sums.own_rx : 0;

	*ret_weight = packets * RX_WEIGHT;
	cpu->sums.weight += *ret_weight;
}

/* nsec × part ÷ whole without overflow; 0 of nothing. */
static uint64_t portion(uint64_t nsec, uint64_t part, uint64_t whole)
{
	return whole ? (uint64_t)((unsigned __int128)nsec * part / whole) : 0;
}

static uint64_t time_of(const struct nb_cpu_split *cpu, const struct nb_queue_work *queue)
{
	uint64_t own_nsec = cpu->network_nsec - cpu->backlog_nsec;

	if (cpu->sums.by_interrupts)
		return portion(own_nsec, queue->interrupts, cpu->sums.interrupts);
	return portion(cpu->network_nsec, packet_weight(queue), cpu->sums.weight);
}

void nb_split_by_packets(struct nb_cpu_split *cpus, unsigned n_cpus, struct nb_queue_work *queues,
			 unsigned n_queues)
{
	for (unsigned i = 0; i < n_queues; i++) {
		struct nb_cpu_split *cpu = nb_split_find(cpus, n_cpus, queues[i].cpu);

		if (cpu)
			add_queue(cpu, &queues[i]);
	}

	for (unsigned i = 0; i < n_cpus; i++) {
		uint64_t weight;

		/* If packets of its queues are not counted, the others cannot be told apart. */
		if (cpus[i].sums.by_interrupts)
			continue;
		add_backlog(&cpus[i], &weight);
		cpus[i].backlog_nsec = portion(cpus[i].network_nsec, weight, cpus[i].sums.weight);
	}

	for (unsigned i = 0; i < n_queues; i++) {
		struct nb_cpu_split *cpu = nb_split_find(cpus, n_cpus, queues[i].cpu);

		if (!cpu)
			continue;
		queues[i].time_nsec = time_of(cpu, &queues[i]);
		cpu->queues_nsec += queues[i].time_nsec;
	}
}

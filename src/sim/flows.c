/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim/random.h"
#include "sim/state.h"

/* Weights before they are brought to billionths. */
#define ONE (UINT64_C(1) << 32)

struct heap {
	uint64_t weights[NB_SIM_BUCKETS][NB_SIM_SLICES];
};

/* The low bits of the hash choose the entry of the RSS table, the high ones the CPU of an RPS mask
 * (reciprocal_scale() in net/core/dev.c get_rps_cpu()). A NIC that hashes addresses alone does not
 * mark its hash as one of layer 4, so RPS makes its own of addresses and ports (skb_get_hash() in
 * include/linux/skbuff.h): many flows of two hosts are then spread after all. */
static void add_flow(struct heap *heap, uint64_t draw, uint64_t weight, bool addresses_only)
{
	uint64_t *bucket = heap->weights[draw % NB_SIM_BUCKETS];

	if (!addresses_only) {
		bucket[draw >> 32 & (NB_SIM_SLICES - 1)] += weight;
		return;
	}
	for (unsigned i = 0; i < NB_SIM_SLICES; i++)
		bucket[i] += weight / NB_SIM_SLICES;
}

/* A mix of flows alike and flows of which the ith has 1/i of the first, both of the same sum. */
static uint64_t flow_weight(const struct nb_sim_traffic *traffic, unsigned i, uint64_t harmonic)
{
	uint64_t even = NB_NSEC_PER_SEC * 1000 / traffic->n_flows;
	uint64_t zipf = nb_sim_portion(NB_NSEC_PER_SEC * 1000, ONE / (i + 1), harmonic);

	return (even * (NB_WHOLE - traffic->skew_bp) + zipf * traffic->skew_bp) / NB_WHOLE;
}

/* Between two hosts are many ports: by these, too, flows are spread over all entries. */
static void add_ports(struct heap *heap)
{
	for (unsigned b = 0; b < NB_SIM_BUCKETS; b++)
		for (unsigned s = 0; s < NB_SIM_SLICES; s++)
			heap->weights[b][s] = 1;
}

static void add_flows(struct heap *heap, const struct nb_sim_traffic *traffic, uint64_t seed,
		      unsigned number)
{
	uint64_t harmonic = 0;

	for (unsigned i = 0; i < traffic->n_flows; i++)
		harmonic += ONE / (i + 1);
	for (unsigned i = 0; i < traffic->n_flows; i++)
		add_flow(heap, nb_sim_draw(seed, NB_SIM_STREAM_FLOW, number, i),
			 flow_weight(traffic, i, harmonic), traffic->addresses_only);
}

/* The ith of those that fall on one queue has the ith entry of the table as drivers set it up at
 * first, as long as there are some: flows that collide in a queue, though not in an entry. */
static unsigned elephant_bucket(const struct nb_sim_traffic *traffic, unsigned n_queues, unsigned i,
				uint64_t draw)
{
	unsigned n_entries;

	if (traffic->elephant_queue == UINT_MAX)
		return draw % NB_SIM_BUCKETS;
	n_entries = (NB_SIM_BUCKETS - 1 - traffic->elephant_queue) / n_queues + 1;
	return traffic->elephant_queue + i % n_entries * n_queues;
}

static void add_elephants(const struct nb_sim_traffic *traffic, unsigned n_queues, uint64_t seed,
			  unsigned number, struct nb_sim_flows *flows)
{
	uint32_t all = (uint32_t)(NB_NSEC_PER_SEC / NB_WHOLE) * (uint32_t)traffic->elephant_bp;

	for (unsigned i = 0; i < traffic->n_elephants; i++) {
		uint64_t draw = nb_sim_draw(seed, NB_SIM_STREAM_ELEPHANT, number, i);
		unsigned bucket = elephant_bucket(traffic, n_queues, i, draw);

		flows->shares[bucket][draw >> 32 & (NB_SIM_SLICES - 1)] +=
			all / traffic->n_elephants;
	}
}

static uint64_t slice_of(const struct nb_sim_flows *flows, unsigned bucket, unsigned slice,
			 uint64_t rate)
{
	return nb_sim_portion(rate, flows->shares[bucket][slice], flows->sums[bucket]);
}

static void set_rates(const struct nb_sim_traffic *traffic, struct nb_sim_flows *flows)
{
	for (unsigned b = 0; b < NB_SIM_BUCKETS; b++) {
		flows->rates[b] = (uint32_t)nb_sim_portion(traffic->packets_per_sec, flows->sums[b],
							   NB_NSEC_PER_SEC);
		for (unsigned s = 0; traffic->noise_bp == 0 && s < NB_SIM_SLICES; s++)
			flows->slice_rates[b][s] = (uint32_t)slice_of(flows, b, s, flows->rates[b]);
	}
}

void nb_sim_spread_flows(struct nb_world *world, unsigned number)
{
	const struct nb_sim_traffic *traffic =
		&g_array_index(world->scenario->traffic, struct nb_sim_traffic, number);
	struct nb_sim_flows *ret = &world->flows[number];
	uint64_t seed = world->scenario->seed;
	g_autofree struct heap *heap = g_new0(struct heap, 1);
	uint64_t total = 0;

	if (traffic->addresses_only && world->hashes_ports[traffic->nic])
		add_ports(heap);
	else
		add_flows(heap, traffic, seed, number);
	for (unsigned b = 0; b < NB_SIM_BUCKETS; b++)
		for (unsigned s = 0; s < NB_SIM_SLICES; s++)
			total += heap->weights[b][s];
	for (unsigned b = 0; b < NB_SIM_BUCKETS; b++)
		for (unsigned s = 0; s < NB_SIM_SLICES; s++)
			ret->shares[b][s] = (uint32_t)nb_sim_portion(
				NB_NSEC_PER_SEC / NB_WHOLE * (NB_WHOLE - traffic->elephant_bp),
				heap->weights[b][s], total);
	add_elephants(traffic, nb_sim_nic(world, traffic->nic)->n_in_use, seed, number, ret);

	for (unsigned b = 0; b < NB_SIM_BUCKETS; b++) {
		ret->sums[b] = 0;
		for (unsigned s = 0; s < NB_SIM_SLICES; s++)
			ret->sums[b] += ret->shares[b][s];
	}
	set_rates(traffic, ret);
}

/* Each entry of the RSS table varies by itself, as its flows do, so that a queue varies the less
 * the more entries it has. */
static uint64_t with_noise(const struct nb_world *world, const struct nb_sim_traffic *traffic,
			   unsigned number, unsigned bucket, uint64_t rate)
{
	uint64_t second = world->now_nsec / NB_NSEC_PER_SEC;
	uint64_t draw;
	int64_t factor;

	if (traffic->noise_bp == 0)
		return rate;
	draw = nb_sim_draw(world->scenario->seed, NB_SIM_STREAM_NOISE,
			   (uint64_t)number << 32 | bucket, second);
	factor = (int64_t)NB_WHOLE + nb_sim_normal(draw, traffic->noise_bp);
	return factor > 0 ? nb_sim_portion(rate, (uint64_t)factor, NB_WHOLE) : 0;
}

static void add_slices(struct nb_sim_queue *queue, const struct nb_sim_traffic *traffic,
		       const struct nb_sim_flows *flows, unsigned bucket, uint64_t rate)
{
	for (unsigned s = 0; s < NB_SIM_SLICES; s++) {
		uint64_t packets = traffic->noise_bp ? slice_of(flows, bucket, s, rate)
						     : flows->slice_rates[bucket][s];

		queue->slice_packets[s] += packets;
		queue->slice_work[s] += packets * traffic->protocol_nsec;
	}
}

bool nb_sim_fill_table(unsigned n_queues, const struct nb_cpumask *queues, uint8_t *ret_table)
{
	unsigned next = n_queues;

	if (!nb_cpumask_empty(queues) && nb_cpumask_next(queues, 0) >= n_queues)
		return false;
	for (unsigned b = 0; b < NB_SIM_BUCKETS; b++) {
		ret_table[b] = (uint8_t)(b % n_queues);
		if (nb_cpumask_empty(queues) || nb_cpumask_has(queues, ret_table[b]))
			continue;
		/* In turn, as nicbalanced shares them out. */
		next = nb_cpumask_next(queues, next + 1);
		if (next >= n_queues)
			next = nb_cpumask_next(queues, 0);
		ret_table[b] = (uint8_t)next;
	}
	return true;
}

static void add_traffic(struct nb_world *world, unsigned number)
{
	const struct nb_sim_traffic *traffic =
		&g_array_index(world->scenario->traffic, struct nb_sim_traffic, number);
	const struct nb_sim_flows *flows = &world->flows[number];
	const struct nb_sim_nic *nic = nb_sim_nic(world, traffic->nic);
	uint64_t *arriving = nb_sim_arriving(world, traffic->nic);

	if (world->now_nsec < world->down_until_nsec[traffic->nic]) {
		world->missed += traffic->packets_per_sec;
		return;
	}
	for (unsigned b = 0; b < NB_SIM_BUCKETS; b++) {
		struct nb_sim_queue *queue = &world->queues[world->first_queue[traffic->nic] +
							    world->tables[traffic->nic][b]];
		uint64_t rate = with_noise(world, traffic, number, b, flows->rates[b]);

		queue->packets += rate;
		if (rate > 0)
			queue->bursts_per_sec = MAX(queue->bursts_per_sec, traffic->bursts_per_sec);
		queue->driver_work += rate * nic->driver_nsec;
		queue->protocol_work += rate * traffic->protocol_nsec;
		if (arriving)
			arriving[b] += rate;
		if (queue->steered)
			add_slices(queue, traffic, flows, b, rate);
	}
}

static bool flows_now(const struct nb_world *world, const struct nb_sim_traffic *traffic)
{
	return world->n_channels[traffic->nic] > 0 && world->now_nsec >= traffic->begin_nsec &&
	       (traffic->end_nsec == 0 || world->now_nsec < traffic->end_nsec);
}

static void clear_queue(struct nb_sim_queue *queue)
{
	queue->packets = queue->driver_work = queue->protocol_work = 0;
	queue->bursts_per_sec = 0;
	for (unsigned s = 0; queue->steered && s < NB_SIM_SLICES; s++)
		queue->slice_packets[s] = queue->slice_work[s] = 0;
}

void nb_sim_arrive(struct nb_world *world)
{
	const GArray *traffic = world->scenario->traffic;

	world->missed = 0;
	for (unsigned i = 0; i < world->n_queues; i++)
		clear_queue(&world->queues[i]);
	for (unsigned b = 0; b < world->counting.n; b++)
		world->counting.arriving[b] = 0;
	for (unsigned i = 0; i < traffic->len; i++)
		if (flows_now(world, &g_array_index(traffic, struct nb_sim_traffic, i)))
			add_traffic(world, i);
}

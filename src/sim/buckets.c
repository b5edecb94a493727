/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim/state.h"

void nb_sim_ask_for_buckets(struct nb_world *world, int ifindex)
{
	if (world->counting.ifindex != ifindex)
		world->counting = (struct nb_sim_counting){.ifindex = ifindex};
}

static bool find_nic(const struct nb_world *world, int ifindex, unsigned *ret)
{
	for (unsigned i = 0; i < world->scenario->nics->len; i++) {
		if (world->n_channels[i] == 0 ||
		    world->queues[world->first_queue[i]].key.ifindex != ifindex)
			continue;
		*ret = i;
		return true;
	}
	return false;
}

static void begin(struct nb_world *world)
{
	struct nb_sim_counting *counting = &world->counting;

	counting->begun = true;
	counting->since_nsec = world->now_nsec;
	if (!find_nic(world, counting->ifindex, &counting->nic))
		return;
	counting->n_rings = world->n_channels[counting->nic];
	if (nb_sim_nic(world, counting->nic)->fixed_table)
		return;
	counting->n = NB_SIM_BUCKETS;
	for (unsigned b = 0; b < NB_SIM_BUCKETS; b++)
		counting->queues[b] = world->tables[counting->nic][b];
}

/* The table may have changed since: programs compare the queue of a packet with the one that the
 * table named when they were told of it. */
static struct nb_sim_count *counter_of(struct nb_world *world, unsigned bucket)
{
	struct nb_sim_counting *counting = &world->counting;

	if (nb_sim_nic(world, counting->nic)->no_hash ||
	    world->tables[counting->nic][bucket] != counting->queues[bucket])
		return &counting->strayed;
	return &counting->packets[bucket];
}

/* A queue that drops packets drops the same part of each of its buckets. Sums are rounded down, not
 * parts, so that nothing of what a queue served is lost between its buckets. */
static void count(struct nb_world *world, uint64_t nsec)
{
	const struct nb_sim_counting *counting = &world->counting;
	const struct nb_sim_queue *queues = &world->queues[world->first_queue[counting->nic]];
	/* By queue, of which a table names no more than it has entries. */
	uint64_t arrived[NB_SIM_BUCKETS] = {}, served[NB_SIM_BUCKETS] = {};

	for (unsigned b = 0; b < NB_SIM_BUCKETS; b++) {
		unsigned number = world->tables[counting->nic][b];
		uint64_t before = served[number];

		arrived[number] += counting->arriving[b];
		served[number] = nb_sim_portion(queues[number].served, arrived[number],
						queues[number].packets);
		nb_sim_count_add(counter_of(world, b), served[number] - before, nsec);
	}
}

void nb_sim_count_buckets(struct nb_world *world, uint64_t nsec)
{
	if (world->counting.n > 0)
		count(world, nsec);
}

/* Only programs of the measured grade see packets. */
struct nb_bucket_counts nb_sim_read_buckets(struct nb_world *world, struct nb_sim_bucket_rows *rows)
{
	const struct nb_sim_counting *counting = &world->counting;
	struct nb_bucket_counts counts = {.able = world->scenario->grade == NB_GRADE_MEASURED};

	if (!counts.able || counting->ifindex == 0)
		return counts;
	if (!counting->begun)
		begin(world);
	counts.ifindex = counting->ifindex;
	counts.since_nsec = counting->since_nsec;
	counts.n_rings = counting->n_rings;
	counts.strayed = counting->strayed.whole;
	if (counting->n == 0)
		return counts;
	for (unsigned b = 0; b < NB_SIM_BUCKETS; b++) {
		rows->queues[b] = counting->queues[b];
		rows->packets[b] = (uint32_t)counting->packets[b].whole;
	}
	counts.n = NB_SIM_BUCKETS;
	counts.queues = rows->queues;
	counts.packets = rows->packets;
	return counts;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim/state.h"

/* The CPUs of a mask in their order (struct rps_map). */
struct map {
	unsigned cpus[NB_SIM_SLICES];
	unsigned n;
};

static struct map map_of(const struct nb_cpumask *mask)
{
	struct map map = {};

	NB_CPUMASK_FOREACH (cpu, mask)
		if (map.n < NB_SIM_SLICES)
			map.cpus[map.n++] = cpu;
	return map;
}

/* NULL: the packet stays where it is, since its CPU is offline (net/core/dev.c get_rps_cpu()). */
static struct nb_sim_cpu *target_of(const struct nb_world *world, const struct map *map,
				    unsigned slice)
{
	struct nb_sim_cpu *cpu = &world->cpus[map->cpus[slice * map->n / NB_SIM_SLICES]];

	return cpu->online ? cpu : NULL;
}

static uint64_t work_that_stays(const struct nb_world *world, const struct nb_sim_queue *queue)
{
	struct map map = map_of(&queue->rps);
	uint64_t stays = 0;

	for (unsigned s = 0; s < NB_SIM_SLICES; s++)
		if (!target_of(world, &map, s))
			stays += queue->slice_work[s];
	return stays;
}

void nb_sim_split_work(struct nb_world *world)
{
	for (unsigned i = 0; i < world->n_queues; i++) {
		struct nb_sim_queue *queue = &world->queues[i];

		queue->local_work =
			queue->steered ? work_that_stays(world, queue) : queue->protocol_work;
	}
}

static void hand_on_queue(struct nb_world *world, const struct nb_sim_queue *queue)
{
	struct map map = map_of(&queue->rps);

	for (unsigned s = 0; s < NB_SIM_SLICES; s++) {
		struct nb_sim_cpu *cpu = target_of(world, &map, s);
		uint64_t packets =
			nb_sim_portion(queue->slice_packets[s], queue->served, queue->packets);

		if (!cpu)
			continue;
		cpu->steered_packets += packets;
		cpu->steered_work +=
			nb_sim_portion(queue->slice_work[s], queue->served, queue->packets) +
			packets * world->scenario->rps_nsec;
	}
}

void nb_sim_hand_on(struct nb_world *world)
{
	for (unsigned i = 0; i < world->scenario->n_cpus; i++)
		world->cpus[i].steered_packets = world->cpus[i].steered_work = 0;
	for (unsigned i = 0; i < world->n_queues; i++)
		if (world->queues[i].steered)
			hand_on_queue(world, &world->queues[i]);
}

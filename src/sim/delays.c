/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim/state.h"

/* A burst finds those of the other queues of its CPU begun at any time before, or not yet. */
#define PARTS 10u

/* What one burst of a queue takes its CPU. */
static uint64_t burst_nsec(const struct nb_world *world, const struct nb_sim_queue *queue)
{
	uint64_t speed = world->cpus[queue->polled_on].speed;
	uint64_t work = queue->driver_work + queue->local_work;

	return queue->bursts_per_sec && !queue->threaded
		       ? nb_sim_portion(work, NB_NSEC_PER_SEC, speed) / queue->bursts_per_sec
		       : 0;
}

static unsigned bucket_of(uint64_t nsec)
{
	unsigned bucket = 0;

	for (uint64_t usec = nsec / NB_NSEC_PER_USEC; usec > 0; usec /= 2)
		bucket++;
	return MIN(bucket, NB_DELAYS - 1);
}

/* Packets that come evenly are found by polls that run already, or wait for nothing. */
static void count_queue(struct nb_world *world, const struct nb_sim_queue *queue, uint64_t nsec)
{
	struct nb_sim_cpu *cpu = &world->cpus[queue->polled_on];
	uint64_t others_nsec = cpu->bursts_nsec - burst_nsec(world, queue);

	if (queue->threaded)
		return;
	if (queue->bursts_per_sec == 0) {
		nb_sim_count_add(&cpu->delays[0], queue->interrupts, nsec);
		return;
	}
	for (unsigned i = 1; i <= PARTS; i++)
		nb_sim_count_add(&cpu->delays[bucket_of(others_nsec * i / PARTS)],
				 queue->bursts_per_sec, nsec / PARTS);
}

void nb_sim_count_delays(struct nb_world *world, uint64_t nsec)
{
	for (unsigned i = 0; i < world->scenario->n_cpus; i++)
		world->cpus[i].bursts_nsec = 0;
	for (unsigned i = 0; i < world->n_queues; i++)
		world->cpus[world->queues[i].polled_on].bursts_nsec +=
			burst_nsec(world, &world->queues[i]);
	for (unsigned i = 0; i < world->n_queues; i++)
		count_queue(world, &world->queues[i], nsec);
}

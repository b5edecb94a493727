/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim/state.h"

static uint64_t poll_work(const struct nb_sim_queue *queue)
{
	return queue->driver_work + queue->local_work;
}

/* The next poll that is scheduled, and not that which goes on (net/core/dev.c napi_set_threaded()).
 */
static void change_over(struct nb_world *world)
{
	for (unsigned i = 0; i < world->n_queues; i++) {
		struct nb_sim_queue *queue = &world->queues[i];

		if (queue->threaded == queue->switched || nb_sim_never_done(world, queue))
			continue;
		queue->threaded = !queue->threaded;
		queue->thread_cpu = queue->polled_on;
	}
}

/* A thread that has to wait goes where there is more time (kernel/sched/fair.c
 * sched_balance_newidle()). */
static void schedule(struct nb_world *world, struct nb_sim_queue *queue)
{
	const struct nb_sim_cpu *cpu = &world->cpus[queue->thread_cpu];
	uint64_t wanted = cpu->hard + cpu->polls + cpu->backlog + cpu->threads + cpu->apps;

	if (!cpu->online || wanted + poll_work(queue) > cpu->speed)
		queue->thread_cpu = nb_sim_idlest(world, queue->thread_cpu);
	world->cpus[queue->thread_cpu].threads += poll_work(queue);
}

void nb_sim_run_napi_threads(struct nb_world *world)
{
	change_over(world);
	for (unsigned i = 0; i < world->scenario->n_cpus; i++)
		world->cpus[i].threads = 0;
	for (unsigned i = 0; i < world->n_queues; i++)
		if (world->queues[i].threaded)
			schedule(world, &world->queues[i]);
}

/* Processes of one kind, as to the scheduler: each gets half if both want more. */
static uint64_t left_for_threads(const struct nb_sim_cpu *cpu)
{
	uint64_t left = nb_growth(MIN(cpu->hard, cpu->speed) + cpu->polls_done + cpu->backlog_done,
				  cpu->speed);

	return left - MIN(cpu->apps, left / 2);
}

void nb_sim_serve_napi_threads(struct nb_world *world)
{
	for (unsigned i = 0; i < world->scenario->n_cpus; i++)
		world->cpus[i].threads_done =
			MIN(world->cpus[i].threads, left_for_threads(&world->cpus[i]));
	for (unsigned i = 0; i < world->n_queues; i++) {
		struct nb_sim_queue *queue = &world->queues[i];
		const struct nb_sim_cpu *cpu = &world->cpus[queue->thread_cpu];

		if (!queue->threaded)
			continue;
		queue->served = queue->packets;
		if (cpu->threads_done < cpu->threads)
			queue->served =
				nb_sim_portion(queue->packets, cpu->threads_done, cpu->threads);
		queue->always_saturated = queue->served < queue->packets;
	}
}

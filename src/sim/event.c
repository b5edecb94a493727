/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim/state.h"

static void reset(struct nb_world *world, const struct nb_sim_event *event)
{
	if (world->n_channels[event->nic] == 0)
		world->n_channels[event->nic] = nb_sim_nic(world, event->nic)->n_in_use;
	nb_sim_place_nic(world, event->nic);
	nb_sim_rescan(world);
}

/* A NAPI that is stuck stays so whoever wrote the affinity, and the hardware learns of it as late.
 */
static void write_foreign(struct nb_world *world, const struct nb_sim_event *event)
{
	unsigned first = world->first_queue[event->nic];

	if (!world->cpus[event->cpu].online)
		return;
	for (unsigned i = 0; i < event->n; i++)
		nb_sim_write_affinity(&world->queues[first + i], event->cpu, world->now_nsec);
}

static unsigned queues_on(const struct nb_world *world, unsigned cpu)
{
	unsigned n = 0;

	for (unsigned i = 0; i < world->n_queues; i++)
		n += nb_sim_is_in_use(world, &world->queues[i]) && world->queues[i].cpu == cpu;
	return n;
}

/* The vector allocator of x86 takes the CPU with the most free vectors (kernel/irq/matrix.c
 * matrix_find_best_cpu()). */
static unsigned emptiest_cpu(const struct nb_world *world)
{
	unsigned best = 0, least = UINT_MAX;

	for (unsigned i = 0; i < world->scenario->n_cpus; i++) {
		unsigned n = world->cpus[i].online ? queues_on(world, i) : UINT_MAX;

		if (n < least) {
			best = i;
			least = n;
		}
	}
	return best;
}

/* A mask that lost its last CPU becomes that of all online ones (kernel/irq/cpuhotplug.c
 * migrate_one_irq()). */
static void leave(struct nb_world *world, struct nb_sim_queue *queue)
{
	queue->cpu = emptiest_cpu(world);
	queue->affinity_cpu = -1;
	queue->due_nsec = 0;
	nb_sim_poll_on(queue, queue->cpu);
}

static void set_offline(struct nb_world *world, unsigned cpu)
{
	struct nb_sim_cpu *gone = &world->cpus[cpu];

	if (!gone->online || world->truth->len == 1)
		return;
	gone->online = false;
	gone->busy = 0;
	for (unsigned i = 0; i < world->n_queues; i++) {
		struct nb_sim_queue *queue = &world->queues[i];

		if (queue->cpu == cpu || queue->affinity_cpu == (int)cpu)
			leave(world, queue);
		else if (queue->polled_on == cpu)
			nb_sim_poll_on(queue, queue->cpu);
	}
	nb_sim_rescan(world);
}

static void happen(struct nb_world *world, const struct nb_sim_event *event)
{
	switch (event->kind) {
	case NB_SIM_RESET:
	case NB_SIM_ADD:
		reset(world, event);
		break;
	case NB_SIM_FOREIGN:
		write_foreign(world, event);
		break;
	case NB_SIM_OFFLINE:
		set_offline(world, event->cpu);
		break;
	case _NB_SIM_EVENT_MAX:
	case _NB_SIM_EVENT_INVALID:
		break;
	}
}

void nb_sim_happen(struct nb_world *world, uint64_t nsec)
{
	const GArray *events = world->scenario->events;

	for (unsigned i = 0; i < events->len; i++) {
		const struct nb_sim_event *event = &g_array_index(events, struct nb_sim_event, i);

		if (event->at_nsec >= world->now_nsec && event->at_nsec < world->now_nsec + nsec)
			happen(world, event);
	}
}

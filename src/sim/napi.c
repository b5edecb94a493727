/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim/state.h"

/* Packets that a saturated CPU takes from each of its NAPIs that have more. */
struct fill {
	uint64_t left; /* work, after the NAPIs that have less */
	uint64_t cost; /* of one packet of each of the others, picoseconds */
	uint64_t rate;
	bool backlog_full;
};

/* What came while a NAPI was full is in its ring, and is taken from there before it completes.
 * Measured with igb on Linux 6.1, from the write of RPS masks that made the polls short to the
 * first poll elsewhere: 68 to 101 ms. */
#define EMPTYING_NSEC (NB_NSEC_PER_SEC / 10)

/* A NAPI of which every poll uses its whole budget does not complete, and stays with its interrupt
 * masked where it began (net/core/dev.c napi_poll(), napi_complete_done()), unless the driver
 * compares the CPU with its interrupt's affinity, as mlx5e_napi_poll() and i40e_napi_poll() do. One
 * whose interrupt is deferred does complete, and stays all the same. */
static bool is_stuck(const struct nb_world *world, const struct nb_sim_queue *queue)
{
	bool full = nb_sim_never_done(world, queue) && !nb_sim_nic(world, queue->nic)->follows;

	return world->cpus[queue->polled_on].online && (full || nb_sim_is_deferred(world, queue));
}

/* Without interrupt remapping a message cannot be redirected but from its own handler, so a write
 * waits for the next interrupt (kernel/irq/migration.c irq_move_masked_irq()), which still comes
 * where the ones before it did. While a NAPI is full there is none, and without packets neither. */
static bool takes_effect(const struct nb_world *world, const struct nb_sim_queue *queue)
{
	if (queue->due_nsec == 0 || queue->due_nsec > world->now_nsec)
		return false;
	return world->scenario->remaps || (queue->packets > 0 && !is_stuck(world, queue));
}

void nb_sim_poll_on(struct nb_sim_queue *queue, unsigned cpu)
{
	queue->polled_on = cpu;
	queue->always_saturated = false;
	queue->emptied_nsec = 0;
}

void nb_sim_follow(struct nb_world *world)
{
	for (unsigned i = 0; i < world->n_queues; i++) {
		struct nb_sim_queue *queue = &world->queues[i];

		if (queue->always_saturated)
			queue->emptied_nsec = world->now_nsec + EMPTYING_NSEC;
		if (takes_effect(world, queue)) {
			queue->cpu = (unsigned)queue->affinity_cpu;
			queue->due_nsec = 0;
		}
		if (queue->polled_on != queue->cpu && !is_stuck(world, queue))
			nb_sim_poll_on(queue, queue->cpu);
	}
}

static uint64_t poll_work(const struct nb_sim_queue *queue)
{
	return queue->driver_work + queue->local_work;
}

static uint64_t packet_cost(uint64_t work, uint64_t packets)
{
	return nb_sim_portion(work, 1000, packets);
}

/* Up to Linux 6.4 softirqs that a CPU is not done with are left to ksoftirqd, a process like any
 * other (kernel/softirq.c ksoftirqd_running()); from 6.5 (d15121be7485) they run at the end of each
 * interrupt as well. Measured with igb, two queues that fill a CPU, and an application that wants
 * all of it: with 6.1 half of the packets were served, 2014 of 4213 a second; with 6.12 all. */
static uint64_t left_for_softirqs(const struct nb_world *world, const struct nb_sim_cpu *cpu)
{
	uint64_t left = nb_growth(cpu->hard, cpu->speed);

	return world->scenario->fair ? left - MIN(cpu->apps, left / 2) : left;
}

static void begin_fill(const struct nb_world *world, struct fill *fills)
{
	for (unsigned i = 0; i < world->scenario->n_cpus; i++) {
		const struct nb_sim_cpu *cpu = &world->cpus[i];

		fills[i].left = left_for_softirqs(world, cpu);
		fills[i].cost = 0;
		if (fills[i].backlog_full)
			fills[i].cost = packet_cost(cpu->backlog, cpu->backlog_packets);
		else
			fills[i].left = nb_growth(cpu->backlog, fills[i].left);
	}
	for (unsigned i = 0; i < world->n_queues; i++) {
		const struct nb_sim_queue *queue = &world->queues[i];
		struct fill *fill = &fills[queue->polled_on];

		if (queue->threaded)
			continue;
		if (queue->always_saturated)
			fill->cost += packet_cost(poll_work(queue), queue->packets);
		else
			fill->left = nb_growth(poll_work(queue), fill->left);
	}
	for (unsigned i = 0; i < world->scenario->n_cpus; i++)
		fills[i].rate = nb_sim_portion(fills[i].left, 1000, fills[i].cost);
}

/* Those that have no more than their turn after all. */
static bool take_out(struct nb_world *world, struct fill *fills)
{
	bool changed = false;

	for (unsigned i = 0; i < world->n_queues; i++) {
		struct nb_sim_queue *queue = &world->queues[i];

		if (!queue->threaded && queue->always_saturated &&
		    queue->packets <= fills[queue->polled_on].rate) {
			queue->always_saturated = false;
			changed = true;
		}
	}
	for (unsigned i = 0; i < world->scenario->n_cpus; i++) {
		if (fills[i].backlog_full && world->cpus[i].backlog_packets <= fills[i].rate) {
			fills[i].backlog_full = false;
			changed = true;
		}
	}
	return changed;
}

static void serve_queue(struct nb_sim_queue *queue, const struct fill *fill, struct nb_sim_cpu *cpu)
{
	queue->served = queue->always_saturated ? MIN(queue->packets, fill->rate) : queue->packets;
	cpu->polls_done += nb_sim_portion(poll_work(queue), queue->served, queue->packets);
}

static void serve_backlog(struct nb_sim_cpu *cpu, const struct fill *fill)
{
	cpu->backlog_served = cpu->backlog_packets;
	if (fill->backlog_full)
		cpu->backlog_served = MIN(cpu->backlog_packets, fill->rate);
	cpu->backlog_done = nb_sim_portion(cpu->backlog, cpu->backlog_served, cpu->backlog_packets);
}

/* NAPIs of a CPU are polled in turn, each for as many packets as its budget: of a CPU that cannot
 * do it all, those who have the most lose. */
void nb_sim_serve(struct nb_world *world)
{
	g_autofree struct fill *fills = g_new0(struct fill, world->scenario->n_cpus);

	for (unsigned i = 0; i < world->scenario->n_cpus; i++) {
		struct nb_sim_cpu *cpu = &world->cpus[i];

		cpu->saturated = cpu->polls + cpu->backlog > left_for_softirqs(world, cpu);
		cpu->polls_done = 0;
		fills[i].backlog_full = cpu->saturated && cpu->backlog_packets > 0;
	}
	for (unsigned i = 0; i < world->n_queues; i++)
		world->queues[i].always_saturated =
			world->queues[i].packets > 0 && !world->queues[i].threaded &&
			world->cpus[world->queues[i].polled_on].saturated;
	do
		begin_fill(world, fills);
	while (take_out(world, fills));

	for (unsigned i = 0; i < world->n_queues; i++)
		if (!world->queues[i].threaded)
			serve_queue(&world->queues[i], &fills[world->queues[i].polled_on],
				    &world->cpus[world->queues[i].polled_on]);
	for (unsigned i = 0; i < world->scenario->n_cpus; i++)
		serve_backlog(&world->cpus[i], &fills[i]);
	nb_sim_serve_napi_threads(world);
}

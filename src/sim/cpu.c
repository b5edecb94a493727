/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim/state.h"

/* What a hardware thread loses while another of its core runs all the time, basis points: 38 %, so
 * two do 1.24 times the work of one. Marr et al., "Hyper-Threading Technology Architecture and
 * Microarchitecture" (Intel Technology Journal, 2002), measured 1.16 to 1.28 on servers. */
#define SIBLING_LOSS 3800u

/* The longest that net_rx_action() runs before it counts a time_squeeze and goes on later
 * (net.core.netdev_budget_usecs). */
#define SQUEEZES_PER_SEC (NB_NSEC_PER_SEC / (2000 * NB_NSEC_PER_USEC))

/* Of a NAPI that is not full on a CPU that is, interrupts still come, one a round of polls at most.
 */
#define LEAST_IDLE (NB_NSEC_PER_SEC / 50)

static void set_speed(struct nb_world *world, struct nb_sim_cpu *cpu)
{
	uint64_t busiest = 0;

	for (unsigned i = cpu->next_thread; i != cpu->id; i = world->cpus[i].next_thread)
		busiest = MAX(busiest, world->cpus[i].busy);
	cpu->speed =
		nb_sim_portion(NB_NSEC_PER_SEC - nb_sim_portion(busiest, SIBLING_LOSS, NB_WHOLE),
			       cpu->capacity, NB_WHOLE);
}

static void sum_softirqs(struct nb_world *world)
{
	for (unsigned i = 0; i < world->scenario->n_cpus; i++) {
		struct nb_sim_cpu *cpu = &world->cpus[i];

		set_speed(world, cpu);
		cpu->polls = 0;
		cpu->hard = 0;
		cpu->backlog = cpu->steered_work;
		cpu->backlog_packets = cpu->steered_packets;
	}
	for (unsigned i = 0; i < world->n_queues; i++) {
		const struct nb_sim_queue *queue = &world->queues[i];

		if (!queue->threaded)
			world->cpus[queue->polled_on].polls +=
				queue->driver_work + queue->local_work;
	}
}

/* The part of time in which no softirq and no NAPI thread runs: a packet that comes then needs an
 * interrupt, any other is found by the poll that runs. */
static uint64_t idle_of_softirqs(const struct nb_sim_cpu *cpu)
{
	uint64_t idle = nb_growth(cpu->polls + cpu->backlog + cpu->threads, cpu->speed);

	return MAX(nb_sim_portion(idle, NB_NSEC_PER_SEC, cpu->speed), LEAST_IDLE);
}

static void raise_interrupts(struct nb_world *world)
{
	for (unsigned i = 0; i < world->n_queues; i++) {
		struct nb_sim_queue *queue = &world->queues[i];
		const struct nb_sim_nic *nic = nb_sim_nic(world, queue->nic);
		uint64_t most = NB_NSEC_PER_SEC / (nic->coalesce_usec * NB_NSEC_PER_USEC);
		uint64_t idle = idle_of_softirqs(&world->cpus[nb_sim_polled_on(queue)]);

		queue->interrupts =
			nb_sim_portion(MIN(queue->packets, most), idle, NB_NSEC_PER_SEC);
		/* It was masked when this step began; should it complete, the next has more. */
		if (nb_sim_never_done(world, queue) || nb_sim_is_deferred(world, queue))
			queue->interrupts = 0;
		world->cpus[queue->cpu].hard += queue->interrupts * nic->irq_nsec;
	}
}

/* Applications have what softirqs leave, or could not take from them. */
static void finish(struct nb_sim_cpu *cpu)
{
	uint64_t polls = cpu->polls_done + cpu->backlog_done + cpu->threads_done;
	uint64_t left = nb_growth(MIN(cpu->hard, cpu->speed) + polls, cpu->speed);

	cpu->apps_done = MIN(cpu->apps, left);
	cpu->busy = MIN(nb_sim_portion(MIN(cpu->hard, cpu->speed) + polls + cpu->apps_done,
				       NB_NSEC_PER_SEC, cpu->speed),
			NB_NSEC_PER_SEC);
}

static uint32_t share_of(uint64_t work, const struct nb_sim_cpu *cpu)
{
	return nb_basis_points(work, cpu->speed);
}

static void tell_truth(struct nb_world *world)
{
	g_array_set_size(world->truth, 0);
	for (unsigned i = 0; i < world->scenario->n_cpus; i++) {
		const struct nb_sim_cpu *cpu = &world->cpus[i];
		uint64_t work = cpu->hard + cpu->polls + cpu->backlog + cpu->threads + cpu->apps;
		struct nb_world_cpu truth = {
			.demand = share_of(work, cpu),
			.queues = share_of(cpu->hard + cpu->polls + cpu->threads, cpu),
		};

		if (cpu->online)
			g_array_append_val(world->truth, truth);
	}
}

void nb_sim_run_cpus(struct nb_world *world)
{
	sum_softirqs(world);
	nb_sim_run_napi_threads(world);
	raise_interrupts(world);
	nb_sim_serve(world);
	for (unsigned i = 0; i < world->scenario->n_cpus; i++)
		finish(&world->cpus[i]);
	tell_truth(world);
}

/* --- counters: work takes longer on a slow CPU */

static uint64_t time_of(uint64_t work, const struct nb_sim_cpu *cpu)
{
	return nb_sim_portion(work, NB_NSEC_PER_SEC, cpu->speed);
}

/* Polls find as many packets as came since the one before, and no more than their budget. */
static uint64_t polls_of(const struct nb_sim_queue *queue)
{
	return MAX(MIN(queue->interrupts, queue->served),
		   (queue->served + NB_SIM_BUDGET - 1) / NB_SIM_BUDGET);
}

/* Packets that it served and RPS did not take elsewhere. */
static uint64_t kept_packets(const struct nb_sim_queue *queue)
{
	return queue->steered
		       ? nb_sim_portion(queue->served, queue->local_work, queue->protocol_work)
		       : queue->served;
}

static void count_queue(struct nb_world *world, struct nb_sim_queue *queue, uint64_t nsec)
{
	struct nb_sim_cpu *cpu = &world->cpus[nb_sim_polled_on(queue)];
	struct nb_sim_cpu *interrupted = &world->cpus[queue->cpu];
	uint64_t served_work = nb_sim_portion(queue->driver_work + queue->local_work, queue->served,
					      queue->packets);
	uint64_t irq_work = queue->interrupts * nb_sim_nic(world, queue->nic)->irq_nsec;
	uint64_t polls = polls_of(queue);
	uint64_t kept = kept_packets(queue);

	nb_sim_count_add(&queue->rx, queue->served, nsec);
	nb_sim_count_add(&queue->irqs, queue->interrupts, nsec);
	nb_sim_count_add(queue->threaded ? &queue->thread_polls : &queue->polls, polls, nsec);
	nb_sim_count_add(&queue->exhausted, nb_sim_never_done(world, queue) ? polls : 0, nsec);
	nb_sim_count_add(queue->threaded ? &queue->threaded_nsec : &queue->time_nsec,
			 time_of(served_work, cpu), nsec);
	nb_sim_count_add(&queue->time_nsec, time_of(irq_work, interrupted), nsec);
	nb_sim_count_add(&interrupted->queues_nsec, time_of(irq_work, interrupted), nsec);
	nb_sim_count_add(&interrupted->net_rx, queue->threaded ? 0 : queue->interrupts, nsec);
	nb_sim_count_add(&cpu->net_rx,
			 nb_sim_is_deferred(world, queue) && !queue->threaded ? polls : 0, nsec);
	nb_sim_count_add(&cpu->processed, kept, nsec);
	nb_sim_count_add(&world->received, kept, nsec);
	nb_sim_count_add(&world->lost, queue->packets - queue->served, nsec);
}

static void count_cpu(struct nb_world *world, struct nb_sim_cpu *cpu, uint64_t nsec)
{
	uint64_t backlog_runs = (cpu->backlog_served + NB_SIM_BUDGET - 1) / NB_SIM_BUDGET;
	uint64_t threads = world->scenario->threaded_backlog ? cpu->backlog_done : 0;
	uint64_t backlog = cpu->backlog_done - threads;

	nb_sim_count_add(&cpu->irq_nsec, time_of(MIN(cpu->hard, cpu->speed), cpu), nsec);
	nb_sim_count_add(&cpu->softirq_nsec, time_of(cpu->polls_done + backlog, cpu), nsec);
	nb_sim_count_add(&cpu->queues_nsec, time_of(cpu->polls_done, cpu), nsec);
	nb_sim_count_add(&cpu->backlog_nsec, time_of(backlog, cpu), nsec);
	nb_sim_count_add(&cpu->user_nsec,
			 time_of(cpu->apps_done + threads + cpu->threads_done, cpu), nsec);
	nb_sim_count_add(&cpu->idle_nsec, nb_growth(cpu->busy, NB_NSEC_PER_SEC), nsec);
	nb_sim_count_add(&cpu->processed, cpu->backlog_served, nsec);
	nb_sim_count_add(&world->received, cpu->backlog_served, nsec);
	nb_sim_count_add(&cpu->dropped, cpu->backlog_packets - cpu->backlog_served, nsec);
	nb_sim_count_add(&cpu->received_rps, backlog_runs, nsec);
	nb_sim_count_add(&cpu->net_rx, backlog_runs + (cpu->saturated ? SQUEEZES_PER_SEC : 0),
			 nsec);
	nb_sim_count_add(&cpu->squeezed, cpu->saturated ? SQUEEZES_PER_SEC : 0, nsec);
	nb_sim_count_add(&world->lost, cpu->backlog_packets - cpu->backlog_served, nsec);
}

void nb_sim_count_step(struct nb_world *world, uint64_t nsec)
{
	for (unsigned i = 0; i < world->n_queues; i++)
		count_queue(world, &world->queues[i], nsec);
	nb_sim_count_add(&world->lost, world->missed, nsec);
	nb_sim_count_delays(world, nsec);
	nb_sim_count_buckets(world, nsec);
	for (unsigned i = 0; i < world->scenario->n_cpus; i++)
		if (world->cpus[i].online)
			count_cpu(world, &world->cpus[i], nsec);
}

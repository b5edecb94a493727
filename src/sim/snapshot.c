/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim/state.h"

#define FIRST_PID 1000u

/* /proc/stat tells whole ticks of USER_HZ. */
#define USER_TICK_NSEC (NB_NSEC_PER_SEC / 100)

static uint64_t cut(uint64_t nsec)
{
	return nsec - nsec % USER_TICK_NSEC;
}

static void read_cpu(const struct nb_world *world, const struct nb_sim_cpu *cpu,
		     struct nb_cpu_counters *ret)
{
	*ret = (struct nb_cpu_counters){
		.id = cpu->id,
		.user_nsec = cpu->user_nsec.whole,
		.irq_nsec = cpu->irq_nsec.whole,
		.softirq_nsec = cpu->softirq_nsec.whole,
		.queues_nsec = cpu->queues_nsec.whole,
		.backlog_nsec = cpu->backlog_nsec.whole,
		.idle_nsec = cpu->idle_nsec.whole,
		.net_rx = (uint32_t)cpu->net_rx.whole,
		.processed = (uint32_t)cpu->processed.whole,
		.dropped = (uint32_t)cpu->dropped.whole,
		.squeezed = (uint32_t)cpu->squeezed.whole,
		.received_rps = (uint32_t)cpu->received_rps.whole,
	};
	if (world->scenario->grade == NB_GRADE_MEASURED) {
		ret->delays_known = true;
		for (unsigned i = 0; i < NB_DELAYS; i++)
			ret->delays[i] = (uint32_t)cpu->delays[i].whole;
		return;
	}

	ret->queues_nsec = ret->backlog_nsec = 0;
	ret->idle_nsec = cut(ret->idle_nsec);
	if (world->scenario->accounting == NB_ACCOUNTING_TICK) {
		ret->irq_nsec = 0;
		ret->softirq_nsec = cut(cpu->tick_softirq_nsec);
		ret->user_nsec = cut(cpu->tick_user_nsec);
	} else {
		ret->irq_nsec = cut(ret->irq_nsec);
		ret->softirq_nsec = cut(ret->softirq_nsec);
		ret->user_nsec = cut(ret->user_nsec);
	}
}

/* The first complete sample of an interrupt has none before it to compare with. */
static int landed_cpu(const struct nb_world *world, const struct nb_sim_queue *queue)
{
	if (world->scenario->grade == NB_GRADE_ESTIMATED && !queue->irqs_known)
		return NB_LANDED_UNKNOWN;
	return queue->irqs.whole > queue->irqs_seen ? (int)queue->cpu : -1;
}

static void read_queue(const struct nb_world *world, struct nb_sim_queue *queue, unsigned n_online,
		       struct nb_queue_state *ret)
{
	*ret = (struct nb_queue_state){
		.key = queue->key,
		.rx_packets = queue->rx.whole,
		.interrupts = (uint32_t)queue->irqs.whole,
		.affinity_cpu = queue->affinity_cpu,
		.n_allowed = queue->affinity_cpu < 0 ? n_online : 1,
		.effective_cpu = (int)queue->cpu,
		.landed_cpu = landed_cpu(world, queue),
		.settable = !nb_sim_nic(world, queue->nic)->managed,
		.defers = nb_sim_nic(world, queue->nic)->defer_nsec > 0,
		.polled_cpu = -1,
		.thread_cpu = -1,
	};
	if (nb_sim_nic(world, queue->nic)->is_virtual) {
		ret->interrupts = 0;
		ret->affinity_cpu = ret->effective_cpu = ret->landed_cpu = -1;
		ret->n_allowed = 0;
		ret->settable = false;
	}
	queue->irqs_seen = queue->irqs.whole;
	queue->irqs_known = true;
	if (world->scenario->grade != NB_GRADE_MEASURED)
		return;
	ret->time_nsec = queue->time_nsec.whole;
	ret->polled_packets = queue->rx.whole;
	ret->polls = (uint32_t)queue->polls.whole;
	ret->exhausted = (uint32_t)queue->exhausted.whole;
	ret->thread_polls = (uint32_t)queue->thread_polls.whole;
	ret->threaded_nsec = queue->threaded_nsec.whole;
	if (queue->polls.whole > 0)
		ret->polled_cpu = (int)queue->polled_on;
	if (queue->threaded) {
		ret->thread = FIRST_PID + (uint32_t)(queue - world->queues);
		ret->thread_cpu = (int)queue->thread_cpu;
	}
}

static void make_room(struct nb_snapshot *snapshot, const struct nb_machine *machine)
{
	if (snapshot->machine == machine)
		return;
	snapshot->machine = machine;
	snapshot->cpus = g_renew(struct nb_cpu_counters, snapshot->cpus, machine->topology.n_cpus);
	snapshot->n_cpus = machine->topology.n_cpus;
	snapshot->queues = g_renew(struct nb_queue_state, snapshot->queues, machine->n_queues);
	snapshot->n_queues = machine->n_queues;
	snapshot->rps = g_renew(struct nb_rps_state, snapshot->rps, machine->n_queues);
}

static void read_rps(const struct nb_sim_queue *queue, struct nb_snapshot *snapshot)
{
	if (queue->steered)
		snapshot->rps[snapshot->n_rps++] =
			(struct nb_rps_state){.key = queue->key, .cpus = queue->rps};
}

const struct nb_snapshot *nb_world_snapshot(struct nb_world *world)
{
	unsigned turn = world->turn++ % 2;
	struct nb_snapshot *snapshot = &world->snapshots[turn];
	const struct nb_machine *machine = nb_sim_machine(world);

	make_room(snapshot, machine);
	snapshot->taken_nsec = world->now_nsec;
	snapshot->times_nsec = world->now_nsec;
	snapshot->grade = world->scenario->grade;
	snapshot->complete = true;
	snapshot->n_rps = 0;
	snapshot->buckets = nb_sim_read_buckets(world, &world->bucket_rows[turn]);
	for (unsigned i = 0; i < snapshot->n_cpus; i++)
		read_cpu(world, &world->cpus[machine->topology.cpus[i].id], &snapshot->cpus[i]);
	for (unsigned i = 0; i < snapshot->n_queues; i++) {
		struct nb_sim_queue *queue = &world->queues[world->rows[i]];

		read_queue(world, queue, machine->topology.n_cpus, &snapshot->queues[i]);
		read_rps(queue, snapshot);
	}
	return snapshot;
}

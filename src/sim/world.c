/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim/world.h"

#include "sim/state.h"

static void set_up_flows(struct nb_world *world)
{
	const GArray *traffic = world->scenario->traffic;

	world->flows = g_new0(struct nb_sim_flows, traffic->len);
	for (unsigned i = 0; i < traffic->len; i++)
		nb_sim_spread_flows(world, i);
}

static void set_up_tables(struct nb_world *world)
{
	struct nb_cpumask all = {};

	world->tables = g_malloc0_n(world->scenario->nics->len, sizeof(*world->tables));
	for (unsigned i = 0; i < world->scenario->nics->len; i++)
		nb_sim_fill_table(nb_sim_nic(world, i)->n_in_use, &all, world->tables[i]);
}

struct nb_world *nb_world_new(const struct nb_scenario *scenario)
{
	struct nb_world *world = g_new0(struct nb_world, 1);
	struct nb_world_cpu idle = {};

	world->scenario = scenario;
	world->machines = g_array_new(FALSE, FALSE, sizeof(struct nb_machine *));
	world->truth = g_array_new(FALSE, FALSE, sizeof(struct nb_world_cpu));
	for (unsigned i = 0; i < scenario->n_cpus; i++)
		g_array_append_val(world->truth, idle);
	nb_sim_set_up_cpus(world);
	nb_sim_set_up_queues(world);
	nb_sim_set_up_threads(world);
	set_up_flows(world);
	set_up_tables(world);
	world->rows = g_new0(unsigned, world->n_queues);
	nb_sim_rescan(world);
	return world;
}

static void free_snapshot(struct nb_snapshot *snapshot)
{
	g_free(snapshot->cpus);
	g_free(snapshot->queues);
	g_free(snapshot->rps);
}

void nb_world_free(struct nb_world *world)
{
	if (!world)
		return;
	for (unsigned i = 0; i < world->machines->len; i++)
		nb_sim_machine_free(g_array_index(world->machines, struct nb_machine *, i));
	g_array_unref(world->machines);
	g_array_unref(world->truth);
	g_array_unref(world->threads);
	free_snapshot(&world->snapshots[0]);
	free_snapshot(&world->snapshots[1]);
	g_free(world->cpus);
	g_free(world->queues);
	g_free(world->first_queue);
	g_free(world->n_channels);
	g_free(world->down_until_nsec);
	g_free(world->hashes_ports);
	g_free(world->flows);
	g_free(world->tables);
	g_free(world->rows);
	g_free(world);
}

/* What steered queues serve is found by other CPUs in the step after; nothing else waits. */
static void run_step(struct nb_world *world, uint64_t nsec)
{
	nb_sim_happen(world, nsec);
	nb_sim_follow(world);
	nb_sim_arrive(world);
	nb_sim_split_work(world);
	nb_sim_run_threads(world);
	nb_sim_run_cpus(world);
	nb_sim_hand_on(world);
	nb_sim_count_step(world, nsec);
	nb_sim_tick(world, nsec);
	world->now_nsec += nsec;
}

void nb_world_step(struct nb_world *world, uint64_t nsec)
{
	uint64_t end_nsec = world->now_nsec + nsec;

	while (world->now_nsec < end_nsec) {
		uint64_t next = (world->now_nsec / NB_SIM_STEP_NSEC + 1) * NB_SIM_STEP_NSEC;

		run_step(world, MIN(next, end_nsec) - world->now_nsec);
	}
}

const struct nb_world_cpu *nb_world_cpus(const struct nb_world *world, unsigned *ret_n)
{
	*ret_n = world->truth->len;
	return (const struct nb_world_cpu *)(void *)world->truth->data;
}

uint64_t nb_world_dropped(const struct nb_world *world)
{
	return world->lost.whole;
}

uint64_t nb_world_received(const struct nb_world *world)
{
	return world->received.whole;
}

static uint32_t share_of(uint64_t work)
{
	return nb_basis_points(work, NB_NSEC_PER_SEC);
}

uint32_t nb_world_queue_demand(const struct nb_world *world, unsigned queue)
{
	const struct nb_sim_queue *asked = &world->queues[world->rows[queue]];

	return share_of(asked->driver_work + asked->local_work +
			asked->interrupts * nb_sim_nic(world, asked->nic)->irq_nsec);
}

uint32_t nb_world_fixed(const struct nb_world *world, unsigned cpu)
{
	return share_of(world->cpus[cpu].apps + world->cpus[cpu].backlog);
}

const struct nb_cpumask *nb_world_xps(const struct nb_world *world, unsigned queue)
{
	return &world->queues[world->rows[queue]].xps;
}

unsigned nb_world_queue_cpu(const struct nb_world *world, unsigned queue)
{
	return world->queues[world->rows[queue]].polled_on;
}

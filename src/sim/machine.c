/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim/state.h"

#include <string.h>

#define FIRST_IFINDEX 2 /* the loopback device is 1 */
#define FIRST_IRQ 100u

void nb_sim_set_up_cpus(struct nb_world *world)
{
	const struct nb_scenario *scenario = world->scenario;
	unsigned n_cores = scenario->n_cpus / scenario->n_threads;
	unsigned cores_per_node = n_cores / scenario->n_nodes;
	unsigned cores_per_llc = cores_per_node / scenario->n_llcs;

	world->cpus = g_new0(struct nb_sim_cpu, scenario->n_cpus);
	for (unsigned i = 0; i < scenario->n_cpus; i++) {
		unsigned core = i % n_cores;

		world->cpus[i] = (struct nb_sim_cpu){
			.id = i,
			.core = core,
			.llc = core / cores_per_llc * cores_per_llc,
			.node = (int)(core / cores_per_node),
			.online = true,
			.next_thread = i + n_cores < scenario->n_cpus ? i + n_cores : core,
			.capacity =
				nb_cpumask_has(&scenario->small, i) ? scenario->small_bp : NB_WHOLE,
		};
	}
}

void nb_sim_set_affinity(struct nb_sim_queue *queue, unsigned cpu)
{
	queue->cpu = cpu;
	queue->affinity_cpu = (int)cpu;
	queue->due_nsec = 0;
}

void nb_sim_write_affinity(struct nb_sim_queue *queue, unsigned cpu, uint64_t due_nsec)
{
	queue->affinity_cpu = (int)cpu;
	queue->due_nsec = MAX(due_nsec, 1);
}

/* The ith online CPU of a node; of any when the node has none. */
static unsigned nth_cpu(const struct nb_world *world, int node, unsigned n)
{
	unsigned n_found = 0;

	for (unsigned pass = 0; pass < 2; pass++) {
		for (unsigned i = 0; i < world->scenario->n_cpus; i++)
			if (world->cpus[i].online && (node < 0 || world->cpus[i].node == node) &&
			    n_found++ == n)
				return i;
		if (n_found)
			return nth_cpu(world, node, n % n_found);
		node = NB_NODE_NONE;
	}
	return 0;
}

static unsigned first_cpu(const struct nb_world *world, const struct nb_sim_nic *nic, unsigned i)
{
	switch (nic->placement) {
	case NB_PLACEMENT_LADDER:
		return nth_cpu(world, nic->node, i);
	case NB_PLACEMENT_COLLAPSED:
		return nth_cpu(world, NB_NODE_NONE, 0);
	case NB_PLACEMENT_LISTED:
		if (world->cpus[nic->cpus[i]].online)
			return nic->cpus[i];
		return nth_cpu(world, NB_NODE_NONE, 0);
	case _NB_PLACEMENT_MAX:
	case _NB_PLACEMENT_INVALID:
		break;
	}
	return 0;
}

void nb_sim_place_nic(struct nb_world *world, unsigned nic)
{
	for (unsigned i = 0; i < nb_sim_nic(world, nic)->n_queues; i++) {
		struct nb_sim_queue *queue = &world->queues[world->first_queue[nic] + i];

		nb_sim_set_affinity(queue, first_cpu(world, nb_sim_nic(world, nic), i));
		nb_sim_poll_on(queue, queue->cpu);
		queue->irq = world->next_irq++;
		queue->irqs_known = false;
		nb_cpumask_clear(&queue->rps);
		queue->steered = false;
	}
}

/* A NIC that an event adds is not there before. */
static bool is_there_at_first(const struct nb_scenario *scenario, unsigned nic)
{
	for (unsigned i = 0; i < scenario->events->len; i++) {
		const struct nb_sim_event *event =
			&g_array_index(scenario->events, struct nb_sim_event, i);

		if (event->kind == NB_SIM_ADD && event->nic == nic)
			return false;
	}
	return true;
}

bool nb_sim_hashes_ports(const struct nb_scenario *scenario, unsigned nic)
{
	for (unsigned i = 0; i < scenario->traffic->len; i++) {
		const struct nb_sim_traffic *traffic =
			&g_array_index(scenario->traffic, struct nb_sim_traffic, i);

		if (traffic->nic == nic && traffic->addresses_only)
			return false;
	}
	return true;
}

void nb_sim_set_up_queues(struct nb_world *world)
{
	unsigned n_nics = world->scenario->nics->len;

	world->next_irq = FIRST_IRQ;
	world->first_queue = g_new0(unsigned, n_nics);
	world->n_channels = g_new0(unsigned, n_nics);
	world->down_until_nsec = g_new0(uint64_t, n_nics);
	world->hashes_ports = g_new0(bool, n_nics);
	for (unsigned i = 0; i < n_nics; i++) {
		world->first_queue[i] = world->n_queues;
		world->n_queues += nb_sim_nic(world, i)->n_queues;
	}
	world->queues = g_new0(struct nb_sim_queue, world->n_queues);
	for (unsigned i = 0; i < n_nics; i++) {
		for (unsigned k = 0; k < nb_sim_nic(world, i)->n_queues; k++)
			world->queues[world->first_queue[i] + k] = (struct nb_sim_queue){
				.key = {.ifindex = (int)i + FIRST_IFINDEX, .index = k},
				.nic = i,
			};
		if (is_there_at_first(world->scenario, i))
			world->n_channels[i] = nb_sim_nic(world, i)->n_in_use;
		world->hashes_ports[i] = nb_sim_hashes_ports(world->scenario, i);
		nb_sim_place_nic(world, i);
	}
}

static void describe_cpus(const struct nb_world *world, struct nb_topology *topology)
{
	topology->n_possible = world->scenario->n_cpus;
	topology->isolated = world->scenario->isolated;
	topology->isolated_by[NB_ISOLATION_DOMAIN] = world->scenario->isolated;
	topology->cpus = g_new0(struct nb_cpu, world->scenario->n_cpus);
	for (unsigned i = 0; i < world->scenario->n_cpus; i++) {
		const struct nb_sim_cpu *cpu = &world->cpus[i];

		if (!cpu->online)
			continue;
		nb_cpumask_add(&topology->online, i);
		topology->cpus[topology->n_cpus++] = (struct nb_cpu){
			.id = i,
			.core = cpu->core,
			.llc = cpu->llc,
			.node = cpu->node,
			.capacity = cpu->capacity,
		};
	}
}

static void describe_nic(const struct nb_world *world, unsigned number, struct nb_machine *machine)
{
	const struct nb_sim_nic *sim = nb_sim_nic(world, number);
	struct nb_nic *nic = &machine->nics[machine->n_nics++];

	*nic = (struct nb_nic){
		.ifindex = (int)number + FIRST_IFINDEX,
		.node = sim->node,
		.spill = sim->spill,
		.threaded_allowed = sim->threaded,
		.scope = sim->is_virtual ? NB_SCOPE_STEERED : NB_SCOPE_IN,
		.mapping = NB_MAPPING_NETLINK,
		.packets = NB_PACKETS_QSTATS,
		.n_rx = world->n_channels[number],
		.n_tx = world->n_channels[number],
		.channels_asked = sim->channels_asked,
		.udp_hash_asked = sim->udp_ports_asked ? NB_UDP_HASH_PORTS : NB_UDP_HASH_UNKNOWN,
	};
	memcpy(nic->name, sim->name, sizeof(nic->name));
	if (sim->is_virtual)
		return;
	nic->n_channels = world->n_channels[number];
	nic->most_channels = sim->n_queues;
	nic->combines_channels = true;
	nic->udp_hash = world->hashes_ports[number] ? NB_UDP_HASH_PORTS : NB_UDP_HASH_ADDRESSES;
}

static enum nb_threading threading_of(const struct nb_world *world,
				      const struct nb_sim_queue *queue)
{
	if (!nb_sim_nic(world, queue->nic)->linked)
		return NB_THREADING_UNKNOWN;
	return queue->switched ? NB_THREADING_ON : NB_THREADING_OFF;
}

static void describe_queue(struct nb_world *world, unsigned number, struct nb_machine *machine)
{
	const struct nb_sim_queue *queue = &world->queues[number];
	bool is_virtual = nb_sim_nic(world, queue->nic)->is_virtual;

	world->rows[machine->n_queues] = number;
	machine->queues[machine->n_queues++] = (struct nb_queue){
		.key = queue->key,
		.has_rx = true,
		.has_tx = !is_virtual,
		.n_irqs = is_virtual ? 0 : 1,
		.irqs = {queue->irq},
		.defers = nb_sim_nic(world, queue->nic)->defer_nsec > 0,
		.threading = threading_of(world, queue),
	};
}

void nb_sim_rescan(struct nb_world *world)
{
	struct nb_machine *machine = g_new0(struct nb_machine, 1);

	machine->generation = world->machines->len + 1;
	machine->accounting = world->scenario->accounting;
	machine->nics = g_new0(struct nb_nic, world->scenario->nics->len);
	machine->queues = g_new0(struct nb_queue, world->n_queues);
	describe_cpus(world, &machine->topology);
	for (unsigned i = 0; i < world->scenario->nics->len; i++)
		if (world->n_channels[i] > 0)
			describe_nic(world, i, machine);
	for (unsigned i = 0; i < world->n_queues; i++)
		if (nb_sim_is_in_use(world, &world->queues[i]))
			describe_queue(world, i, machine);
	g_array_append_val(world->machines, machine);
}

void nb_sim_machine_free(struct nb_machine *machine)
{
	g_free(machine->topology.cpus);
	g_free(machine->nics);
	g_free(machine->queues);
	g_free(machine);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/find.h"

#include <stdlib.h>

/* Every row below starts with the key that its array is sorted by. */
static int compare_int(const void *key, const void *row)
{
	int a = *(const int *)key, b = *(const int *)row;

	return (a > b) - (a < b);
}

static int compare_unsigned(const void *key, const void *row)
{
	unsigned a = *(const unsigned *)key, b = *(const unsigned *)row;

	return (a > b) - (a < b);
}

static int compare_queue(const void *key, const void *row)
{
	return nb_queue_key_compare(*(const struct nb_queue_key *)key,
				    *(const struct nb_queue_key *)row);
}

/* bsearch(3) may not be given a NULL array, be it empty. */
static const void *find(const void *key, const void *rows, unsigned n, size_t size,
			int (*compare)(const void *key, const void *row))
{
	return n == 0 ? NULL : bsearch(key, rows, n, size, compare);
}

const struct nb_nic *nb_machine_find_nic(const struct nb_machine *machine, int ifindex)
{
	return find(&ifindex, machine->nics, machine->n_nics, sizeof(machine->nics[0]),
		    compare_int);
}

const char *nb_machine_netdev(const struct nb_machine *machine, int ifindex)
{
	const struct nb_nic *nic = nb_machine_find_nic(machine, ifindex);

	return nic ? nic->name : "";
}

const struct nb_queue *nb_machine_find_queue(const struct nb_machine *machine,
					     struct nb_queue_key key)
{
	return find(&key, machine->queues, machine->n_queues, sizeof(machine->queues[0]),
		    compare_queue);
}

const struct nb_queue *nb_machine_find_served(const struct nb_machine *machine, uint32_t irq)
{
	for (unsigned i = 0; i < machine->n_queues; i++)
		for (unsigned j = 0; j < machine->queues[i].n_irqs; j++)
			if (machine->queues[i].irqs[j] == irq)
				return &machine->queues[i];
	return NULL;
}

struct nb_queue_key nb_machine_key_of_irq(const struct nb_machine *machine, uint32_t irq)
{
	const struct nb_queue *queue = nb_machine_find_served(machine, irq);

	return queue ? queue->key : nb_device_irq_key(irq);
}

const struct nb_device_irq *nb_machine_find_device_irq(const struct nb_machine *machine,
						       uint32_t irq)
{
	return find(&irq, machine->device_irqs, machine->n_device_irqs,
		    sizeof(machine->device_irqs[0]), compare_unsigned);
}

uint32_t nb_topology_capacity(const struct nb_topology *topology, int cpu)
{
	unsigned id = (unsigned)cpu;
	const struct nb_cpu *row = find(&id, topology->cpus, topology->n_cpus,
					sizeof(topology->cpus[0]), compare_unsigned);

	return row ? row->capacity : NB_WHOLE;
}

/* On most hosts CPU numbers have no holes, and a CPU's row stands at its number. */
const struct nb_cpu_counters *nb_snapshot_find_cpu(const struct nb_snapshot *snapshot, unsigned cpu)
{
	if (cpu < snapshot->n_cpus && snapshot->cpus[cpu].id == cpu)
		return &snapshot->cpus[cpu];
	return find(&cpu, snapshot->cpus, snapshot->n_cpus, sizeof(snapshot->cpus[0]),
		    compare_unsigned);
}

const struct nb_queue_state *nb_snapshot_find_queue(const struct nb_snapshot *snapshot,
						    struct nb_queue_key key)
{
	return find(&key, snapshot->queues, snapshot->n_queues, sizeof(snapshot->queues[0]),
		    compare_queue);
}

uint32_t nb_snapshot_thread(const struct nb_snapshot *snapshot, unsigned queue)
{
	uint32_t thread = snapshot->machine->queues[queue].thread;

	return thread == 0 && queue < snapshot->n_queues ? snapshot->queues[queue].thread : thread;
}

const struct nb_nic_state *nb_snapshot_find_nic(const struct nb_snapshot *snapshot, int ifindex)
{
	return find(&ifindex, snapshot->nics, snapshot->n_nics, sizeof(snapshot->nics[0]),
		    compare_int);
}

const struct nb_cpumask *nb_snapshot_find_rps(const struct nb_snapshot *snapshot,
					      struct nb_queue_key key)
{
	const struct nb_rps_state *rps =
		find(&key, snapshot->rps, snapshot->n_rps, sizeof(snapshot->rps[0]), compare_queue);

	return rps ? &rps->cpus : NULL;
}

const struct nb_cpu_load *nb_loads_find_cpu(const struct nb_loads *loads, unsigned cpu)
{
	if (cpu < loads->n_cpus && loads->cpus[cpu].id == cpu)
		return &loads->cpus[cpu];
	return find(&cpu, loads->cpus, loads->n_cpus, sizeof(loads->cpus[0]), compare_unsigned);
}

const struct nb_queue_load *nb_loads_find_queue(const struct nb_loads *loads,
						struct nb_queue_key key)
{
	return find(&key, loads->queues, loads->n_queues, sizeof(loads->queues[0]), compare_queue);
}

const struct nb_nic_load *nb_loads_find_nic(const struct nb_loads *loads, int ifindex)
{
	return find(&ifindex, loads->nics, loads->n_nics, sizeof(loads->nics[0]), compare_int);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "publish/lookup.h"

#include <stdlib.h>

const struct nb_machine *nb_status_machine(const struct nb_status *status)
{
	return status->snapshot ? status->snapshot->machine : NULL;
}

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

const struct nb_queue_state *nb_status_find_queue(const struct nb_status *status,
						  struct nb_queue_key key)
{
	const struct nb_snapshot *snapshot = status->snapshot;

	if (!snapshot)
		return NULL;
	return find(&key, snapshot->queues, snapshot->n_queues, sizeof(snapshot->queues[0]),
		    compare_queue);
}

const struct nb_queue_load *nb_status_find_queue_load(const struct nb_status *status,
						      struct nb_queue_key key)
{
	const struct nb_loads *loads = status->loads;

	if (!loads)
		return NULL;
	return find(&key, loads->queues, loads->n_queues, sizeof(loads->queues[0]), compare_queue);
}

const struct nb_queue_memory *nb_status_find_queue_memory(const struct nb_status *status,
							  struct nb_queue_key key)
{
	const struct nb_memory *memory = status->memory;

	if (!memory)
		return NULL;
	return find(&key, memory->queues, memory->n_queues, sizeof(memory->queues[0]),
		    compare_queue);
}

const struct nb_cpu_load *nb_status_find_cpu_load(const struct nb_status *status, unsigned cpu)
{
	const struct nb_loads *loads = status->loads;

	if (!loads)
		return NULL;
	return find(&cpu, loads->cpus, loads->n_cpus, sizeof(loads->cpus[0]), compare_unsigned);
}

const struct nb_rps_state *nb_status_find_rps(const struct nb_status *status,
					      struct nb_queue_key key)
{
	const struct nb_snapshot *snapshot = status->snapshot;

	if (!snapshot)
		return NULL;
	return find(&key, snapshot->rps, snapshot->n_rps, sizeof(snapshot->rps[0]), compare_queue);
}

void nb_status_eligible(const struct nb_status *status, struct nb_cpumask *ret)
{
	const struct nb_machine *machine = nb_status_machine(status);

	nb_cpumask_clear(ret);
	if (!machine)
		return;
	*ret = machine->topology.online;
	nb_cpumask_andnot(ret, &machine->topology.isolated);
	nb_cpumask_andnot(ret, &status->policy->banned);
}

int nb_status_queue_cpu(const struct nb_status *status, struct nb_queue_key key)
{
	const struct nb_queue_load *load = nb_status_find_queue_load(status, key);
	const struct nb_queue_state *state = nb_status_find_queue(status, key);

	if (load && load->cpu >= 0)
		return load->cpu;
	if (!state)
		return -1;
	return state->effective_cpu >= 0 ? state->effective_cpu : state->affinity_cpu;
}

bool nb_status_is_future(const struct nb_status *status, uint64_t until_nsec)
{
	return status->snapshot && until_nsec > status->snapshot->taken_nsec;
}

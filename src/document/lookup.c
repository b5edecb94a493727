/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "document/lookup.h"

#include "base/memory.h"

const struct nb_machine *nb_status_machine(const struct nb_status *status)
{
	return status->snapshot ? status->snapshot->machine : NULL;
}

const struct nb_queue_state *nb_status_find_queue(const struct nb_status *status,
						  struct nb_queue_key key)
{
	return status->snapshot ? nb_snapshot_find_queue(status->snapshot, key) : NULL;
}

const struct nb_queue_load *nb_status_find_queue_load(const struct nb_status *status,
						      struct nb_queue_key key)
{
	return status->loads ? nb_loads_find_queue(status->loads, key) : NULL;
}

const struct nb_queue_memory *nb_status_find_queue_memory(const struct nb_status *status,
							  struct nb_queue_key key)
{
	return status->memory ? nb_memory_find_queue(status->memory, key) : NULL;
}

const struct nb_cpu_load *nb_status_find_cpu_load(const struct nb_status *status, unsigned cpu)
{
	return status->loads ? nb_loads_find_cpu(status->loads, cpu) : NULL;
}

const struct nb_cpumask *nb_status_find_rps(const struct nb_status *status, struct nb_queue_key key)
{
	return status->snapshot ? nb_snapshot_find_rps(status->snapshot, key) : NULL;
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

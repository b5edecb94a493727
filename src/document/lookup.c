/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "document/lookup.h"

#include "base/memory.h"
#include "base/rules.h"

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

void nb_status_allow(const struct nb_status *status, struct nb_queue_key key,
		     struct nb_allowed *ret)
{
	struct nb_rules rules;

	*ret = (struct nb_allowed){};
	if (!status->snapshot)
		return;
	nb_rules_init(&rules, status->snapshot, status->policy, status->memory);
	nb_rules_allow(&rules, key, ret);
}

void nb_status_eligible(const struct nb_status *status, struct nb_cpumask *ret)
{
	struct nb_allowed allowed = {};
	struct nb_rules rules;

	if (status->snapshot) {
		nb_rules_init(&rules, status->snapshot, status->policy, status->memory);
		nb_rules_allow_common(&rules, &allowed);
	}
	*ret = allowed.cpus;
}

enum nb_rule nb_status_excluded_by(const struct nb_status *status, unsigned cpu)
{
	struct nb_allowed allowed;
	struct nb_rules rules;

	nb_rules_init(&rules, status->snapshot, status->policy, status->memory);
	nb_rules_allow_common(&rules, &allowed);
	return nb_rules_excluded_by(&rules, nb_rules_common_key(), &allowed, cpu);
}

const struct nb_excluded_cpu *nb_status_find_excluded(const struct nb_status *status, unsigned cpu)
{
	for (unsigned i = 0; i < status->n_excluded_cpus; i++)
		if (status->excluded_cpus[i].cpu == cpu && status->excluded_cpus[i].is_excluded)
			return &status->excluded_cpus[i];
	return NULL;
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

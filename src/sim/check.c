/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim/check.h"

#include <string.h>

static bool check_set(const struct nb_scenario *scenario, const struct nb_cpumask *cpus,
		      const char *what, GString *fault)
{
	unsigned last = 0;

	NB_CPUMASK_FOREACH (cpu, cpus)
		last = cpu;
	if (last < scenario->n_cpus)
		return true;
	g_string_append_printf(fault, "CPU %u is %s but does not exist; write CPUs 0-%u", last,
			       what, scenario->n_cpus - 1);
	return false;
}

static bool check_host(const struct nb_scenario *scenario, GString *fault)
{
	unsigned parts = scenario->n_threads * scenario->n_nodes * scenario->n_llcs;

	if (scenario->n_cpus % parts != 0) {
		g_string_append_printf(fault,
				       "%u CPUs cannot be shared out evenly among threads, nodes "
				       "and caches; write a multiple of %u",
				       scenario->n_cpus, parts);
		return false;
	}
	return check_set(scenario, &scenario->isolated, "isolated", fault) &&
	       check_set(scenario, &scenario->small, "small", fault);
}

static bool check_cpu(const struct nb_scenario *scenario, unsigned cpu, GString *fault)
{
	if (cpu < scenario->n_cpus)
		return true;
	g_string_append_printf(fault, "there is no CPU %u; write one of 0-%u", cpu,
			       scenario->n_cpus - 1);
	return false;
}

static bool check_placement(const struct nb_sim_draft *draft, GString *fault)
{
	if (draft->nic.placement != NB_PLACEMENT_LISTED)
		return true;
	if (draft->n_listed != draft->nic.n_queues) {
		g_string_append_printf(fault,
				       "Placement= names %u CPUs for %u queues; write one for each",
				       draft->n_listed, draft->nic.n_queues);
		return false;
	}
	for (unsigned i = 0; i < draft->n_listed; i++)
		if (!check_cpu(draft->scenario, draft->nic.cpus[i], fault))
			return false;
	return true;
}

static bool check_nic(const struct nb_sim_draft *draft, GString *fault)
{
	const struct nb_scenario *scenario = draft->scenario;

	for (unsigned i = 0; i < scenario->nics->len; i++) {
		if (strcmp(g_array_index(scenario->nics, struct nb_sim_nic, i).name,
			   draft->nic.name) == 0) {
			g_string_append_printf(fault,
					       "[Nic %s] is there already; write another name",
					       draft->nic.name);
			return false;
		}
	}
	if (draft->nic.node >= (int)scenario->n_nodes) {
		g_string_append_printf(fault, "there is no node %d; write one of 0-%u, or none",
				       draft->nic.node, scenario->n_nodes - 1);
		return false;
	}
	if (draft->nic.n_in_use > draft->nic.n_queues) {
		g_string_append_printf(fault, "of %u queues %u cannot be in use; write 1 to %u",
				       draft->nic.n_queues, draft->nic.n_in_use,
				       draft->nic.n_queues);
		return false;
	}
	return check_placement(draft, fault);
}

static bool check_times(uint64_t begin_nsec, uint64_t end_nsec, GString *fault)
{
	if (end_nsec == 0 || begin_nsec < end_nsec)
		return true;
	g_string_append(fault, "it ends before it begins; write a later EndSec=, or none");
	return false;
}

static bool check_queue(const struct nb_sim_draft *draft, unsigned number, unsigned queue,
			GString *fault)
{
	const struct nb_sim_nic *nic =
		&g_array_index(draft->scenario->nics, struct nb_sim_nic, number);

	if (queue < nic->n_in_use)
		return true;
	g_string_append_printf(fault, "%s has no queue %u; write 0 to %u", nic->name, queue,
			       nic->n_in_use - 1);
	return false;
}

static bool check_traffic(const struct nb_sim_draft *draft, GString *fault)
{
	const struct nb_sim_traffic *traffic = &draft->traffic;

	return check_times(traffic->begin_nsec, traffic->end_nsec, fault) &&
	       (traffic->elephant_queue == UINT_MAX ||
		check_queue(draft, traffic->nic, traffic->elephant_queue, fault));
}

/* An event about a NIC needs one, and one about a CPU, too. */
static bool check_event(const struct nb_sim_draft *draft, GString *fault)
{
	const struct nb_sim_event *event = &draft->event;
	const struct nb_sim_nic *nic;

	if (event->kind == NB_SIM_OFFLINE)
		return check_cpu(draft->scenario, event->cpu, fault);
	if (event->nic >= draft->scenario->nics->len) {
		g_string_append(fault, "it is about a NIC but names none; write Nic=");
		return false;
	}
	if (event->kind != NB_SIM_FOREIGN)
		return true;
	nic = &g_array_index(draft->scenario->nics, struct nb_sim_nic, event->nic);
	if (event->n > nic->n_queues) {
		g_string_append_printf(fault, "%s has no %u queues; write 1 to %u", nic->name,
				       event->n, nic->n_queues);
		return false;
	}
	return check_cpu(draft->scenario, event->cpu, fault);
}

static bool check_application(const struct nb_sim_draft *draft, GString *fault)
{
	const struct nb_sim_application *application = &draft->application;

	if (!check_times(application->begin_nsec, application->end_nsec, fault) ||
	    (application->cpu >= 0 &&
	     !check_cpu(draft->scenario, (unsigned)application->cpu, fault)))
		return false;
	return application->nic < 0 ||
	       check_queue(draft, (unsigned)application->nic, application->queue, fault);
}

bool nb_sim_check(const struct nb_sim_draft *draft, enum nb_sim_section section, GString *fault)
{
	const char *missing = nb_sim_key_missing(draft, section);

	if (missing) {
		g_string_append_printf(fault, "[%s] does not say %s; write %s=",
				       nb_sim_section_to_string(section), missing, missing);
		return false;
	}
	switch (section) {
	case NB_SIM_SECTION_HOST:
		return check_host(draft->scenario, fault);
	case NB_SIM_SECTION_NIC:
		return check_nic(draft, fault);
	case NB_SIM_SECTION_TRAFFIC:
		return check_traffic(draft, fault);
	case NB_SIM_SECTION_APPLICATION:
		return check_application(draft, fault);
	case NB_SIM_SECTION_EVENT:
		return check_event(draft, fault);
	case _NB_SIM_SECTION_MAX:
	case _NB_SIM_SECTION_INVALID:
		break;
	}
	return false;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "publish/bus_internal.h"
#include "publish/lookup.h"

/* A thousand CPUs times four thousand queues would be too many pairs: count once, look up then. */
static unsigned *count_queues(const struct nb_status *status, const struct nb_machine *machine)
{
	unsigned *n_queues = g_new0(unsigned, NB_CPUS_MAX);

	for (unsigned i = 0; i < machine->n_queues; i++) {
		int cpu = nb_status_queue_cpu(status, machine->queues[i].key);

		if (cpu >= 0 && (unsigned)cpu < NB_CPUS_MAX)
			n_queues[cpu]++;
	}
	return n_queues;
}

static bool has_no_vector(const struct nb_status *status, unsigned cpu)
{
	const struct nb_memory *memory = status->memory;

	for (unsigned i = 0; memory && i < memory->n_no_vector_cpus; i++)
		if (memory->no_vector_cpus[i].id == cpu)
			return nb_status_is_future(status,
						   memory->no_vector_cpus[i].no_vector_until_nsec);
	return false;
}

static char *note_of(const struct nb_status *status, unsigned cpu)
{
	const char *words[4];
	unsigned n = 0;

	if (nb_cpumask_has(&status->snapshot->machine->topology.isolated, cpu))
		words[n++] = "isolated";
	if (nb_cpumask_has(&status->policy->banned, cpu))
		words[n++] = "banned";
	if (has_no_vector(status, cpu))
		words[n++] = "no-vector";
	words[n] = NULL;
	return g_strjoinv(",", (char **)words);
}

static int append_cpu(sd_bus_message *reply, const struct nb_status *status,
		      const struct nb_cpu *cpu, unsigned n_queues)
{
	static const struct nb_cpu_load unknown = {0};
	const struct nb_cpu_load *load = nb_status_find_cpu_load(status, cpu->id);
	g_autofree char *note = note_of(status, cpu->id);

	if (!load)
		load = &unknown;
	return sd_bus_message_append(reply, "(" NB_BUS_CPU ")", cpu->id, cpu->core, cpu->llc,
				     cpu->node, load->busy, load->queues, load->fixed,
				     load->backlog, load->softirq, load->irq, load->dropped,
				     load->squeezed, n_queues, note);
}

static int render(sd_bus_message *reply, const struct nb_status *status)
{
	const struct nb_machine *machine = nb_status_machine(status);
	g_autofree unsigned *n_queues = NULL;
	int r;

	if (!machine)
		return 0;
	n_queues = count_queues(status, machine);
	for (unsigned i = 0; i < machine->topology.n_cpus; i++) {
		const struct nb_cpu *cpu = &machine->topology.cpus[i];

		r = append_cpu(reply, status, cpu, n_queues[cpu->id]);
		if (r < 0)
			return r;
	}
	return 0;
}

int nb_bus_list_cpus(sd_bus_message *call, void *userdata, sd_bus_error *error)
{
	(void)error;
	return nb_bus_reply_rows(call, userdata, NB_BUS_CPU, render);
}

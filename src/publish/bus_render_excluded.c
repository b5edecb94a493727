/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is left alone, and why. */
#include "base/cpumask_text.h"
#include "base/describe.h"
#include "nicbalance/names.h"
#include "publish/bus_internal.h"
#include "publish/lookup.h"

static int append(sd_bus_message *reply, const char *kind, const char *what, const char *word,
		  const char *why)
{
	int r;

	r = sd_bus_message_open_container(reply, 'r', NB_BUS_EXCLUDED);
	if (r < 0)
		return r;
	r = nb_bus_append_texts(reply, kind, what, word, why, NULL);
	if (r < 0)
		return r;
	return sd_bus_message_close_container(reply);
}

static int render_nics(sd_bus_message *reply, const struct nb_machine *machine)
{
	int r;

	for (unsigned i = 0; i < machine->n_nics; i++) {
		const struct nb_nic *nic = &machine->nics[i];

		if (nic->scope == NB_SCOPE_IN)
			continue;
		r = append(reply, "nic", nic->name, nb_scope_to_string(nic->scope),
			   nb_scope_explain(nic->scope));
		if (r < 0)
			return r;
	}
	return 0;
}

/* How much longer a knob that someone else wrote is left alone. */
static char *yield_text(const struct nb_status *status, uint64_t until_nsec)
{
	uint64_t left_nsec = until_nsec - status->snapshot->taken_nsec;

	return g_strdup_printf("someone else wrote it: left alone for %" G_GUINT64_FORMAT " s more",
			       (left_nsec + NB_NSEC_PER_SEC - 1) / NB_NSEC_PER_SEC);
}

static int render_queue(sd_bus_message *reply, const struct nb_status *status,
			const struct nb_queue *queue)
{
	const struct nb_queue_memory *memory = nb_status_find_queue_memory(status, queue->key);
	const char *netdev = nb_machine_netdev(status->snapshot->machine, queue->key.ifindex);
	g_autofree char *what =
		nb_queue_describe(netdev, queue->key.index, queue->irqs, queue->n_irqs);
	g_autofree char *why = NULL;

	if (queue->n_irqs == 0)
		return append(reply, "queue", what, "no-interrupt",
			      "no interrupt of its own is known");
	if (memory && memory->refused)
		return append(reply, "queue", what, "refused",
			      nb_outcome_explain(NB_OUTCOME_REFUSED));
	if (!memory || !nb_status_is_future(status, memory->yielded_until_nsec))
		return 0;
	why = yield_text(status, memory->yielded_until_nsec);
	return append(reply, "queue", what, "yielded", why);
}

static int render_queues(sd_bus_message *reply, const struct nb_status *status)
{
	const struct nb_machine *machine = status->snapshot->machine;
	int r;

	for (unsigned i = 0; i < machine->n_queues; i++) {
		r = render_queue(reply, status, &machine->queues[i]);
		if (r < 0)
			return r;
	}
	return 0;
}

static int render_rps(sd_bus_message *reply, const struct nb_status *status)
{
	const struct nb_memory *memory = status->memory;
	int r;

	for (unsigned i = 0; memory && i < memory->n_rps; i++) {
		const struct nb_rps_memory *rps = &memory->rps[i];
		g_autofree char *what = NULL, *why = NULL;

		if (!nb_status_is_future(status, rps->yielded_until_nsec))
			continue;
		what = g_strdup_printf(
			"%s queue %u RPS",
			nb_machine_netdev(status->snapshot->machine, rps->key.ifindex),
			rps->key.index);
		why = yield_text(status, rps->yielded_until_nsec);
		r = append(reply, "queue", what, "yielded", why);
		if (r < 0)
			return r;
	}
	return 0;
}

static const char *const isolation_texts[] = {
	[NB_ISOLATION_DOMAIN] = "isolated by isolcpus=",
	[NB_ISOLATION_NOHZ_FULL] = "isolated by nohz_full=",
	[NB_ISOLATION_MANAGED_IRQ] = "isolated by isolcpus=managed_irq",
	[NB_ISOLATION_CPUSET] = "isolated by a cgroup's partition",
};
G_STATIC_ASSERT(G_N_ELEMENTS(isolation_texts) == _NB_ISOLATION_MAX);

static int render_cpu_set(sd_bus_message *reply, const struct nb_cpumask *cpus, const char *word,
			  const char *why)
{
	g_autofree char *list = NULL;

	if (nb_cpumask_empty(cpus))
		return 0;
	list = nb_cpumask_format_list(cpus);
	return append(reply, "cpu", list, word, why);
}

static int render_cpus(sd_bus_message *reply, const struct nb_status *status)
{
	const struct nb_topology *topology = &status->snapshot->machine->topology;
	int r;

	for (int i = 0; i < _NB_ISOLATION_MAX; i++) {
		r = render_cpu_set(reply, &topology->isolated_by[i],
				   nb_isolation_to_string((enum nb_isolation)i),
				   isolation_texts[i]);
		if (r < 0)
			return r;
	}
	return render_cpu_set(reply, &status->policy->banned, "banned",
			      "banned by the configuration");
}

static int render(sd_bus_message *reply, const struct nb_status *status)
{
	int r;

	if (!status->snapshot)
		return 0;
	r = render_nics(reply, status->snapshot->machine);
	if (r < 0)
		return r;
	r = render_queues(reply, status);
	if (r < 0)
		return r;
	r = render_rps(reply, status);
	if (r < 0)
		return r;
	return render_cpus(reply, status);
}

int nb_bus_list_excluded(sd_bus_message *call, void *userdata, sd_bus_error *error)
{
	(void)error;
	return nb_bus_reply_rows(call, userdata, NB_BUS_EXCLUDED, render);
}

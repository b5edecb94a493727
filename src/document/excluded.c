/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/cpumask_text.h"
#include "base/describe.h"
#include "base/find.h"
#include "base/written.h"
#include "document/json.h"
#include "document/lookup.h"
#include "document/parts.h"
#include "nicbalance/names.h"

#include <inttypes.h>

static void add(GString *table, const char *kind, const char *what, const char *word,
		const char *why)
{
	json_t *row = json_object();

	nb_json_set(row, "kind", nb_json_text(kind));
	nb_json_set(row, "what", nb_json_text(what));
	nb_json_set(row, "reason", nb_json_text(word));
	nb_json_set(row, "why", nb_json_text(why));
	nb_document_add_row(table, row);
}

static void add_nics(GString *table, const struct nb_machine *machine)
{
	for (unsigned i = 0; i < machine->n_nics; i++) {
		const struct nb_nic *nic = &machine->nics[i];

		if (nic->scope != NB_SCOPE_IN)
			add(table, "nic", nic->name, nb_scope_to_string(nic->scope),
			    nb_scope_explain(nic->scope));
	}
}

/* A row for each function; the interrupts of one are neighbours, or nearly. */
static void add_foreign_nics(GString *table, const struct nb_machine *machine)
{
	const char *last = "";

	for (unsigned i = 0; i < machine->n_device_irqs; i++) {
		const struct nb_device_irq *device_irq = &machine->device_irqs[i];

		if (!device_irq->foreign || g_str_equal(device_irq->device, last))
			continue;
		last = device_irq->device;
		add(table, "nic", last, "no-interface",
		    "a NIC of another network namespace, or of a guest");
	}
}

/* How much longer a knob that another program wrote is left alone. */
static void add_yielded(GString *table, const struct nb_status *status, const char *what,
			uint64_t until_nsec)
{
	uint64_t left_nsec = until_nsec - status->snapshot->taken_nsec;
	g_autofree char *why =
		g_strdup_printf("changed by another program: left alone for %" PRIu64 " s more",
				(left_nsec + NB_NSEC_PER_SEC - 1) / NB_NSEC_PER_SEC);

	add(table, "queue", what, "yielded", why);
}

/* Its device has a row. */
static bool is_steered(const struct nb_status *status, int ifindex)
{
	const struct nb_nic *nic = nb_machine_find_nic(nb_status_machine(status), ifindex);

	return nic && nic->scope == NB_SCOPE_STEERED;
}

static void add_queue(GString *table, const struct nb_status *status, const struct nb_queue *queue)
{
	const struct nb_queue_memory *memory = nb_status_find_queue_memory(status, queue->key);
	const char *netdev = nb_machine_netdev(status->snapshot->machine, queue->key.ifindex);
	bool yielded = memory && nb_status_is_future(status, memory->yielded_until_nsec);
	bool refused = memory && memory->refused;
	g_autofree char *what = NULL;

	if (queue->n_irqs > 0 && !queue->ignored && !refused && !yielded)
		return;
	if (is_steered(status, queue->key.ifindex))
		return;
	what = nb_queue_describe(netdev, queue->key.index, queue->irqs, queue->n_irqs);
	if (queue->n_irqs == 0)
		add(table, "queue", what, "no-interrupt", "no interrupt of its own is known");
	else if (queue->ignored)
		add(table, "queue", what, "ignored", nb_scope_explain(NB_SCOPE_IGNORED));
	else if (refused)
		add(table, "queue", what, "refused", nb_outcome_explain(NB_OUTCOME_REFUSED));
	else
		add_yielded(table, status, what, memory->yielded_until_nsec);
}

static void add_rps(GString *table, const struct nb_status *status, const struct nb_rps_memory *rps)
{
	const char *netdev = nb_machine_netdev(status->snapshot->machine, rps->key.ifindex);
	g_autofree char *what = g_strdup_printf("%s queue %u RPS", netdev, rps->key.index);

	if (nb_status_is_future(status, rps->yielded_until_nsec))
		add_yielded(table, status, what, rps->yielded_until_nsec);
}

static const char *const isolation_texts[] = {
	[NB_ISOLATION_DOMAIN] = "isolated by isolcpus=",
	[NB_ISOLATION_NOHZ_FULL] = "isolated by nohz_full=",
	[NB_ISOLATION_MANAGED_IRQ] = "isolated by isolcpus=managed_irq",
	[NB_ISOLATION_CPUSET] = "isolated by a cgroup's partition",
};
G_STATIC_ASSERT(G_N_ELEMENTS(isolation_texts) == _NB_ISOLATION_MAX);

static void add_cpus(GString *table, const struct nb_cpumask *cpus, const char *word,
		     const char *why)
{
	g_autofree char *list = nb_cpumask_format_list(cpus);

	if (*list)
		add(table, "cpu", list, word, why);
}

static void add_banned(GString *table, const struct nb_status *status)
{
	g_autofree char *why = status->banned_by
				       ? g_strdup_printf("banned by %s", status->banned_by)
				       : g_strdup(nb_rule_explain(NB_RULE_BANNED));

	add_cpus(table, &status->policy->banned, nb_rule_to_string(NB_RULE_BANNED), why);
}

static void add_default_affinity(GString *table, const struct nb_snapshot *snapshot)
{
	struct nb_cpumask outside = snapshot->machine->topology.online;

	nb_cpumask_andnot(&outside, &snapshot->default_affinity);
	if (!nb_cpumask_empty(&snapshot->default_affinity))
		add_cpus(table, &outside, nb_rule_to_string(NB_RULE_DEFAULT),
			 nb_rule_explain(NB_RULE_DEFAULT));
}

static char *describe_key(const struct nb_machine *machine, struct nb_queue_key key)
{
	const char *netdev = nb_machine_netdev(machine, key.ifindex);
	const struct nb_queue *queue = nb_machine_find_queue(machine, key);

	if (nb_key_is_device_irq(key))
		return g_strdup_printf("IRQ %u", key.index);
	if (key.index == NB_EVERY_QUEUE)
		return g_strdup(netdev);
	return nb_queue_describe(netdev, key.index, queue ? queue->irqs : NULL,
				 queue ? queue->n_irqs : 0);
}

static const char *kind_of(struct nb_queue_key key)
{
	if (nb_key_is_device_irq(key))
		return "irq";
	return key.index == NB_EVERY_QUEUE ? "nic" : "queue";
}

static char *describe_source(const struct nb_status *status, const struct nb_pool *pool)
{
	if (pool->rule != NB_RULE_WRITTEN)
		return g_strdup_printf(": %s", nb_rule_explain(pool->rule));
	return g_strdup_printf(" by another program, %" PRIu64 " s ago",
			       nb_growth(pool->since_nsec, status->snapshot->taken_nsec) /
				       NB_NSEC_PER_SEC);
}

static bool is_set_aside(const struct nb_status *status, const struct nb_pool *pool)
{
	struct nb_allowed allowed;

	nb_status_allow(status, pool->key, &allowed);
	if (pool->pin)
		return !nb_written_holds(&status->memory->written, pool->key, &allowed.cpus);
	return allowed.set_aside & 1u << pool->rule;
}

static char *describe_pool(const struct nb_status *status, const struct nb_pool *pool)
{
	g_autofree char *list = nb_cpumask_format_list(&pool->cpus);
	g_autofree char *source = describe_source(status, pool);

	return g_strdup_printf("%s CPU%s %s%s%s", pool->pin ? "pinned to" : "limited to",
			       nb_cpumask_only(&pool->cpus) < 0 ? "s" : "", list, source,
			       is_set_aside(status, pool) ? "; set aside, since it would leave none"
							  : "");
}

static void add_pools(GString *table, const struct nb_status *status, const struct nb_pools *pools)
{
	for (unsigned i = 0; i < pools->n; i++) {
		const struct nb_pool *pool = &pools->rows[i];
		g_autofree char *what = describe_key(nb_status_machine(status), pool->key);
		g_autofree char *why = describe_pool(status, pool);

		add(table, kind_of(pool->key), what, nb_rule_to_string(pool->rule), why);
	}
}

static void add_rps_pools(GString *table, const struct nb_machine *machine)
{
	for (unsigned i = 0; i < machine->rps_pools.n; i++) {
		const struct nb_pool *pool = &machine->rps_pools.rows[i];
		g_autofree char *what =
			g_strdup_printf("%s RPS", nb_machine_netdev(machine, pool->key.ifindex));
		g_autofree char *list = nb_cpumask_format_list(&pool->cpus);
		g_autofree char *why =
			g_strdup_printf("limited to %s%s: ReceivePacketSteeringCPUMask= of its "
					".link file",
					*list ? "CPUs " : "no CPU", list);

		add(table, "nic", what, nb_rule_to_string(pool->rule), why);
	}
}

static void add_limits(GString *table, const struct nb_status *status)
{
	add_rps_pools(table, nb_status_machine(status));
	add_pools(table, status, &nb_status_machine(status)->pools);
	if (status->memory)
		add_pools(table, status, &status->memory->written);
	if (!status->policy->claims)
		return;
	add_pools(table, status, &status->policy->claims->pools);
	add_cpus(table, &status->policy->claims->banned, nb_rule_to_string(NB_RULE_TAKEN),
		 "banned at run time");
}

void nb_document_add_excluded(GString *table, const struct nb_status *status)
{
	const struct nb_machine *machine = nb_status_machine(status);
	const struct nb_memory *memory = status->memory;

	if (!machine)
		return;
	add_nics(table, machine);
	add_foreign_nics(table, machine);
	for (unsigned i = 0; i < machine->n_queues; i++)
		add_queue(table, status, &machine->queues[i]);
	for (unsigned i = 0; memory && i < memory->n_rps; i++)
		add_rps(table, status, &memory->rps[i]);
	for (int i = 0; i < _NB_ISOLATION_MAX; i++)
		add_cpus(table, &machine->topology.isolated_by[i],
			 nb_isolation_to_string((enum nb_isolation)i), isolation_texts[i]);
	add_banned(table, status);
	add_default_affinity(table, status->snapshot);
	add_limits(table, status);
}

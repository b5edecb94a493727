/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "trace/machine_text.h"

#include "base/cpumask_text.h"
#include "nicbalance/names.h"

static bool number_more(GArray *numbers, const struct nb_machine *machine)
{
	for (unsigned i = 0; i < machine->n_nics; i++) {
		int ifindex = machine->nics[i].ifindex;

		if (!nb_scope_has_queues(machine->nics[i].scope) ||
		    nb_trace_nic_number(numbers, ifindex))
			continue;
		if (numbers->len > 0 && g_array_index(numbers, int, numbers->len - 1) > ifindex)
			return false;
		g_array_append_val(numbers, ifindex);
	}
	return true;
}

void nb_trace_number_nics(GArray *numbers, const struct nb_machine *machine)
{
	if (number_more(numbers, machine))
		return;
	g_array_set_size(numbers, 0);
	number_more(numbers, machine);
}

static int compare_ints(const void *a, const void *b)
{
	return (*(const int *)a > *(const int *)b) - (*(const int *)a < *(const int *)b);
}

unsigned nb_trace_nic_number(const GArray *numbers, int ifindex)
{
	guint at;

	return g_array_binary_search((GArray *)numbers, &ifindex, compare_ints, &at) ? at + 1 : 0;
}

static void append_isolated(const struct nb_topology *topology, GString *text)
{
	for (int i = 0; i < _NB_ISOLATION_MAX; i++) {
		g_autofree char *list = NULL;

		if (nb_cpumask_empty(&topology->isolated_by[i]))
			continue;
		list = nb_cpumask_format_list(&topology->isolated_by[i]);
		g_string_append_printf(text, "isolated %s %s\n",
				       nb_isolation_to_string((enum nb_isolation)i), list);
	}
}

static void append_node(int node, GString *text)
{
	if (node == NB_NODE_NONE)
		g_string_append(text, " -");
	else
		g_string_append_printf(text, " %d", node);
}

static void append_cpus(const struct nb_topology *topology, GString *text)
{
	for (unsigned i = 0; i < topology->n_cpus; i++) {
		const struct nb_cpu *cpu = &topology->cpus[i];

		g_string_append_printf(text, "cpu %u %u %u", cpu->id, cpu->core, cpu->llc);
		append_node(cpu->node, text);
		g_string_append_c(text, '\n');
	}
}

/* The largest that is smaller than this; 0: none is. */
static uint32_t next_capacity(const struct nb_topology *topology, uint32_t than)
{
	uint32_t largest = 0;

	for (unsigned i = 0; i < topology->n_cpus; i++)
		if (topology->cpus[i].capacity < than)
			largest = MAX(largest, topology->cpus[i].capacity);
	return largest;
}

/* A line for each kind of CPUs that are smaller than the largest. */
static void append_capacities(const struct nb_topology *topology, GString *text)
{
	uint32_t capacity = NB_WHOLE;

	while ((capacity = next_capacity(topology, capacity)) > 0) {
		struct nb_cpumask cpus = {};
		g_autofree char *list = NULL;

		for (unsigned i = 0; i < topology->n_cpus; i++)
			if (topology->cpus[i].capacity == capacity)
				nb_cpumask_add(&cpus, topology->cpus[i].id);
		list = nb_cpumask_format_list(&cpus);
		g_string_append_printf(text, "capacity %u %s\n", capacity, list);
	}
}

/* The name comes from a module: any text is possible, and only words have a place here. */
static void append_driver(const char *driver, GString *text)
{
	if (!*driver)
		g_string_append_c(text, '-');
	for (; *driver; driver++)
		g_string_append_c(text, g_ascii_isgraph(*driver) ? *driver : '_');
}

static void append_nics(const struct nb_machine *machine, const GArray *numbers, GString *text)
{
	for (unsigned i = 0; i < machine->n_nics; i++) {
		const struct nb_nic *nic = &machine->nics[i];

		if (!nb_scope_has_queues(nic->scope))
			continue;
		g_string_append_printf(text, "nic %u ", nb_trace_nic_number(numbers, nic->ifindex));
		append_driver(nic->driver, text);
		append_node(nic->node, text);
		g_string_append_printf(text, " %u %u %u\n", nic->n_rx, nic->n_tx, nic->n_slow_path);
	}
}

static void append_virtuals(const struct nb_machine *machine, const GArray *numbers, GString *text)
{
	for (unsigned i = 0; i < machine->n_nics; i++)
		if (machine->nics[i].scope == NB_SCOPE_STEERED)
			g_string_append_printf(
				text, "virtual %u\n",
				nb_trace_nic_number(numbers, machine->nics[i].ifindex));
}

static void append_spills(const struct nb_machine *machine, const GArray *numbers, GString *text)
{
	for (unsigned i = 0; i < machine->n_nics; i++)
		if (machine->nics[i].scope == NB_SCOPE_IN && machine->nics[i].spill)
			g_string_append_printf(
				text, "spill %u\n",
				nb_trace_nic_number(numbers, machine->nics[i].ifindex));
}

static void append_rps_pools(const struct nb_machine *machine, const GArray *numbers, GString *text)
{
	for (unsigned i = 0; i < machine->rps_pools.n; i++) {
		const struct nb_pool *pool = &machine->rps_pools.rows[i];
		g_autofree char *list = nb_cpumask_format_list(&pool->cpus);

		g_string_append_printf(text, "steer %u %s\n",
				       nb_trace_nic_number(numbers, pool->key.ifindex),
				       *list ? list : "-");
	}
}

static bool continues(const struct nb_queue *queue, const struct nb_queue *next)
{
	return next->key.ifindex == queue->key.ifindex && next->key.index == queue->key.index + 1 &&
	       next->has_rx == queue->has_rx && next->has_tx == queue->has_tx &&
	       next->n_irqs == queue->n_irqs;
}

static const char *directions(const struct nb_queue *queue)
{
	if (queue->has_rx)
		return queue->has_tx ? "rt" : "r";
	return queue->has_tx ? "t" : "-";
}

static void append_queues(const struct nb_machine *machine, const GArray *numbers, GString *text)
{
	for (unsigned i = 0; i < machine->n_queues; i++) {
		const struct nb_queue *first = &machine->queues[i];

		while (i + 1 < machine->n_queues &&
		       continues(&machine->queues[i], &machine->queues[i + 1]))
			i++;
		g_string_append_printf(text, "queue %u %u",
				       nb_trace_nic_number(numbers, first->key.ifindex),
				       first->key.index);
		if (&machine->queues[i] != first)
			g_string_append_printf(text, "-%u", machine->queues[i].key.index);
		g_string_append_printf(text, " %s %u\n", directions(first), first->n_irqs);
	}
}

void nb_trace_append_machine(const struct nb_machine *machine, const GArray *numbers, GString *text)
{
	g_string_append_printf(text, "machine %u %s\n", machine->topology.n_possible,
			       nb_accounting_to_string(machine->accounting));
	append_isolated(&machine->topology, text);
	append_cpus(&machine->topology, text);
	append_capacities(&machine->topology, text);
	append_nics(machine, numbers, text);
	append_virtuals(machine, numbers, text);
	append_spills(machine, numbers, text);
	append_rps_pools(machine, numbers, text);
	append_queues(machine, numbers, text);
}

static void append_pool(const struct nb_rules *rules, struct nb_queue_key key, unsigned nic,
			GString *text)
{
	struct nb_cpumask usual = rules->topology->online;
	struct nb_allowed allowed;
	g_autofree char *list = NULL;

	nb_rules_allow(rules, key, &allowed);
	nb_cpumask_andnot(&usual, &rules->topology->isolated);
	if (nb_cpumask_equal(&allowed.cpus, &usual) || nb_cpumask_empty(&allowed.cpus))
		return;
	list = nb_cpumask_format_list(&allowed.cpus);
	g_string_append_printf(text, "pool %u", nic);
	if (key.index != NB_EVERY_QUEUE)
		g_string_append_printf(text, ".%u", key.index);
	g_string_append_printf(text, " %s\n", list);
}

void nb_trace_append_pools(const struct nb_rules *rules, const struct nb_machine *machine,
			   const GArray *numbers, GString *text)
{
	for (unsigned i = 0; i < machine->n_queues; i++) {
		struct nb_queue_key key = machine->queues[i].key;
		unsigned nic = nb_trace_nic_number(numbers, key.ifindex);

		if (nb_rules_has_pool(rules, key))
			append_pool(rules, key, nic, text);
		if (i + 1 == machine->n_queues || machine->queues[i + 1].key.ifindex != key.ifindex)
			append_pool(rules, nb_rules_every_queue(key), nic, text);
	}
}

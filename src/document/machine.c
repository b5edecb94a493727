/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the machine is made of, with its loads. */
#include "base/advice.h"
#include "base/find.h"
#include "base/spells.h"
#include "document/json.h"
#include "document/lookup.h"
#include "document/parts.h"
#include "nicbalance/names.h"

/* Of a NIC out of scope, and before its second reading, nothing is known. */
static void set_drops(json_t *row, const struct nb_status *status, int ifindex)
{
	const struct nb_nic_load *load =
		status->loads ? nb_loads_find_nic(status->loads, ifindex) : NULL;
	bool known = load && load->known;

	nb_json_set(row, "dropped-per-second",
		    known ? nb_json_count(load->dropped_per_sec) : json_null());
	nb_json_set(row, "drops-cause",
		    nb_json_text(known ? nb_drops_cause_to_string(load->cause) : NULL));
}

/* Null unless it is for minutes. */
static json_t *full_node(const struct nb_status *status, int ifindex)
{
	uint64_t nsec = status->memory ? nb_spells_last_nsec(&status->memory->full_nodes, ifindex,
							     NB_FULL_NODE_LASTS_NSEC)
				       : 0;

	return nsec > 0 ? nb_json_count(nsec / NB_NSEC_PER_SEC) : json_null();
}

static json_t *text_of_udp_hash(enum nb_udp_hash hash)
{
	switch (hash) {
	case NB_UDP_HASH_ADDRESSES:
		return nb_json_text("addresses");
	case NB_UDP_HASH_PORTS:
		return nb_json_text("ports");
	case NB_UDP_HASH_UNKNOWN:
		break;
	}
	return json_null();
}

static json_t *advice_of(const struct nb_status *status, const struct nb_nic *nic)
{
	struct nb_allowed allowed;
	json_t *rows = json_array();
	unsigned n_allowed;

	nb_status_allow(status, (struct nb_queue_key){nic->ifindex, NB_EVERY_QUEUE}, &allowed);
	n_allowed = nb_cpumask_count(&allowed.cpus);
	for (int i = 0; i < _NB_ADVICE_MAX; i++) {
		g_autofree char *text = NULL;
		json_t *row;

		if (!nb_advice_applies((enum nb_advice)i, nic, n_allowed, status->memory))
			continue;
		text = nb_advice_text((enum nb_advice)i, nic, n_allowed);
		row = json_object();
		nb_json_set(row, "advice", nb_json_text(nb_advice_to_string((enum nb_advice)i)));
		nb_json_set(row, "text", nb_json_text(text));
		json_array_append_new(rows, row);
	}
	return rows;
}

static void set_channels(json_t *row, const struct nb_nic *nic)
{
	bool known = nic->n_channels > 0;

	nb_json_set(row, "channels", known ? json_integer(nic->n_channels) : json_null());
	nb_json_set(row, "most-channels", known ? json_integer(nic->most_channels) : json_null());
}

static json_t *nic_of(const struct nb_status *status, const struct nb_nic *nic, unsigned n_queues)
{
	const struct nb_machine *machine = nb_status_machine(status);
	json_t *row = json_object();

	nb_json_set(row, "nic", nb_json_text(nic->name));
	nb_json_set(row, "ifindex", json_integer(nic->ifindex));
	nb_json_set(row, "driver", nb_json_text(nic->driver));
	nb_json_set(row, "node", nb_json_id(nic->node));
	nb_json_set(row, "master", nb_json_text(nb_machine_netdev(machine, nic->master)));
	nb_json_set(row, "scope", nb_json_text(nb_scope_to_string(nic->scope)));
	nb_json_set(row, "rx-queues", json_integer(nic->n_rx));
	nb_json_set(row, "tx-queues", json_integer(nic->n_tx));
	nb_json_set(row, "queues", json_integer(n_queues));
	nb_json_set(row, "slow-path-vectors", json_integer(nic->n_slow_path));
	nb_json_set(row, "mapping", nb_json_text(nb_mapping_to_string(nic->mapping)));
	nb_json_set(row, "packets", nb_json_text(nb_packets_source_to_string(nic->packets)));
	set_drops(row, status, nic->ifindex);
	nb_json_set(row, "spill", json_boolean(nic->spill));
	nb_json_set(row, "full-node-seconds", full_node(status, nic->ifindex));
	set_channels(row, nic);
	nb_json_set(row, "udp-hash", text_of_udp_hash(nic->udp_hash));
	nb_json_set(row, "advice", advice_of(status, nic));
	return row;
}

/* What moves as one may hold a receive and a transmit queue, and counts once. NICs and queues both
 * ascend by ifindex. */
void nb_document_add_nics(GString *table, const struct nb_status *status)
{
	const struct nb_machine *machine = nb_status_machine(status);
	unsigned queue = 0;

	for (unsigned i = 0; machine && i < machine->n_nics; i++) {
		const struct nb_nic *nic = &machine->nics[i];
		unsigned n_queues = 0;

		for (; queue < machine->n_queues &&
		       machine->queues[queue].key.ifindex <= nic->ifindex;
		     queue++)
			n_queues += machine->queues[queue].key.ifindex == nic->ifindex;
		nb_document_add_row(table, nic_of(status, nic, n_queues));
	}
}

static json_t *queue_note(const struct nb_status *status, const struct nb_queue *queue)
{
	const struct nb_queue_memory *memory = nb_status_find_queue_memory(status, queue->key);
	const struct nb_queue_load *load = nb_status_find_queue_load(status, queue->key);
	json_t *words = json_array();

	if (queue->n_irqs == 0)
		nb_json_append(words, json_string("no-interrupt"));
	if (load && load->deferred)
		nb_json_append(words, json_string("deferred"));
	if (memory && memory->fresh)
		nb_json_append(words, json_string("fresh"));
	if (memory && memory->refused)
		nb_json_append(words, json_string("refused"));
	if (memory && nb_status_is_future(status, memory->yielded_until_nsec))
		nb_json_append(words, json_string("yielded"));
	else if (memory && memory->pending.active)
		nb_json_append(words, json_string("measuring"));
	else if (memory && memory->moved_nsec > 0)
		nb_json_append(words, json_string("moved"));
	return words;
}

static void set_queue_load(json_t *row, const struct nb_status *status, struct nb_queue_key key)
{
	static const struct nb_queue_load unknown;
	const struct nb_queue_load *load = nb_status_find_queue_load(status, key);

	if (!load)
		load = &unknown;
	nb_json_set(row, "cpu", nb_json_id(nb_status_queue_cpu(status, key)));
	nb_json_set(row, "time-percent", nb_json_percent(load->time));
	nb_json_set(row, "threaded-percent", nb_json_percent(load->threaded));
	nb_json_set(row, "saturated", json_boolean(load->saturated));
	nb_json_set(row, "rx-packets-per-second", nb_json_count(load->rx_packets_per_sec));
	nb_json_set(row, "tx-packets-per-second", nb_json_count(load->tx_packets_per_sec));
	nb_json_set(row, "interrupts-per-second", nb_json_count(load->interrupts_per_sec));
	nb_json_set(row, "dropped-per-second",
		    load->drops_known ? nb_json_count(load->dropped_per_sec) : json_null());
}

static json_t *queue_of(const struct nb_status *status, const struct nb_queue *queue)
{
	static const struct nb_cpumask off;
	struct nb_allowed allowed;
	const struct nb_cpumask *rps = nb_status_find_rps(status, queue->key);
	json_t *row = json_object();

	nb_json_set(row, "nic",
		    nb_json_text(nb_machine_netdev(nb_status_machine(status), queue->key.ifindex)));
	nb_json_set(row, "ifindex", json_integer(queue->key.ifindex));
	nb_json_set(row, "queue", json_integer(queue->key.index));
	nb_json_set(row, "has-rx", json_boolean(queue->has_rx));
	nb_json_set(row, "has-tx", json_boolean(queue->has_tx));
	nb_json_set_irqs(row, queue->irqs, queue->n_irqs);
	nb_status_allow(status, queue->key, &allowed);
	nb_json_set(row, "allowed-cpus", nb_json_cpus(&allowed.cpus));
	set_queue_load(row, status, queue->key);
	nb_json_set(row, "rps-cpus", nb_json_cpus(rps ? rps : &off));
	nb_json_set(row, "note", queue_note(status, queue));
	return row;
}

void nb_document_add_queues(GString *table, const struct nb_status *status)
{
	const struct nb_machine *machine = nb_status_machine(status);

	for (unsigned i = 0; machine && i < machine->n_queues; i++)
		nb_document_add_row(table, queue_of(status, &machine->queues[i]));
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

static bool is_outside_default(const struct nb_status *status, unsigned cpu)
{
	const struct nb_cpumask *affinity = &status->snapshot->default_affinity;

	return !nb_cpumask_empty(affinity) && !nb_cpumask_has(affinity, cpu);
}

static json_t *cpu_note(const struct nb_status *status, unsigned cpu)
{
	json_t *words = json_array();

	if (nb_cpumask_has(&nb_status_machine(status)->topology.isolated, cpu))
		nb_json_append(words, json_string("isolated"));
	if (nb_cpumask_has(&status->policy->banned, cpu))
		nb_json_append(words, json_string("banned"));
	if (status->policy->claims && nb_cpumask_has(&status->policy->claims->banned, cpu))
		nb_json_append(words, json_string("taken"));
	if (is_outside_default(status, cpu))
		nb_json_append(words, json_string("not-default"));
	if (has_no_vector(status, cpu))
		nb_json_append(words, json_string("no-vector"));
	return words;
}

/* Null where nothing is counted, or not yet. */
static void set_excluded(json_t *row, const struct nb_status *status, unsigned cpu)
{
	const struct nb_excluded_cpu *excluded = nb_status_find_excluded(status, cpu);
	bool counted = excluded && excluded->counted_nsec;

	nb_json_set(row, "excluded-since",
		    excluded ? nb_json_time(excluded->since_realtime_usec) : json_null());
	nb_json_set(row, "counted-since",
		    counted ? nb_json_time(excluded->counted_realtime_usec) : json_null());
	nb_json_set(row, "intrusions", counted ? nb_json_count(excluded->count) : json_null());
}

static bool are_equal(const struct nb_topology *topology)
{
	for (unsigned i = 0; i < topology->n_cpus; i++)
		if (topology->cpus[i].capacity != NB_WHOLE)
			return false;
	return true;
}

static json_t *cpu_of(const struct nb_status *status, const struct nb_cpu *cpu, bool equal,
		      unsigned n_queues)
{
	static const struct nb_cpu_load unknown;
	const struct nb_cpu_load *load = nb_status_find_cpu_load(status, cpu->id);
	json_t *row = json_object();

	if (!load)
		load = &unknown;
	nb_json_set(row, "cpu", json_integer(cpu->id));
	nb_json_set(row, "core", json_integer(cpu->core));
	nb_json_set(row, "llc", json_integer(cpu->llc));
	nb_json_set(row, "node", nb_json_id(cpu->node));
	nb_json_set(row, "capacity-percent", equal ? json_null() : nb_json_percent(cpu->capacity));
	nb_json_set(row, "busy-percent", nb_json_percent(load->busy));
	nb_json_set(row, "queues-percent", nb_json_percent(load->queues));
	nb_json_set(row, "fixed-percent", nb_json_percent(load->fixed));
	nb_json_set(row, "backlog-percent", nb_json_percent(load->backlog));
	nb_json_set(row, "softirq-percent", nb_json_percent(load->softirq));
	nb_json_set(row, "irq-percent", nb_json_percent(load->irq));
	nb_json_set(row, "queues", json_integer(n_queues));
	nb_json_set(row, "dropped", json_integer(load->dropped));
	nb_json_set(row, "squeezed", json_integer(load->squeezed));
	nb_json_set(row, "delay-p99-usec",
		    load->delay_known ? json_integer(load->delay_usec) : json_null());
	set_excluded(row, status, cpu->id);
	nb_json_set(row, "note", cpu_note(status, cpu->id));
	return row;
}

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

void nb_document_add_cpus(GString *table, const struct nb_status *status)
{
	const struct nb_machine *machine = nb_status_machine(status);
	g_autofree unsigned *n_queues = machine ? count_queues(status, machine) : NULL;
	bool equal = machine && are_equal(&machine->topology);

	for (unsigned i = 0; machine && i < machine->topology.n_cpus; i++) {
		const struct nb_cpu *cpu = &machine->topology.cpus[i];

		nb_document_add_row(table, cpu_of(status, cpu, equal, n_queues[cpu->id]));
	}
}

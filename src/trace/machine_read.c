/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "trace/machine_read.h"

#include "base/pools.h"
#include "nicbalance/names.h"
#include "trace/rows.h"

#include <assert.h>

void nb_trace_machine_free(struct nb_trace_machine *machine)
{
	if (!machine)
		return;
	g_array_unref(machine->cpus);
	g_array_unref(machine->nics);
	g_array_unref(machine->queues);
	g_array_unref(machine->pools);
	nb_pools_clear(&machine->machine.rps_pools);
	g_free(machine);
}

const char *nb_trace_machine_begin(struct nb_trace_fields *fields, struct nb_trace_machine **ret)
{
	struct nb_trace_machine *machine;
	char accounting[NB_TRACE_WORD_MAX];
	uint32_t n_possible;
	enum nb_accounting known;

	if (!nb_trace_take_number(fields, NB_CPUS_MAX, &n_possible) || n_possible == 0)
		return "not a number of CPUs";
	if (!nb_trace_take_word(fields, accounting))
		return "no word for the kernel's accounting";
	known = nb_accounting_from_string(accounting);
	if (known == _NB_ACCOUNTING_INVALID)
		return "an unknown word for the kernel's accounting";

	machine = g_new0(struct nb_trace_machine, 1);
	machine->machine.topology.n_possible = n_possible;
	machine->machine.accounting = known;
	machine->cpus = g_array_new(FALSE, FALSE, sizeof(struct nb_cpu));
	machine->nics = g_array_new(FALSE, FALSE, sizeof(struct nb_nic));
	machine->queues = g_array_new(FALSE, FALSE, sizeof(struct nb_queue));
	machine->pools = g_array_new(FALSE, FALSE, sizeof(struct nb_pool));
	*ret = machine;
	return NULL;
}

static const char *take_isolated(struct nb_trace_machine *machine, struct nb_trace_fields *fields)
{
	struct nb_topology *topology = &machine->machine.topology;
	char word[NB_TRACE_WORD_MAX];
	enum nb_isolation reason;

	if (!nb_trace_take_word(fields, word))
		return "no reason for isolation";
	reason = nb_isolation_from_string(word);
	if (reason == _NB_ISOLATION_INVALID)
		return "an unknown reason for isolation";
	if (!nb_trace_take_cpus(fields, &topology->isolated_by[reason]))
		return "not a list of CPUs";
	nb_cpumask_or(&topology->isolated, &topology->isolated_by[reason]);
	return NULL;
}

static const char *take_cpu(struct nb_trace_machine *machine, struct nb_trace_fields *fields)
{
	struct nb_topology *topology = &machine->machine.topology;
	uint32_t id, core, llc;
	struct nb_cpu cpu;
	int node;

	if (!nb_trace_take_number(fields, topology->n_possible - 1, &id))
		return "not a possible CPU";
	if (machine->cpus->len > 0 &&
	    g_array_index(machine->cpus, struct nb_cpu, machine->cpus->len - 1).id >= id)
		return "CPUs must ascend";
	if (!nb_trace_take_number(fields, NB_CPUS_MAX - 1, &core) ||
	    !nb_trace_take_number(fields, NB_CPUS_MAX - 1, &llc))
		return "no CPU that names the core, or the last-level cache";
	if (!nb_trace_take_perhaps(fields, NB_TRACE_INDEX_MAX, &node))
		return "not a node";

	cpu = (struct nb_cpu){
		.id = id, .core = core, .llc = llc, .node = node, .capacity = NB_WHOLE};
	g_array_append_val(machine->cpus, cpu);
	nb_cpumask_add(&topology->online, id);
	return NULL;
}

static struct nb_cpu *find_cpu(const struct nb_trace_machine *machine, unsigned id)
{
	for (unsigned i = 0; i < machine->cpus->len; i++) {
		struct nb_cpu *cpu = &g_array_index(machine->cpus, struct nb_cpu, i);

		if (cpu->id == id)
			return cpu;
	}
	return NULL;
}

static const char *take_capacity(struct nb_trace_machine *machine, struct nb_trace_fields *fields)
{
	struct nb_cpumask cpus;
	uint32_t capacity;

	if (!nb_trace_take_number(fields, NB_WHOLE, &capacity) || capacity < NB_CAPACITY_LEAST)
		return "not a capacity in basis points of the largest CPU";
	if (!nb_trace_take_cpus(fields, &cpus))
		return "not a list of CPUs";
	NB_CPUMASK_FOREACH (id, &cpus) {
		struct nb_cpu *cpu = find_cpu(machine, id);

		if (!cpu)
			return "not CPUs above";
		cpu->capacity = capacity;
	}
	return NULL;
}

static void name_nic(struct nb_nic *nic)
{
	g_autoptr(GString) name = g_string_new(NULL);

	g_string_append_printf(name, "nic%d", nic->ifindex);
	assert(name->len < sizeof(nic->name));
	memcpy(nic->name, name->str, name->len + 1);
}

static const char *take_nic(struct nb_trace_machine *machine, struct nb_trace_fields *fields)
{
	struct nb_nic nic = {.scope = NB_SCOPE_IN};
	uint32_t number;

	G_STATIC_ASSERT(sizeof(nic.driver) >= NB_TRACE_WORD_MAX);
	if (!nb_trace_take_number(fields, NB_TRACE_NIC_MAX, &number) || number == 0)
		return "not a number of a NIC";
	nic.ifindex = (int)number;
	if (machine->nics->len > 0 &&
	    g_array_index(machine->nics, struct nb_nic, machine->nics->len - 1).ifindex >=
		    nic.ifindex)
		return "NICs must ascend";
	if (!nb_trace_take_word(fields, nic.driver))
		return "not the name of a driver";
	if (strcmp(nic.driver, "-") == 0)
		nic.driver[0] = '\0';
	if (!nb_trace_take_perhaps(fields, NB_TRACE_INDEX_MAX, &nic.node))
		return "not a node";
	if (!nb_trace_take_number(fields, NB_TRACE_INDEX_MAX, &nic.n_rx) ||
	    !nb_trace_take_number(fields, NB_TRACE_INDEX_MAX, &nic.n_tx) ||
	    !nb_trace_take_number(fields, NB_TRACE_INDEX_MAX, &nic.n_slow_path))
		return "not the numbers of receive, transmit and other vectors";

	name_nic(&nic);
	g_array_append_val(machine->nics, nic);
	return NULL;
}

static struct nb_nic *find_nic(const struct nb_trace_machine *machine, uint32_t number)
{
	for (unsigned i = 0; i < machine->nics->len; i++) {
		struct nb_nic *nic = &g_array_index(machine->nics, struct nb_nic, i);

		if (nic->ifindex == (int)number)
			return nic;
	}
	return NULL;
}

/* NULL: *ret is there. */
static const char *take_known_nic(struct nb_trace_machine *machine, struct nb_trace_fields *fields,
				  struct nb_nic **ret)
{
	uint32_t number;

	if (!nb_trace_take_number(fields, NB_TRACE_NIC_MAX, &number))
		return "not a number of a NIC";
	*ret = find_nic(machine, number);
	return *ret ? NULL : "not the number of a NIC above";
}

static const char *take_spill(struct nb_trace_machine *machine, struct nb_trace_fields *fields)
{
	struct nb_nic *nic;
	const char *error = take_known_nic(machine, fields, &nic);

	if (!error)
		nic->spill = true;
	return error;
}

static const char *take_virtual(struct nb_trace_machine *machine, struct nb_trace_fields *fields)
{
	struct nb_nic *nic;
	const char *error = take_known_nic(machine, fields, &nic);

	if (!error)
		nic->scope = NB_SCOPE_STEERED;
	return error;
}

/* "-": nowhere. */
static bool take_cpus_or_none(struct nb_trace_fields *fields, struct nb_cpumask *ret)
{
	const struct nb_trace_fields before = *fields;
	char word[NB_TRACE_WORD_MAX];

	*ret = (struct nb_cpumask){};
	if (nb_trace_take_word(fields, word) && g_str_equal(word, "-"))
		return true;
	*fields = before;
	return nb_trace_take_cpus(fields, ret);
}

static const char *take_steer(struct nb_trace_machine *machine, struct nb_trace_fields *fields)
{
	struct nb_pool pool = {.rule = NB_RULE_LINK, .key.index = NB_EVERY_QUEUE};
	uint32_t number;

	if (!nb_trace_take_number(fields, NB_TRACE_NIC_MAX, &number) || !find_nic(machine, number))
		return "not the number of a NIC above";
	if (!take_cpus_or_none(fields, &pool.cpus))
		return "not a list of CPUs";
	pool.key.ifindex = (int)number;
	nb_pools_set(&machine->machine.rps_pools, &pool);
	return NULL;
}

/* The same for the same queue in every machine: other interrupts would be a reset. */
static uint32_t made_up_irq(struct nb_queue_key key, unsigned i)
{
	return ((uint32_t)key.ifindex << 17 | key.index << 1 | i) & ~NB_IRQ_CHANNEL;
}

static void add_queue(struct nb_trace_machine *machine, struct nb_queue queue)
{
	for (unsigned i = 0; i < queue.n_irqs; i++)
		queue.irqs[i] = made_up_irq(queue.key, i);
	g_array_append_val(machine->queues, queue);
}

static bool take_directions(struct nb_trace_fields *fields, struct nb_queue *queue)
{
	struct nb_trace_field field;

	if (!nb_trace_take(fields, &field))
		return false;
	queue->has_rx = field.text[0] == 'r';
	queue->has_tx = field.text[field.len - 1] == 't';
	return nb_trace_field_is(&field, "rt") || nb_trace_field_is(&field, "r") ||
	       nb_trace_field_is(&field, "t") || nb_trace_field_is(&field, "-");
}

static bool follows(const struct nb_trace_machine *machine, struct nb_queue_key key)
{
	GArray *queues = machine->queues;

	return queues->len == 0 ||
	       nb_queue_key_compare(g_array_index(queues, struct nb_queue, queues->len - 1).key,
				    key) < 0;
}

static const char *take_queue(struct nb_trace_machine *machine, struct nb_trace_fields *fields)
{
	struct nb_queue queue = {};
	uint32_t nic, first, last;

	if (!nb_trace_take_number(fields, NB_TRACE_NIC_MAX, &nic) || !find_nic(machine, nic))
		return "not the number of a NIC above";
	if (!nb_trace_take_range(fields, NB_TRACE_INDEX_MAX, &first, &last))
		return "not an index of a queue, nor a range";
	queue.key = (struct nb_queue_key){.ifindex = (int)nic, .index = first};
	if (!follows(machine, queue.key))
		return "queues must ascend";
	if (last - first >= NB_TRACE_QUEUES_MAX - machine->queues->len)
		return "more queues than any host has";
	if (!take_directions(fields, &queue))
		return "neither rt nor r, t or -";
	if (!nb_trace_take_number(fields, NB_QUEUE_IRQS_MAX, &queue.n_irqs))
		return "not a number of interrupts";

	for (; queue.key.index <= last; queue.key.index++)
		add_queue(machine, queue);
	return NULL;
}

/* A queue, or with the number of its NIC alone all of them. */
static bool take_key(struct nb_trace_fields *fields, struct nb_queue_key *ret)
{
	const struct nb_trace_fields before = *fields;
	uint32_t number;

	if (nb_trace_take_queue(fields, ret))
		return true;
	*fields = before;
	if (!nb_trace_take_number(fields, NB_TRACE_NIC_MAX, &number))
		return false;
	*ret = (struct nb_queue_key){.ifindex = (int)number, .index = NB_EVERY_QUEUE};
	return true;
}

static const char *take_pool(struct nb_trace_machine *machine, struct nb_trace_fields *fields)
{
	struct nb_pool pool = {.rule = NB_RULE_CONFIGURED};

	if (!take_key(fields, &pool.key) || !find_nic(machine, (uint32_t)pool.key.ifindex))
		return "not a queue of a NIC above, or such a NIC";
	if (machine->pools->len > 0 &&
	    nb_queue_key_compare(
		    g_array_index(machine->pools, struct nb_pool, machine->pools->len - 1).key,
		    pool.key) >= 0)
		return "pools must ascend";
	if (!nb_trace_take_cpus(fields, &pool.cpus))
		return "not a list of CPUs";
	g_array_append_val(machine->pools, pool);
	return NULL;
}

nb_trace_machine_line nb_trace_machine_line_of(const struct nb_trace_field *word)
{
	static const struct {
		const char *word;
		nb_trace_machine_line take;
	} lines[] = {
		{"isolated", take_isolated}, {"cpu", take_cpu},           {"nic", take_nic},
		{"queue", take_queue},       {"pool", take_pool},         {"spill", take_spill},
		{"steer", take_steer},       {"capacity", take_capacity}, {"virtual", take_virtual},
	};

	for (size_t i = 0; i < G_N_ELEMENTS(lines); i++)
		if (nb_trace_field_is(word, lines[i].word))
			return lines[i].take;
	return NULL;
}

const char *nb_trace_machine_seal(struct nb_trace_machine *machine, uint64_t generation)
{
	struct nb_machine *sealed = &machine->machine;

	if (machine->cpus->len == 0)
		return "the machine above has no CPU";
	sealed->generation = generation;
	sealed->topology.cpus = (struct nb_cpu *)(void *)machine->cpus->data;
	sealed->topology.n_cpus = machine->cpus->len;
	sealed->nics = (struct nb_nic *)(void *)machine->nics->data;
	sealed->n_nics = machine->nics->len;
	sealed->queues = (struct nb_queue *)(void *)machine->queues->data;
	sealed->n_queues = machine->queues->len;
	sealed->pools.rows = (struct nb_pool *)(void *)machine->pools->data;
	sealed->pools.n = machine->pools->len;
	return NULL;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim/keys.h"

#include "base/cpumask_text.h"
#include "base/values.h"
#include "nicbalance/units.h"

#include <errno.h>
#include <string.h>

enum kind {
	KIND_COUNT,
	KIND_SHARE,
	KIND_SPAN,
	KIND_BOOLEAN,
	KIND_WORD,
	KIND_CPU,       /* -1: any */
	KIND_NODE,      /* NB_NODE_NONE: none */
	KIND_NIC,       /* by name */
	KIND_CHANNELS,  /* NB_CHANNELS_MAX: all that are of use */
	KIND_CPUS,      /* a set */
	KIND_PLACEMENT, /* a word, or a CPU for each queue */
	KIND_TEXT,
};

struct key {
	enum nb_sim_section section;
	const char *name;
	enum kind kind;
	bool required;
	size_t offset, size; /* in the struct of its section */
	uint64_t least, most;
	const char *words[5]; /* the values 0, 1, 2 … of an enum */
};

#define IN_HOST(field) offsetof(nb_scenario, field), sizeof(((nb_scenario *)0)->field)
#define IN_DRAFT(field) \
	offsetof(struct nb_sim_draft, field), sizeof(((struct nb_sim_draft *)0)->field)
#define HOST NB_SIM_SECTION_HOST
#define NIC NB_SIM_SECTION_NIC
#define TRAFFIC NB_SIM_SECTION_TRAFFIC
#define APPLICATION NB_SIM_SECTION_APPLICATION
#define EVENT NB_SIM_SECTION_EVENT

#define DAY (UINT64_C(86400) * NB_NSEC_PER_SEC)
/* A packet or an interrupt that costs more than a millisecond is a slip of the pen. */
#define COST_MOST (NB_NSEC_PER_SEC / 1000)
#define FLOWS_MOST 1000000u

static const struct key keys[] = {
	{HOST, "Title", KIND_TEXT, false, IN_HOST(title), 0, 0, {}},
	{HOST, "Seed", KIND_COUNT, false, IN_HOST(seed), 0, UINT64_MAX, {}},
	{HOST, "LengthSec", KIND_SPAN, true, IN_HOST(length_nsec), NB_NSEC_PER_SEC, DAY, {}},
	{HOST, "CPUs", KIND_COUNT, true, IN_HOST(n_cpus), 1, NB_CPUS_MAX, {}},
	{HOST, "ThreadsPerCore", KIND_COUNT, false, IN_HOST(n_threads), 1, 8, {}},
	{HOST, "Nodes", KIND_COUNT, false, IN_HOST(n_nodes), 1, 1024, {}},
	{HOST, "CachesPerNode", KIND_COUNT, false, IN_HOST(n_llcs), 1, 1024, {}},
	{HOST, "Isolated", KIND_CPUS, false, IN_HOST(isolated), 0, 0, {}},
	{HOST, "SmallCPUs", KIND_CPUS, false, IN_HOST(small), 0, 0, {}},
	{HOST,
	 "SmallCapacity",
	 KIND_SHARE,
	 false,
	 IN_HOST(small_bp),
	 NB_WHOLE / 100 * 7, /* NB_CAPACITY_LEAST in whole per cent */
	 NB_WHOLE,
	 {}},
	{HOST, "Grade", KIND_WORD, false, IN_HOST(grade), 0, 0, {"estimated", "measured"}},
	{HOST, "Accounting", KIND_WORD, false, IN_HOST(accounting), 1, 0, {"tick", "precise"}},
	{HOST, "TicksPerSec", KIND_COUNT, false, IN_HOST(ticks_per_sec), 100, 1000, {}},
	{HOST, "RPSCost", KIND_SPAN, false, IN_HOST(rps_nsec), 0, COST_MOST, {}},
	{HOST, "Refused", KIND_SHARE, false, IN_HOST(refuse_bp), 0, NB_WHOLE, {}},
	{HOST, "WriteDelaySec", KIND_SPAN, false, IN_HOST(delay_nsec), 0, DAY, {}},
	{HOST, "InterruptRemapping", KIND_BOOLEAN, false, IN_HOST(remaps), 0, 0, {}},
	{HOST, "ThreadedBacklog", KIND_BOOLEAN, false, IN_HOST(threaded_backlog), 0, 0, {}},
	{HOST, "FairSoftirqs", KIND_BOOLEAN, false, IN_HOST(fair), 0, 0, {}},

	{NIC, "Node", KIND_NODE, false, IN_DRAFT(nic.node), 0, 1023, {}},
	{NIC, "Spill", KIND_BOOLEAN, false, IN_DRAFT(nic.spill), 0, 0, {}},
	{NIC, "Virtual", KIND_BOOLEAN, false, IN_DRAFT(nic.is_virtual), 0, 0, {}},
	{NIC, "ThreadedNapi", KIND_BOOLEAN, false, IN_DRAFT(nic.threaded), 0, 0, {}},
	{NIC, "LinkedNapis", KIND_BOOLEAN, false, IN_DRAFT(nic.linked), 0, 0, {}},
	{NIC, "Managed", KIND_BOOLEAN, false, IN_DRAFT(nic.managed), 0, 0, {}},
	{NIC, "Queues", KIND_COUNT, true, IN_DRAFT(nic.n_queues), 1, 128, {}},
	{NIC, "QueuesInUse", KIND_COUNT, false, IN_DRAFT(nic.n_in_use), 1, 128, {}},
	{NIC, "Channels", KIND_CHANNELS, false, IN_DRAFT(nic.channels_asked), 1, 128, {}},
	{NIC, "UdpHash", KIND_WORD, false, IN_DRAFT(nic.udp_ports_asked), 0, 0, {"keep", "sdfn"}},
	{NIC, "Placement", KIND_PLACEMENT, false, IN_DRAFT(nic.placement), 0, 0, {}},
	{NIC, "InterruptCost", KIND_SPAN, false, IN_DRAFT(nic.irq_nsec), 0, COST_MOST, {}},
	{NIC, "DriverCost", KIND_SPAN, false, IN_DRAFT(nic.driver_nsec), 0, COST_MOST, {}},
	{NIC, "CoalesceUSec", KIND_COUNT, false, IN_DRAFT(nic.coalesce_usec), 1, 100000, {}},
	{NIC, "Follows", KIND_BOOLEAN, false, IN_DRAFT(nic.follows), 0, 0, {}},
	{NIC,
	 "DeferInterrupts",
	 KIND_SPAN,
	 false,
	 IN_DRAFT(nic.defer_nsec),
	 0,
	 NB_NSEC_PER_SEC,
	 {}},
	{NIC, "RssTable", KIND_WORD, false, IN_DRAFT(nic.fixed_table), 0, 0, {"settable", "fixed"}},
	{NIC, "RssHash", KIND_WORD, false, IN_DRAFT(nic.no_hash), 0, 0, {"reported", "none"}},

	{TRAFFIC, "BeginSec", KIND_SPAN, false, IN_DRAFT(traffic.begin_nsec), 0, DAY, {}},
	{TRAFFIC, "EndSec", KIND_SPAN, false, IN_DRAFT(traffic.end_nsec), 0, DAY, {}},
	{TRAFFIC,
	 "PacketsPerSec",
	 KIND_COUNT,
	 true,
	 IN_DRAFT(traffic.packets_per_sec),
	 0,
	 1000000000,
	 {}},
	{TRAFFIC, "Flows", KIND_COUNT, false, IN_DRAFT(traffic.n_flows), 1, FLOWS_MOST, {}},
	{TRAFFIC, "Skew", KIND_SHARE, false, IN_DRAFT(traffic.skew_bp), 0, NB_WHOLE, {}},
	{TRAFFIC, "Elephant", KIND_SHARE, false, IN_DRAFT(traffic.elephant_bp), 0, NB_WHOLE, {}},
	{TRAFFIC, "Elephants", KIND_COUNT, false, IN_DRAFT(traffic.n_elephants), 1, 128, {}},
	{TRAFFIC, "ElephantQueue", KIND_COUNT, false, IN_DRAFT(traffic.elephant_queue), 0, 127, {}},
	{TRAFFIC, "AddressesOnly", KIND_BOOLEAN, false, IN_DRAFT(traffic.addresses_only), 0, 0, {}},
	{TRAFFIC,
	 "ProtocolCost",
	 KIND_SPAN,
	 false,
	 IN_DRAFT(traffic.protocol_nsec),
	 0,
	 COST_MOST,
	 {}},
	{TRAFFIC, "Noise", KIND_SHARE, false, IN_DRAFT(traffic.noise_bp), 0, NB_WHOLE, {}},
	{TRAFFIC,
	 "BurstsPerSec",
	 KIND_COUNT,
	 false,
	 IN_DRAFT(traffic.bursts_per_sec),
	 0,
	 10000,
	 {}},

	{APPLICATION, "BeginSec", KIND_SPAN, false, IN_DRAFT(application.begin_nsec), 0, DAY, {}},
	{APPLICATION, "EndSec", KIND_SPAN, false, IN_DRAFT(application.end_nsec), 0, DAY, {}},
	{APPLICATION, "Share", KIND_SHARE, true, IN_DRAFT(application.share), 0, NB_WHOLE, {}},
	{APPLICATION, "CPU", KIND_CPU, false, IN_DRAFT(application.cpu), 0, NB_CPUS_MAX - 1, {}},
	{APPLICATION,
	 "WanderSec",
	 KIND_SPAN,
	 false,
	 IN_DRAFT(application.wander_nsec),
	 NB_NSEC_PER_SEC / 10,
	 DAY,
	 {}},
	{APPLICATION, "Nic", KIND_NIC, false, IN_DRAFT(application.nic), 0, 0, {}},
	{APPLICATION, "Queue", KIND_COUNT, false, IN_DRAFT(application.queue), 0, 127, {}},
	{APPLICATION, "Threads", KIND_COUNT, false, IN_DRAFT(n_applications), 1, 10000, {}},

	{EVENT, "AtSec", KIND_SPAN, true, IN_DRAFT(event.at_nsec), 0, DAY, {}},
	{EVENT,
	 "Do",
	 KIND_WORD,
	 true,
	 IN_DRAFT(event.kind),
	 0,
	 0,
	 {"reset", "foreign", "add", "offline"}},
	{EVENT, "Nic", KIND_NIC, false, IN_DRAFT(event.nic), 0, 0, {}},
	{EVENT, "CPU", KIND_COUNT, false, IN_DRAFT(event.cpu), 0, NB_CPUS_MAX - 1, {}},
	{EVENT, "Queues", KIND_COUNT, false, IN_DRAFT(event.n), 1, 128, {}},
};

G_STATIC_ASSERT(NB_GRADE_ESTIMATED == 0 && NB_GRADE_MEASURED == 1);
G_STATIC_ASSERT(NB_ACCOUNTING_TICK == 1 && NB_ACCOUNTING_PRECISE == 2);
G_STATIC_ASSERT(G_N_ELEMENTS(keys) <= 64);

static const char *const section_words[] = {
	[HOST] = "Host",   [NIC] = "Nic", [TRAFFIC] = "Traffic", [APPLICATION] = "Application",
	[EVENT] = "Event",
};

enum nb_sim_section nb_sim_section_from_string(const char *word)
{
	for (int i = 0; i < _NB_SIM_SECTION_MAX; i++)
		if (strcmp(section_words[i], word) == 0)
			return (enum nb_sim_section)i;
	return _NB_SIM_SECTION_INVALID;
}

const char *nb_sim_section_to_string(enum nb_sim_section section)
{
	return section_words[section];
}

/* --- kinds */

static int parse_word(const struct key *key, const char *value, uint64_t *ret)
{
	for (unsigned i = 0; key->words[i]; i++) {
		if (strcmp(key->words[i], value) == 0) {
			*ret = key->least + i;
			return 0;
		}
	}
	return -EINVAL;
}

/* A number, or the word that stands for -1. */
static int parse_or_none(const char *value, const char *none, uint64_t *ret)
{
	if (strcmp(value, none) == 0) {
		*ret = UINT64_MAX;
		return 0;
	}
	return nb_count_parse(value, ret);
}

static int parse_nic(const struct nb_scenario *scenario, const char *value, uint64_t *ret)
{
	for (unsigned i = 0; i < scenario->nics->len; i++) {
		if (strcmp(g_array_index(scenario->nics, struct nb_sim_nic, i).name, value) == 0) {
			*ret = i;
			return 0;
		}
	}
	return -EINVAL;
}

static int parse_number(const struct nb_sim_draft *draft, const struct key *key, const char *value,
			uint64_t *ret)
{
	switch (key->kind) {
	case KIND_COUNT:
		return nb_count_parse(value, ret);
	case KIND_SHARE:
		return nb_share_parse(value, ret);
	case KIND_SPAN:
		return nb_span_parse(value, ret);
	case KIND_BOOLEAN:
		return nb_boolean_parse(value, ret);
	case KIND_WORD:
		return parse_word(key, value, ret);
	case KIND_CPU:
		return parse_or_none(value, "any", ret);
	case KIND_NODE:
		return parse_or_none(value, "none", ret);
	case KIND_NIC:
		return parse_nic(draft->scenario, value, ret);
	case KIND_CHANNELS:
		return parse_or_none(value, "max", ret);
	case KIND_CPUS:
	case KIND_PLACEMENT:
	case KIND_TEXT:
		break;
	}
	return -EINVAL;
}

static bool has_range(enum kind kind)
{
	return kind == KIND_COUNT || kind == KIND_SHARE || kind == KIND_SPAN || kind == KIND_CPU ||
	       kind == KIND_NODE || kind == KIND_CHANNELS;
}

static void store(void *field, size_t size, uint64_t value)
{
	bool flag = value;
	uint32_t word = (uint32_t)value;

	if (size == sizeof(flag))
		memcpy(field, &flag, sizeof(flag));
	else if (size == sizeof(word))
		memcpy(field, &word, sizeof(word));
	else
		memcpy(field, &value, sizeof(value));
}

static int set_number(struct nb_sim_draft *draft, const struct key *key, void *field,
		      const char *value)
{
	uint64_t number;
	int r = parse_number(draft, key, value, &number);

	if (r < 0)
		return r;
	if (has_range(key->kind) && number != UINT64_MAX &&
	    (number < key->least || number > key->most))
		return -ERANGE;
	store(field, key->size, number);
	return 0;
}

/* "0,1,1": a CPU for each queue, in their order. */
static int set_listed(struct nb_sim_draft *draft, const char *value)
{
	g_autoptr(GArray) cpus = g_array_new(FALSE, FALSE, sizeof(unsigned));

	for (;;) {
		const char *begin = value;
		unsigned cpu = 0;

		while (g_ascii_isdigit(*value) && cpu < NB_CPUS_MAX)
			cpu = cpu * 10 + (unsigned)(*value++ - '0');
		if (value == begin || cpu >= NB_CPUS_MAX || (*value != ',' && *value != '\0'))
			return -EINVAL;
		g_array_append_val(cpus, cpu);
		if (*value++ == '\0')
			break;
	}
	g_free(draft->nic.cpus);
	draft->n_listed = cpus->len;
	draft->nic.cpus = (unsigned *)(void *)g_array_free(g_steal_pointer(&cpus), FALSE);
	draft->nic.placement = NB_PLACEMENT_LISTED;
	return 0;
}

static int set_placement(struct nb_sim_draft *draft, const char *value)
{
	if (strcmp(value, "ladder") == 0)
		draft->nic.placement = NB_PLACEMENT_LADDER;
	else if (strcmp(value, "collapsed") == 0)
		draft->nic.placement = NB_PLACEMENT_COLLAPSED;
	else
		return set_listed(draft, value);
	return 0;
}

static void set_text(char **field, const char *value)
{
	size_t size = strlen(value) + 1;

	g_free(*field);
	*field = g_malloc(size);
	memcpy(*field, value, size);
}

static int set_value(struct nb_sim_draft *draft, const struct key *key, const char *value)
{
	char *base = key->section == HOST ? (char *)draft->scenario : (char *)draft;
	void *field = base + key->offset;

	switch (key->kind) {
	case KIND_CPUS:
		return nb_cpumask_parse_list(value, strlen(value), field);
	case KIND_PLACEMENT:
		return set_placement(draft, value);
	case KIND_TEXT:
		set_text(field, value);
		return 0;
	case KIND_COUNT:
	case KIND_SHARE:
	case KIND_SPAN:
	case KIND_BOOLEAN:
	case KIND_WORD:
	case KIND_CPU:
	case KIND_NODE:
	case KIND_NIC:
	case KIND_CHANNELS:
		return set_number(draft, key, field, value);
	}
	return -EINVAL;
}

/* --- faults */

static const char *example(enum kind kind)
{
	switch (kind) {
	case KIND_COUNT:
		return "a number such as 16, 20k or 1.5M";
	case KIND_SHARE:
		return "a share such as 40%";
	case KIND_SPAN:
		return "a time such as 90s, 5ms or 300ns";
	case KIND_BOOLEAN:
		return "yes or no";
	case KIND_CPU:
		return "the number of a CPU, or any";
	case KIND_NODE:
		return "the number of a node, or none";
	case KIND_NIC:
		return "the name of a [Nic] section above";
	case KIND_CHANNELS:
		return "a number such as 8, or max";
	case KIND_CPUS:
		return "CPUs such as 0-3,8";
	case KIND_PLACEMENT:
		return "ladder, collapsed, or a CPU for each queue such as 0,1,1";
	case KIND_WORD:
	case KIND_TEXT:
		break;
	}
	return "";
}

static void tell_value(const struct key *key, const char *value, int error, GString *fault)
{
	if (error == -ERANGE) {
		g_string_append_printf(fault, "%s=%s is out of range; write ", key->name, value);
		if (key->kind == KIND_SHARE)
			g_string_append_printf(fault, "%u%% to %u%%", (unsigned)key->least / 100,
					       (unsigned)key->most / 100);
		else if (key->kind == KIND_SPAN)
			g_string_append_printf(fault,
					       "%" G_GUINT64_FORMAT "ns to %" G_GUINT64_FORMAT "ns",
					       key->least, key->most);
		else
			g_string_append_printf(fault, "%" G_GUINT64_FORMAT " to %" G_GUINT64_FORMAT,
					       key->least, key->most);
		return;
	}
	g_string_append_printf(fault, "%s=%s is not understood; write %s", key->name, value,
			       example(key->kind));
	for (unsigned i = 0; key->words[i]; i++)
		g_string_append_printf(fault, i ? ", %s" : "%s", key->words[i]);
}

static void tell_unknown(enum nb_sim_section section, const char *name, GString *fault)
{
	const char *comma = "";

	g_string_append_printf(fault, "[%s] has no key %s; write one of ", section_words[section],
			       name);
	for (unsigned i = 0; i < G_N_ELEMENTS(keys); i++) {
		if (keys[i].section != section)
			continue;
		g_string_append_printf(fault, "%s%s", comma, keys[i].name);
		comma = ", ";
	}
}

int nb_sim_key_set(struct nb_sim_draft *draft, enum nb_sim_section section, const char *name,
		   const char *value, GString *fault)
{
	for (unsigned i = 0; i < G_N_ELEMENTS(keys); i++) {
		int r;

		if (keys[i].section != section || strcmp(keys[i].name, name) != 0)
			continue;
		draft->seen |= UINT64_C(1) << i;
		r = set_value(draft, &keys[i], value);
		if (r < 0)
			tell_value(&keys[i], value, r, fault);
		return r < 0 ? -EINVAL : 0;
	}
	tell_unknown(section, name, fault);
	return -EINVAL;
}

const char *nb_sim_key_missing(const struct nb_sim_draft *draft, enum nb_sim_section section)
{
	for (unsigned i = 0; i < G_N_ELEMENTS(keys); i++)
		if (keys[i].section == section && keys[i].required && !(draft->seen >> i & 1))
			return keys[i].name;
	return NULL;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim/scenario.h"

#include "base/ini.h"
#include "nicbalance/units.h"
#include "sim/check.h"
#include "sim/keys.h"

#include <errno.h>
#include <string.h>

struct parser {
	struct nb_sim_draft draft;
	enum nb_sim_section section; /* that lines belong to; INVALID: none that is understood */
	unsigned section_line;
	unsigned line;
	bool had_host;
	bool section_faulty;
	bool host_faulty;
	GString *faults;
};

static struct nb_scenario *scenario_new(void)
{
	struct nb_scenario *scenario = g_new0(struct nb_scenario, 1);

	scenario->seed = 1;
	scenario->n_threads = 1;
	scenario->n_nodes = 1;
	scenario->n_llcs = 1;
	scenario->small_bp = NB_WHOLE / 2;
	scenario->grade = NB_GRADE_MEASURED;
	scenario->accounting = NB_ACCOUNTING_TICK;
	scenario->remaps = true;
	scenario->ticks_per_sec = 250; /* CONFIG_HZ of Debian and Ubuntu */
	/* Of the order that handing a packet to a CPU of the same cache costs there. */
	scenario->rps_nsec = 300;
	scenario->nics = g_array_new(FALSE, TRUE, sizeof(struct nb_sim_nic));
	scenario->traffic = g_array_new(FALSE, TRUE, sizeof(struct nb_sim_traffic));
	scenario->applications = g_array_new(FALSE, TRUE, sizeof(struct nb_sim_application));
	scenario->events = g_array_new(FALSE, TRUE, sizeof(struct nb_sim_event));
	return scenario;
}

void nb_scenario_free(struct nb_scenario *scenario)
{
	if (!scenario)
		return;
	for (unsigned i = 0; i < scenario->nics->len; i++)
		g_free(g_array_index(scenario->nics, struct nb_sim_nic, i).cpus);
	g_array_unref(scenario->nics);
	g_array_unref(scenario->traffic);
	g_array_unref(scenario->applications);
	g_array_unref(scenario->events);
	g_free(scenario->title);
	g_free(scenario);
}

static void begin_fault(struct parser *parser, unsigned line)
{
	g_string_append_printf(parser->faults, "%s%u: ", parser->faults->len ? "\n" : "", line);
	parser->section_faulty = true;
}

static void add_fault(struct parser *parser, unsigned line, const char *text)
{
	begin_fault(parser, line);
	g_string_append(parser->faults, text);
}

/* Defaults of what a section leaves out. */
static void clear_draft(struct nb_sim_draft *draft)
{
	g_free(draft->nic.cpus);
	*draft = (struct nb_sim_draft){
		.scenario = draft->scenario,
		/* Of the order of an igb or ixgbe on a server of the 2020s. */
		.nic = {.node = NB_NODE_NONE,
			.irq_nsec = 1000,
			.driver_nsec = 200,
			.coalesce_usec = 50},
		.traffic = {.n_flows = 1000,
			    .protocol_nsec = 600,
			    .n_elephants = 1,
			    .elephant_queue = UINT_MAX},
		.application = {.cpu = -1, .wander_nsec = NB_NSEC_PER_SEC, .nic = -1},
		.n_applications = 1,
		.event = {.nic = UINT_MAX, .n = 1},
	};
}

static void keep_section(struct parser *parser)
{
	struct nb_sim_draft *draft = &parser->draft;
	struct nb_scenario *scenario = draft->scenario;

	switch (parser->section) {
	case NB_SIM_SECTION_NIC:
		if (draft->nic.n_in_use == 0)
			draft->nic.n_in_use = draft->nic.n_queues;
		g_array_append_val(scenario->nics, draft->nic);
		draft->nic.cpus = NULL;
		break;
	case NB_SIM_SECTION_TRAFFIC:
		g_array_append_val(scenario->traffic, draft->traffic);
		break;
	case NB_SIM_SECTION_APPLICATION:
		for (unsigned i = 0; i < draft->n_applications; i++)
			g_array_append_val(scenario->applications, draft->application);
		break;
	case NB_SIM_SECTION_EVENT:
		g_array_append_val(scenario->events, draft->event);
		break;
	case NB_SIM_SECTION_HOST:
	case _NB_SIM_SECTION_MAX:
	case _NB_SIM_SECTION_INVALID:
		break;
	}
}

/* A faulty section is not held against the host, and where [Host] is faulty nothing is. */
static void end_section(struct parser *parser)
{
	g_autoptr(GString) fault = g_string_new(NULL);

	if (parser->section == _NB_SIM_SECTION_INVALID)
		return;
	if (!parser->section_faulty && !parser->host_faulty &&
	    !nb_sim_check(&parser->draft, parser->section, fault))
		add_fault(parser, parser->section_line, fault->str);
	if (parser->section == NB_SIM_SECTION_HOST)
		parser->host_faulty = parser->section_faulty;
	/* A faulty NIC is kept for its name. */
	if (!parser->section_faulty || parser->section == NB_SIM_SECTION_NIC)
		keep_section(parser);
	parser->section = _NB_SIM_SECTION_INVALID;
}

static void name_nic(struct parser *parser, const char *name)
{
	if (*name == '\0' || strlen(name) >= NB_IFNAME_MAX)
		add_fault(parser, parser->line,
			  "a NIC needs a name of 1 to 15 letters; write one such as [Nic eth0]");
	else
		memcpy(parser->draft.nic.name, name, strlen(name) + 1);
}

static void choose_nic(struct parser *parser, const char *name)
{
	const GArray *nics = parser->draft.scenario->nics;

	for (unsigned i = 0; i < nics->len; i++) {
		if (strcmp(g_array_index(nics, struct nb_sim_nic, i).name, name) == 0) {
			parser->draft.traffic.nic = i;
			return;
		}
	}
	begin_fault(parser, parser->line);
	g_string_append_printf(parser->faults,
			       "there is no [Nic %s] above; write the name of one, such as "
			       "[Traffic eth0]",
			       name);
}

static void check_order(struct parser *parser)
{
	if (parser->section == NB_SIM_SECTION_HOST && parser->had_host)
		add_fault(parser, parser->line, "there is a second [Host]; write one");
	else if (parser->section != NB_SIM_SECTION_HOST && !parser->had_host)
		add_fault(parser, parser->line,
			  "[Host] must come first; write it above all other sections");
}

/* "[Nic eth0]" */
static void read_section(struct parser *parser, const struct nb_ini_item *item)
{
	end_section(parser);
	clear_draft(&parser->draft);
	parser->section_line = parser->line;
	parser->section_faulty = false;
	parser->section = nb_sim_section_from_string(item->name);
	if (parser->section == _NB_SIM_SECTION_INVALID) {
		add_fault(parser, parser->line,
			  "the section is not known; write Host, Nic, Traffic, Application or "
			  "Event in the brackets");
		return;
	}
	check_order(parser);
	parser->had_host |= parser->section == NB_SIM_SECTION_HOST;
	if (parser->section == NB_SIM_SECTION_NIC)
		name_nic(parser, item->value);
	if (parser->section == NB_SIM_SECTION_TRAFFIC)
		choose_nic(parser, item->value);
}

/* What stands in a section that is not known cannot be judged. */
static void read_assignment(struct parser *parser, const struct nb_ini_item *item)
{
	g_autoptr(GString) fault = g_string_new(NULL);

	if (parser->section != _NB_SIM_SECTION_INVALID &&
	    nb_sim_key_set(&parser->draft, parser->section, item->name, item->value, fault) < 0)
		add_fault(parser, parser->line, fault->str);
}

static void read_items(struct parser *parser, struct nb_ini *ini)
{
	struct nb_ini_item item;

	while (nb_ini_next(ini, &item)) {
		parser->line = item.line;
		switch (item.kind) {
		case NB_INI_SECTION:
			read_section(parser, &item);
			break;
		case NB_INI_ASSIGNMENT:
			read_assignment(parser, &item);
			break;
		case NB_INI_FAULT:
			add_fault(parser, parser->line, item.value);
			break;
		}
	}
	end_section(parser);
	if (!parser->had_host && parser->faults->len == 0)
		add_fault(parser, 1, "there is no [Host]; write one");
}

int nb_scenario_parse(const char *text, size_t len, struct nb_scenario **ret, char **ret_error)
{
	g_autoptr(nb_scenario) scenario = scenario_new();
	g_autoptr(GString) faults = g_string_new(NULL);
	g_autoptr(nb_ini) ini = nb_ini_new(text, len);
	struct parser parser = {
		.draft = {.scenario = scenario},
		.section = _NB_SIM_SECTION_INVALID,
		.faults = faults,
	};

	read_items(&parser, ini);
	g_free(parser.draft.nic.cpus);
	if (faults->len > 0) {
		*ret_error = g_string_free(g_steal_pointer(&faults), FALSE);
		return -EINVAL;
	}
	*ret = g_steal_pointer(&scenario);
	return 0;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "document/document.h"

#include "base/describe.h"
#include "document/json.h"
#include "document/lookup.h"
#include "document/parts.h"
#include "nicbalance/names.h"
#include "version.h"

/* Two decimals of a share come out as they were put in: a double is exact to 15 digits. */
#define FLAGS (JSON_REAL_PRECISION(15) | JSON_ENCODE_ANY)

static void set_cpu_sets(json_t *daemon, const struct nb_status *status)
{
	static const struct nb_topology none;
	const struct nb_machine *machine = nb_status_machine(status);
	const struct nb_topology *topology = machine ? &machine->topology : &none;
	struct nb_cpumask eligible;

	nb_status_eligible(status, &eligible);
	nb_json_set(daemon, "online-cpus", nb_json_cpus(&topology->online));
	nb_json_set(daemon, "eligible-cpus", nb_json_cpus(&eligible));
	nb_json_set(daemon, "isolated-cpus", nb_json_cpus(&topology->isolated));
	nb_json_set(daemon, "banned-cpus", nb_json_cpus(&status->policy->banned));
}

/* Before the first cycle, which alone can tell, the grade is "". */
static void set_measuring(json_t *daemon, const struct nb_status *status)
{
	const struct nb_machine *machine = nb_status_machine(status);
	enum nb_accounting accounting = machine ? machine->accounting : NB_ACCOUNTING_UNKNOWN;

	nb_json_set(
		daemon, "grade",
		nb_json_text(status->snapshot ? nb_grade_to_string(status->snapshot->grade) : ""));
	nb_json_set(daemon, "grade-reason",
		    nb_json_text(status->grade_reason ? status->grade_reason : ""));
	nb_json_set(daemon, "accounting", nb_json_text(nb_accounting_to_string(accounting)));
}

static json_t *daemon_of(const struct nb_status *status)
{
	enum nb_verdict verdict = status->plan ? status->plan->verdict : NB_VERDICT_UNKNOWN;
	json_t *daemon = json_object();

	nb_json_set(daemon, "version", nb_json_text(NB_VERSION));
	nb_json_set(daemon, "mode", nb_json_text(nb_mode_to_string(status->mode)));
	nb_json_set(daemon, "paused", json_boolean(status->paused));
	set_measuring(daemon, status);
	nb_json_set(daemon, "verdict", nb_json_text(nb_verdict_to_string(verdict)));
	nb_json_set(daemon, "verdict-text", nb_json_take_text(nb_plan_describe(status->plan)));
	nb_json_set(daemon, "started", nb_json_time(status->started_realtime_usec));
	nb_json_set(daemon, "cycles", nb_json_count(status->cycles));
	nb_json_set(daemon, "cpu-time-nsec", nb_json_count(status->cpu_time_nsec));
	nb_json_set(daemon, "probe-cost-nsec", nb_json_count(status->probe_cost_nsec));
	nb_json_set(daemon, "window-nsec",
		    nb_json_count(status->loads ? status->loads->window_nsec : 0));
	nb_json_set(daemon, "noise-percent",
		    nb_json_percent(status->loads ? status->loads->noise : 0));
	nb_json_set(daemon, "hot-percent", nb_json_percent(status->policy->hot));
	set_cpu_sets(daemon, status);
	return daemon;
}

static json_t *settings_of(const struct nb_config *config)
{
	json_t *settings = json_array();

	for (unsigned row = 0; row < nb_config_n_settings(); row++) {
		const char *origin = config->origins->pdata[row];
		json_t *setting = json_object();

		nb_json_set(setting, "section", nb_json_text(nb_config_section(row)));
		nb_json_set(setting, "key", nb_json_text(nb_config_key(row)));
		nb_json_set(setting, "value", nb_json_take_text(nb_config_value(config, row)));
		nb_json_set(setting, "default", nb_json_text(nb_config_default(row)));
		nb_json_set(setting, "origin", nb_json_text(origin ? origin : ""));
		nb_json_append(settings, setting);
	}
	return settings;
}

static json_t *delays_of(const GArray *rows)
{
	json_t *array = json_array();

	for (unsigned i = 0; i < rows->len; i++) {
		const struct nb_delays *delays = &g_array_index(rows, struct nb_delays, i);
		json_t *row = json_object();

		nb_json_set(row, "cpu", json_integer(delays->cpu));
		nb_json_set(row, "runs-by-usec", nb_json_numbers(delays->counts, NB_DELAYS));
		nb_json_append(array, row);
	}
	return array;
}

json_t *nb_document_make(const struct nb_status *status, const struct nb_config *config,
			 const GArray *delays)
{
	json_t *document = json_object();

	nb_json_set(document, "version", json_integer(NB_DOCUMENT_VERSION));
	nb_json_set(document, "daemon", daemon_of(status));
	nb_json_set(document, "nics", nb_document_nics(status));
	nb_json_set(document, "queues", nb_document_queues(status));
	nb_json_set(document, "cpus", nb_document_cpus(status));
	nb_json_set(document, "moves", nb_document_moves(status));
	nb_json_set(document, "excluded", nb_document_excluded(status));
	nb_json_set(document, "plan", nb_document_plan(status));
	nb_json_set(document, "config", settings_of(config));
	nb_json_set(document, "delays", delays_of(delays));
	return document;
}

static int append_piece(const char *text, size_t len, void *out)
{
	g_string_append_len(out, text, (gssize)len);
	return 0;
}

static void append(GString *out, const json_t *value, size_t flags)
{
	if (json_dump_callback(value, append_piece, out, FLAGS | flags) < 0)
		g_error("no memory for JSON");
}

char *nb_document_print_compact(const json_t *document)
{
	GString *out = g_string_new(NULL);

	append(out, document, JSON_COMPACT);
	return g_string_free(out, FALSE);
}

static void append_rows(GString *out, const json_t *rows)
{
	for (size_t i = 0; i < json_array_size(rows); i++) {
		g_string_append(out, i ? ",\n    " : "[\n    ");
		append(out, json_array_get(rows, i), 0);
	}
	g_string_append(out, json_array_size(rows) ? "\n  ]" : "[]");
}

/* For people who look, and for diff. */
char *nb_document_print(const json_t *document)
{
	GString *out = g_string_new("{");
	const char *name;
	json_t *value;

	json_object_foreach((json_t *)document, name, value)
	{
		g_string_append_printf(out, "%s\n  \"%s\": ", out->len > 1 ? "," : "", name);
		if (json_is_array(value))
			append_rows(out, value);
		else
			append(out, value, 0);
	}
	g_string_append(out, "\n}\n");
	return g_string_free(out, FALSE);
}

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
	nb_json_set(daemon, "start-cpu-time-nsec", nb_json_count(status->start_cpu_time_nsec));
	nb_json_set(daemon, "recent-cpu-time-nsec", nb_json_count(status->recent_cpu_time_nsec));
	nb_json_set(daemon, "recent-nsec", nb_json_count(status->recent_nsec));
	nb_json_set(daemon, "probe-cost-nsec", nb_json_count(status->probe_cost_nsec));
	nb_json_set(daemon, "window-nsec",
		    nb_json_count(status->loads ? status->loads->window_nsec : 0));
	nb_json_set(daemon, "noise-percent",
		    nb_json_percent(status->loads ? status->loads->noise : 0));
	nb_json_set(daemon, "hot-percent", nb_json_percent(status->policy->hot));
	set_cpu_sets(daemon, status);
	return daemon;
}

static void append(GString *out, const json_t *value, size_t flags)
{
	size_t begin = out->len, room = 1024, len;

	g_string_set_size(out, begin + room);
	len = json_dumpb(value, out->str + begin, room, FLAGS | flags);
	if (len > room) {
		g_string_set_size(out, begin + len);
		json_dumpb(value, out->str + begin, len, FLAGS | flags);
	}
	if (len == 0)
		g_error("no memory for JSON");
	g_string_truncate(out, begin + len);
}

void nb_document_add_row(GString *table, json_t *row)
{
	if (table->str[table->len - 1] != '[')
		g_string_append_c(table, ',');
	append(table, row, JSON_COMPACT);
	json_decref(row);
}

static void add_settings(GString *table, const struct nb_config *config)
{
	for (unsigned i = 0; i < nb_config_n_settings(); i++) {
		const char *origin = config->origins->pdata[i];
		json_t *row = json_object();

		nb_json_set(row, "section", nb_json_text(nb_config_section(i)));
		nb_json_set(row, "key", nb_json_text(nb_config_key(i)));
		nb_json_set(row, "value", nb_json_take_text(nb_config_value(config, i)));
		nb_json_set(row, "default", nb_json_text(nb_config_default(i)));
		nb_json_set(row, "origin", nb_json_text(origin ? origin : ""));
		nb_document_add_row(table, row);
	}
}

static void add_delays(GString *table, const GArray *rows)
{
	for (unsigned i = 0; i < rows->len; i++) {
		const struct nb_delays *delays = &g_array_index(rows, struct nb_delays, i);
		json_t *row = json_object();

		nb_json_set(row, "cpu", json_integer(delays->cpu));
		nb_json_set(row, "runs-by-usec", nb_json_numbers(delays->counts, NB_DELAYS));
		nb_document_add_row(table, row);
	}
}

/* Takes over value. */
static void add_object(GString *out, const char *name, json_t *value)
{
	g_string_append_printf(out, ",\"%s\":", name);
	append(out, value, JSON_COMPACT);
	json_decref(value);
}

static void add_table(GString *out, const char *name,
		      void (*add)(GString *table, const struct nb_status *status),
		      const struct nb_status *status)
{
	g_string_append_printf(out, ",\"%s\":[", name);
	add(out, status);
	g_string_append_c(out, ']');
}

char *nb_document_make(const struct nb_status *status, const struct nb_config *config,
		       const GArray *delays)
{
	GString *out = g_string_new(NULL);

	g_string_printf(out, "{\"version\":%d", NB_DOCUMENT_VERSION);
	add_object(out, "daemon", daemon_of(status));
	add_table(out, "nics", nb_document_add_nics, status);
	add_table(out, "queues", nb_document_add_queues, status);
	add_table(out, "cpus", nb_document_add_cpus, status);
	add_table(out, "moves", nb_document_add_moves, status);
	add_table(out, "excluded", nb_document_add_excluded, status);
	add_table(out, "intrusions", nb_document_add_intrusions, status);
	add_table(out, "claims", nb_document_add_claims, status);
	add_object(out, "plan", nb_document_plan(status));
	g_string_append(out, ",\"config\":[");
	add_settings(out, config);
	g_string_append(out, "],\"delays\":[");
	add_delays(out, delays);
	g_string_append(out, "]}");
	return g_string_free(out, FALSE);
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

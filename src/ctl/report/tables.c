/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/describe.h"
#include "base/record.h"
#include "ctl/report/draw.h"
#include "ctl/show/columns.h"
#include "ctl/show/value.h"
#include "nicbalance/names.h"

#include <string.h>

static const struct nb_column *column_of(const struct nb_form *form, const char *name)
{
	for (size_t i = 0; i < form->n_columns; i++)
		if (strcmp(form->columns[i].name, name) == 0)
			return &form->columns[i];
	g_assert_not_reached();
}

static void append_cell(GString *html, const struct nb_column *column, const json_t *row,
			const char *unit)
{
	g_autofree char *text = nb_cell_text(column, row);

	g_string_append(html, nb_column_is_right_aligned(column) ? "<td class=\"n\">" : "<td>");
	nb_draw_text(html, text);
	g_string_append_printf(html, "%s</td>", strcmp(text, "-") == 0 ? "" : unit);
}

void nb_draw_figures(GString *html, const nb_rehearsed *rehearsed)
{
	static const struct {
		const char *column, *what, *unit;
	} figures[] = {
		{"P99", "Hottest CPU, for 99 % of the time at most", " %"},
		{"MEAN", "Hottest CPU, on average", " %"},
		{"HOT", "CPU time above 90 %, all CPUs together", ""},
		{"DROPS", "Packets dropped", ""},
		{"MOVES", "Queues moved", ""},
		{"STEERED", "RPS masks changed", ""},
		{"PING-PONGS", "Queues back within a minute", ""},
	};
	json_t *rows = nb_rehearsed_runs(rehearsed);

	g_string_append_printf(html,
			       "<table class=\"figures\"><thead><tr><th></th><th>%s</th>"
			       "<th>%s</th></tr></thead><tbody>\n",
			       rehearsed->headings[0], rehearsed->headings[1]);
	for (size_t i = 0; i < G_N_ELEMENTS(figures); i++) {
		const struct nb_column *column = column_of(&nb_form_runs, figures[i].column);

		g_string_append_printf(html, "<tr><th>%s</th>", figures[i].what);
		append_cell(html, column, json_array_get(rows, 0), figures[i].unit);
		append_cell(html, column, json_array_get(rows, 1), figures[i].unit);
		g_string_append(html, "</tr>\n");
	}
	g_string_append(html, "</tbody></table>\n");
	json_decref(rows);
}

void nb_draw_verdicts(GString *html, const struct nb_rehearsal *run)
{
	json_t *rows = nb_rehearsed_verdicts(run);

	g_string_append(html, "<table><thead><tr><th>For</th><th></th><th>Verdict</th></tr></thead>"
			      "<tbody>\n");
	for (size_t i = 0; i < json_array_size(rows); i++) {
		const json_t *row = json_array_get(rows, i);

		g_string_append(html, "<tr>");
		append_cell(html, column_of(&nb_form_verdicts, "FOR"), row, "");
		append_cell(html, column_of(&nb_form_verdicts, "SHARE"), row, " %");
		append_cell(html, column_of(&nb_form_verdicts, "VERDICT"), row, "");
		g_string_append(html, "</tr>\n");
	}
	g_string_append(html, "</tbody></table>\n");
	json_decref(rows);
}

static void append_text(GString *html, const char *text)
{
	g_string_append(html, "<td>");
	nb_draw_text(html, text);
	g_string_append(html, "</td>");
}

/* Loads are whole percents: nobody decides on less. */
static void append_load(GString *html, uint32_t share)
{
	if (share == NB_UNMEASURED)
		g_string_append(html, "<td></td>");
	else
		g_string_append_printf(html, "<td class=\"n\">%u %%</td>", (share + 50) / 100);
}

static void append_cpu(GString *html, int cpu)
{
	if (cpu < 0)
		g_string_append(html, "<td class=\"n\">several</td>");
	else
		g_string_append_printf(html, "<td class=\"n\">%d</td>", cpu);
}

static const char *or_off(const char *list)
{
	return list && *list ? list : "off";
}

/* Where its interrupts or its packets went. An RPS mask has no load that was predicted. */
static void append_change(GString *html, const struct nb_record *record)
{
	g_autofree char *change = NULL;

	if (record->kind != NB_KIND_RPS) {
		append_cpu(html, record->cpu_from);
		append_cpu(html, record->cpu_to);
		return;
	}
	change = g_strdup_printf("RPS %s → %s", or_off(record->rps_from), or_off(record->rps_to));
	g_string_append(html, "<td colspan=\"2\">");
	nb_draw_text(html, change);
	g_string_append(html, "</td>");
}

/* What is no queue's has a number and no name. */
static void append_knob(GString *html, const struct nb_record *record)
{
	if (record->kind == NB_KIND_DEVICE_IRQ) {
		g_string_append_printf(html, "<td colspan=\"2\">IRQ %u</td>", record->key.index);
		return;
	}
	append_text(html, record->netdev);
	g_string_append_printf(html, "<td class=\"n\">%u</td>", record->key.index);
}

/* What changes, and from what to what. */
static void append_what(GString *html, const struct nb_record *record)
{
	g_autofree char *what = NULL;

	switch (record->kind) {
	case NB_KIND_QUEUE:
	case NB_KIND_DEVICE_IRQ:
	case NB_KIND_RPS:
		append_knob(html, record);
		append_change(html, record);
		return;
	case NB_KIND_RSS:
	case NB_KIND_THREADED:
	case NB_KIND_XPS:
	case NB_KIND_THREAD:
	case NB_KIND_RFS:
	case NB_KIND_UDP_HASH:
	case NB_KIND_CHANNELS: /* of a NIC as a whole */
	case _NB_KIND_MAX:
	case _NB_KIND_INVALID:
		break;
	}
	what = nb_record_what(record);
	g_string_append(html, "<td colspan=\"4\">");
	nb_draw_text(html, what);
	g_string_append(html, "</td>");
}

static void append_move(GString *html, const json_t *row, const struct nb_record *record)
{
	g_autofree char *time = nb_span_text(record->realtime_usec);
	bool foretold = record->event == NB_EVENT_MOVED && record->before > 0;

	g_string_append_printf(html, "<td class=\"n\">%s</td>", time);
	append_what(html, record);
	append_text(html, json_is_null(json_object_get(row, "reason"))
				  ? nb_value_text(row, "why")
				  : nb_reason_explain(record->reason));
	append_load(html, foretold ? record->before : NB_UNMEASURED);
	append_load(html, foretold ? record->predicted : NB_UNMEASURED);
	append_load(html, record->measured);
	append_text(html, record->effect != NB_EFFECT_NONE ? nb_effect_explain(record->effect)
							   : nb_value_text(row, "result"));
}

void nb_draw_moves(GString *html, const struct nb_rehearsal *run, const char *id)
{
	json_t *rows = nb_rehearsed_moves(run);

	g_string_append(html,
			"<table class=\"moves\"><thead><tr><th>#</th><th>Time</th><th>NIC</th>"
			"<th>Queue</th><th>From CPU</th><th>To CPU</th><th>Why</th>"
			"<th>Load before</th><th>Predicted</th><th>Measured</th>"
			"<th>Result</th></tr></thead><tbody>\n");
	for (unsigned i = 0; i < run->records->len; i++) {
		g_string_append_printf(html, "<tr id=\"%s%u\"><td class=\"n\">%u</td>", id, i + 1,
				       i + 1);
		append_move(html, json_array_get(rows, i),
			    &g_array_index(run->records, struct nb_record, i));
		g_string_append(html, "</tr>\n");
	}
	g_string_append(html, "</tbody></table>\n");
	json_decref(rows);
}

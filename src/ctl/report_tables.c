/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ctl/columns.h"
#include "ctl/report_draw.h"
#include "nicbalance/names.h"

#include <string.h>

static const struct nb_column *column_of(const struct nb_form *form, const char *name)
{
	for (size_t i = 0; i < form->n_columns; i++)
		if (strcmp(form->columns[i].name, name) == 0)
			return &form->columns[i];
	g_assert_not_reached();
}

static void append_cell(GString *html, const struct nb_column *column, const void *row,
			const char *unit)
{
	g_autofree char *text = nb_cell_text(column, row);

	g_string_append(html, nb_cell_is_right_aligned(column->cell) ? "<td class=\"n\">" : "<td>");
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
	g_autoptr(GArray) rows = nb_rehearsed_run_rows(rehearsed);

	g_string_append_printf(html,
			       "<table class=\"figures\"><thead><tr><th></th><th>%s</th>"
			       "<th>%s</th></tr></thead><tbody>\n",
			       rehearsed->headings[0], rehearsed->headings[1]);
	for (size_t i = 0; i < G_N_ELEMENTS(figures); i++) {
		const struct nb_column *column = column_of(&nb_form_runs, figures[i].column);

		g_string_append_printf(html, "<tr><th>%s</th>", figures[i].what);
		append_cell(html, column, nb_row_at(rows, 0), figures[i].unit);
		append_cell(html, column, nb_row_at(rows, 1), figures[i].unit);
		g_string_append(html, "</tr>\n");
	}
	g_string_append(html, "</tbody></table>\n");
}

void nb_draw_verdicts(GString *html, const struct nb_rehearsal *run)
{
	g_autoptr(GArray) rows = nb_rehearsed_verdict_rows(run);

	g_string_append(html, "<table><thead><tr><th>For</th><th></th><th>Verdict</th></tr></thead>"
			      "<tbody>\n");
	for (unsigned i = 0; i < rows->len; i++) {
		const void *row = nb_row_at(rows, i);

		g_string_append(html, "<tr>");
		append_cell(html, column_of(&nb_form_verdicts, "FOR"), row, "");
		append_cell(html, column_of(&nb_form_verdicts, "SHARE"), row, " %");
		append_cell(html, column_of(&nb_form_verdicts, "VERDICT"), row, "");
		g_string_append(html, "</tr>\n");
	}
	g_string_append(html, "</tbody></table>\n");
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
	return *list ? list : "off";
}

/* Where its interrupts or its packets went. An RPS mask has no load that was predicted. */
static void append_change(GString *html, const struct nb_move_row *move)
{
	if (*move->rps_from || *move->rps_to) {
		g_autofree char *change = g_strdup_printf("RPS %s → %s", or_off(move->rps_from),
							  or_off(move->rps_to));

		g_string_append(html, "<td colspan=\"2\">");
		nb_draw_text(html, change);
		g_string_append(html, "</td>");
		return;
	}
	append_cpu(html, move->cpu_from);
	append_cpu(html, move->cpu_to);
}

/* What is no queue's has a number and no name. */
static void append_knob(GString *html, const struct nb_move_row *move,
			const struct nb_record *record)
{
	if (nb_key_is_device_irq(record->key)) {
		g_string_append_printf(html, "<td colspan=\"2\">IRQ %u</td>", move->index);
		return;
	}
	append_text(html, move->netdev);
	g_string_append_printf(html, "<td class=\"n\">%u</td>", move->index);
}

static void append_move(GString *html, const struct nb_move_row *move,
			const struct nb_record *record)
{
	g_autofree char *time = nb_span_text(move->realtime_usec);
	bool foretold = record->event == NB_EVENT_MOVED && record->before > 0;

	g_string_append_printf(html, "<td class=\"n\">%s</td>", time);
	append_knob(html, move, record);
	append_change(html, move);
	append_text(html, *move->reason ? nb_reason_explain(record->reason) : move->why);
	append_load(html, foretold ? move->before : NB_UNMEASURED);
	append_load(html, foretold ? move->predicted : NB_UNMEASURED);
	append_load(html, move->measured);
	append_text(html, record->effect != NB_EFFECT_NONE ? nb_effect_explain(record->effect)
							   : move->result);
}

void nb_draw_moves(GString *html, const struct nb_rehearsal *run, const char *id)
{
	g_autoptr(GPtrArray) texts = g_ptr_array_new_with_free_func(g_free);
	g_autoptr(GArray) rows = nb_rehearsed_move_rows(run, texts);

	g_string_append(html,
			"<table class=\"moves\"><thead><tr><th>#</th><th>Time</th><th>NIC</th>"
			"<th>Queue</th><th>From CPU</th><th>To CPU</th><th>Why</th>"
			"<th>Load before</th><th>Predicted</th><th>Measured</th>"
			"<th>Result</th></tr></thead><tbody>\n");
	for (unsigned i = 0; i < rows->len; i++) {
		g_string_append_printf(html, "<tr id=\"%s%u\"><td class=\"n\">%u</td>", id, i + 1,
				       i + 1);
		append_move(html, nb_row_at(rows, i),
			    &g_array_index(run->records, struct nb_record, i));
		g_string_append(html, "</tr>\n");
	}
	g_string_append(html, "</tbody></table>\n");
}

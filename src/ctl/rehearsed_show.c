/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ctl/columns.h"
#include "ctl/json.h"
#include "ctl/rehearsed.h"
#include "ctl/report.h"

#include <errno.h>
#include <stdio.h>

static void print_json(const GArray *runs, const GArray *verdicts, const GArray *moves)
{
	GString *json = nb_json_begin();

	nb_json_add_array(json, &nb_form_runs, runs, NULL);
	nb_json_add_array(json, &nb_form_verdicts, verdicts, NULL);
	nb_json_add_array(json, &nb_form_rehearsed_moves, moves, NULL);
	nb_json_end(json);
}

static void print_head(const nb_rehearsed *rehearsed)
{
	struct nb_rehearsal_sum sum;
	g_autofree char *length = NULL;

	nb_rehearsal_sum(rehearsed->runs[1], &sum);
	length = nb_span_text(sum.length_nsec / NB_NSEC_PER_USEC);
	if (*rehearsed->title)
		printf("%s\n", rehearsed->title);
	printf("%s on %u CPUs\n", length, rehearsed->runs[1]->n_cpus);
	if (rehearsed->note)
		printf("%s\n", rehearsed->note);
}

static void print_text(const struct nb_style *style, const nb_rehearsed *rehearsed,
		       const GArray *runs, const GArray *verdicts, const GArray *moves)
{
	print_head(rehearsed);
	nb_table_print_title("The hottest CPU with network work", style);
	nb_table_print(&nb_form_runs, runs, NULL, style);
	nb_table_print_title("Verdicts", style);
	nb_table_print(&nb_form_verdicts, verdicts, NULL, style);
	if (moves->len == 0)
		return;
	nb_table_print_title("Moves", style);
	nb_table_print(&nb_form_rehearsed_moves, moves, NULL, style);
}

int nb_rehearsed_show(const struct nb_ctl *ctl, const nb_rehearsed *rehearsed)
{
	g_autoptr(GPtrArray) texts = g_ptr_array_new_with_free_func(g_free);
	g_autoptr(GArray) runs = nb_rehearsed_run_rows(rehearsed);
	g_autoptr(GArray) verdicts = nb_rehearsed_verdict_rows(rehearsed->runs[1]);
	g_auto(nb_rows) moves = {.rows = nb_rehearsed_move_rows(rehearsed->runs[1], texts)};
	struct nb_style style = ctl->style;
	int r;

	/* Before anything is printed, for who reads that may close the pipe half way. */
	r = ctl->report ? nb_rehearsed_draw(rehearsed, ctl->argument, ctl->report) : 0;
	if (r < 0)
		return r;
	style.hot = rehearsed->config->policy.hot;
	if (ctl->columns)
		nb_ctl_print_only(ctl, &nb_form_rehearsed_moves, &moves);
	else if (ctl->json)
		print_json(runs, verdicts, moves.rows);
	else
		print_text(&style, rehearsed, runs, verdicts, moves.rows);
	return 0;
}

int nb_rehearsed_draw(const nb_rehearsed *rehearsed, const char *source, const char *path)
{
	g_autoptr(GError) error = NULL;
	GString *page = nb_report_render(rehearsed, source);
	bool written = true;

	if (path)
		written = g_file_set_contents(path, page->str, (gssize)page->len, &error);
	else
		fputs(page->str, stdout);
	g_string_free(page, TRUE);
	if (written)
		return 0;
	g_printerr("nicbalancectl: %s\n", error->message);
	return -EIO;
}

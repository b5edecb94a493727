/* SPDX-License-Identifier: GPL-2.0-or-later */
/* simulate, replay and report: what would have been. */
#include "ctl/ctl.h"
#include "ctl/report/draw.h"
#include "ctl/report/rehearsed.h"
#include "ctl/show/columns.h"
#include "document/document.h"
#include "document/json.h"

#include <errno.h>
#include <stdio.h>

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

static void print_table(const char *title, const struct nb_form *form, const json_t *document,
			const struct nb_style *style)
{
	nb_table_print_title(title, style);
	nb_table_print(form, nb_form_rows(form, document), NULL, style);
}

static void print_text(const struct nb_style *style, const nb_rehearsed *rehearsed,
		       const json_t *document)
{
	print_head(rehearsed);
	print_table("The hottest CPU with network work", &nb_form_runs, document, style);
	print_table("Verdicts", &nb_form_verdicts, document, style);
	if (json_array_size(nb_form_rows(&nb_form_advice, document)) > 0)
		print_table("Advice", &nb_form_advice, document, style);
	if (json_array_size(nb_form_rows(&nb_form_rehearsed_moves, document)) > 0)
		print_table("Moves", &nb_form_rehearsed_moves, document, style);
}

/* To stdout when path is NULL. */
static int write_page(const nb_rehearsed *rehearsed, const char *source, const char *path)
{
	g_autoptr(GError) error = NULL;
	GString *page = nb_draw_page(rehearsed, source);
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

static json_t *document_of(const nb_rehearsed *rehearsed)
{
	json_t *document = json_object();

	nb_json_set(document, "version", json_integer(NB_DOCUMENT_VERSION));
	nb_json_set(document, "runs", nb_rehearsed_runs(rehearsed));
	nb_json_set(document, "verdicts", nb_rehearsed_verdicts(rehearsed->runs[1]));
	nb_json_set(document, "advice", nb_rehearsed_advice(rehearsed->runs[1]));
	nb_json_set(document, "moves", nb_rehearsed_moves(rehearsed->runs[1]));
	return document;
}

static int show(struct nb_ctl *ctl, const nb_rehearsed *rehearsed)
{
	int r;

	/* Before anything is printed, for who reads that may close the pipe half way. */
	r = ctl->file ? write_page(rehearsed, ctl->argument, ctl->file) : 0;
	if (r < 0)
		return r;
	ctl->document = document_of(rehearsed);
	ctl->style.hot = rehearsed->config->policy.hot;
	if (ctl->columns)
		nb_ctl_print_only(ctl, &nb_form_rehearsed_moves,
				  nb_form_rows(&nb_form_rehearsed_moves, ctl->document));
	else if (ctl->json)
		nb_json_print(ctl->document);
	else
		print_text(&ctl->style, rehearsed, ctl->document);
	return 0;
}

int nb_ctl_simulate(struct nb_ctl *ctl)
{
	g_auto(nb_rehearsed) rehearsed = {0};
	int r;

	r = nb_rehearsed_simulate(ctl->argument, ctl->config, &rehearsed);
	if (r < 0)
		return r;
	return show(ctl, &rehearsed);
}

int nb_ctl_replay(struct nb_ctl *ctl)
{
	g_auto(nb_rehearsed) rehearsed = {0};
	int r;

	r = nb_rehearsed_replay(ctl->argument, ctl->config, &rehearsed);
	if (r < 0)
		return r;
	return show(ctl, &rehearsed);
}

int nb_ctl_report(struct nb_ctl *ctl)
{
	g_auto(nb_rehearsed) rehearsed = {0};
	int r;

	r = nb_rehearsed_replay(ctl->argument, ctl->config, &rehearsed);
	if (r < 0)
		return r;
	return write_page(&rehearsed, ctl->argument, ctl->file);
}

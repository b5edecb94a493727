/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ctl/columns.h"
#include "ctl/ctl.h"
#include "ctl/fetch.h"
#include "ctl/json.h"
#include "ctl/status_head.h"
#include "ctl/trim.h"

#include <stdio.h>

typedef struct nb_status_rows {
	nb_rows daemon, nics, queues, cpus, moves, excluded;
} nb_status_rows;

static void nb_status_rows_clear(nb_status_rows *status)
{
	nb_rows_clear(&status->daemon);
	nb_rows_clear(&status->nics);
	nb_rows_clear(&status->queues);
	nb_rows_clear(&status->cpus);
	nb_rows_clear(&status->moves);
	nb_rows_clear(&status->excluded);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(nb_status_rows, nb_status_rows_clear)

static int fetch(sd_bus *bus, nb_status_rows *status)
{
	int r;

	r = nb_fetch_daemon(bus, &status->daemon);
	if (r < 0)
		return r;
	r = nb_fetch_nics(bus, &status->nics);
	if (r < 0)
		return r;
	r = nb_fetch_queues(bus, &status->queues);
	if (r < 0)
		return r;
	r = nb_fetch_cpus(bus, &status->cpus);
	if (r < 0)
		return r;
	r = nb_fetch_moves(bus, &status->moves);
	if (r < 0)
		return r;
	return nb_fetch_excluded(bus, &status->excluded);
}

static void print_json(const nb_status_rows *status)
{
	GString *json = nb_json_begin();

	nb_json_add_object(json, &nb_form_daemon, status->daemon.rows);
	nb_json_add_array(json, &nb_form_nics, status->nics.rows, NULL);
	nb_json_add_array(json, &nb_form_queues, status->queues.rows, NULL);
	nb_json_add_array(json, &nb_form_cpus, status->cpus.rows, NULL);
	nb_json_add_array(json, &nb_form_moves, status->moves.rows, NULL);
	nb_json_add_array(json, &nb_form_excluded, status->excluded.rows, NULL);
	nb_json_end(json);
}

static void print_table(const char *title, const struct nb_form *form, const nb_rows *rows,
			const struct nb_style *style)
{
	if (rows->rows->len == 0)
		return;
	nb_table_print_title(title, style);
	nb_table_print(form, rows->rows, NULL, style);
}

static void print_left_out(unsigned n, const char *what)
{
	if (n > 0)
		printf("%u more %s (--all)\n", n, what);
}

static const char *cpus_title(const struct nb_style *style)
{
	return style->screen && style->utf8 ? "CPUs (█ queues, ▒ fixed)" : "CPUs";
}

static void print_text(const struct nb_ctl *ctl, const nb_status_rows *status)
{
	const struct nb_daemon_row *daemon =
		&g_array_index(status->daemon.rows, struct nb_daemon_row, 0);
	g_autofree char *head = nb_status_head(daemon, (uint64_t)g_get_real_time());
	unsigned n_cpus = 0, n_moves = 0, n_excluded = 0;

	nb_trim_nics(status->nics.rows);
	if (!ctl->all) {
		n_cpus = nb_trim_cpus(status->cpus.rows);
		n_moves = nb_trim_moves(status->moves.rows);
		n_excluded = nb_trim_excluded(status->excluded.rows);
	}
	fputs(head, stdout);
	print_table("NICs", &nb_form_nics, &status->nics, &ctl->style);
	print_table("Queues", &nb_form_queues, &status->queues, &ctl->style);
	print_table(cpus_title(&ctl->style), &nb_form_cpus, &status->cpus, &ctl->style);
	print_left_out(n_cpus, "serve no queue and are at most 5 % busy");
	print_table("Last moves", &nb_form_moves, &status->moves, &ctl->style);
	print_left_out(n_moves, "before these");
	print_table("Out of scope", &nb_form_excluded, &status->excluded, &ctl->style);
	print_left_out(n_excluded, "without hardware behind them");
}

/* With -o: the queues and nothing else. */
static int show_queues(struct nb_ctl *ctl)
{
	g_auto(nb_rows) queues = {0};
	int r;

	r = nb_fetch_queues(ctl->bus, &queues);
	if (r < 0)
		return r;
	nb_ctl_print_only(ctl, &nb_form_queues, &queues);
	return 0;
}

int nb_ctl_status(struct nb_ctl *ctl)
{
	g_auto(nb_status_rows) status = {0};
	int r;

	if (ctl->columns)
		return show_queues(ctl);
	r = fetch(ctl->bus, &status);
	if (r < 0)
		return r;
	ctl->style.hot = g_array_index(status.daemon.rows, struct nb_daemon_row, 0).hot;
	if (ctl->json)
		print_json(&status);
	else
		print_text(ctl, &status);
	return 0;
}

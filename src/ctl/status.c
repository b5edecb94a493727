/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ctl/bus/describe.h"
#include "ctl/ctl.h"
#include "ctl/show/columns.h"
#include "ctl/show/status_head.h"
#include "ctl/show/trim.h"
#include "ctl/show/value.h"

#include <stdio.h>

static void print_table(const char *title, const struct nb_form *form, const json_t *status,
			const struct nb_style *style)
{
	const json_t *rows = nb_form_rows(form, status);

	if (json_array_size(rows) == 0)
		return;
	nb_table_print_title(title, style);
	nb_table_print(form, rows, NULL, style);
}

static void print_left_out(size_t n, const char *what)
{
	if (n > 0)
		printf("%zu more %s (--all)\n", n, what);
}

static const char *cpus_title(const struct nb_style *style)
{
	return style->screen && style->utf8 ? "CPUs (█ queues, ▒ fixed)" : "CPUs";
}

static void print_text(const struct nb_ctl *ctl, const json_t *status)
{
	g_autofree char *head =
		nb_status_head(json_object_get(status, "daemon"), json_object_get(status, "nics"),
			       json_object_get(status, "cpus"), (uint64_t)g_get_real_time());
	size_t n_cpus = 0, n_moves = 0, n_excluded = 0;

	nb_trim_nics(nb_form_rows(&nb_form_nics, status));
	if (!ctl->all) {
		n_cpus = nb_trim_cpus(nb_form_rows(&nb_form_cpus, status));
		n_moves = nb_trim_moves(nb_form_rows(&nb_form_moves, status));
		n_excluded = nb_trim_excluded(nb_form_rows(&nb_form_excluded, status));
	}
	fputs(head, stdout);
	print_table("NICs", &nb_form_nics, status, &ctl->style);
	print_table("Queues", &nb_form_queues, status, &ctl->style);
	print_table(cpus_title(&ctl->style), &nb_form_cpus, status, &ctl->style);
	print_left_out(n_cpus, "serve no queue and are at most 5 % busy");
	print_table("Last moves", &nb_form_moves, status, &ctl->style);
	print_left_out(n_moves, "before these");
	print_table("Intrusions", &nb_form_intrusions, status, &ctl->style);
	print_table("Excluded and limited", &nb_form_excluded, status, &ctl->style);
	print_left_out(n_excluded, "without hardware behind them");
}

int nb_ctl_describe(struct nb_ctl *ctl)
{
	int r;

	r = nb_describe(ctl->bus, &ctl->document);
	if (r < 0)
		return r;
	ctl->style.hot = nb_value_share(json_object_get(ctl->document, "daemon"), "hot-percent");
	return 0;
}

void nb_ctl_print_only(const struct nb_ctl *ctl, const struct nb_form *form, const json_t *rows)
{
	if (ctl->json)
		nb_table_print_json(form, rows, ctl->columns);
	else
		nb_table_print(form, rows, ctl->columns, &ctl->style);
}

/* With -o: the queues and nothing else. */
int nb_ctl_status(struct nb_ctl *ctl)
{
	int r;

	r = nb_ctl_describe(ctl);
	if (r < 0)
		return r;
	if (ctl->columns)
		nb_ctl_print_only(ctl, &nb_form_queues,
				  nb_form_rows(&nb_form_queues, ctl->document));
	else if (ctl->json)
		nb_json_print(ctl->document);
	else
		print_text(ctl, ctl->document);
	return 0;
}

int nb_ctl_config(struct nb_ctl *ctl)
{
	int r;

	r = nb_ctl_describe(ctl);
	if (r < 0)
		return r;
	nb_ctl_print_only(ctl, &nb_form_settings, nb_form_rows(&nb_form_settings, ctl->document));
	return 0;
}

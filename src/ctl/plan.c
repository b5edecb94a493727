/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ctl/ctl.h"
#include "ctl/show/columns.h"
#include "ctl/show/value.h"
#include "document/document.h"
#include "document/json.h"

#include <stdio.h>

static void print_json(json_t *plan)
{
	json_t *document = json_object();

	nb_json_set(document, "version", json_integer(NB_DOCUMENT_VERSION));
	nb_json_set(document, "plan", json_incref(plan));
	nb_json_print(document);
	json_decref(document);
}

static unsigned percent(const json_t *plan, const char *name)
{
	return (nb_value_share(plan, name) + 50) / 100;
}

static void print_verdict(const json_t *plan)
{
	const json_t *hottest = json_object_get(plan, "hottest-cpu");

	printf("Verdict      %s\n", nb_value_text(plan, "verdict-text"));
	if (!json_is_integer(hottest))
		return;
	printf("Hottest CPU  %d at %u %%\n", (int)json_integer_value(hottest),
	       percent(plan, "hottest-percent"));
	printf("Mean         %u %%\n", percent(plan, "mean-percent"));
	printf("Gain needed  %u %% of one CPU\n", percent(plan, "gain-needed-percent"));
}

/* Why what is planned may not come to pass. */
static void print_mode(const json_t *daemon)
{
	if (json_is_true(json_object_get(daemon, "paused")))
		puts("Paused       nothing of it is written until nicbalancectl resume");
	else if (g_str_equal(nb_value_text(daemon, "mode"), "observe"))
		puts("Observing    nothing of it is written");
}

static void print_text(const struct nb_ctl *ctl)
{
	const json_t *changes = nb_form_rows(&nb_form_changes, ctl->document);

	print_verdict(json_object_get(ctl->document, "plan"));
	print_mode(json_object_get(ctl->document, "daemon"));
	if (json_array_size(changes) == 0) {
		puts("Changes      none");
		return;
	}
	nb_table_print_title("Changes", &ctl->style);
	nb_table_print(&nb_form_changes, changes, NULL, &ctl->style);
}

int nb_ctl_plan(struct nb_ctl *ctl)
{
	int r;

	r = nb_ctl_describe(ctl);
	if (r < 0)
		return r;
	if (ctl->columns)
		nb_ctl_print_only(ctl, &nb_form_changes,
				  nb_form_rows(&nb_form_changes, ctl->document));
	else if (ctl->json)
		print_json(json_object_get(ctl->document, "plan"));
	else
		print_text(ctl);
	return 0;
}

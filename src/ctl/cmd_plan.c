/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ctl/columns.h"
#include "ctl/ctl.h"
#include "ctl/fetch.h"
#include "ctl/json.h"

#include <stdio.h>

static void print_json(const nb_plan_rows *plan)
{
	GString *json = nb_json_begin();

	nb_json_add_object(json, &nb_form_plan, plan->verdict.rows);
	nb_json_add_array(json, &nb_form_planned_moves, plan->moves.rows, NULL);
	nb_json_add_array(json, &nb_form_planned_rps, plan->rps.rows, NULL);
	nb_json_end(json);
}

static unsigned percent(uint32_t bp)
{
	return (bp + 50) / 100;
}

static void print_verdict(const struct nb_plan_row *plan)
{
	printf("Verdict      %s\n", plan->verdict_text);
	if (plan->hottest_cpu < 0)
		return;
	printf("Hottest CPU  %d at %u %%\n", plan->hottest_cpu, percent(plan->hottest));
	printf("Mean         %u %%\n", percent(plan->mean));
	printf("Gain needed  %u %% of one CPU\n", percent(plan->gain_needed));
}

/* Why what is planned may not come to pass. */
static void print_mode(const struct nb_daemon_row *daemon)
{
	if (daemon->paused)
		puts("Paused       nothing of it is written until nicbalancectl resume");
	else if (g_str_equal(daemon->mode, "observe"))
		puts("Observing    nothing of it is written");
}

static void print_text(const struct nb_ctl *ctl, const nb_plan_rows *plan, const nb_rows *daemon)
{
	print_verdict(&g_array_index(plan->verdict.rows, struct nb_plan_row, 0));
	print_mode(&g_array_index(daemon->rows, struct nb_daemon_row, 0));
	if (plan->moves.rows->len > 0) {
		nb_table_print_title("Moves", &ctl->style);
		nb_table_print(&nb_form_planned_moves, plan->moves.rows, NULL, &ctl->style);
	}
	if (plan->rps.rows->len > 0) {
		nb_table_print_title("RPS", &ctl->style);
		nb_table_print(&nb_form_planned_rps, plan->rps.rows, NULL, &ctl->style);
	}
	if (plan->moves.rows->len == 0 && plan->rps.rows->len == 0)
		puts("Moves        none");
}

int nb_ctl_plan(struct nb_ctl *ctl)
{
	g_auto(nb_rows) daemon = {0};
	g_auto(nb_plan_rows) plan = {0};
	int r;

	r = nb_fetch_daemon(ctl->bus, &daemon);
	if (r < 0)
		return r;
	r = nb_fetch_plan(ctl->bus, &plan);
	if (r < 0)
		return r;
	ctl->style.hot = g_array_index(daemon.rows, struct nb_daemon_row, 0).hot;
	if (ctl->columns)
		nb_ctl_print_only(ctl, &nb_form_planned_moves, &plan.moves);
	else if (ctl->json)
		print_json(&plan);
	else
		print_text(ctl, &plan, &daemon);
	return 0;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ctl/connect.h"
#include "ctl/fetch_rows.h"
#include "nicbalance/interface.h"

static int read_verdict(sd_bus_message *reply, GArray **ret)
{
	g_autoptr(GArray) rows = g_array_new(FALSE, TRUE, sizeof(struct nb_plan_row));
	struct nb_plan_row plan;
	int r;

	r = sd_bus_message_read(reply, "ssiuuu", &plan.verdict, &plan.verdict_text,
				&plan.hottest_cpu, &plan.hottest, &plan.mean, &plan.gain_needed);
	if (r < 0)
		return r;
	g_array_append_val(rows, plan);
	*ret = g_steal_pointer(&rows);
	return 0;
}

static int read_move(sd_bus_message *reply, void *row)
{
	struct nb_planned_move_row *move = row;

	return sd_bus_message_read(
		reply, "(" NB_BUS_PLANNED_MOVE ")", &move->ifindex, &move->netdev, &move->index,
		&move->reason, &move->cpu_from, &move->cpu_to, &move->load, &move->source_before,
		&move->source_after, &move->target_before, &move->target_after, &move->why);
}

static int read_rps(sd_bus_message *reply, void *row)
{
	struct nb_planned_rps_row *rps = row;

	return sd_bus_message_read(reply, "(" NB_BUS_PLANNED_RPS ")", &rps->ifindex, &rps->netdev,
				   &rps->index, &rps->reason, &rps->from, &rps->to, &rps->why);
}

static int read_plan(struct nb_plan_rows *plan)
{
	sd_bus_message *reply = plan->verdict.reply;
	int r;

	r = read_verdict(reply, &plan->verdict.rows);
	if (r < 0)
		return r;
	r = nb_rows_read(reply, NB_BUS_PLANNED_MOVE, sizeof(struct nb_planned_move_row), read_move,
			 &plan->moves.rows);
	if (r < 0)
		return r;
	return nb_rows_read(reply, NB_BUS_PLANNED_RPS, sizeof(struct nb_planned_rps_row), read_rps,
			    &plan->rps.rows);
}

int nb_fetch_plan(sd_bus *bus, nb_plan_rows *ret)
{
	g_auto(nb_plan_rows) plan = {0};
	int r;

	r = nb_call(bus, "Plan", &plan.verdict.reply);
	if (r < 0)
		return r;
	r = read_plan(&plan);
	if (r < 0)
		return nb_answer_is_odd(r);
	ret->verdict = nb_rows_steal(&plan.verdict);
	ret->moves = nb_rows_steal(&plan.moves);
	ret->rps = nb_rows_steal(&plan.rps);
	return 0;
}

void nb_plan_rows_clear(nb_plan_rows *plan)
{
	nb_rows_clear(&plan->verdict);
	nb_rows_clear(&plan->moves);
	nb_rows_clear(&plan->rps);
}

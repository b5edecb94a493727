/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/cpumask_text.h"
#include "base/describe.h"
#include "nicbalance/names.h"
#include "publish/bus_internal.h"
#include "publish/lookup.h"

static const char *netdev_of(const struct nb_status *status, struct nb_queue_key key)
{
	const struct nb_machine *machine = nb_status_machine(status);

	return machine ? nb_machine_netdev(machine, key.ifindex) : "";
}

static int append_key(sd_bus_message *reply, const struct nb_status *status,
		      struct nb_queue_key key)
{
	int r;

	r = sd_bus_message_append(reply, "i", key.ifindex);
	if (r < 0)
		return r;
	r = nb_bus_append_texts(reply, netdev_of(status, key), NULL);
	if (r < 0)
		return r;
	return sd_bus_message_append(reply, "u", key.index);
}

static int append_move(sd_bus_message *reply, const struct nb_status *status,
		       const struct nb_move *move)
{
	int r;

	r = sd_bus_message_open_container(reply, 'r', NB_BUS_PLANNED_MOVE);
	if (r < 0)
		return r;
	r = append_key(reply, status, move->key);
	if (r < 0)
		return r;
	r = sd_bus_message_append(reply, "siuuuuuus", nb_reason_to_string(move->reason),
				  move->cpu_from, move->cpu_to, move->load, move->source_before,
				  move->source_after, move->target_before, move->target_after,
				  nb_reason_explain(move->reason));
	if (r < 0)
		return r;
	return sd_bus_message_close_container(reply);
}

static int append_moves(sd_bus_message *reply, const struct nb_status *status)
{
	int r;

	r = sd_bus_message_open_container(reply, 'a', "(" NB_BUS_PLANNED_MOVE ")");
	if (r < 0)
		return r;
	for (unsigned i = 0; status->plan && i < status->plan->n_changes; i++) {
		if (status->plan->changes[i].kind != NB_KIND_QUEUE)
			continue;
		r = append_move(reply, status, status->plan->changes[i].move);
		if (r < 0)
			return r;
	}
	return sd_bus_message_close_container(reply);
}

static int append_rps_change(sd_bus_message *reply, const struct nb_status *status,
			     const struct nb_rps_change *change)
{
	g_autofree char *from = nb_cpumask_format_list(&change->from);
	g_autofree char *to = nb_cpumask_format_list(&change->to);
	int r;

	r = sd_bus_message_open_container(reply, 'r', NB_BUS_PLANNED_RPS);
	if (r < 0)
		return r;
	r = append_key(reply, status, change->key);
	if (r < 0)
		return r;
	r = sd_bus_message_append(reply, "ssss", nb_reason_to_string(change->reason), from, to,
				  nb_reason_explain(change->reason));
	if (r < 0)
		return r;
	return sd_bus_message_close_container(reply);
}

static int append_rps(sd_bus_message *reply, const struct nb_status *status)
{
	int r;

	r = sd_bus_message_open_container(reply, 'a', "(" NB_BUS_PLANNED_RPS ")");
	if (r < 0)
		return r;
	for (unsigned i = 0; status->plan && i < status->plan->n_changes; i++) {
		if (status->plan->changes[i].kind != NB_KIND_RPS)
			continue;
		r = append_rps_change(reply, status, status->plan->changes[i].rps);
		if (r < 0)
			return r;
	}
	return sd_bus_message_close_container(reply);
}

static int append_verdict(sd_bus_message *reply, const struct nb_plan *plan)
{
	static const struct nb_plan none = {.verdict = NB_VERDICT_UNKNOWN, .hottest_cpu = -1};
	g_autofree char *text = nb_plan_describe(plan);

	if (!plan)
		plan = &none;
	return sd_bus_message_append(reply, "ssiuuu", nb_verdict_to_string(plan->verdict), text,
				     plan->hottest_cpu, plan->hottest, plan->mean,
				     plan->gain_needed);
}

int nb_bus_plan(sd_bus_message *call, void *userdata, sd_bus_error *error)
{
	g_autoptr(sd_bus_message) reply = NULL;
	struct nb_status status;
	int r;

	(void)error;
	nb_bus_get_status(userdata, &status);
	r = sd_bus_message_new_method_return(call, &reply);
	if (r < 0)
		return r;
	r = append_verdict(reply, status.plan);
	if (r < 0)
		return r;
	r = append_moves(reply, &status);
	if (r < 0)
		return r;
	r = append_rps(reply, &status);
	if (r < 0)
		return r;
	return sd_bus_send(sd_bus_message_get_bus(call), reply, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/cpumask_text.h"
#include "claims/target.h"
#include "document/lookup.h"
#include "varlink/internal.h"
#include "version.h"

int nb_varlink_order_json(const struct nb_order *order, sd_json_variant **ret)
{
	g_autofree char *cpus = nb_cpumask_format_list(&order->cpus);
	g_autofree char *target = nb_target_format(&order->target);

	return sd_json_buildo(
		ret, SD_JSON_BUILD_PAIR_UNSIGNED("id", order->id),
		SD_JSON_BUILD_PAIR_STRING("kind", target ? "claim" : "ban"),
		SD_JSON_BUILD_PAIR_CONDITION(!!target, "target", SD_JSON_BUILD_STRING(target)),
		SD_JSON_BUILD_PAIR_CONDITION(!!target, "present",
					     SD_JSON_BUILD_BOOLEAN(order->present)),
		SD_JSON_BUILD_PAIR_STRING("cpus", cpus),
		SD_JSON_BUILD_PAIR_BOOLEAN("exclusive", order->exclusive),
		SD_JSON_BUILD_PAIR_STRING("owner", order->owner),
		SD_JSON_BUILD_PAIR_UNSIGNED("sinceUSec", order->since_realtime_usec),
		SD_JSON_BUILD_PAIR_CONDITION(order->ends_nsec != 0, "endsUSec",
					     SD_JSON_BUILD_UNSIGNED(order->ends_realtime_usec)),
		SD_JSON_BUILD_PAIR_BOOLEAN("whileConnected", *order->connection != '\0'));
}

int nb_varlink_list_json(const struct nb_status *status, sd_json_variant **ret)
{
	sd_json_variant **rows = g_new0(sd_json_variant *, status->n_orders);
	int r = 0;

	for (unsigned i = 0; r >= 0 && i < status->n_orders; i++)
		r = nb_varlink_order_json(&status->orders[i], &rows[i]);
	if (r >= 0)
		r = sd_json_buildo(
			ret, SD_JSON_BUILD_PAIR_VARIANT_ARRAY("orders", rows, status->n_orders));
	/* Frees the array, too. */
	sd_json_variant_unref_many(rows, status->n_orders);
	return r;
}

/* Before the first sample nothing is known of CPUs. */
int nb_varlink_status_json(const struct nb_status *status, sd_json_variant **ret)
{
	static const struct nb_topology unknown;
	const struct nb_machine *machine = nb_status_machine(status);
	const struct nb_topology *topology = machine ? &machine->topology : &unknown;
	g_autofree char *online = nb_cpumask_format_list(&topology->online);
	g_autofree char *isolated = nb_cpumask_format_list(&topology->isolated);
	g_autofree char *banned = nb_cpumask_format_list(&status->policy->banned);
	g_autofree char *eligible = NULL;
	struct nb_cpumask left;

	nb_status_eligible(status, &left);
	eligible = nb_cpumask_format_list(&left);
	return sd_json_buildo(ret, SD_JSON_BUILD_PAIR_STRING("version", NB_VERSION),
			      SD_JSON_BUILD_PAIR_BOOLEAN("acts", status->mode == NB_MODE_BALANCE &&
									 !status->paused),
			      SD_JSON_BUILD_PAIR_STRING("onlineCPUs", online),
			      SD_JSON_BUILD_PAIR_STRING("isolatedCPUs", isolated),
			      SD_JSON_BUILD_PAIR_STRING("bannedCPUs", banned),
			      SD_JSON_BUILD_PAIR_CONDITION(!!status->banned_by, "bannedBy",
							   SD_JSON_BUILD_STRING(status->banned_by)),
			      SD_JSON_BUILD_PAIR_STRING("eligibleCPUs", eligible));
}

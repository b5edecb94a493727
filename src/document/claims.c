/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "document/json.h"
#include "document/parts.h"

static json_t *target_of(const struct nb_target *target)
{
	switch (target->type) {
	case NB_TARGET_NONE:
		break;
	case NB_TARGET_NIC:
		return nb_json_text(target->nic);
	case NB_TARGET_QUEUE:
		return nb_json_take_text(g_strdup_printf("%s:%u", target->nic, target->number));
	case NB_TARGET_IRQ:
		return nb_json_take_text(g_strdup_printf("%u", target->number));
	}
	return json_null();
}

/* A ban is of no target, whose presence could be told. */
static json_t *row_of(const struct nb_order *order)
{
	bool is_ban = order->target.type == NB_TARGET_NONE;
	json_t *row = json_object();

	nb_json_set(row, "id", nb_json_count(order->id));
	nb_json_set(row, "kind", nb_json_text(is_ban ? "ban" : "claim"));
	nb_json_set(row, "target", target_of(&order->target));
	nb_json_set(row, "present", is_ban ? json_null() : json_boolean(order->present));
	nb_json_set(row, "cpus", nb_json_cpus(&order->cpus));
	nb_json_set(row, "exclusive", json_boolean(order->exclusive));
	nb_json_set(row, "owner", nb_json_text(order->owner));
	nb_json_set(row, "since", nb_json_time(order->since_realtime_usec));
	nb_json_set(row, "ends",
		    order->ends_nsec ? nb_json_time(order->ends_realtime_usec) : json_null());
	nb_json_set(row, "while-connected", json_boolean(*order->connection != '\0'));
	return row;
}

void nb_document_add_claims(GString *table, const struct nb_status *status)
{
	for (unsigned i = 0; i < status->n_orders; i++)
		nb_document_add_row(table, row_of(&status->orders[i]));
}

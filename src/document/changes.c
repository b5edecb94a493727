/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What was changed and what is to be, of whatever kind, in the same fields. */
#include "base/describe.h"
#include "base/record.h"
#include "document/json.h"
#include "document/lookup.h"
#include "document/parts.h"
#include "nicbalance/names.h"

/* What others did, and putting back, has no reason of ours. */
static json_t *reason_of(const struct nb_record *record)
{
	if (record->reason == _NB_REASON_INVALID || record->event == NB_EVENT_YIELDED ||
	    record->event == NB_EVENT_RESTORED)
		return json_null();
	return nb_json_text(nb_reason_to_string(record->reason));
}

/* Null where none moved. */
static json_t *entries_of(const struct nb_record *record, uint32_t n)
{
	return record->rss_moved > 0 ? json_integer(n) : json_null();
}

/* A device's interrupt has no NIC, and what is of a NIC as a whole no queue. */
static void set_target(json_t *row, const struct nb_record *record)
{
	bool is_nic = record->kind != NB_KIND_DEVICE_IRQ;
	bool is_queue = record->kind == NB_KIND_QUEUE || record->kind == NB_KIND_RPS ||
			(record->kind == NB_KIND_THREADED && record->key.index != NB_EVERY_QUEUE);

	nb_json_set(row, "kind", nb_json_text(nb_kind_to_string(record->kind)));
	nb_json_set(row, "nic", is_nic ? nb_json_text(record->netdev) : json_null());
	nb_json_set(row, "ifindex", is_nic ? json_integer(record->key.ifindex) : json_null());
	nb_json_set(row, "queue", is_queue ? json_integer(record->key.index) : json_null());
	nb_json_set_irqs(row, record->irqs, record->n_irqs);
	nb_json_set(row, "cpu-from", nb_json_id(record->cpu_from));
	nb_json_set(row, "cpu-to", nb_json_id(record->cpu_to));
	nb_json_set(row, "rps-from", nb_json_text(record->rps_from));
	nb_json_set(row, "rps-to", nb_json_text(record->rps_to));
	nb_json_set(row, "rss-queues", nb_json_text(record->rss_queues));
	nb_json_set(row, "rss-moved", entries_of(record, record->rss_moved));
	nb_json_set(row, "rss-entries", entries_of(record, record->rss_entries));
	nb_json_set(row, "setting-from", nb_json_text(record->setting_from));
	nb_json_set(row, "setting-to", nb_json_text(record->setting_to));
}

static void set_record(json_t *row, const struct nb_record *record)
{
	nb_json_set(row, "event", nb_json_text(nb_event_to_string(record->event)));
	nb_json_set(row, "reason", reason_of(record));
	nb_json_set(row, "outcome", nb_json_text(nb_outcome_to_string(record->outcome)));
	nb_json_set(row, "effect", nb_json_text(nb_effect_to_string(record->effect)));
	set_target(row, record);
	nb_json_set(row, "load-percent", nb_json_percent(record->load));
	nb_json_set(row, "before-percent", nb_json_percent(record->before));
	nb_json_set(row, "predicted-percent", nb_json_percent(record->predicted));
	nb_json_set(row, "measured-percent", nb_json_percent(record->measured));
	nb_json_set(row, "what", nb_json_take_text(nb_record_what(record)));
	nb_json_set(row, "why", nb_json_take_text(nb_record_why(record)));
	nb_json_set(row, "result", nb_json_take_text(nb_record_result(record)));
}

json_t *nb_document_move(const struct nb_record *record)
{
	json_t *row = json_object();

	nb_json_set(row, "time", nb_json_time(record->realtime_usec));
	set_record(row, record);
	return row;
}

json_t *nb_document_rehearsed_move(const struct nb_record *record)
{
	json_t *row = json_object();

	nb_json_set(row, "time-seconds", nb_json_seconds(record->realtime_usec));
	set_record(row, record);
	return row;
}

void nb_document_add_moves(GString *table, const struct nb_status *status)
{
	for (unsigned i = 0; i < status->n_history; i++)
		nb_document_add_row(table, nb_document_move(&status->history[i]));
}

/* Of a queue's move alone is it predicted what comes of it. */
static void set_prediction(json_t *row, const struct nb_change *change)
{
	static const struct nb_move unknown = {
		.load = UINT32_MAX,
		.source_before = UINT32_MAX,
		.source_after = UINT32_MAX,
		.target_before = UINT32_MAX,
		.target_after = UINT32_MAX,
	};
	const struct nb_move *move = change->kind == NB_KIND_QUEUE ? change->move : &unknown;

	nb_json_set(row, "load-percent", nb_json_percent(move->load));
	nb_json_set(row, "source-before-percent", nb_json_percent(move->source_before));
	nb_json_set(row, "source-after-percent", nb_json_percent(move->source_after));
	nb_json_set(row, "target-before-percent", nb_json_percent(move->target_before));
	nb_json_set(row, "target-after-percent", nb_json_percent(move->target_after));
}

static json_t *change_of(const struct nb_machine *machine, const struct nb_change *change)
{
	struct nb_record record =
		nb_record_of(machine, nb_event_of(change->kind), change->kind, change->key);
	json_t *row = json_object();

	nb_record_set_change(&record, change);
	set_target(row, &record);
	set_prediction(row, change);
	nb_json_set(row, "reason", reason_of(&record));
	nb_json_set(row, "what", nb_json_take_text(nb_record_what(&record)));
	nb_json_set(row, "why", nb_json_text(nb_reason_explain(change->reason)));
	nb_record_clear(&record);
	return row;
}

json_t *nb_document_plan(const struct nb_status *status)
{
	static const struct nb_plan none = {.verdict = NB_VERDICT_UNKNOWN, .hottest_cpu = -1};
	const struct nb_plan *plan = status->plan ? status->plan : &none;
	json_t *object = json_object(), *changes = json_array();

	for (unsigned i = 0; i < plan->n_changes; i++)
		nb_json_append(changes, change_of(nb_status_machine(status), &plan->changes[i]));
	nb_json_set(object, "verdict", nb_json_text(nb_verdict_to_string(plan->verdict)));
	nb_json_set(object, "verdict-text", nb_json_take_text(nb_plan_describe(status->plan)));
	nb_json_set(object, "hottest-cpu", nb_json_id(plan->hottest_cpu));
	nb_json_set(object, "hottest-percent", nb_json_percent(plan->hottest));
	nb_json_set(object, "mean-percent", nb_json_percent(plan->mean));
	nb_json_set(object, "gain-needed-percent", nb_json_percent(plan->gain_needed));
	nb_json_set(object, "changes", changes);
	return object;
}

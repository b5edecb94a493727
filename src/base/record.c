/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/record.h"

#include "base/cpumask_text.h"
#include "base/find.h"

#include <glib.h>
#include <string.h>

static void name_device_irq(const struct nb_machine *machine, struct nb_record *record)
{
	const struct nb_device_irq *irq = nb_machine_find_device_irq(machine, record->key.index);

	record->n_irqs = 1;
	record->irqs[0] = record->key.index;
	if (irq)
		memcpy(record->handlers, irq->handlers, sizeof(record->handlers));
}

struct nb_record nb_record_of(const struct nb_machine *machine, enum nb_event event,
			      enum nb_kind kind, struct nb_queue_key key)
{
	const struct nb_queue *queue = nb_machine_find_queue(machine, key);
	const char *netdev = nb_machine_netdev(machine, key.ifindex);
	struct nb_record record = {
		.event = event,
		.kind = kind,
		.reason = _NB_REASON_INVALID,
		.key = key,
		.cpu_from = -1,
		.cpu_to = -1,
		.measured = NB_UNMEASURED,
		.out_of_order = NB_UNCOUNTED,
	};

	memcpy(record.netdev, netdev, MIN(strlen(netdev), sizeof(record.netdev) - 1));
	if (queue && (kind == NB_KIND_QUEUE || kind == NB_KIND_RPS)) {
		record.n_irqs = queue->n_irqs;
		memcpy(record.irqs, queue->irqs, sizeof(record.irqs));
	}
	if (kind == NB_KIND_DEVICE_IRQ)
		name_device_irq(machine, &record);
	return record;
}

void nb_record_set_move(struct nb_record *record, const struct nb_move *move,
			enum nb_outcome outcome)
{
	record->reason = move->reason;
	record->outcome = outcome;
	record->effect = outcome == NB_OUTCOME_APPLIED && record->kind == NB_KIND_QUEUE
				 ? NB_EFFECT_PENDING
				 : NB_EFFECT_NONE;
	record->cpu_from = move->cpu_from;
	record->cpu_to = (int)move->cpu_to;
	record->load = move->load;
	record->before = move->source_before;
	record->predicted = move->source_after;
}

enum nb_event nb_event_of(enum nb_kind kind)
{
	switch (kind) {
	case NB_KIND_QUEUE:
	case NB_KIND_DEVICE_IRQ:
		return NB_EVENT_MOVED;
	case NB_KIND_RPS:
		return NB_EVENT_STEERED;
	case NB_KIND_RSS:
		return NB_EVENT_REDIRECTED;
	case NB_KIND_THREADED:
	case NB_KIND_XPS:
	case NB_KIND_THREAD:
		return NB_EVENT_STEERED;
	case NB_KIND_RFS:
	case NB_KIND_UDP_HASH:
	case NB_KIND_CHANNELS:
		return NB_EVENT_CONFIGURED;
	case _NB_KIND_MAX:
	case _NB_KIND_INVALID:
		break;
	}
	return _NB_EVENT_INVALID;
}

/* SPREAD: those of the new table. */
static void set_table(struct nb_record *record, const struct nb_rss_change *change)
{
	struct nb_cpumask queues = change->queues;

	record->rss_moved = change->n_moved;
	record->rss_entries = change->n_entries;
	for (unsigned i = 0; i < change->n_entries; i++)
		if (change->to[i] < NB_CPUS_MAX)
			nb_cpumask_add(&queues, change->to[i]);
	record->rss_queues = nb_cpumask_format_list(&queues);
	record->before = change->load_before;
	record->predicted = change->load_after;
	if (record->rss_moved > 0 && record->outcome == NB_OUTCOME_APPLIED)
		record->effect = NB_EFFECT_PENDING;
}

static char *setting_text(enum nb_kind kind, unsigned value)
{
	if (kind == NB_KIND_THREADED)
		return g_strdup(value ? "on" : "off");
	if (value == 0)
		return g_strdup("");
	if (kind != NB_KIND_UDP_HASH)
		return g_strdup_printf("%u", value);
	return g_strdup(value == NB_UDP_HASH_PORTS ? "addresses and ports" : "addresses");
}

void nb_record_set_setting(struct nb_record *record, unsigned from, unsigned to)
{
	record->setting_from = setting_text(record->kind, from);
	record->setting_to = setting_text(record->kind, to);
}

static void set_threaded(struct nb_record *record, const struct nb_threaded_change *change)
{
	nb_record_set_setting(record, !change->on, change->on);
	if (change->on && record->outcome == NB_OUTCOME_APPLIED)
		record->effect = NB_EFFECT_PENDING;
}

void nb_record_set_change(struct nb_record *record, const struct nb_change *change)
{
	record->reason = change->reason;
	record->outcome = change->outcome;
	switch (change->kind) {
	case NB_KIND_QUEUE:
	case NB_KIND_DEVICE_IRQ:
		nb_record_set_move(record, change->move, change->outcome);
		break;
	case NB_KIND_RPS:
		record->rps_from = nb_cpumask_format_list(&change->rps->from);
		record->rps_to = nb_cpumask_format_list(&change->rps->to);
		break;
	case NB_KIND_RSS:
		set_table(record, change->rss);
		break;
	case NB_KIND_THREADED:
		set_threaded(record, change->threaded);
		break;
	case NB_KIND_RFS:
	case NB_KIND_UDP_HASH:
	case NB_KIND_CHANNELS:
		nb_record_set_setting(record, change->setting->from, change->setting->to);
		break;
	case NB_KIND_XPS: /* these are not told one by one */
	case NB_KIND_THREAD:
	case _NB_KIND_MAX:
	case _NB_KIND_INVALID:
		break;
	}
}

void nb_record_set_yield(struct nb_record *record, const struct nb_finding *finding)
{
	record->cpu_from = finding->cpu_ours;
	record->cpu_to = finding->cpu_theirs;
	if (!nb_cpumask_empty(&finding->limited_to))
		record->limited_to = nb_cpumask_format_list(&finding->limited_to);
	if (finding->kind != NB_KIND_RPS)
		return;
	record->rps_from = nb_cpumask_format_list(&finding->rps_ours);
	record->rps_to = nb_cpumask_format_list(&finding->rps_theirs);
}

/* Which entries move, and how many, differs from one count of packets to the next. */
bool nb_record_is_same_target(const struct nb_record *a, const struct nb_record *b)
{
	return a->cpu_to == b->cpu_to && g_strcmp0(a->rps_to, b->rps_to) == 0 &&
	       g_strcmp0(a->rss_queues, b->rss_queues) == 0 &&
	       (a->rss_moved > 0) == (b->rss_moved > 0) &&
	       g_strcmp0(a->setting_to, b->setting_to) == 0;
}

bool nb_record_is_open(const struct nb_record *record)
{
	return record->effect == NB_EFFECT_PENDING || record->effect == NB_EFFECT_STUCK;
}

void nb_record_clear(struct nb_record *record)
{
	g_free(record->rps_from);
	g_free(record->rps_to);
	g_free(record->rss_queues);
	g_free(record->setting_from);
	g_free(record->setting_to);
	g_free(record->limited_to);
	*record = (struct nb_record){.measured = NB_UNMEASURED, .out_of_order = NB_UNCOUNTED};
}

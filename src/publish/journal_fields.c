/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "publish/journal_fields.h"

#include "base/record.h"
#include "nicbalance/names.h"
#include "publish/message_ids.h"

#include <glib.h>
#include <inttypes.h>
#include <syslog.h>

static bool was_refused(const struct nb_record *record)
{
	return record->outcome == NB_OUTCOME_REFUSED || record->outcome == NB_OUTCOME_NO_VECTOR ||
	       record->outcome == NB_OUTCOME_UNSAFE;
}

/* That a device's interrupts are the kernel's to place is as it should be, and many a driver has no
 * RSS table to be set; to be left with a table of ours is not. */
static bool is_harmless(const struct nb_record *record)
{
	if (record->outcome != NB_OUTCOME_REFUSED)
		return false;
	switch (record->kind) {
	case NB_KIND_DEVICE_IRQ:
		return true;
	case NB_KIND_RSS:
		return record->rss_queues && *record->rss_queues != '\0';
	case NB_KIND_XPS:    /* a kernel without it */
	case NB_KIND_THREAD: /* there is advice */
		return record->event != NB_EVENT_RESTORED;
	case NB_KIND_THREADED: /* somebody asked for these */
	case NB_KIND_RFS:
	case NB_KIND_UDP_HASH:
	case NB_KIND_CHANNELS:
	case NB_KIND_QUEUE:
	case NB_KIND_RPS:
	case _NB_KIND_MAX:
	case _NB_KIND_INVALID:
		break;
	}
	return false;
}

int nb_record_priority(const struct nb_record *record)
{
	return was_refused(record) && !is_harmless(record) ? LOG_WARNING : LOG_NOTICE;
}

static const char *device_irq_id(const struct nb_record *record)
{
	if (was_refused(record))
		return NB_MESSAGE_DEVICE_IRQ_REFUSED;
	switch (record->event) {
	case NB_EVENT_MOVED:
		return NB_MESSAGE_DEVICE_IRQ_MOVED;
	case NB_EVENT_YIELDED:
		return NB_MESSAGE_DEVICE_IRQ_YIELDED;
	case NB_EVENT_RESTORED:
		return NB_MESSAGE_RESTORED;
	case NB_EVENT_STEERED:
	case NB_EVENT_REDIRECTED:
	case NB_EVENT_CONFIGURED:
	case _NB_EVENT_MAX:
	case _NB_EVENT_INVALID:
		break;
	}
	g_assert_not_reached();
}

static const char *event_id(enum nb_event event)
{
	switch (event) {
	case NB_EVENT_MOVED:
		return NB_MESSAGE_MOVED;
	case NB_EVENT_STEERED:
		return NB_MESSAGE_STEERED;
	case NB_EVENT_REDIRECTED:
		return NB_MESSAGE_REDIRECTED;
	case NB_EVENT_CONFIGURED:
		return NB_MESSAGE_CONFIGURED;
	case NB_EVENT_YIELDED:
		return NB_MESSAGE_YIELDED;
	case NB_EVENT_RESTORED:
		return NB_MESSAGE_RESTORED;
	case _NB_EVENT_MAX:
	case _NB_EVENT_INVALID:
		break;
	}
	g_assert_not_reached();
}

static const char *effect_id(const struct nb_record *record)
{
	if (was_refused(record))
		return NB_MESSAGE_REFUSED;

	switch (record->effect) {
	case NB_EFFECT_STUCK:
	case NB_EFFECT_NOT_FOLLOWED:
		return NB_MESSAGE_NOT_FOLLOWED;
	case NB_EFFECT_NO_GAIN:
		return NB_MESSAGE_NO_GAIN;
	case NB_EFFECT_WORSE:
		return NB_MESSAGE_WORSE;
	case NB_EFFECT_NONE:
	case NB_EFFECT_PENDING:
	case NB_EFFECT_WORKED:
	case NB_EFFECT_IDLE:
	case _NB_EFFECT_MAX:
	case _NB_EFFECT_INVALID:
		break;
	}
	return event_id(record->event);
}

const char *nb_record_message_id(const struct nb_record *record)
{
	switch (record->kind) {
	case NB_KIND_QUEUE:
	case NB_KIND_RPS:
		return effect_id(record);
	case NB_KIND_THREADED:
	case NB_KIND_XPS:
	case NB_KIND_THREAD:
		return record->outcome == NB_OUTCOME_FOREIGN ? NB_MESSAGE_YIELDED
							     : effect_id(record);
	case NB_KIND_RFS:
		return record->outcome == NB_OUTCOME_FOREIGN ? NB_MESSAGE_YIELDED
							     : event_id(record->event);
	case NB_KIND_DEVICE_IRQ:
		return device_irq_id(record);
	case NB_KIND_RSS:
	case NB_KIND_UDP_HASH:
	case NB_KIND_CHANNELS:
		return event_id(record->event);
	case _NB_KIND_MAX:
	case _NB_KIND_INVALID:
		break;
	}
	g_assert_not_reached();
}

static void add(GPtrArray *fields, const char *format, ...) G_GNUC_PRINTF(2, 3);

static void add(GPtrArray *fields, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	g_ptr_array_add(fields, g_strdup_vprintf(format, args));
	va_end(args);
}

static void add_share(GPtrArray *fields, const char *name, uint32_t bp)
{
	add(fields, "%s=%u.%02u", name, bp / 100, bp % 100);
}

static void add_cpu(GPtrArray *fields, const char *name, int cpu)
{
	if (cpu >= 0)
		add(fields, "%s=%d", name, cpu);
}

/* A field may stand several times in one entry. */
static void add_irqs(GPtrArray *fields, const struct nb_record *record)
{
	for (unsigned i = 0; i < record->n_irqs; i++)
		add(fields, nb_irq_is_channel(record->irqs[i]) ? "NB_CHANNEL=%u" : "NB_IRQ=%u",
		    nb_irq_channel(record->irqs[i]));
}

static void add_move(GPtrArray *fields, const struct nb_record *record)
{
	add_irqs(fields, record);
	add_cpu(fields, "NB_CPU_FROM", record->cpu_from);
	add_cpu(fields, "NB_CPU_TO", record->cpu_to);
	if (record->limited_to)
		add(fields, "NB_LIMITED_TO=%s", record->limited_to);
}

static void add_queue(GPtrArray *fields, const struct nb_record *record)
{
	add(fields, "NB_NETDEV=%s", record->netdev);
	add(fields, "NB_QUEUE=%u", record->key.index);
}

/* What another program made of it is not told. */
static void add_table(GPtrArray *fields, const struct nb_record *record)
{
	add(fields, "NB_NETDEV=%s", record->netdev);
	if (record->rss_queues)
		add(fields, "NB_RSS_QUEUES=%s", record->rss_queues);
	if (record->rss_moved == 0)
		return;
	add(fields, "NB_RSS_MOVED=%" PRIu32, record->rss_moved);
	add(fields, "NB_RSS_ENTRIES=%" PRIu32, record->rss_entries);
	if (record->out_of_order != NB_UNCOUNTED)
		add(fields, "NB_OUT_OF_ORDER=%" PRIu64, record->out_of_order);
}

static void add_change(GPtrArray *fields, const struct nb_record *record)
{
	switch (record->kind) {
	case NB_KIND_QUEUE:
		add_queue(fields, record);
		add_move(fields, record);
		return;
	case NB_KIND_DEVICE_IRQ:
		add(fields, "NB_HANDLERS=%s", record->handlers);
		add_move(fields, record);
		return;
	case NB_KIND_RPS:
		add_queue(fields, record);
		add_irqs(fields, record);
		add(fields, "NB_RPS=%s", record->rps_to);
		return;
	case NB_KIND_RSS:
		add_table(fields, record);
		return;
	case NB_KIND_THREAD:
		add(fields, "NB_NETDEV=%s", record->netdev);
		return;
	case NB_KIND_XPS:
		add(fields, "NB_NETDEV=%s", record->netdev);
		if (record->event == NB_EVENT_RESTORED)
			add(fields, "NB_QUEUE=%u", record->key.index);
		return;
	case NB_KIND_RFS:
		if (record->event == NB_EVENT_RESTORED && record->key.index != NB_EVERY_QUEUE)
			add(fields, "NB_QUEUE=%u", record->key.index);
		add(fields, "NB_NETDEV=%s", record->netdev);
		add(fields, "NB_SETTING=%s", record->setting_to);
		return;
	case NB_KIND_THREADED:
		if (record->key.index != NB_EVERY_QUEUE)
			add(fields, "NB_QUEUE=%u", record->key.index);
		add(fields, "NB_NETDEV=%s", record->netdev);
		add(fields, "NB_SETTING=%s", record->setting_to);
		return;
	case NB_KIND_UDP_HASH:
	case NB_KIND_CHANNELS:
		add(fields, "NB_NETDEV=%s", record->netdev);
		add(fields, "NB_SETTING=%s", record->setting_to);
		return;
	case _NB_KIND_MAX:
	case _NB_KIND_INVALID:
		break;
	}
	g_assert_not_reached();
}

char **nb_record_fields(const struct nb_record *record)
{
	GPtrArray *fields = g_ptr_array_new();

	add_change(fields, record);
	add(fields, "NB_OUTCOME=%s", nb_outcome_to_string(record->outcome));
	add(fields, "NB_EFFECT=%s", nb_effect_to_string(record->effect));
	/* Only what we decided has a reason of ours and a prediction. */
	if (record->event == NB_EVENT_MOVED || record->event == NB_EVENT_STEERED ||
	    record->event == NB_EVENT_REDIRECTED || record->event == NB_EVENT_CONFIGURED)
		add(fields, "NB_REASON=%s", nb_reason_to_string(record->reason));
	if (record->event == NB_EVENT_MOVED && record->kind == NB_KIND_QUEUE)
		add_share(fields, "NB_PREDICTED", record->predicted);
	if (record->measured != NB_UNMEASURED)
		add_share(fields, "NB_MEASURED", record->measured);

	g_ptr_array_add(fields, NULL);
	return (char **)g_ptr_array_free(fields, FALSE);
}

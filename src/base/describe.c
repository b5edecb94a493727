/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/describe.h"

#include "base/record.h"
#include "nicbalance/names.h"

#include <glib.h>
#include <inttypes.h>
#include <string.h>

/* Whole percents, rounded. */
static unsigned percent(uint32_t bp)
{
	return (bp + 50) / 100;
}

static char *cpu_text(int cpu)
{
	return cpu < 0 ? g_strdup("several CPUs") : g_strdup_printf("CPU %d", cpu);
}

static const char *rps_text(const char *list)
{
	return list && *list ? list : "off";
}

static const char *irq_word(uint32_t irq)
{
	return nb_irq_is_channel(irq) ? " (channel " : " (IRQ ";
}

char *nb_queue_describe(const char *netdev, unsigned index, const uint32_t *irqs, unsigned n_irqs)
{
	GString *text = g_string_new(NULL);

	g_string_printf(text, "%s queue %u", netdev, index);
	for (unsigned i = 0; i < n_irqs; i++)
		g_string_append_printf(text, "%s%u", i == 0 ? irq_word(irqs[i]) : ", ",
				       nb_irq_channel(irqs[i]));
	if (n_irqs > 0)
		g_string_append_c(text, ')');
	return g_string_free(text, FALSE);
}

/* An interrupt without recent activity has no name. */
static char *device_irq_text(const struct nb_record *record)
{
	if (*record->handlers == '\0')
		return g_strdup_printf("IRQ %u", record->irqs[0]);
	return g_strdup_printf("%s (IRQ %u)", record->handlers, record->irqs[0]);
}

static char *table_text(const struct nb_record *record)
{
	if (record->event != NB_EVENT_REDIRECTED)
		return g_strdup_printf("%s: RSS table", record->netdev);
	if (record->rss_moved > 0)
		return g_strdup_printf("%s: %u of %u RSS table entries moved to %s", record->netdev,
				       record->rss_moved, record->rss_entries,
				       record->rss_moved == 1 ? "another queue" : "other queues");
	if (*record->rss_queues)
		return g_strdup_printf("%s: RSS table temporarily limited to queues %s",
				       record->netdev, record->rss_queues);
	return g_strdup_printf("%s: RSS table restored", record->netdev);
}

static char *mask_text(const struct nb_record *record)
{
	g_autofree char *queue = nb_queue_describe(record->netdev, record->key.index, NULL, 0);

	return g_strdup_printf("%s: RPS %s → %s", queue, rps_text(record->rps_from),
			       rps_text(record->rps_to));
}

static char *setting_text(const struct nb_record *record)
{
	const char *what = record->kind == NB_KIND_CHANNELS ? "channels" : "UDP hashed by";

	if (*record->setting_to == '\0')
		return g_strdup_printf("%s: %s %s → as found", record->netdev, what,
				       record->setting_from);
	if (*record->setting_from == '\0')
		return g_strdup_printf("%s: %s %s", record->netdev, what, record->setting_to);
	return g_strdup_printf("%s: %s %s → %s", record->netdev, what, record->setting_from,
			       record->setting_to);
}

/* One by one when they are restored. */
static char *flows_text(const struct nb_record *record)
{
	g_autofree char *queue = NULL;
	const char *to = *record->setting_to ? record->setting_to : "off";

	if (record->event != NB_EVENT_RESTORED)
		return *record->setting_to
			       ? g_strdup_printf("%s: RFS for %s flows", record->netdev, to)
			       : g_strdup_printf("%s: RFS restored", record->netdev);
	if (record->key.index == NB_EVERY_QUEUE)
		return g_strdup_printf("RFS flows of the host %s → %s", record->setting_from, to);
	queue = nb_queue_describe(record->netdev, record->key.index, NULL, 0);
	return g_strdup_printf("%s: RFS flows %s → %s", queue, record->setting_from, to);
}

/* Takes the target over. */
static char *move_text(const struct nb_record *record, char *target)
{
	g_autofree char *knob = target, *from = NULL, *to = NULL;

	if (record->cpu_from == record->cpu_to && record->cpu_to >= 0)
		return g_strdup_printf("%s: pinned to CPU %d", knob, record->cpu_to);
	from = cpu_text(record->cpu_from);
	to = cpu_text(record->cpu_to);
	return g_strdup_printf("%s: %s → %s", knob, from, to);
}

static char *transmit_text(const struct nb_record *record)
{
	if (record->event == NB_EVENT_RESTORED)
		return g_strdup_printf("%s transmit queue %u: XPS %s → %s", record->netdev,
				       record->key.index, rps_text(record->rps_from),
				       rps_text(record->rps_to));
	if (record->reason == NB_REASON_XPS_BACK)
		return g_strdup_printf("%s: XPS restored", record->netdev);
	return g_strdup_printf("%s: XPS follows interrupts", record->netdev);
}

static char *threads_text(const struct nb_record *record)
{
	if (record->event == NB_EVENT_RESTORED)
		return g_strdup_printf("%s NAPI thread %u: CPUs %s → %s", record->netdev,
				       record->key.index, record->rps_from, record->rps_to);
	if (record->reason == NB_REASON_THREAD_BACK)
		return g_strdup_printf("%s: affinity of NAPI threads restored", record->netdev);
	return g_strdup_printf("%s: NAPI threads follow interrupts", record->netdev);
}

static char *threaded_text(const struct nb_record *record)
{
	bool is_whole = record->key.index == NB_EVERY_QUEUE;
	g_autofree char *what =
		is_whole ? g_strdup(record->netdev)
			 : nb_queue_describe(record->netdev, record->key.index, NULL, 0);

	if (record->event == NB_EVENT_YIELDED)
		return g_strdup_printf("%s: threaded NAPI", what);
	return g_strdup_printf("%s: threaded NAPI %s → %s", what, record->setting_from,
			       record->setting_to);
}

char *nb_record_what(const struct nb_record *record)
{
	switch (record->kind) {
	case NB_KIND_QUEUE:
		return move_text(record, nb_queue_describe(record->netdev, record->key.index,
							   record->irqs, record->n_irqs));
	case NB_KIND_DEVICE_IRQ:
		return move_text(record, device_irq_text(record));
	case NB_KIND_RPS:
		return mask_text(record);
	case NB_KIND_RSS:
		return table_text(record);
	case NB_KIND_THREADED:
		return threaded_text(record);
	case NB_KIND_XPS:
		return transmit_text(record);
	case NB_KIND_THREAD:
		return threads_text(record);
	case NB_KIND_RFS:
		return flows_text(record);
	case NB_KIND_UDP_HASH:
	case NB_KIND_CHANNELS:
		return setting_text(record);
	case _NB_KIND_MAX:
	case _NB_KIND_INVALID:
		break;
	}
	g_assert_not_reached();
}

char *nb_record_why(const struct nb_record *record)
{
	switch (record->event) {
	case NB_EVENT_MOVED:
	case NB_EVENT_REDIRECTED:
		if (record->before == 0 || record->before == record->predicted)
			break;
		return g_strdup_printf("%s (%u %% → %u %% expected)",
				       nb_reason_explain(record->reason), percent(record->before),
				       percent(record->predicted));
	case NB_EVENT_STEERED:
	case NB_EVENT_CONFIGURED:
		break;
	case NB_EVENT_YIELDED:
		return g_strdup("changed by another program");
	case NB_EVENT_RESTORED:
		return g_strdup("back to the original value");
	case _NB_EVENT_MAX:
	case _NB_EVENT_INVALID:
		break;
	}
	return g_strdup(nb_reason_explain(record->reason));
}

static char *nic_effect_text(const struct nb_record *record)
{
	const char *helped = record->effect == NB_EFFECT_WORKED
				     ? "its hottest CPU got cooler"
				     : "its hottest CPU did not get cooler";

	if (record->out_of_order == NB_UNCOUNTED)
		return g_strdup_printf("%s (%u %% measured)", helped, percent(record->measured));
	return g_strdup_printf("%s (%u %% measured), %" PRIu64
			       " TCP segments came out of order meanwhile",
			       helped, percent(record->measured), record->out_of_order);
}

/* What it was moved for is a wait, which need not come with load. */
static const char *effect_clause(const struct nb_record *record)
{
	return record->reason == NB_REASON_DELAY && record->effect == NB_EFFECT_NO_GAIN
		       ? "moved, but NET_RX waits no less"
		       : nb_effect_explain(record->effect);
}

static char *effect_text(const struct nb_record *record)
{
	if (record->effect == NB_EFFECT_NONE)
		return g_strdup("done");
	if ((record->kind == NB_KIND_RSS || record->kind == NB_KIND_THREADED) &&
	    record->effect != NB_EFFECT_PENDING)
		return nic_effect_text(record);
	if (record->measured == NB_UNMEASURED || record->effect == NB_EFFECT_IDLE)
		return g_strdup(effect_clause(record));
	return g_strdup_printf("%s (%u %% measured)", effect_clause(record),
			       percent(record->measured));
}

char *nb_record_result(const struct nb_record *record)
{
	if (record->event == NB_EVENT_YIELDED && record->limited_to)
		return g_strdup_printf("limited to CPU%s %s for as long as that stands",
				       strpbrk(record->limited_to, ",-") ? "s" : "",
				       record->limited_to);
	if (record->event == NB_EVENT_YIELDED)
		return g_strdup("yielded");
	if (record->event == NB_EVENT_RESTORED && record->outcome == NB_OUTCOME_UNCHANGED)
		return g_strdup("changed by another program since; not restored");
	if (record->kind == NB_KIND_RFS && record->outcome == NB_OUTCOME_REFUSED)
		return g_strdup(
			"not allowed; set net.core.rps_sock_flow_entries in sysctl.d(5), or "
			"see ReadWritePaths= of the unit");
	if (record->outcome != NB_OUTCOME_APPLIED)
		return g_strdup(nb_outcome_explain(record->outcome));
	return effect_text(record);
}

/* Needs no third part. */
static bool is_plain_success(const struct nb_record *record)
{
	return record->event != NB_EVENT_YIELDED && record->outcome == NB_OUTCOME_APPLIED &&
	       (record->effect == NB_EFFECT_NONE || record->effect == NB_EFFECT_PENDING);
}

char *nb_record_describe(const struct nb_record *record)
{
	g_autofree char *what = nb_record_what(record);
	g_autofree char *why = nb_record_why(record);
	g_autofree char *result = nb_record_result(record);

	if (is_plain_success(record))
		return g_strdup_printf("%s, %s", what, why);
	return g_strdup_printf("%s, %s; %s", what, why, result);
}

char *nb_plan_describe(const struct nb_plan *plan)
{
	GString *text;

	if (!plan)
		return g_strdup(nb_verdict_explain(NB_VERDICT_UNKNOWN));

	text = g_string_new(nb_verdict_explain(plan->verdict));
	if (plan->hottest_cpu >= 0)
		g_string_append_printf(text, " (CPU %d at %u %%, mean %u %%", plan->hottest_cpu,
				       percent(plan->hottest), percent(plan->mean));
	if (plan->hottest_cpu >= 0 && plan->verdict == NB_VERDICT_NO_GAIN)
		g_string_append_printf(text, ", a move must gain %u %%",
				       percent(plan->gain_needed));
	if (plan->hottest_cpu >= 0)
		g_string_append_c(text, ')');
	return g_string_free(text, FALSE);
}

char *nb_intrusion_describe(const struct nb_intrusion *intrusion)
{
	if (intrusion->source == NB_SOURCE_SOFTIRQ)
		return g_strdup(nb_softirq_name((enum nb_softirq)intrusion->number));
	return g_strdup_printf("IRQ %u (%s)", intrusion->number,
			       *intrusion->handlers ? intrusion->handlers : "without handler");
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "daemon/daemon.h"

#include "base/cpumask_text.h"
#include "base/record.h"
#include "nicbalance/names.h"
#include "publish/journal.h"
#include "verify/verify.h"

#include <string.h>
#include <systemd/sd-daemon.h>

static struct nb_record record_of(const struct nb_daemon *daemon, enum nb_event event,
				  struct nb_queue_key key)
{
	struct nb_record record = nb_record_of(daemon->loop.snapshot->machine, event, key);

	record.realtime_usec = (uint64_t)g_get_real_time();
	return record;
}

/* To the journal, the bus, the recording, and the history, which takes it over. */
static void publish(struct nb_daemon *daemon, struct nb_record *record)
{
	nb_journal_record(record);
	if (daemon->bus)
		nb_bus_emit_record(daemon->bus, record);
	nb_recorder_tell(daemon->recorder, record);
	nb_history_add(daemon->history, record);
}

/* A change that is only rehearsed is planned in each cycle: it is logged once. */
static bool was_rehearsed(const struct nb_daemon *daemon, const struct nb_record *record)
{
	unsigned n;
	const struct nb_record *records = nb_history_records(daemon->history, &n);

	while (n-- > 0)
		if (nb_queue_key_compare(records[n].key, record->key) == 0 &&
		    nb_record_is_rss(&records[n]) == nb_record_is_rss(record))
			return records[n].outcome == NB_OUTCOME_REHEARSED &&
			       records[n].cpu_to == record->cpu_to &&
			       g_strcmp0(records[n].rps_to, record->rps_to) == 0 &&
			       g_strcmp0(records[n].rss_queues, record->rss_queues) == 0;
	return false;
}

/* As publish(), but not twice the same rehearsal. */
static void publish_outcome(struct nb_daemon *daemon, struct nb_record *record)
{
	if (record->outcome == NB_OUTCOME_REHEARSED && was_rehearsed(daemon, record))
		nb_record_clear(record);
	else
		publish(daemon, record);
}

/* The loop logs once that the baseline cannot be written, not for each queue in each cycle; and a
 * pause was requested. */
static bool is_published(const struct nb_daemon *daemon, enum nb_outcome outcome)
{
	if (outcome == NB_OUTCOME_REHEARSED && daemon->paused)
		return false;
	return outcome != NB_OUTCOME_UNSAFE && outcome != NB_OUTCOME_UNCHANGED;
}

void nb_report_outcomes(struct nb_daemon *daemon)
{
	const struct nb_plan *plan = daemon->loop.plan;

	for (unsigned i = 0; i < plan->n_changes; i++) {
		const struct nb_change *change = &plan->changes[i];
		struct nb_record record;

		if (!is_published(daemon, change->outcome))
			continue;
		record = record_of(daemon, nb_event_of(change->kind), change->key);
		nb_record_set_change(&record, change);
		publish_outcome(daemon, &record);
	}
}

static void report_effect(struct nb_daemon *daemon, const struct nb_finding *finding)
{
	struct nb_record *record = nb_history_find_pending(daemon->history, finding->key);

	if (!record)
		return;
	record->effect = finding->effect;
	record->measured = finding->measured;
	if (finding->effect == NB_EFFECT_STUCK || finding->effect == NB_EFFECT_NOT_FOLLOWED ||
	    finding->effect == NB_EFFECT_NO_GAIN || finding->effect == NB_EFFECT_WORSE)
		nb_journal_record(record);
	if (daemon->bus)
		nb_bus_emit_record(daemon->bus, record);
}

static void report_yield(struct nb_daemon *daemon, const struct nb_finding *finding)
{
	struct nb_record record = record_of(daemon, NB_EVENT_YIELDED, finding->key);

	nb_record_set_yield(&record, finding);
	publish(daemon, &record);
}

void nb_report_findings(struct nb_daemon *daemon)
{
	for (unsigned i = 0; i < daemon->loop.findings->len; i++) {
		const struct nb_finding *finding =
			&g_array_index(daemon->loop.findings, struct nb_finding, i);

		if (finding->event == NB_EVENT_YIELDED)
			report_yield(daemon, finding);
		else
			report_effect(daemon, finding);
	}
}

static unsigned count_nics(const struct nb_daemon *daemon)
{
	const struct nb_machine *machine = daemon->loop.snapshot->machine;
	unsigned n = 0;

	for (unsigned i = 0; i < machine->n_nics; i++)
		n += machine->nics[i].scope == NB_SCOPE_IN;
	return n;
}

/* The queue that a restored knob belongs to, or the device interrupt. */
static struct nb_queue_key key_of(const struct nb_machine *machine,
				  const struct nb_restored *restored)
{
	bool is_irq = !restored->is_rps && !restored->is_rss;
	struct nb_queue_key unknown = is_irq ? nb_device_irq_key(restored->irq)
					     : (struct nb_queue_key){.index = restored->queue};

	for (unsigned i = 0; i < machine->n_queues; i++) {
		const struct nb_queue *queue = &machine->queues[i];

		for (unsigned j = 0; is_irq && j < queue->n_irqs; j++)
			if (queue->irqs[j] == restored->irq)
				return queue->key;
	}
	for (unsigned i = 0; !is_irq && i < machine->n_nics; i++)
		if (strcmp(machine->nics[i].name, restored->ifname) == 0)
			unknown.ifindex = machine->nics[i].ifindex;
	return unknown;
}

static void report_restored(struct nb_daemon *daemon, const struct nb_restored *restored)
{
	struct nb_record record = record_of(daemon, NB_EVENT_RESTORED,
					    key_of(daemon->loop.snapshot->machine, restored));

	record.outcome = restored->outcome;
	if (restored->is_rss) {
		record.rss_queues = g_strdup("");
	} else if (restored->is_rps) {
		record.rps_from = nb_cpumask_format_list(&restored->ours);
		record.rps_to = nb_cpumask_format_list(&restored->found);
	} else {
		record.n_irqs = 1;
		record.irqs[0] = restored->irq;
		record.cpu_from = nb_cpumask_only(&restored->ours);
		record.cpu_to = nb_cpumask_only(&restored->found);
	}
	publish(daemon, &record);
}

static const char *state_of(const struct nb_daemon *daemon)
{
	if (daemon->paused)
		return "Paused";
	return daemon->config->mode == NB_MODE_OBSERVE ? "Observing" : "Balancing";
}

static bool is_same(const struct nb_status_line *a, const struct nb_status_line *b)
{
	return a->generation == b->generation && a->verdict == b->verdict && a->mode == b->mode &&
	       a->paused == b->paused;
}

/* The line of systemctl status, sent when it changes; therefore without loads. */
void nb_report_status(struct nb_daemon *daemon)
{
	const struct nb_machine *machine = daemon->loop.snapshot->machine;
	struct nb_status_line line = {
		.generation = machine->generation,
		.verdict = daemon->loop.plan->verdict,
		.mode = daemon->config->mode,
		.paused = daemon->paused,
	};

	if (is_same(&line, &daemon->status_line))
		return;
	sd_notifyf(false, "STATUS=%s %u queues of %u interfaces: %s", state_of(daemon),
		   machine->n_queues, count_nics(daemon), nb_verdict_explain(line.verdict));
	daemon->status_line = line;
}

void nb_report_restored(struct nb_daemon *daemon, const GArray *restored)
{
	for (unsigned i = 0; i < restored->len; i++)
		report_restored(daemon, &g_array_index(restored, struct nb_restored, i));
}

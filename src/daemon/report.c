/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "daemon/daemon.h"

#include "base/advice.h"
#include "base/cpumask_text.h"
#include "base/find.h"
#include "base/record.h"
#include "base/rules.h"
#include "base/spells.h"
#include "nicbalance/names.h"
#include "nicbalance/units.h"
#include "publish/journal.h"
#include "publish/message_ids.h"
#include "sample/tcp.h"
#include "verify/verify.h"

#include <inttypes.h>
#include <string.h>
#include <systemd/sd-daemon.h>

static struct nb_record record_of(const struct nb_daemon *daemon, enum nb_event event,
				  enum nb_kind kind, struct nb_queue_key key)
{
	struct nb_record record = nb_record_of(daemon->loop.snapshot->machine, event, kind, key);

	record.realtime_usec = (uint64_t)g_get_real_time();
	return record;
}

/* To the bus, the recording, and the history, which takes it over. */
static void spread_word(struct nb_daemon *daemon, struct nb_record *record)
{
	if (daemon->bus)
		nb_bus_emit_record(daemon->bus, record);
	nb_recorder_tell(daemon->recorder, record);
	nb_history_add(daemon->history, record);
}

static void publish(struct nb_daemon *daemon, struct nb_record *record)
{
	nb_journal_record(record);
	spread_word(daemon, record);
}

/* A change that is only rehearsed is planned in each cycle, and one that another program is in the
 * way of once an hour: it is logged once. */
static bool was_told(const struct nb_daemon *daemon, const struct nb_record *record)
{
	unsigned n;
	const struct nb_record *records = nb_history_records(daemon->history, &n);

	while (n-- > 0)
		if (records[n].kind == record->kind &&
		    nb_queue_key_compare(records[n].key, record->key) == 0)
			return records[n].outcome == record->outcome &&
			       nb_record_is_same_target(&records[n], record);
	return false;
}

static bool is_repeated(const struct nb_record *record)
{
	return record->outcome == NB_OUTCOME_REHEARSED || record->outcome == NB_OUTCOME_FOREIGN ||
	       (record->outcome == NB_OUTCOME_REFUSED && record->kind == NB_KIND_THREAD);
}

/* As publish(), but not twice the same that comes to nothing. */
static void publish_outcome(struct nb_daemon *daemon, struct nb_record *record)
{
	if (is_repeated(record) && was_told(daemon, record))
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

static uint64_t read_out_of_order(const struct nb_daemon *daemon)
{
	uint64_t count;

	return nb_read_out_of_order(daemon->root, &count) < 0 ? NB_UNCOUNTED : count;
}

static uint64_t out_of_order_since(const struct nb_daemon *daemon)
{
	uint64_t now = read_out_of_order(daemon);

	return now == NB_UNCOUNTED || daemon->out_of_order == NB_UNCOUNTED
		       ? NB_UNCOUNTED
		       : nb_growth(daemon->out_of_order, now);
}

void nb_report_outcomes(struct nb_daemon *daemon)
{
	const struct nb_plan *plan = daemon->loop.plan;

	for (unsigned i = 0; i < plan->n_changes; i++) {
		const struct nb_change *change = &plan->changes[i];
		struct nb_record record;

		if (!is_published(daemon, change->outcome))
			continue;
		if (change->reason == NB_REASON_RSS_SPREAD)
			daemon->out_of_order = read_out_of_order(daemon);
		record = record_of(daemon, nb_event_of(change->kind), change->kind, change->key);
		nb_record_set_change(&record, change);
		publish_outcome(daemon, &record);
	}
}

static void report_effect(struct nb_daemon *daemon, const struct nb_finding *finding)
{
	struct nb_record *record =
		nb_history_find_pending(daemon->history, finding->kind, finding->key);

	if (!record)
		return;
	record->effect = finding->effect;
	record->measured = finding->measured;
	if (finding->kind == NB_KIND_RSS)
		record->out_of_order = out_of_order_since(daemon);
	if (finding->kind == NB_KIND_RSS || finding->effect == NB_EFFECT_STUCK ||
	    finding->effect == NB_EFFECT_NOT_FOLLOWED || finding->effect == NB_EFFECT_NO_GAIN ||
	    finding->effect == NB_EFFECT_WORSE)
		nb_journal_record(record);
	if (daemon->bus)
		nb_bus_emit_record(daemon->bus, record);
}

/* A program that writes on and on must not fill the journal. */
#define YIELDS_GAP_NSEC (60 * NB_NSEC_PER_SEC)

static bool may_tell_yields(const struct nb_daemon *daemon)
{
	const struct nb_told_yields *told = &daemon->told_yields;

	return told->nsec == 0 || daemon->loop.snapshot->taken_nsec >= told->nsec + YIELDS_GAP_NSEC;
}

static void report_yield(struct nb_daemon *daemon, const struct nb_finding *finding)
{
	struct nb_record record = record_of(daemon, NB_EVENT_YIELDED, finding->kind, finding->key);

	nb_record_set_yield(&record, finding);
	if (may_tell_yields(daemon)) {
		nb_journal_record(&record);
		daemon->told_yields.nsec = daemon->loop.snapshot->taken_nsec;
	} else {
		daemon->told_yields.n_untold++;
	}
	spread_word(daemon, &record);
}

static void report_untold_yields(struct nb_daemon *daemon)
{
	struct nb_told_yields *told = &daemon->told_yields;

	if (told->n_untold == 0 || !may_tell_yields(daemon))
		return;
	nb_journal_say(LOG_NOTICE, NB_MESSAGE_YIELDED,
		       "Other programs changed %u more settings; nicbalancectl status lists what "
		       "is limited by that, or left alone",
		       told->n_untold);
	*told = (struct nb_told_yields){.nsec = daemon->loop.snapshot->taken_nsec};
}

void nb_report_findings(struct nb_daemon *daemon)
{
	report_untold_yields(daemon);
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

/* The index alone where the interface is gone. */
static struct nb_queue_key key_of_queue(const struct nb_machine *machine,
					const struct nb_restored *restored)
{
	struct nb_queue_key key = {.index = restored->queue};

	for (unsigned i = 0; i < machine->n_nics; i++)
		if (strcmp(machine->nics[i].name, restored->ifname) == 0)
			key.ifindex = machine->nics[i].ifindex;
	return key;
}

static struct nb_record record_of_affinity(const struct nb_daemon *daemon,
					   const struct nb_restored *restored,
					   struct nb_queue_key key)
{
	enum nb_kind kind = nb_key_is_device_irq(key) ? NB_KIND_DEVICE_IRQ : NB_KIND_QUEUE;
	struct nb_record record = record_of(daemon, NB_EVENT_RESTORED, kind, key);

	record.n_irqs = 1;
	record.irqs[0] = restored->irq;
	record.cpu_from = nb_cpumask_only(&restored->ours);
	record.cpu_to = nb_cpumask_only(&restored->found);
	return record;
}

static enum nb_udp_hash hash_of(uint64_t fields)
{
	return fields & nb_port_fields ? NB_UDP_HASH_PORTS : NB_UDP_HASH_ADDRESSES;
}

static struct nb_record record_of_setting(const struct nb_daemon *daemon, enum nb_kind kind,
					  struct nb_queue_key key,
					  const struct nb_restored *restored)
{
	struct nb_record record = record_of(daemon, NB_EVENT_RESTORED, kind, key);

	nb_record_set_setting(&record, (unsigned)restored->number_ours,
			      (unsigned)restored->number_found);
	return record;
}

static struct nb_record record_of_restored(const struct nb_daemon *daemon,
					   const struct nb_restored *restored)
{
	const struct nb_machine *machine = daemon->loop.snapshot->machine;
	struct nb_queue_key key = key_of_queue(machine, restored);
	struct nb_record record;

	switch (restored->type) {
	case NB_KNOB_IRQ:
		return record_of_affinity(daemon, restored,
					  nb_machine_key_of_irq(machine, restored->irq));
	case NB_KNOB_VMBUS:
		return record_of_affinity(daemon, restored, key);
	case NB_KNOB_RPS:
		record = record_of(daemon, NB_EVENT_RESTORED, NB_KIND_RPS, key);
		record.rps_from = nb_cpumask_format_list(&restored->ours);
		record.rps_to = nb_cpumask_format_list(&restored->found);
		return record;
	case NB_KNOB_XPS:
		record = record_of(daemon, NB_EVENT_RESTORED, NB_KIND_XPS, key);
		record.rps_from = nb_cpumask_format_list(&restored->ours);
		record.rps_to = nb_cpumask_format_list(&restored->found);
		return record;
	case NB_KNOB_THREAD:
		record = record_of(daemon, NB_EVENT_RESTORED, NB_KIND_THREAD,
				   (struct nb_queue_key){restored->ifindex, restored->queue});
		record.rps_from = nb_cpumask_format_list(&restored->ours);
		record.rps_to = nb_cpumask_format_list(&restored->found);
		return record;
	case NB_KNOB_RSS:
		record = record_of(daemon, NB_EVENT_RESTORED, NB_KIND_RSS, key);
		record.rss_queues = g_strdup("");
		return record;
	case NB_KNOB_RFS_HOST:
		key.index = NB_EVERY_QUEUE;
		return record_of_setting(daemon, NB_KIND_RFS, key, restored);
	case NB_KNOB_RFS:
		return record_of_setting(daemon, NB_KIND_RFS, key, restored);
	case NB_KNOB_THREADED:
		key.index = NB_EVERY_QUEUE;
		return record_of_setting(daemon, NB_KIND_THREADED, key, restored);
	case NB_KNOB_NAPI:
		return record_of_setting(daemon, NB_KIND_THREADED, key, restored);
	case NB_KNOB_CHANNELS:
		return record_of_setting(daemon, NB_KIND_CHANNELS, key, restored);
	case NB_KNOB_UDP_HASH:
		record = record_of(daemon, NB_EVENT_RESTORED, NB_KIND_UDP_HASH, key);
		nb_record_set_setting(&record, hash_of(restored->number_ours),
				      hash_of(restored->number_found));
		return record;
	case _NB_KNOB_TYPE_MAX:
	case _NB_KNOB_TYPE_INVALID:
		break;
	}
	g_assert_not_reached();
}

static void report_restored(struct nb_daemon *daemon, const struct nb_restored *restored)
{
	struct nb_record record = record_of_restored(daemon, restored);

	record.outcome = restored->outcome;
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

/* A burst is no news, nor are those that come again and again. */
#define DROPS_LAST_NSEC (15 * NB_NSEC_PER_SEC)
#define TELL_AGAIN_NSEC (3600 * NB_NSEC_PER_SEC)
#define TELL_ONCE_NSEC (UINT64_MAX / 2)

/* Whether to tell of this NIC now; then it counts as told. */
static bool is_news(GArray *told_nics, int ifindex, uint64_t now_nsec, uint64_t again_nsec)
{
	struct nb_told_nic fresh = {ifindex, now_nsec};

	for (unsigned i = 0; i < told_nics->len; i++) {
		struct nb_told_nic *told = &g_array_index(told_nics, struct nb_told_nic, i);

		if (told->ifindex != ifindex)
			continue;
		if (now_nsec < told->nsec + again_nsec)
			return false;
		told->nsec = now_nsec;
		return true;
	}
	g_array_append_val(told_nics, fresh);
	return true;
}

static void report_nic(struct nb_daemon *daemon, const struct nb_nic_load *nic)
{
	if (nic->cause != NB_DROPS_DEVICE || nic->read_nsec < nic->since_nsec + DROPS_LAST_NSEC ||
	    !is_news(daemon->told_drops, nic->ifindex, daemon->loop.snapshot->taken_nsec,
		     TELL_AGAIN_NSEC))
		return;
	nb_journal_say(LOG_WARNING, NB_MESSAGE_NIC_DROPS,
		       "%s drops %" PRIu64 " packets a second on receive: %s",
		       nb_machine_netdev(daemon->loop.snapshot->machine, nic->ifindex),
		       nic->dropped_per_sec, nb_drops_cause_explain(nic->cause));
}

void nb_report_drops(struct nb_daemon *daemon)
{
	const struct nb_loads *loads = daemon->loop.loads;

	for (unsigned i = 0; i < loads->n_nics; i++)
		report_nic(daemon, &loads->nics[i]);
}

static void report_full_node(struct nb_daemon *daemon, const struct nb_spell *spell)
{
	const struct nb_machine *machine = daemon->loop.snapshot->machine;
	const struct nb_nic *nic = nb_machine_find_nic(machine, spell->ifindex);
	uint64_t nsec = nb_spells_last_nsec(&daemon->loop.memory.full_nodes, spell->ifindex,
					    NB_FULL_NODE_LASTS_NSEC);

	if (!nic || nic->spill || nsec == 0 ||
	    !is_news(daemon->told_full_nodes, spell->ifindex, daemon->loop.snapshot->taken_nsec,
		     TELL_AGAIN_NSEC))
		return;
	nb_journal_say(LOG_NOTICE, NB_MESSAGE_FULL_NODE,
		       "Node %d of %s has been full for %" PRIu64
		       " minutes, while another node has "
		       "time: Spill=yes in [Device %s] lets its queues go there",
		       nic->node, nic->name, nsec / (60 * NB_NSEC_PER_SEC), nic->name);
}

void nb_report_full_nodes(struct nb_daemon *daemon)
{
	const struct nb_spells *full_nodes = &daemon->loop.memory.full_nodes;

	for (unsigned i = 0; i < full_nodes->n; i++)
		report_full_node(daemon, &full_nodes->rows[i]);
}

/* How many channels a NIC has does not change by itself, nor what the daemon may do. */
static void report_advice(void *data, const struct nb_nic *nic, unsigned n_allowed,
			  enum nb_advice advice)
{
	struct nb_daemon *daemon = data;
	uint64_t again_nsec = advice == NB_ADVICE_CHANNELS || advice == NB_ADVICE_THREADS
				      ? TELL_ONCE_NSEC
				      : TELL_AGAIN_NSEC;
	g_autofree char *text = NULL;

	if (!is_news(daemon->told_advice[advice], nic->ifindex, daemon->loop.snapshot->taken_nsec,
		     again_nsec))
		return;
	text = nb_advice_text(advice, nic, n_allowed);
	nb_journal_say(LOG_NOTICE, NB_MESSAGE_ADVICE, "%s: %s", nic->name, text);
}

void nb_report_advice(struct nb_daemon *daemon)
{
	nb_advice_foreach(daemon->loop.snapshot, &daemon->config->policy, &daemon->loop.memory,
			  report_advice, daemon);
}

/* Orders at run time always leave one; the configuration and the kernel's isolation need not. */
void nb_report_eligible(struct nb_daemon *daemon)
{
	const struct nb_snapshot *snapshot = daemon->loop.snapshot;
	g_autofree char *cpus = NULL;
	struct nb_allowed allowed;
	struct nb_rules rules;
	bool none;

	nb_rules_init(&rules, snapshot, &daemon->config->policy, &daemon->loop.memory);
	nb_rules_allow_common(&rules, &allowed);
	none = nb_cpumask_empty(&allowed.cpus);
	if (none == daemon->told_no_cpu)
		return;
	daemon->told_no_cpu = none;
	if (none) {
		cpus = nb_cpumask_format_list(&snapshot->machine->topology.online);
		nb_journal_say(LOG_WARNING, NB_MESSAGE_NO_CPU,
			       "No CPU is left for interrupts: each that is online (%s) is banned, "
			       "isolated or taken; only what a section or claim names CPUs for is "
			       "moved",
			       cpus);
		return;
	}
	cpus = nb_cpumask_format_list(&allowed.cpus);
	nb_journal_say(LOG_NOTICE, NB_MESSAGE_NO_CPU, "CPUs are left for interrupts again: %s",
		       cpus);
}

/* Each once: a rescan finds them again. */
void nb_report_faults(struct nb_daemon *daemon)
{
	const GPtrArray *faults = nb_sampler_faults(daemon->sampler);

	for (unsigned i = 0; faults && i < faults->len; i++) {
		const char *fault = g_ptr_array_index(faults, i);

		if (g_hash_table_add(daemon->told_faults, g_strdup(fault)))
			nb_journal_say(LOG_NOTICE, NB_MESSAGE_LINK_FILE,
				       "The CPUs in a .link file are not understood and do not "
				       "count: %s",
				       fault);
	}
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

void nb_report_change(struct nb_daemon *daemon)
{
	if (daemon->bus)
		nb_bus_forget_document(daemon->bus);
}

void nb_report_orders(struct nb_daemon *daemon)
{
	nb_report_change(daemon);
	nb_varlink_emit_list(daemon->varlink);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The loop: sample, model, plan, apply, verify, publish. */
#include "daemon/daemon.h"

#include "base/delays.h"
#include "base/describe.h"
#include "base/find.h"
#include "base/follow.h"
#include "base/memory.h"
#include "base/rules.h"
#include "nicbalance/units.h"
#include "publish/journal.h"
#include "publish/message_ids.h"
#include "sample/limits.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <systemd/sd-daemon.h>

/* Cpuset partitions, and drivers that reset a device by themselves, change the machine without any
 * event. */
#define RESCAN_NSEC (60 * NB_NSEC_PER_SEC)
/* A rescan takes tens of milliseconds where there are many devices, and those of a NIC in trouble
 * would never end. */
#define RESCAN_GAP_MIN_NSEC NB_NSEC_PER_SEC
#define RESCAN_GAP_MAX_NSEC (16 * NB_NSEC_PER_SEC)
/* Loads of a shorter window say little about whether the host is calm. */
#define TELLING_NSEC (NB_NSEC_PER_SEC / 10)
/* Idle checks take the place of cycles for no longer than this. */
#define IDLE_NSEC (10 * NB_NSEC_PER_SEC)
/* And they do not after one that failed: what made it fail may come in bursts. */
#define ALERT_NSEC (15 * NB_NSEC_PER_SEC)
/* A NIC that closes and opens is another one in each sample for so long, at most. */
#define REBUILDING_NSEC (5 * NB_NSEC_PER_SEC)

/* A move that is being measured needs to know where interrupts are handled, and so does, without
 * the probe, a NIC whose packets are not counted. */
static bool needs_complete(const struct nb_daemon *daemon, uint64_t now_nsec)
{
	if (now_nsec >= daemon->complete_nsec + daemon->config->complete_sample_nsec ||
	    daemon->again_nsec > 0)
		return true;
	/* The first window tells where interrupts are handled, and that of a slice whose a NAPI is.
	 */
	if (daemon->cycles < 2 || daemon->prober.fresh > 0)
		return true;
	if (nb_memory_is_measuring(&daemon->loop.memory) || !daemon->loop.snapshot)
		return true;
	for (unsigned i = 0;
	     !nb_prober_is_in_use(&daemon->prober) && i < daemon->loop.snapshot->machine->n_nics;
	     i++) {
		const struct nb_nic *nic = &daemon->loop.snapshot->machine->nics[i];

		if (nic->scope == NB_SCOPE_IN && nic->packets == NB_PACKETS_NONE)
			return true;
	}
	return false;
}

/* By which CPUs are told to be worth a look. What bound threads do shows in no softirq, so that any
 * CPU may have network work then. */
static struct nb_policy telling_policy(const struct nb_daemon *daemon)
{
	struct nb_policy policy = daemon->config->policy;

	if (policy.threads && nb_follow_any(&daemon->loop.memory.threads))
		policy.minimum_gain = 0;
	return policy;
}

/* A move must gain a minimum, so as long as no CPU spends that much on the network nothing is to be
 * done, whatever else the CPUs do. */
static bool is_calm(const struct nb_daemon *daemon)
{
	const struct nb_loads *loads = daemon->loop.loads;
	uint32_t minimum_gain = telling_policy(daemon).minimum_gain;

	for (unsigned i = 0; i < loads->n_cpus; i++)
		if (loads->cpus[i].queues + loads->cpus[i].backlog >= minimum_gain)
			return false;
	return true;
}

static enum nb_depth depth(const struct nb_daemon *daemon, uint64_t now_nsec)
{
	enum nb_depth least = daemon->depth_wanted;

	if (needs_complete(daemon, now_nsec))
		return MAX(least, NB_DEPTH_COMPLETE);
	return MAX(least, is_calm(daemon) ? NB_DEPTH_PROBE : NB_DEPTH_COUNTERS);
}

uint64_t nb_daemon_rescan_due_nsec(const struct nb_daemon *daemon)
{
	return daemon->rescanned_nsec + daemon->rescan_gap_nsec;
}

static bool must_rescan(const struct nb_daemon *daemon, uint64_t now_nsec)
{
	return daemon->rescan_wanted ||
	       (daemon->change_noticed && now_nsec >= nb_daemon_rescan_due_nsec(daemon));
}

/* Doubled by each that comes as soon as it is allowed, or nearly. */
static uint64_t next_gap_nsec(const struct nb_daemon *daemon, uint64_t now_nsec)
{
	uint64_t gap_nsec = daemon->rescan_gap_nsec;

	if (now_nsec >= daemon->rescanned_nsec + 2 * gap_nsec)
		return RESCAN_GAP_MIN_NSEC;
	return CLAMP(2 * gap_nsec, RESCAN_GAP_MIN_NSEC, RESCAN_GAP_MAX_NSEC);
}

/* The machine as it is known serves meanwhile. */
static void put_off_rescan(struct nb_daemon *daemon, uint64_t now_nsec)
{
	daemon->rescan_gap_nsec = next_gap_nsec(daemon, now_nsec);
	daemon->change_noticed = true;
	daemon->rescan_wanted = false;
	daemon->rescanned_nsec = now_nsec;
}

/* Each of many devices may take its time: the whole time of the watchdog is left to it, and what is
 * read afterwards is read so much later. */
static int rescan(struct nb_daemon *daemon, uint64_t *now_nsec)
{
	uint64_t begun_nsec = *now_nsec;
	int r;

	sd_notify(false, "WATCHDOG=1");
	r = nb_sampler_rescan(daemon->sampler);
	*now_nsec += nb_sampler_rescan_nsec(daemon->sampler);
	if (r == -EBUSY)
		put_off_rescan(daemon, begun_nsec);
	if (r < 0)
		return r;
	nb_report_faults(daemon);
	if (daemon->change_noticed || daemon->rescanned_nsec == 0)
		daemon->rescan_gap_nsec = next_gap_nsec(daemon, begun_nsec);
	daemon->change_noticed = false;
	daemon->rescan_wanted = false;
	daemon->rescanned_nsec = begun_nsec;
	return 0;
}

/* A change since the last rescan without an event shows as -ESTALE: rescan and sample again. */
static int take_sample(struct nb_daemon *daemon, uint64_t now_nsec, const struct nb_snapshot **ret)
{
	int r = 0;

	if (must_rescan(daemon, now_nsec))
		r = rescan(daemon, &now_nsec);
	if (r == 0 || r == -EBUSY)
		r = nb_sampler_read(daemon->sampler, now_nsec, depth(daemon, now_nsec), ret);
	if (r == -ESTALE) {
		r = rescan(daemon, &now_nsec);
		if (r == 0)
			r = nb_sampler_read(daemon->sampler, now_nsec, NB_DEPTH_COMPLETE, ret);
	}
	if (r < 0)
		return r;

	assert(*ret);
	if (nb_sampler_found_virtual(daemon->sampler))
		daemon->rescan_wanted = true;
	if ((*ret)->complete) {
		daemon->complete_nsec = now_nsec;
		daemon->prober.fresh -= daemon->prober.fresh > 0;
		daemon->depth_wanted = NB_DEPTH_PROBE;
		/* In the cycle after a complete sample, so that the complete sample first finds
		 * what other programs wrote. */
		daemon->rescan_wanted |= now_nsec >= daemon->rescanned_nsec + RESCAN_NSEC;
	}
	return 0;
}

/* A fault that lasts is logged once, and once more when it is over. */
static void log_sample_error(struct nb_daemon *daemon, int error, uint64_t now_nsec)
{
	daemon->sample_error = error;
	if (error != -ESTALE)
		daemon->stale_since_nsec = 0;
	else if (daemon->stale_since_nsec == 0)
		daemon->stale_since_nsec = now_nsec;
	if (error == daemon->told_sample_error ||
	    (error == -ESTALE && now_nsec < daemon->stale_since_nsec + REBUILDING_NSEC))
		return;
	if (error < 0)
		nb_journal_say(LOG_WARNING, NB_MESSAGE_READING_LOST,
			       "Failed to sample this host (%s); keeping the last good sample and "
			       "retrying",
			       strerror(-error));
	else
		nb_journal_say(LOG_NOTICE, NB_MESSAGE_READING_BACK,
			       "Sampling this host works again");
	daemon->told_sample_error = error;
}

static int sample(struct nb_daemon *daemon, uint64_t now_nsec)
{
	const struct nb_snapshot *previous = daemon->loop.snapshot;
	const struct nb_snapshot *snapshot = NULL;
	int r;

	r = take_sample(daemon, now_nsec, &snapshot);
	log_sample_error(daemon, r, now_nsec);
	if (r < 0)
		return r;

	nb_loop_see(&daemon->loop, snapshot, daemon->prober.window_spoilt);
	nb_daemon_adopt(daemon, previous, snapshot);
	if (previous && previous->machine != snapshot->machine)
		nb_applier_forget_gone(daemon->applier, snapshot->machine, snapshot->taken_nsec);
	nb_daemon_adopt_written(daemon);
	daemon->prober.window_spoilt = false;
	daemon->cycles++;
	return 0;
}

/* A baseline that cannot be written is logged once; nothing is changed until it can. */
static void log_apply_error(struct nb_daemon *daemon, int error)
{
	if (error == daemon->apply_error)
		return;
	if (error < 0)
		nb_journal_say(LOG_WARNING, NB_MESSAGE_BASELINE_LOST,
			       "Failed to save original values in /run/nicbalance/baseline (%s); "
			       "nothing is changed until that works",
			       strerror(-error));
	daemon->apply_error = error;
}

/* Whoever is about to lose a link for a moment reads why before. */
static void announce_channels(const struct nb_daemon *daemon, const struct nb_plan *plan)
{
	for (unsigned i = 0; i < plan->n_changes; i++)
		if (plan->changes[i].kind == NB_KIND_CHANNELS)
			nb_journal_say(LOG_NOTICE, NB_MESSAGE_CONFIGURED,
				       "Changing the channels of %s; most NICs take their link "
				       "down for a moment",
				       nb_machine_netdev(daemon->loop.snapshot->machine,
							 plan->changes[i].key.ifindex));
}

static void apply(void *host, struct nb_plan *plan)
{
	struct nb_daemon *daemon = host;

	/* A move is pending, which asks for complete samples by itself. */
	if (nb_plan_count(plan, NB_KIND_RPS) > 0)
		daemon->depth_wanted = NB_DEPTH_UNCACHED;
	if (plan->n_changes == 0 || !nb_daemon_acts(daemon))
		return;
	announce_channels(daemon, plan);
	log_apply_error(daemon, nb_apply(daemon->applier, daemon->loop.snapshot->machine, plan));
}

static void log_cycle(const struct nb_daemon *daemon)
{
	g_autofree char *text = NULL;

	if (!daemon->options->debug)
		return;
	text = nb_plan_describe(daemon->loop.plan);
	nb_journal_say(LOG_DEBUG, NULL, "Cycle %" PRIu64 ": %s", daemon->cycles, text);
}

/* A replay has a configuration of its own, which says what is banned. */
static void record(struct nb_daemon *daemon)
{
	const struct nb_loop *loop = &daemon->loop;
	static const struct nb_cpumask none;
	struct nb_rules rules;

	nb_rules_init(&rules, loop->snapshot, &daemon->config->policy, &loop->memory);
	rules.banned = &none;
	nb_recorder_add(daemon->recorder, loop->snapshot, &rules, loop->loads, loop->plan);
}

static void publish(struct nb_daemon *daemon)
{
	log_cycle(daemon);
	nb_report_eligible(daemon);
	nb_report_findings(daemon);
	nb_report_outcomes(daemon);
	nb_report_drops(daemon);
	nb_report_full_nodes(daemon);
	nb_daemon_watch_tunnels(daemon);
	nb_report_advice(daemon);
	nb_report_status(daemon);
	record(daemon);
}

/* Nothing is under way that needs the next cycle. */
static bool is_settled(const struct nb_daemon *daemon)
{
	const struct nb_memory *memory = &daemon->loop.memory;

	if (daemon->loop.plan->verdict != NB_VERDICT_QUIET || nb_delays_are_deciding(memory) ||
	    !nb_memory_is_settled(memory, daemon->loop.snapshot->taken_nsec))
		return false;
	for (unsigned i = 0; i < memory->n_rps; i++)
		if (!nb_cpumask_empty(&memory->rps[i].cpus))
			return false;
	for (unsigned i = 0; i < memory->n_rss; i++)
		if (!nb_cpumask_empty(&memory->rss[i].queues) || memory->rss[i].spread)
			return false;
	for (unsigned i = 0; i < memory->n_threaded; i++)
		if (memory->threaded[i].on)
			return false;
	return true;
}

void nb_daemon_withdraw(struct nb_daemon *daemon)
{
	if (nb_loop_withdraw(&daemon->loop, apply, daemon))
		nb_report_outcomes(daemon);
}

void nb_daemon_cycle(struct nb_daemon *daemon, uint64_t now_nsec)
{
	int r;

	daemon->idle = false;
	daemon->settled = false;
	r = sample(daemon, now_nsec);
	daemon->again_nsec = 0;
	if (r < 0) {
		/* It may last. */
		if (nb_daemon_acts(daemon))
			nb_daemon_withdraw(daemon);
		return;
	}
	nb_daemon_resolve_orders(daemon);
	nb_loop_plan(&daemon->loop, &daemon->config->policy);
	nb_loop_carry_out(&daemon->loop, &daemon->config->policy, apply, daemon);
	nb_daemon_save_written(daemon);
	publish(daemon);
	daemon->again_nsec = daemon->loop.plan->again_nsec;
	daemon->settled = is_settled(daemon);
	nb_daemon_keep_time(daemon);
}

/* Of a window that told enough; one that did not is not taken for calm. */
static void note_hot(struct nb_daemon *daemon)
{
	const struct nb_loop *loop = &daemon->loop;
	struct nb_policy policy = telling_policy(daemon);

	daemon->hot_known = loop->loads && loop->loads->window_nsec >= TELLING_NSEC;
	if (daemon->hot_known)
		daemon->n_hot =
			nb_idle_check_count_hot(daemon->idle_check, loop->loads,
						&loop->snapshot->machine->topology, &policy);
}

static bool check_idle(struct nb_daemon *daemon, const struct nb_cpu_sample *before,
		       const struct nb_cpu_sample *now)
{
	struct nb_policy policy = telling_policy(daemon);
	bool passes = nb_idle_check_passes(daemon->idle_check, before, now, &policy);

	daemon->hot_known = nb_idle_check_knows_hot(daemon->idle_check, &daemon->n_hot);
	return passes;
}

/* The window since the last sample holds seconds in which nothing happened, and would show a burst
 * as a part of what it was: it is left out, and the next are of one interval. */
static void begin_alert(struct nb_daemon *daemon, uint64_t now_nsec)
{
	daemon->alert_until_nsec = now_nsec + ALERT_NSEC;
	if (daemon->idle)
		daemon->prober.window_spoilt = true;
}

/* The probe does not measure: the kernel's own times tell whether a CPU is hot. */
static void watch(struct nb_daemon *daemon, uint64_t now_nsec)
{
	struct nb_policy policy = telling_policy(daemon);
	struct nb_cpu_sample before, now;

	if (nb_sampler_watch_cpus(daemon->sampler, now_nsec, &before, &now) < 0)
		return;
	nb_idle_check_watch(daemon->idle_check, &before, &now, &policy);
	daemon->hot_known = nb_idle_check_knows_hot(daemon->idle_check, &daemon->n_hot);
}

/* A settled host stays so until a CPU is hot, a notification arrives, or a cycle is due. */
static bool may_idle(struct nb_daemon *daemon, uint64_t now_nsec)
{
	struct nb_cpu_sample before, now;

	if (!daemon->settled || daemon->prober.window_spoilt || must_rescan(daemon, now_nsec) ||
	    now_nsec < daemon->alert_until_nsec || nb_prober_due_nsec(&daemon->prober) > 0 ||
	    daemon->depth_wanted != NB_DEPTH_PROBE || nb_recorder_is_on(daemon->recorder) ||
	    now_nsec >= daemon->loop.snapshot->taken_nsec + IDLE_NSEC ||
	    now_nsec >= daemon->complete_nsec + daemon->config->complete_sample_nsec)
		return false;
	if (nb_sampler_read_cpus(daemon->sampler, now_nsec, !is_calm(daemon), &before, &now) < 0)
		return false;
	if (check_idle(daemon, &before, &now))
		return true;
	begin_alert(daemon, now_nsec);
	return false;
}

/* What others may order at any time. It is obeyed at once, whatever else is going on. */
static bool is_ordered(struct nb_daemon *daemon)
{
	unsigned changed = nb_sampler_read_limits(daemon->sampler);
	bool banned = nb_daemon_review_irqbalance(daemon);

	if (changed & NB_LIMITS_ISOLATION)
		daemon->rescan_wanted = true;
	return changed != 0 || banned;
}

static struct nb_prober_view prober_view(const struct nb_daemon *daemon, uint64_t now_nsec)
{
	return (struct nb_prober_view){
		.loop = &daemon->loop,
		.cycles = daemon->cycles,
		.hurried = daemon->again_nsec > 0,
		.recording = nb_recorder_is_on(daemon->recorder),
		.rescan_due = must_rescan(daemon, now_nsec),
		.known = daemon->hot_known,
		.n_hot = daemon->n_hot,
		.warm = nb_idle_check_is_warm(daemon->idle_check),
	};
}

/* An idle check that finds the host too busy for estimates: the probe is attached first. */
static bool is_left_to_probe(const struct nb_daemon *daemon, uint64_t now_nsec)
{
	struct nb_prober_view view = prober_view(daemon, now_nsec);

	return nb_prober_will_be_used(&daemon->prober, &view, now_nsec);
}

static bool is_idle(struct nb_daemon *daemon, uint64_t now_nsec)
{
	daemon->hot_known = false;
	if (nb_prober_is_paused(&daemon->prober)) {
		watch(daemon, now_nsec);
		return true;
	}
	return may_idle(daemon, now_nsec) || is_left_to_probe(daemon, now_nsec);
}

/* While the probe is loaded or does not measure, no window tells anything. */
void nb_daemon_obey(struct nb_daemon *daemon, uint64_t now_nsec)
{
	if (nb_prober_is_loading(&daemon->prober) || nb_prober_is_paused(&daemon->prober))
		daemon->prober.window_spoilt = true;
	nb_daemon_cycle(daemon, now_nsec);
	note_hot(daemon);
}

static bool look(struct nb_daemon *daemon, uint64_t now_nsec)
{
	bool ordered;

	nb_daemon_review_profile(daemon, now_nsec);
	ordered = is_ordered(daemon);
	nb_daemon_expire_orders(daemon, now_nsec);
	return ordered;
}

void nb_daemon_look(struct nb_daemon *daemon, uint64_t now_nsec)
{
	if (look(daemon, now_nsec))
		nb_daemon_obey(daemon, now_nsec);
}

static void begin_window(struct nb_daemon *daemon, uint64_t updated_nsec)
{
	uint64_t now_nsec = nb_daemon_now_nsec();

	nb_prober_begin(&daemon->prober, nb_growth(updated_nsec, now_nsec));
	(void)sample(daemon, now_nsec);
}

void nb_daemon_tick(struct nb_daemon *daemon, uint64_t now_nsec)
{
	bool ordered = look(daemon, now_nsec);
	struct nb_prober_view view;

	if (ordered) {
		nb_daemon_obey(daemon, now_nsec);
	} else if (nb_prober_is_loading(&daemon->prober)) {
		daemon->cycles++;
	} else if (is_idle(daemon, now_nsec)) {
		daemon->idle = true;
		daemon->cycles++;
	} else {
		nb_daemon_cycle(daemon, now_nsec);
		note_hot(daemon);
	}
	view = prober_view(daemon, now_nsec);
	view.rescan_due |= ordered;
	nb_prober_update(&daemon->prober, &view, now_nsec);
	nb_daemon_count_intrusions(daemon, now_nsec);
	nb_daemon_mark_cost(daemon, now_nsec);
	nb_report_change(daemon);
	if (daemon->prober.began)
		begin_window(daemon, now_nsec);
}

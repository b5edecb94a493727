/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The loop: sample, model, plan, apply, verify, publish. */
#include "daemon/daemon.h"

#include "base/find.h"
#include "base/memory.h"
#include "nicbalance/units.h"
#include "publish/journal.h"
#include "publish/message_ids.h"
#include "verify/verify.h"

#include <errno.h>
#include <string.h>
#include <time.h>

/* Cpuset partitions, and drivers that reset a device by themselves, change the machine without any
 * event. */
#define RESCAN_NSEC (60 * NB_NSEC_PER_SEC)

static uint64_t now_nsec(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * NB_NSEC_PER_SEC + (uint64_t)now.tv_nsec;
}

/* A move under measurement needs to know where interrupts land, and so does a NIC whose packets are
 * not counted, in every cycle. */
static bool needs_audit(const struct nb_daemon *daemon, uint64_t now)
{
	if (daemon->audit_wanted || now >= daemon->audited_nsec + daemon->config->audit_nsec)
		return true;
	for (unsigned i = 0; i < daemon->memory.n_queues; i++)
		if (daemon->memory.queues[i].pending.active)
			return true;
	if (!daemon->snapshot)
		return true;
	for (unsigned i = 0; i < daemon->snapshot->machine->n_nics; i++) {
		const struct nb_nic *nic = &daemon->snapshot->machine->nics[i];

		if (nic->scope == NB_SCOPE_IN && nic->packets == NB_PACKETS_NONE)
			return true;
	}
	return false;
}

static int rescan(struct nb_daemon *daemon, uint64_t now)
{
	int r = nb_sampler_rescan(daemon->sampler);

	if (r < 0)
		return r;
	daemon->rescan_wanted = false;
	daemon->rescanned_nsec = now;
	return 0;
}

/* What changed since the last rescan without an event shows as -ESTALE: then once more. */
static int take_sample(struct nb_daemon *daemon, const struct nb_snapshot **ret)
{
	uint64_t now = now_nsec();
	int r = 0;

	if (daemon->rescan_wanted)
		r = rescan(daemon, now);
	if (r == 0)
		r = nb_sampler_read(daemon->sampler, now, needs_audit(daemon, now), ret);
	if (r == -ESTALE) {
		r = rescan(daemon, now);
		if (r == 0)
			r = nb_sampler_read(daemon->sampler, now, true, ret);
	}
	if (r < 0)
		return r;

	if ((*ret)->audited) {
		daemon->audited_nsec = now;
		daemon->audit_wanted = false;
		/* In the cycle after an audit, so that the audit sees what others wrote first. */
		daemon->rescan_wanted = now >= daemon->rescanned_nsec + RESCAN_NSEC;
	}
	return 0;
}

/* A fault that lasts is told once, and once more when it is over. */
static void tell_sample_error(struct nb_daemon *daemon, int error)
{
	if (error == daemon->sample_error)
		return;
	if (error < 0)
		nb_journal_say(LOG_WARNING, NB_MESSAGE_READING_LOST,
			       "Cannot read the state of this host (%s); "
			       "keeping the last good reading and trying again.",
			       strerror(-error));
	else
		nb_journal_say(LOG_NOTICE, NB_MESSAGE_READING_BACK,
			       "The state of this host can be read again.");
	daemon->sample_error = error;
}

static void adopt_queue(struct nb_daemon *daemon, const struct nb_queue *queue)
{
	unsigned cpu = 0, other;

	for (unsigned i = 0; i < queue->n_irqs; i++) {
		if (!nb_applier_owns_irq(daemon->applier, queue->irqs[i], i ? &other : &cpu) ||
		    (i && other != cpu))
			return;
	}
	if (queue->n_irqs)
		nb_memory_adopt_queue(&daemon->memory, queue->key, cpu);
}

/* What the run before this one left in place is this one's own placement. */
static void adopt_own_placement(struct nb_daemon *daemon, const struct nb_snapshot *snapshot)
{
	const struct nb_machine *machine = snapshot->machine;

	for (unsigned i = 0; i < machine->n_queues; i++)
		adopt_queue(daemon, &machine->queues[i]);
	for (unsigned i = 0; i < snapshot->n_rps; i++) {
		struct nb_queue_key key = snapshot->rps[i].key;
		struct nb_cpumask ours;

		if (nb_applier_owns_rps(daemon->applier, key.ifindex,
					nb_machine_netdev(machine, key.ifindex), key.index, &ours))
			nb_memory_adopt_rps(&daemon->memory, key, &ours, snapshot->taken_nsec);
	}
}

static int sample(struct nb_daemon *daemon)
{
	const struct nb_snapshot *previous = daemon->snapshot;
	const struct nb_snapshot *snapshot;
	int r;

	r = take_sample(daemon, &snapshot);
	tell_sample_error(daemon, r);
	if (r < 0)
		return r;

	nb_memory_sync(&daemon->memory, snapshot);
	if (!previous)
		adopt_own_placement(daemon, snapshot);
	daemon->loads = nb_model_update(daemon->model, previous, snapshot);
	daemon->snapshot = snapshot;
	daemon->cycles++;
	return 0;
}

/* A baseline that cannot be kept is told once: nothing is moved until it can. */
static void tell_apply_error(struct nb_daemon *daemon, int error)
{
	if (error == daemon->apply_error)
		return;
	if (error < 0)
		nb_journal_say(LOG_WARNING, NB_MESSAGE_BASELINE_LOST,
			       "Cannot keep the values found in /run/nicbalance/baseline (%s), so "
			       "nothing is changed; make room in /run.",
			       strerror(-error));
	daemon->apply_error = error;
}

static enum nb_outcome apply(struct nb_daemon *daemon, const struct nb_plan *plan)
{
	enum nb_outcome rps_outcome = NB_OUTCOME_REHEARSED;
	enum nb_outcome *outcomes;
	int r;

	g_array_set_size(daemon->outcomes, plan->n_moves);
	outcomes = &g_array_index(daemon->outcomes, enum nb_outcome, 0);
	for (unsigned i = 0; i < plan->n_moves; i++)
		outcomes[i] = NB_OUTCOME_REHEARSED;
	if (plan->n_moves == 0 && !plan->steer)
		return rps_outcome;

	daemon->audit_wanted = true;
	if (nb_daemon_acts(daemon)) {
		r = nb_apply(daemon->applier, daemon->snapshot->machine, plan, outcomes,
			     &rps_outcome);
		tell_apply_error(daemon, r);
	}
	return rps_outcome;
}

static void verify(struct nb_daemon *daemon, const struct nb_plan *plan,
		   enum nb_outcome rps_outcome)
{
	g_array_set_size(daemon->findings, 0);
	nb_verify_judge(daemon->snapshot, daemon->loads, &daemon->config->policy, &daemon->memory,
			daemon->findings);
	nb_verify_note(plan, (const enum nb_outcome *)(const void *)daemon->outcomes->data,
		       rps_outcome, daemon->snapshot->taken_nsec, &daemon->memory);
}

static void publish(struct nb_daemon *daemon, const struct nb_plan *plan,
		    enum nb_outcome rps_outcome)
{
	nb_report_findings(daemon);
	nb_report_outcomes(daemon, plan, rps_outcome);
	nb_report_status(daemon);
}

void nb_daemon_cycle(struct nb_daemon *daemon)
{
	enum nb_outcome rps_outcome;

	if (sample(daemon) < 0)
		return;
	daemon->plan = nb_planner_run(daemon->planner, daemon->snapshot, daemon->loads,
				      &daemon->config->policy, &daemon->memory);
	rps_outcome = apply(daemon, daemon->plan);
	verify(daemon, daemon->plan, rps_outcome);
	publish(daemon, daemon->plan, rps_outcome);
}

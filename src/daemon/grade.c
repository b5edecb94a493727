/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How the cost of queues is measured: with the probe as long as there is one, else counted. */
#include "daemon/daemon.h"

#include "base/memory.h"
#include "publish/journal.h"
#include "publish/message_ids.h"

#include <errno.h>
#include <string.h>

/* A collapsed placement is put right by the first window, helped to follow, and steered where that
 * is not enough, without knowing what each queue costs. Loading the programs waits for that:
 * meanwhile nothing could be looked at. But no longer than this. */
#define PLACED_NSEC (8 * NB_NSEC_PER_SEC)
/* Where no CPU is idle for half of its time packets would be lost to it: then it waits so long. */
#define IDLE_NSEC (60 * NB_NSEC_PER_SEC)
/* Loading takes 60 ms on a host, and 5 s on an emulated one; no more than that is waited for. */
#define LOADING_SEC 15u
/* Softirqs of some kind come on every host in this time, if only for our own timer. */
#define CHECK_NSEC (10 * NB_NSEC_PER_SEC)
/* A probe that was lost is tried again, each time later. */
#define RETRY_NSEC (60 * NB_NSEC_PER_SEC)
#define MAX_RETRY_NSEC (3600 * NB_NSEC_PER_SEC)

static void set_reason(struct nb_daemon *daemon, char *reason)
{
	g_free(daemon->grade_reason);
	daemon->grade_reason = reason;
}

/* Once, though what was lost is tried again and fails for the same reason. */
static void count(struct nb_daemon *daemon, char *reason)
{
	bool told = daemon->told_counted && strcmp(reason, daemon->grade_reason) == 0;

	set_reason(daemon, reason);
	daemon->told_counted = true;
	if (!told)
		nb_journal_say(LOG_NOTICE, NB_MESSAGE_GRADE_CHANGED,
			       "Measuring by ticks and packets from now on (counted): %s.", reason);
}

static void say_full(struct nb_daemon *daemon)
{
	if (!daemon->told_counted)
		return;
	daemon->told_counted = false;
	nb_journal_say(LOG_NOTICE, NB_MESSAGE_GRADE_CHANGED,
		       "Timing interrupts and NAPI polls with eBPF from now on (full).");
}

uint64_t nb_grade_cost_nsec(const struct nb_daemon *daemon)
{
	return daemon->probe_spent_nsec + (daemon->probe ? nb_probe_cost_nsec(daemon->probe) : 0);
}

/* The next look comes at once, but its window is the time of loading. */
static void leave_window_out(struct nb_daemon *daemon)
{
	daemon->window_spoilt = true;
	daemon->settled = false;
}

/* Nobody waits for its end: what hangs in the kernel dies when the kernel lets it. */
static void stop_loading(struct nb_daemon *daemon)
{
	if (!daemon->probe_loading)
		return;
	nb_probe_loading_kill(daemon->probe_loading);
	daemon->probe_dying = g_steal_pointer(&daemon->probe_loading);
	leave_window_out(daemon);
}

/* An answer that was on its way when it was killed comes too late. */
static void bury(struct nb_daemon *daemon)
{
	g_autoptr(nb_probe) late = NULL;

	(void)nb_probe_open(&daemon->probe_dying, &late, NULL);
}

static void close_probe(struct nb_daemon *daemon)
{
	nb_sampler_use_probe(daemon->sampler, NULL);
	stop_loading(daemon);
	daemon->probe_spent_nsec = nb_grade_cost_nsec(daemon);
	g_clear_pointer(&daemon->probe, nb_probe_free);
}

static void lose(struct nb_daemon *daemon, uint64_t now_nsec, char *reason)
{
	uint64_t wait_nsec = daemon->probe_retry_wait_nsec;

	close_probe(daemon);
	daemon->probe_wanted = false;
	wait_nsec = wait_nsec ? MIN(2 * wait_nsec, MAX_RETRY_NSEC) : RETRY_NSEC;
	daemon->probe_retry_wait_nsec = wait_nsec;
	daemon->probe_retry_nsec = now_nsec + wait_nsec;
	count(daemon, reason);
}

/* What this kernel or the unit refuses once it refuses until one of them changes: there is no
 * second try before the configuration is loaded again. */
static void refuse(struct nb_daemon *daemon, char *reason)
{
	daemon->probe_retry_nsec = 0;
	count(daemon, reason);
}

/* Something was done in the last look, or is to be done as soon as may be. */
static bool is_at_work(const struct nb_daemon *daemon)
{
	switch (daemon->loop.plan ? daemon->loop.plan->verdict : NB_VERDICT_UNKNOWN) {
	case NB_VERDICT_ARMING:
	case NB_VERDICT_COOLING:
	case NB_VERDICT_PLACING:
	case NB_VERDICT_BALANCING:
	case NB_VERDICT_STEERING:
	case NB_VERDICT_UNDOING:
		return true;
	case NB_VERDICT_UNKNOWN:
	case NB_VERDICT_QUIET:
	case NB_VERDICT_EVEN:
	case NB_VERDICT_HELD:
	case NB_VERDICT_NO_GAIN:
	case NB_VERDICT_ONE_FLOW:
	case _NB_VERDICT_MAX:
	case _NB_VERDICT_INVALID:
		return daemon->again_nsec > 0;
	}
	return false;
}

static bool has_idle_cpu(const struct nb_daemon *daemon)
{
	const struct nb_topology *topology = &daemon->loop.snapshot->machine->topology;
	const struct nb_loads *loads = daemon->loop.loads;

	for (unsigned i = 0; i < loads->n_cpus; i++)
		if (!nb_cpumask_has(&topology->isolated, loads->cpus[i].id) &&
		    loads->cpus[i].window_busy < NB_WHOLE / 2)
			return true;
	return false;
}

static bool is_time_to_open(const struct nb_daemon *daemon, uint64_t now_nsec)
{
	if (daemon->cycles < 2)
		return false;
	if (now_nsec >= daemon->probe_wanted_nsec + IDLE_NSEC)
		return true;
	if (daemon->loop.loads && !has_idle_cpu(daemon))
		return false;
	if (now_nsec >= daemon->probe_wanted_nsec + PLACED_NSEC)
		return true;
	return !is_at_work(daemon) && nb_memory_is_settled(&daemon->loop.memory, now_nsec);
}

static bool takes_too_long(const struct nb_daemon *daemon, uint64_t now_nsec)
{
	return now_nsec >= daemon->probe_loading_nsec + LOADING_SEC * NB_NSEC_PER_SEC;
}

/* While the programs are being loaded it stays wanted, and is asked for in each cycle. */
static void open_probe(struct nb_daemon *daemon, uint64_t now_nsec)
{
	g_autoptr(nb_probe) probe = NULL;
	char *reason = NULL;
	int r;

	if (!daemon->probe_loading)
		daemon->probe_loading_nsec = now_nsec;
	r = nb_probe_open(&daemon->probe_loading, &probe, &reason);
	if (r == -EINPROGRESS) {
		if (takes_too_long(daemon, now_nsec))
			lose(daemon, now_nsec,
			     g_strdup_printf("loading the eBPF programs took longer than "
					     "%u s",
					     LOADING_SEC));
		return;
	}
	leave_window_out(daemon);
	daemon->probe_wanted = false;
	daemon->probe_retry_nsec = 0;
	if (r < 0) {
		refuse(daemon, reason);
		return;
	}
	r = nb_sampler_use_probe(daemon->sampler, probe);
	if (r < 0) {
		refuse(daemon,
		       g_strdup_printf("eBPF cannot be told what to count (%s)", strerror(-r)));
		return;
	}
	daemon->probe = g_steal_pointer(&probe);
	daemon->probe_cycle = daemon->cycles;
	daemon->probe_checked_nsec = now_nsec;
	set_reason(daemon, g_strdup_printf("eBPF times softirqs, interrupts and NAPI polls (%s)",
					   nb_probe_flavour(daemon->probe)));
	say_full(daemon);
}

static void leave_probe(struct nb_daemon *daemon)
{
	bool had = daemon->probe;

	const char *reason = daemon->config->probe ? "a captured machine cannot be timed"
						   : "the configuration says Probe=no";

	close_probe(daemon);
	daemon->probe_retry_nsec = 0;
	if (had)
		count(daemon, g_strdup(reason));
	else
		set_reason(daemon, g_strdup(reason));
}

void nb_grade_configure(struct nb_daemon *daemon, uint64_t now_nsec)
{
	bool wanted = daemon->config->probe && nb_sysroot_is_host(daemon->root);

	daemon->probe_wanted = wanted && !daemon->probe;
	daemon->probe_wanted_nsec = now_nsec;
	daemon->probe_retry_wait_nsec = 0;
	if (!wanted)
		leave_probe(daemon);
	else if (!daemon->probe)
		set_reason(daemon, g_strdup("eBPF is yet to be started"));
}

static void check(struct nb_daemon *daemon, uint64_t now_nsec)
{
	if (daemon->loop.snapshot && daemon->loop.snapshot->grade != NB_GRADE_FULL &&
	    daemon->cycles > daemon->probe_cycle) {
		lose(daemon, now_nsec, g_strdup("eBPF could not follow a change of devices"));
		return;
	}
	if (now_nsec < daemon->probe_checked_nsec + CHECK_NSEC)
		return;
	daemon->probe_checked_nsec = now_nsec;
	if (nb_probe_check(daemon->probe) < 0)
		lose(daemon, now_nsec, g_strdup("the eBPF programs stopped counting"));
}

bool nb_grade_is_loading(const struct nb_daemon *daemon)
{
	return daemon->probe_loading;
}

void nb_grade_update(struct nb_daemon *daemon, uint64_t now_nsec)
{
	if (daemon->probe_dying) {
		bury(daemon);
	} else if (daemon->probe) {
		check(daemon, now_nsec);
	} else if ((daemon->probe_wanted && is_time_to_open(daemon, now_nsec)) ||
		   (daemon->probe_retry_nsec && now_nsec >= daemon->probe_retry_nsec)) {
		open_probe(daemon, now_nsec);
	}
	if (daemon->probe)
		nb_probe_watch_delays(daemon->probe, daemon->config->delays ||
							     now_nsec < daemon->delays_until_nsec);
}

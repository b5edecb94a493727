/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How the time of queues is known: measured while there is a probe, else estimated. */
#include "daemon/prober.h"

#include "base/memory.h"
#include "publish/journal.h"
#include "publish/message_ids.h"

#include <errno.h>
#include <string.h>

/* A collapsed placement is corrected by the first window, without knowing the time of each queue,
 * and saturated queues are helped to follow. Loading the programs waits for that, since no sample
 * is taken meanwhile, but no longer than this. */
#define PLACED_NSEC (8 * NB_NSEC_PER_SEC)
/* If no CPU is idle for half of its time, loading would lose packets: then it waits so long. */
#define IDLE_NSEC (60 * NB_NSEC_PER_SEC)
/* Loading takes 60 ms on a host, and 5 s on an emulated one. */
#define LOADING_SEC 15u
/* Softirqs occur on every host in this time, if only for our own timer. */
#define CHECK_NSEC (10 * NB_NSEC_PER_SEC)
/* A probe that was lost is loaded again, each time later, until one lasts longer than was waited
 * for it. */
#define RETRY_NSEC (60 * NB_NSEC_PER_SEC)
#define MAX_RETRY_NSEC (3600 * NB_NSEC_PER_SEC)

static void set_reason(struct nb_prober *prober, char *reason)
{
	g_free(prober->reason);
	prober->reason = reason;
}

/* Logged once, also if another attempt fails for the same reason. */
static void count(struct nb_prober *prober, char *reason)
{
	bool logged = prober->logged_estimated && strcmp(reason, prober->reason) == 0;

	set_reason(prober, reason);
	prober->logged_estimated = true;
	if (!logged)
		nb_journal_say(LOG_NOTICE, NB_MESSAGE_GRADE_CHANGED,
			       "Estimating loads from CPU ticks and packet counts: %s", reason);
}

static void log_measured(struct nb_prober *prober)
{
	if (!prober->logged_estimated)
		return;
	prober->logged_estimated = false;
	nb_journal_say(LOG_NOTICE, NB_MESSAGE_GRADE_CHANGED, "Measuring loads with eBPF");
}

uint64_t nb_prober_cost_nsec(const struct nb_prober *prober)
{
	return prober->spent_nsec + (prober->probe ? nb_probe_cost_nsec(prober->probe) : 0);
}

/* The next cycle comes at once, but its window is the time of loading. */
static void leave_window_out(struct nb_prober *prober)
{
	prober->window_spoilt = true;
}

/* Does not wait for its end: a process that hangs in the kernel ends when the kernel lets it. */
static void stop_loading(struct nb_prober *prober)
{
	if (!prober->loading)
		return;
	nb_probe_loading_kill(prober->loading);
	prober->dying = g_steal_pointer(&prober->loading);
	leave_window_out(prober);
}

/* An answer that was sent before it was killed is dropped. */
static void bury(struct nb_prober *prober)
{
	g_autoptr(nb_probe) late = NULL;

	(void)nb_probe_open(&prober->dying, &late, NULL);
}

static void close_probe(struct nb_prober *prober)
{
	nb_sampler_use_probe(prober->sampler, NULL);
	stop_loading(prober);
	prober->spent_nsec = nb_prober_cost_nsec(prober);
	g_clear_pointer(&prober->probe, nb_probe_free);
}

static void lose(struct nb_prober *prober, uint64_t now_nsec, char *reason)
{
	uint64_t wait_nsec = prober->retry_wait_nsec;

	close_probe(prober);
	prober->wanted = false;
	wait_nsec = wait_nsec ? MIN(2 * wait_nsec, MAX_RETRY_NSEC) : RETRY_NSEC;
	prober->retry_wait_nsec = wait_nsec;
	prober->retry_nsec = now_nsec + wait_nsec;
	count(prober, reason);
}

/* What this kernel or the unit refuses it keeps refusing: no second attempt before the
 * configuration is reloaded. */
static void refuse(struct nb_prober *prober, char *reason)
{
	prober->retry_nsec = 0;
	count(prober, reason);
}

/* The last cycle changed something, or the next one may. */
static bool is_at_work(const struct nb_prober_view *view)
{
	switch (view->loop->plan ? view->loop->plan->verdict : NB_VERDICT_UNKNOWN) {
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
		return view->hurried;
	}
	return false;
}

static bool has_idle_cpu(const struct nb_loop *loop)
{
	const struct nb_topology *topology = &loop->snapshot->machine->topology;
	const struct nb_loads *loads = loop->loads;

	for (unsigned i = 0; i < loads->n_cpus; i++)
		if (!nb_cpumask_has(&topology->isolated, loads->cpus[i].id) &&
		    loads->cpus[i].window_busy < NB_WHOLE / 2)
			return true;
	return false;
}

static bool is_time_to_open(const struct nb_prober *prober, const struct nb_prober_view *view,
			    uint64_t now_nsec)
{
	if (view->cycles < 2)
		return false;
	if (now_nsec >= prober->wanted_nsec + IDLE_NSEC)
		return true;
	if (view->loop->loads && !has_idle_cpu(view->loop))
		return false;
	if (now_nsec >= prober->wanted_nsec + PLACED_NSEC)
		return true;
	return !is_at_work(view) && nb_memory_is_settled(&view->loop->memory, now_nsec);
}

static bool takes_too_long(const struct nb_prober *prober, uint64_t now_nsec)
{
	return now_nsec >= prober->loading_nsec + LOADING_SEC * NB_NSEC_PER_SEC;
}

/* While the programs are being loaded it stays wanted, and each cycle polls for it. */
static void open_probe(struct nb_prober *prober, const struct nb_prober_view *view,
		       uint64_t now_nsec)
{
	g_autoptr(nb_probe) probe = NULL;
	char *reason = NULL;
	int r;

	if (!prober->loading)
		prober->loading_nsec = now_nsec;
	r = nb_probe_open(&prober->loading, &probe, &reason);
	if (r == -EINPROGRESS) {
		if (takes_too_long(prober, now_nsec))
			lose(prober, now_nsec,
			     g_strdup_printf("loading the eBPF programs took longer than "
					     "%u s",
					     LOADING_SEC));
		return;
	}
	leave_window_out(prober);
	prober->wanted = false;
	prober->retry_nsec = 0;
	if (r < 0) {
		refuse(prober, reason);
		return;
	}
	r = nb_sampler_use_probe(prober->sampler, probe);
	if (r < 0) {
		refuse(prober,
		       g_strdup_printf("configuring the eBPF programs failed (%s)", strerror(-r)));
		return;
	}
	prober->probe = g_steal_pointer(&probe);
	prober->opened_cycle = view->cycles;
	prober->opened_nsec = now_nsec;
	prober->checked_nsec = now_nsec;
	set_reason(prober, g_strdup_printf("eBPF times softirqs, interrupts and NAPI polls (%s)",
					   nb_probe_flavour(prober->probe)));
	log_measured(prober);
}

static void leave_probe(struct nb_prober *prober, const char *why_not)
{
	bool had = prober->probe;

	close_probe(prober);
	prober->retry_nsec = 0;
	if (had)
		count(prober, g_strdup(why_not));
	else
		set_reason(prober, g_strdup(why_not));
}

void nb_prober_configure(struct nb_prober *prober, const char *why_not, bool delays,
			 uint64_t now_nsec)
{
	prober->wanted = !why_not && !prober->probe;
	prober->wanted_nsec = now_nsec;
	prober->retry_wait_nsec = 0;
	prober->delays = delays;
	if (why_not)
		leave_probe(prober, why_not);
	else if (!prober->probe)
		set_reason(prober, g_strdup("the eBPF programs are not loaded yet"));
}

static void check(struct nb_prober *prober, const struct nb_prober_view *view, uint64_t now_nsec)
{
	const struct nb_snapshot *snapshot = view->loop->snapshot;

	if (snapshot && snapshot->grade != NB_GRADE_MEASURED &&
	    view->cycles > prober->opened_cycle) {
		lose(prober, now_nsec,
		     g_strdup("the eBPF programs could not be adapted to a change of devices"));
		return;
	}
	if (now_nsec < prober->checked_nsec + CHECK_NSEC)
		return;
	prober->checked_nsec = now_nsec;
	if (nb_probe_check(prober->probe) < 0)
		lose(prober, now_nsec, g_strdup("the eBPF programs stopped counting"));
	else if (now_nsec >= prober->opened_nsec + prober->retry_wait_nsec)
		prober->retry_wait_nsec = 0;
}

bool nb_prober_is_loading(const struct nb_prober *prober)
{
	return prober->loading;
}

void nb_prober_update(struct nb_prober *prober, const struct nb_prober_view *view,
		      uint64_t now_nsec)
{
	if (prober->dying) {
		bury(prober);
	} else if (prober->probe) {
		check(prober, view, now_nsec);
	} else if ((prober->wanted && is_time_to_open(prober, view, now_nsec)) ||
		   (prober->retry_nsec && now_nsec >= prober->retry_nsec)) {
		open_probe(prober, view, now_nsec);
	}
	if (prober->probe)
		nb_probe_watch_delays(prober->probe, nb_prober_watches_delays(prober, now_nsec));
}

bool nb_prober_watches_delays(const struct nb_prober *prober, uint64_t now_nsec)
{
	return prober->probe && (prober->delays || now_nsec < prober->delays_until_nsec);
}

int nb_prober_lease_delays(struct nb_prober *prober, uint64_t until_nsec)
{
	int r;

	if (!prober->probe)
		return -EOPNOTSUPP;
	r = nb_probe_watch_delays(prober->probe, true);
	if (r == 0)
		prober->delays_until_nsec = until_nsec;
	return r;
}

void nb_prober_clear(struct nb_prober *prober)
{
	g_clear_pointer(&prober->loading, nb_probe_loading_free);
	g_clear_pointer(&prober->dying, nb_probe_loading_free);
	g_clear_pointer(&prober->probe, nb_probe_free);
	g_clear_pointer(&prober->reason, g_free);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How the time of queues is known: measured while there is a probe, else estimated. */
#include "daemon/prober.h"

#include "base/delays.h"
#include "base/memory.h"
#include "nicbalance/units.h"
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
/* Two complete samples of one slice tell of a NAPI that is polled without end, and so raises no
 * interrupt, which queue it is of (sample/bind.c), if not too much comes between reading one count
 * and another: the first comes with the slice, the second ends its trial. */
#define FRESH 4u
/* Softirqs of so long tell what all of them cost. */
#define COSTING_NSEC (NB_NSEC_PER_SEC / 5)
#define DETACHED "no CPU with a queue is hot, so the eBPF programs are detached"
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
	prober->duty = (struct nb_duty){};
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
	case NB_VERDICT_COUNTING:
	case NB_VERDICT_COOLING:
	case NB_VERDICT_PLACING:
	case NB_VERDICT_BALANCING:
	case NB_VERDICT_STEERING:
	case NB_VERDICT_UNDOING:
	case NB_VERDICT_CONFIGURING:
		return true;
	case NB_VERDICT_UNKNOWN:
	case NB_VERDICT_QUIET:
	case NB_VERDICT_EVEN:
	case NB_VERDICT_HELD:
	case NB_VERDICT_DEFERRED:
	case NB_VERDICT_NO_GAIN:
	case NB_VERDICT_DELAYED:
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
	/* Whether a NAPI has followed its interrupt would be seen, and it be helped, only after. */
	if (nb_memory_is_measuring(&view->loop->memory))
		return false;
	if (view->loop->loads && !has_idle_cpu(view->loop))
		return false;
	if (now_nsec >= prober->wanted_nsec + PLACED_NSEC)
		return true;
	return !is_at_work(view) && nb_memory_is_settled(&view->loop->memory, now_nsec);
}

/* Nothing is sampled while they are loaded: a mask or table that is set for a moment would stay. */
static bool may_open(const struct nb_prober *prober, const struct nb_prober_view *view,
		     uint64_t now_nsec)
{
	if (view->hurried)
		return false;
	return (prober->wanted && is_time_to_open(prober, view, now_nsec)) ||
	       (prober->retry_nsec && now_nsec >= prober->retry_nsec);
}

static bool takes_too_long(const struct nb_prober *prober, uint64_t now_nsec)
{
	return now_nsec >= prober->loading_nsec + LOADING_SEC * NB_NSEC_PER_SEC;
}

/* Why an attempt before this one failed stays told: it may fail for the same reason. */
static void begin_loading(struct nb_prober *prober, uint64_t now_nsec)
{
	prober->loading_nsec = now_nsec;
	if (!prober->logged_estimated)
		set_reason(prober, g_strdup("the eBPF programs are being loaded"));
}

/* While the programs are being loaded it stays wanted, and each cycle polls for it. */
static void open_probe(struct nb_prober *prober, uint64_t now_nsec)
{
	g_autoptr(nb_probe) probe = NULL;
	char *reason = NULL;
	int r;

	if (!prober->loading)
		begin_loading(prober, now_nsec);
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
	prober->probe = g_steal_pointer(&probe);
	prober->opened_nsec = now_nsec;
	set_reason(prober, g_strdup(DETACHED));
}

/* --- how much of the time is measured --------------------------------------------------------- */

static struct nb_duty_view duty_view(const struct nb_prober *prober,
				     const struct nb_prober_view *view, uint64_t now_nsec)
{
	return (struct nb_duty_view){
		.now_nsec = now_nsec,
		.known = view->known,
		.n_hot = view->n_hot,
		.warm = view->warm && prober->delays_in_slices,
		.rescan_due = view->rescan_due,
		.deciding = is_at_work(view) || nb_delays_are_deciding(&view->loop->memory) ||
			    !nb_memory_is_settled(&view->loop->memory, now_nsec),
		.urgent = view->hurried,
		.everything =
			view->recording || prober->delays || now_nsec < prober->delays_until_nsec,
		.budget = prober->budget,
	};
}

static void begin_costing(struct nb_prober *prober, uint64_t now_nsec)
{
	prober->measured_nsec = now_nsec;
	prober->measured_cost_nsec = nb_probe_cost_nsec(prober->probe);
}

/* Of the time of all CPUs that are online, of which each was measured from begin to now. Rounded
 * up: 0 is unknown. */
static uint32_t cost_since(struct nb_prober *prober, const struct nb_snapshot *snapshot,
			   uint64_t now_nsec)
{
	uint64_t window_nsec = nb_growth(prober->measured_nsec, now_nsec);
	uint64_t cost_nsec =
		nb_growth(prober->measured_cost_nsec, nb_probe_cost_nsec(prober->probe));

	if (!snapshot || !nb_probe_measures(prober->probe) || window_nsec < COSTING_NSEC)
		return 0;
	begin_costing(prober, now_nsec);
	return nb_basis_points(cost_nsec, window_nsec * snapshot->machine->topology.n_cpus) + 1;
}

static void tell_measured(struct nb_prober *prober, const struct nb_duty_view *view)
{
	uint32_t share = nb_duty_share(view, prober->duty.cost);
	g_autofree char *part = NULL;

	if (share > 0 && share < NB_WHOLE)
		part = g_strdup_printf(", %u %% of the time", share / 100);
	set_reason(prober, g_strdup_printf("eBPF times softirqs, interrupts and NAPI polls (%s)%s",
					   nb_probe_flavour(prober->probe), part ? part : ""));
	if (prober->duty.cost)
		log_measured(prober);
}

/* The name of the clock that the programs read. */
static char *clock_name(const struct nb_prober *prober)
{
	g_autofree char *text = NULL;
	size_t len;

	if (nb_sysroot_read(prober->root,
			    "sys/devices/system/clocksource/clocksource0/current_clocksource",
			    &text, &len) < 0)
		return g_strdup("unknown");
	return g_strdup(g_strstrip(text));
}

static char *explain_cost(const struct nb_prober *prober)
{
	g_autofree char *clock = clock_name(prober);

	return g_strdup_printf("measuring with eBPF would take %u.%02u %% of all CPUs' time, and "
			       "ProbeBudget= allows %u.%02u %%: raise it, or use a faster clock "
			       "(clocksource %s takes %u ns to read, entering a program %u)",
			       prober->duty.cost / 100, prober->duty.cost % 100,
			       prober->budget / 100, prober->budget % 100, clock,
			       nb_probe_clock_nsec(prober->probe),
			       nb_probe_entering_nsec(prober->probe));
}

/* Its price is another each time. */
static void count_dear(struct nb_prober *prober)
{
	if (prober->logged_estimated)
		set_reason(prober, explain_cost(prober));
	else
		count(prober, explain_cost(prober));
}

static void leave_alone(struct nb_prober *prober)
{
	nb_probe_watch_delays(prober->probe, false);
	nb_probe_detach(prober->probe);
}

static void estimate(struct nb_prober *prober)
{
	nb_sampler_use_probe(prober->sampler, NULL);
	leave_alone(prober);
	if (prober->duty.dear_until_nsec)
		count_dear(prober);
	else
		set_reason(prober, g_strdup(DETACHED));
}

/* That in which programs are attached tells nothing. */
static void begin_window(struct nb_prober *prober)
{
	leave_window_out(prober);
	prober->began = true;
}

static int attach(struct nb_prober *prober, const struct nb_prober_view *view, bool estimated,
		  uint64_t now_nsec)
{
	int r = nb_probe_attach(prober->probe);

	if (r == 0 && estimated)
		r = nb_sampler_use_probe(prober->sampler, prober->probe);
	if (r < 0) {
		lose(prober, now_nsec,
		     g_strdup_printf("attaching the eBPF programs failed (%s)", strerror(-r)));
		return r;
	}
	prober->opened_cycle = view->cycles;
	prober->checked_nsec = now_nsec;
	return 0;
}

static void begin_to_measure(struct nb_prober *prober, const struct nb_prober_view *view,
			     bool estimated, uint64_t now_nsec)
{
	if (nb_probe_measures(prober->probe) || attach(prober, view, estimated, now_nsec) < 0)
		return;
	nb_probe_measure(prober->probe, true);
	prober->fresh = FRESH;
	begin_costing(prober, now_nsec);
	begin_window(prober);
}

static void adjust(struct nb_prober *prober, const struct nb_prober_view *view, uint64_t now_nsec)
{
	struct nb_duty_view how = duty_view(prober, view, now_nsec);
	enum nb_duty_stage before = prober->duty.stage;

	how.cost = cost_since(prober, view->loop->snapshot, now_nsec);
	switch (nb_duty_update(&prober->duty, &how)) {
	case NB_DUTY_DETACHED:
		if (before != NB_DUTY_DETACHED)
			estimate(prober);
		return;
	case NB_DUTY_PAUSED:
		leave_alone(prober);
		break;
	case NB_DUTY_SLICE:
	case NB_DUTY_FULL:
		begin_to_measure(prober, view, before == NB_DUTY_DETACHED, now_nsec);
		break;
	}
	if (prober->probe && prober->duty.stage != before)
		tell_measured(prober, &how);
}

bool nb_prober_is_paused(const struct nb_prober *prober)
{
	return prober->duty.stage == NB_DUTY_PAUSED;
}

bool nb_prober_is_in_use(const struct nb_prober *prober)
{
	return prober->duty.stage != NB_DUTY_DETACHED;
}

bool nb_prober_will_be_used(const struct nb_prober *prober, const struct nb_prober_view *view,
			    uint64_t now_nsec)
{
	struct nb_duty_view how = duty_view(prober, view, now_nsec);
	struct nb_duty next = prober->duty;

	return prober->probe && !nb_prober_is_in_use(prober) &&
	       nb_duty_update(&next, &how) != NB_DUTY_DETACHED;
}

uint64_t nb_prober_due_nsec(const struct nb_prober *prober)
{
	return prober->duty.stage == NB_DUTY_SLICE ? prober->duty.until_nsec : 0;
}

/* --- the configuration, and what is done in each cycle ---------------------------------------- */

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
			 uint32_t budget, uint64_t now_nsec)
{
	prober->wanted = !why_not && !prober->probe;
	prober->wanted_nsec = now_nsec;
	prober->retry_wait_nsec = 0;
	prober->delays = delays;
	prober->budget = budget;
	prober->duty.dear_until_nsec = 0;
	prober->duty.dear_wait_nsec = 0;
	if (why_not)
		leave_probe(prober, why_not);
	else if (!prober->probe)
		set_reason(prober, g_strdup("the eBPF programs are loaded as soon as the "
					    "first placement is settled and a CPU has time"));
}

static void check(struct nb_prober *prober, const struct nb_prober_view *view, uint64_t now_nsec)
{
	const struct nb_snapshot *snapshot = view->loop->snapshot;

	if (!nb_probe_measures(prober->probe))
		return;
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

/* What the last plan asks for, while the programs are attached anyway. */
static void count_buckets(struct nb_prober *prober, const struct nb_prober_view *view,
			  uint64_t now_nsec)
{
	bool measures = prober->probe && nb_probe_measures(prober->probe);
	const struct nb_plan *plan = view->loop->plan;

	if (nb_sampler_count_buckets(prober->sampler, measures && plan ? plan->count_buckets : 0,
				     now_nsec))
		begin_window(prober);
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
	} else if (prober->loading || may_open(prober, view, now_nsec)) {
		open_probe(prober, now_nsec);
	}
	if (prober->probe)
		adjust(prober, view, now_nsec);
	if (prober->probe && nb_probe_is_attached(prober->probe))
		nb_probe_watch_delays(prober->probe,
				      prober->delays_in_slices ||
					      nb_prober_watches_delays(prober, now_nsec));
	count_buckets(prober, view, now_nsec);
	nb_sampler_expect_probe(prober->sampler, prober->probe && !prober->duty.dear_until_nsec);
}

void nb_prober_begin(struct nb_prober *prober, uint64_t late_nsec)
{
	prober->began = false;
	prober->measured_nsec += late_nsec;
	nb_duty_put_off(&prober->duty, late_nsec);
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

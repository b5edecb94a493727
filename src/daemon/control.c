/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "daemon/daemon.h"

#include "base/memory.h"
#include "nicbalance/units.h"
#include "publish/journal.h"
#include "publish/message_ids.h"

#include <errno.h>
#include <string.h>
#include <sys/resource.h>
#include <systemd/sd-daemon.h>
#include <time.h>

bool nb_daemon_acts(const struct nb_daemon *daemon)
{
	return !daemon->paused && daemon->config->mode == NB_MODE_BALANCE;
}

/* Queues that observe mode or a pause left alone are judged again once changes are made. */
static void begin_acting(struct nb_daemon *daemon, bool acted)
{
	daemon->settled = false;
	if (nb_daemon_acts(daemon) && !acted)
		nb_memory_refresh(&daemon->loop.memory);
}

void nb_daemon_set_prober(struct nb_daemon *daemon, uint64_t now_nsec)
{
	const struct nb_config *config = daemon->config;
	const char *why_not = NULL;

	if (!config->probe)
		why_not = "the configuration says Probe=no";
	else if (!nb_sysroot_is_host(daemon->root))
		why_not = "a captured machine cannot be timed";
	daemon->prober.delays_in_slices = config->policy.delay_max_nsec > 0;
	nb_prober_configure(&daemon->prober, why_not, config->delays, config->probe_budget,
			    now_nsec);
}

static int swap_config(struct nb_daemon *daemon, uint64_t now_nsec, char **ret_error)
{
	g_autoptr(nb_config) config = NULL;
	bool acted = nb_daemon_acts(daemon);
	int r;

	r = nb_config_load(daemon->root, daemon->options->config_file, &config, ret_error);
	if (r < 0)
		return r;
	nb_sampler_set_rules(daemon->sampler, &config->devices);
	nb_sampler_want_device_irqs(daemon->sampler, config->device_interrupts);
	nb_sampler_want_virtuals(daemon->sampler, config->policy.rps_virtual);
	if (acted && config->mode != NB_MODE_BALANCE)
		nb_daemon_withdraw(daemon);
	nb_config_free(daemon->config);
	daemon->config = g_steal_pointer(&config);
	nb_daemon_adopt_irqbalance(daemon);
	nb_daemon_adopt_profile(daemon);
	daemon->config->policy.claims = &daemon->claims;
	daemon->rescan_wanted = true;
	nb_daemon_set_prober(daemon, now_nsec);
	begin_acting(daemon, acted);
	return 0;
}

int nb_daemon_reload(struct nb_daemon *daemon, uint64_t now_nsec, char **ret_error)
{
	g_autofree char *error = NULL;
	int r;

	sd_notifyf(false, "RELOADING=1\nMONOTONIC_USEC=%" PRId64, g_get_monotonic_time());
	r = swap_config(daemon, now_nsec, &error);
	if (r < 0)
		nb_journal_say(LOG_ERR, NB_MESSAGE_CONFIGURATION_REFUSED,
			       "Configuration refused; the previous one stays in use:\n%s", error);
	else
		nb_journal_say(LOG_NOTICE, NB_MESSAGE_CONFIGURATION_RELOADED,
			       "Configuration reloaded");
	nb_report_change(daemon);
	sd_notify(false, "READY=1");
	if (r < 0 && ret_error)
		*ret_error = g_steal_pointer(&error);
	return r;
}

int nb_daemon_set_paused(struct nb_daemon *daemon, bool paused)
{
	bool acted = nb_daemon_acts(daemon);

	if (daemon->paused == paused)
		return 0;
	if (acted)
		nb_daemon_withdraw(daemon);
	daemon->paused = paused;
	begin_acting(daemon, acted);
	nb_journal_say(LOG_NOTICE, NULL, "%s",
		       paused ? "Paused by request; nothing is changed until resumed"
			      : "Resumed by request");
	return 0;
}

/* Restoring pauses, or the next cycle would undo it. */
int nb_daemon_restore(struct nb_daemon *daemon, unsigned *ret_n_restored)
{
	g_autoptr(GArray) restored = g_array_new(FALSE, FALSE, sizeof(struct nb_restored));
	int r;

	nb_daemon_set_paused(daemon, true);
	r = nb_applier_restore(daemon->applier, restored);
	if (daemon->loop.snapshot)
		nb_report_restored(daemon, restored);
	/* What was ours no longer is, and was not changed by another program either. */
	nb_memory_forget_moves(&daemon->loop.memory);
	daemon->rescan_wanted = true;
	*ret_n_restored = restored->len;
	return r;
}

static uint64_t nsec_of(struct timeval time)
{
	return (uint64_t)time.tv_sec * NB_NSEC_PER_SEC + (uint64_t)time.tv_usec * NB_NSEC_PER_USEC;
}

/* Of this process and of the one that loaded the eBPF programs. */
static uint64_t cpu_time_nsec(void)
{
	struct timespec spent;
	struct rusage children;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &spent);
	getrusage(RUSAGE_CHILDREN, &children);
	return (uint64_t)spent.tv_sec * NB_NSEC_PER_SEC + (uint64_t)spent.tv_nsec +
	       nsec_of(children.ru_utime) + nsec_of(children.ru_stime);
}

/* The start takes until the eBPF programs are loaded or refused. */
void nb_daemon_mark_cost(struct nb_daemon *daemon, uint64_t now_nsec)
{
	bool starting = daemon->cost.n_marks == 0 &&
			(daemon->prober.wanted || nb_prober_is_loading(&daemon->prober));

	if (!starting && nb_cost_is_due(&daemon->cost, now_nsec))
		nb_cost_mark(&daemon->cost, now_nsec, cpu_time_nsec());
}

static void set_cost(const struct nb_daemon *daemon, struct nb_status *status)
{
	uint64_t spent_nsec = cpu_time_nsec();
	struct nb_cost_mark recent =
		nb_cost_recent(&daemon->cost, nb_daemon_now_nsec(), spent_nsec);

	status->cpu_time_nsec = spent_nsec;
	status->start_cpu_time_nsec =
		daemon->cost.n_marks > 0 ? daemon->cost.start_nsec : spent_nsec;
	status->recent_cpu_time_nsec = recent.spent_nsec;
	status->recent_nsec = recent.now_nsec;
}

/* The last sample is old while idle checks pass; clients get a new one. */
static void cycle_if_idle(struct nb_daemon *daemon)
{
	uint64_t now_nsec = nb_daemon_now_nsec();

	if (!daemon->idle || nb_prober_is_loading(&daemon->prober) ||
	    nb_prober_is_paused(&daemon->prober) ||
	    now_nsec < daemon->loop.snapshot->taken_nsec + daemon->config->interval_nsec)
		return;
	nb_daemon_cycle(daemon, now_nsec);
	nb_report_change(daemon);
}

static const char *banned_by(const struct nb_config *config)
{
	int row = nb_config_find("Balance", "BannedCPUs");

	return row < 0 ? NULL : g_ptr_array_index(config->origins, (unsigned)row);
}

static void get_status(void *userdata, struct nb_status *ret)
{
	struct nb_daemon *daemon = userdata;

	cycle_if_idle(daemon);
	*ret = (struct nb_status){
		.mode = daemon->config->mode,
		.paused = daemon->paused,
		.started_realtime_usec = daemon->started_realtime_usec,
		.cycles = daemon->cycles,
		.probe_cost_nsec = nb_prober_cost_nsec(&daemon->prober),
		.grade_reason = daemon->prober.reason,
		.policy = &daemon->config->policy,
		.banned_by = banned_by(daemon->config),
		.snapshot = daemon->loop.snapshot,
		.loads = daemon->loop.loads,
		.plan = daemon->loop.plan,
		.memory = &daemon->loop.memory,
	};
	set_cost(daemon, ret);
	ret->orders = (const struct nb_order *)(const void *)daemon->orders->rows->data;
	ret->n_orders = daemon->orders->rows->len;
	ret->excluded_cpus =
		(const struct nb_excluded_cpu *)(const void *)daemon->intrusions.cpus->data;
	ret->n_excluded_cpus = daemon->intrusions.cpus->len;
	ret->intrusions = (const struct nb_intrusion *)(const void *)daemon->intrusions.rows->data;
	ret->n_intrusions = daemon->intrusions.rows->len;
	ret->history = nb_history_records(daemon->history, &ret->n_history);
}

static const struct nb_config *get_config(void *userdata)
{
	return ((struct nb_daemon *)userdata)->config;
}

static int set_paused(void *userdata, bool paused, char **ret_error)
{
	(void)ret_error;
	return nb_daemon_set_paused(userdata, paused);
}

static int restore(void *userdata, unsigned *ret_n_restored, char **ret_error)
{
	int r = nb_daemon_restore(userdata, ret_n_restored);

	if (r < 0)
		*ret_error = g_strdup("Failed to restore some values; the journal names them. "
				      "Try again.");
	return r;
}

static int reload(void *userdata, char **ret_error)
{
	return nb_daemon_reload(userdata, nb_daemon_now_nsec(), ret_error);
}

static void get_delays(void *userdata, GArray *rows)
{
	const struct nb_daemon *daemon = userdata;
	const struct nb_snapshot *snapshot = daemon->loop.snapshot;
	const struct nb_probe_delays *delays;

	if (!nb_prober_watches_delays(&daemon->prober, nb_daemon_now_nsec()))
		return;
	delays = nb_probe_delays(daemon->prober.probe);
	for (unsigned i = 0; delays && snapshot && i < snapshot->n_cpus; i++) {
		struct nb_delays row = {.cpu = snapshot->cpus[i].id};

		memcpy(row.counts, delays[row.cpu].counts, sizeof(row.counts));
		g_array_append_val(rows, row);
	}
}

/* The lease begins now; the first cycle after its end switches off. */
static int watch_delays(void *userdata, char **ret_error)
{
	struct nb_daemon *daemon = userdata;
	int r;

	r = nb_prober_lease_delays(&daemon->prober,
				   nb_daemon_now_nsec() + NB_BUS_WATCH_SEC * NB_NSEC_PER_SEC);
	if (r == -EOPNOTSUPP)
		*ret_error = g_strdup_printf("Measuring latency needs eBPF, but loads are "
					     "estimated: %s.",
					     daemon->prober.reason);
	return r;
}

static void record(void *userdata, uint64_t cursor, struct nb_recorded *ret)
{
	struct nb_daemon *daemon = userdata;

	/* Or the first window of a recording would have begun long before it. */
	cycle_if_idle(daemon);
	nb_recorder_read(daemon->recorder, cursor, nb_daemon_now_nsec(), ret);
}

static int order(void *userdata, const struct nb_order_request *wanted, uint64_t *ret_id,
		 char **ret_remains, struct nb_refusal *ret_refusal)
{
	return nb_daemon_order(userdata, wanted, nb_daemon_now_nsec(), ret_id, ret_remains,
			       ret_refusal);
}

static int unban(void *userdata, const char *cpus, const char *owner,
		 struct nb_refusal *ret_refusal)
{
	return nb_daemon_unban(userdata, cpus, owner, nb_daemon_now_nsec(), ret_refusal);
}

static int release(void *userdata, const char *what, const char *owner, unsigned *ret_n,
		   struct nb_refusal *ret_refusal)
{
	return nb_daemon_release(userdata, what, owner, nb_daemon_now_nsec(), ret_n, ret_refusal);
}

static void end_orders(void *userdata, const char *connection)
{
	nb_daemon_end_orders(userdata, connection);
}

static char *describe_owners(void *userdata)
{
	return nb_daemon_describe_owners(userdata);
}

const struct nb_handlers nb_daemon_handlers = {
	.get_status = get_status,
	.get_config = get_config,
	.set_paused = set_paused,
	.restore = restore,
	.reload = reload,
	.watch_delays = watch_delays,
	.get_delays = get_delays,
	.order = order,
	.unban = unban,
	.release = release,
	.end_orders = end_orders,
	.describe_owners = describe_owners,
	.record = record,
};

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "daemon/daemon.h"

#include "nicbalance/units.h"
#include "publish/journal.h"
#include "publish/message_ids.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <systemd/sd-daemon.h>
#include <time.h>

#define USEC_PER_MSEC UINT64_C(1000)

/* The first window: short, so that a collapsed placement is corrected soon after the start,
 * whatever the interval. In a much shorter one, the start of this daemon would look like an
 * application. */
#define FIRST_WINDOW_USEC (600 * USEC_PER_MSEC)
/* A change of channels or links is a burst of messages: one rescan after them is enough. */
#define SETTLE_USEC (200 * USEC_PER_MSEC)
/* What others order is obeyed within two seconds, whatever the interval. */
#define LOOK_USEC (1000 * USEC_PER_MSEC)

uint64_t nb_daemon_now_nsec(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * NB_NSEC_PER_SEC + (uint64_t)now.tv_nsec;
}

/* Has the next tick then at the latest. */
static void tick_by(struct nb_daemon *daemon, uint64_t usec)
{
	uint64_t due_usec;

	if (sd_event_source_get_time(daemon->timer, &due_usec) >= 0 && due_usec > usec)
		sd_event_source_set_time(daemon->timer, usec);
}

/* Has the next tick as soon as a rescan is allowed instead of after the interval. */
static void hasten(struct nb_daemon *daemon)
{
	uint64_t now_usec;

	if (sd_event_now(daemon->event, CLOCK_MONOTONIC, &now_usec) >= 0)
		tick_by(daemon, MAX(now_usec + SETTLE_USEC,
				    nb_daemon_rescan_due_nsec(daemon) / NB_NSEC_PER_USEC + 1));
}

void nb_daemon_keep_time(struct nb_daemon *daemon)
{
	if (daemon->timer && daemon->again_nsec > 0)
		tick_by(daemon, (daemon->loop.snapshot->taken_nsec + daemon->again_nsec) /
					NB_NSEC_PER_USEC);
}

/* Unless the next tick comes first. */
static int look_before(struct nb_daemon *daemon, uint64_t tick_usec, uint64_t now_usec)
{
	int r;

	if (tick_usec <= now_usec + LOOK_USEC)
		return 0;
	r = sd_event_source_set_time(daemon->look_timer, now_usec + LOOK_USEC);
	return r < 0 ? r : sd_event_source_set_enabled(daemon->look_timer, SD_EVENT_ONESHOT);
}

static int on_look(sd_event_source *source, uint64_t due_usec, void *userdata)
{
	struct nb_daemon *daemon = userdata;
	uint64_t tick_usec;
	int r;

	(void)source;
	nb_daemon_look(daemon, nb_daemon_now_nsec());
	r = sd_event_source_get_time(daemon->timer, &tick_usec);
	return r < 0 ? r : look_before(daemon, tick_usec, due_usec);
}

static int on_timer(sd_event_source *timer, uint64_t due_usec, void *userdata)
{
	struct nb_daemon *daemon = userdata;
	uint64_t interval_usec = daemon->config->interval_nsec / NB_NSEC_PER_USEC;
	uint64_t slice_nsec, now_usec;
	int r;

	nb_daemon_tick(daemon, nb_daemon_now_nsec());
	if (daemon->cycles == 1)
		interval_usec = MIN(interval_usec, FIRST_WINDOW_USEC);
	if (daemon->again_nsec > 0)
		interval_usec = MIN(interval_usec, daemon->again_nsec / NB_NSEC_PER_USEC);

	/* In step with the interval; cycles missed while the host was suspended are left out. */
	r = sd_event_now(sd_event_source_get_event(timer), CLOCK_MONOTONIC, &now_usec);
	if (r < 0)
		return r;
	due_usec += interval_usec;
	slice_nsec = nb_prober_due_nsec(&daemon->prober);
	if (slice_nsec > 0)
		due_usec = MIN(due_usec, slice_nsec / NB_NSEC_PER_USEC + 1);
	due_usec = MAX(due_usec, now_usec);
	r = look_before(daemon, due_usec, now_usec);
	if (r < 0)
		return r;
	r = sd_event_source_set_time(timer, due_usec);
	if (daemon->change_noticed &&
	    nb_daemon_rescan_due_nsec(daemon) > now_usec * NB_NSEC_PER_USEC)
		hasten(daemon);
	return r < 0 ? r : sd_event_source_set_enabled(timer, SD_EVENT_ONESHOT);
}

static void on_notice(enum nb_notice notice, int ifindex, void *userdata)
{
	struct nb_daemon *daemon = userdata;

	(void)notice;
	(void)ifindex;
	daemon->change_noticed = true;
	hasten(daemon);
}

static int on_monitor(sd_event_source *source, int fd, uint32_t revents, void *userdata)
{
	struct nb_daemon *daemon = userdata;
	int r;

	(void)source;
	(void)fd;
	(void)revents;
	r = nb_netlink_monitor_dispatch(daemon->monitor);
	if (r < 0)
		nb_journal_say(LOG_WARNING, NULL,
			       "Failed to read link and queue notifications (%s); periodic rescans "
			       "continue",
			       strerror(-r));
	return 0;
}

static int watch_changes(struct nb_daemon *daemon)
{
	int fds[NB_NETLINK_MONITOR_FDS];
	unsigned n_fds;
	int r;

	if (!daemon->netlink)
		return 0;
	r = nb_netlink_monitor_new(on_notice, daemon, &daemon->monitor);
	if (r < 0)
		return r;
	n_fds = nb_netlink_monitor_fds(daemon->monitor, fds);
	for (unsigned i = 0; i < n_fds; i++) {
		r = sd_event_add_io(daemon->event, NULL, fds[i], EPOLLIN, on_monitor, daemon);
		if (r < 0)
			return r;
	}
	return 0;
}

static int on_hangup(sd_event_source *source, const struct signalfd_siginfo *info, void *userdata)
{
	(void)source;
	(void)info;
	nb_daemon_reload(userdata, nb_daemon_now_nsec(), NULL);
	return 0;
}

/* Without a handler sd-event leaves the loop on the signal. */
static int watch_signals(struct nb_daemon *daemon)
{
	sigset_t signals;
	int r;

	sigemptyset(&signals);
	sigaddset(&signals, SIGHUP);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGTERM);
	if (sigprocmask(SIG_BLOCK, &signals, NULL) < 0)
		return -errno;
	r = sd_event_add_signal(daemon->event, NULL, SIGHUP, on_hangup, daemon);
	if (r < 0)
		return r;
	r = sd_event_add_signal(daemon->event, NULL, SIGINT, NULL, NULL);
	if (r < 0)
		return r;
	r = sd_event_add_signal(daemon->event, NULL, SIGTERM, NULL, NULL);
	return r < 0 ? r : sd_event_set_watchdog(daemon->event, true);
}

static int say_unserved(const char *path, int error)
{
	nb_journal_say(LOG_ERR, NULL, "Failed to listen on %s: %s", path, strerror(-error));
	return error;
}

/* Beside the socket of the bus. */
static int serve_varlink(struct nb_daemon *daemon)
{
	g_autofree char *dir = g_path_get_dirname(daemon->options->socket_path);
	g_autofree char *path = g_build_filename(dir, NB_VARLINK_INTERFACE, NULL);

	int r = nb_varlink_new(daemon->event, path, &nb_daemon_handlers, daemon, &daemon->varlink);

	return r < 0 ? say_unserved(path, r) : 0;
}

static int serve(struct nb_daemon *daemon)
{
	const struct nb_options *options = daemon->options;
	int r;

	r = nb_bus_new(daemon->event, options->socket_path,
		       !options->no_system_bus && nb_sysroot_is_host(daemon->root),
		       &nb_daemon_handlers, daemon, &daemon->bus);
	return r < 0 ? say_unserved(options->socket_path, r) : serve_varlink(daemon);
}

static int set_up(struct nb_daemon *daemon)
{
	int r;

	r = watch_signals(daemon);
	if (r < 0)
		return r;
	r = watch_changes(daemon);
	if (r < 0)
		return r;
	r = serve(daemon);
	if (r < 0)
		return r;
	r = sd_event_add_time_relative(daemon->event, &daemon->timer, CLOCK_MONOTONIC, 0,
				       USEC_PER_MSEC, on_timer, daemon);
	if (r < 0)
		return r;
	/* Else a client or a link event that waits already would come before the first cycle. */
	r = sd_event_source_set_priority(daemon->timer, SD_EVENT_PRIORITY_IMPORTANT);
	if (r < 0)
		return r;
	r = sd_event_add_time_relative(daemon->event, &daemon->look_timer, CLOCK_MONOTONIC, 0,
				       USEC_PER_MSEC, on_look, daemon);
	return r < 0 ? r : sd_event_source_set_enabled(daemon->look_timer, SD_EVENT_OFF);
}

/* No second CPU can come online. READY was sent, or systemd would take the exit for a failure. */
static bool has_one_cpu(const struct nb_daemon *daemon)
{
	if (!daemon->loop.snapshot || daemon->loop.snapshot->machine->topology.n_possible > 1)
		return false;
	nb_journal_say(LOG_NOTICE, NB_MESSAGE_ONE_CPU,
		       "This host has one CPU only, nothing to balance; exiting");
	return true;
}

int nb_daemon_run(struct nb_daemon *daemon)
{
	int r;

	nb_sampler_use_clock(daemon->sampler, nb_daemon_now_nsec);
	r = set_up(daemon);
	if (r < 0) {
		nb_journal_say(LOG_ERR, NULL, "Failed to start: %s", strerror(-r));
		return r;
	}
	/* The first cycle comes before READY, which so means that this host can be sampled. */
	r = sd_event_run(daemon->event, UINT64_MAX);
	if (r < 0)
		return r;
	sd_notify(false, "READY=1");
	if (has_one_cpu(daemon))
		return 0;
	return sd_event_loop(daemon->event);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What wakes the daemon, in its own event loop: the timer, notices, signals, the watchdog. */
#include "base/memory.h"
#include "daemon/fixture.h"

#include <errno.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/* After that a test has failed. */
#define DEADLINE_USEC (20 * G_USEC_PER_SEC)
#define LAB0 2 /* number of the only NIC */

/* In place of the kernel's: each write to fd is a change of a link. */
struct nb_netlink_monitor {
	nb_netlink_notify notify;
	void *userdata;
	int fd;
	unsigned n_told;
	int result; /* of the next dispatch */
};

static struct nb_netlink_monitor monitor;

int nb_netlink_monitor_new(nb_netlink_notify change, void *userdata,
			   struct nb_netlink_monitor **ret)
{
	monitor = (struct nb_netlink_monitor){
		.notify = change, .userdata = userdata, .fd = eventfd(0, EFD_CLOEXEC)};
	*ret = &monitor;
	return 0;
}

void nb_netlink_monitor_free(struct nb_netlink_monitor *opened)
{
	if (opened)
		close(opened->fd);
}

unsigned nb_netlink_monitor_fds(const struct nb_netlink_monitor *opened,
				int fds[NB_NETLINK_MONITOR_FDS])
{
	fds[0] = opened->fd;
	return 1;
}

int nb_netlink_monitor_dispatch(struct nb_netlink_monitor *opened)
{
	int r = opened->result;
	uint64_t n;

	assert_int_equal(read(opened->fd, &n, sizeof(n)), sizeof(n));
	opened->result = 0;
	opened->n_told++;
	if (r == 0)
		opened->notify(NB_NOTICE_LINK, 2, opened->userdata);
	return r;
}

static void change_link(void)
{
	const uint64_t one = 1;

	assert_int_equal(write(monitor.fd, &one, sizeof(one)), sizeof(one));
}

/* Called after each event; true when the test has seen all it waits for. */
typedef bool (*watch_fn)(struct fixture *f);

struct watch {
	struct fixture *f;
	watch_fn is_done;
};

static int after_event(sd_event_source *source, void *userdata)
{
	struct watch *watch = userdata;

	if (watch->is_done(watch->f))
		return sd_event_exit(sd_event_source_get_event(source), 0);
	return 0;
}

static int run_until(struct fixture *f, watch_fn is_done)
{
	struct watch watch = {.f = f, .is_done = is_done};
	sd_event *event = f->daemon->event;

	assert_true(sd_event_add_post(event, NULL, after_event, &watch) >= 0);
	assert_true(sd_event_add_time_relative(event, NULL, CLOCK_MONOTONIC, DEADLINE_USEC, 0, NULL,
					       (void *)(intptr_t)-ETIMEDOUT) >= 0);
	return nb_daemon_run(f->daemon);
}

/* Where nothing happens the daemon looks once a minute, which is longer than any test waits. */
static int set_up(void **state)
{
	struct fixture *f;
	int r = set_up_machine(
		state, "[Daemon]\nIntervalSec=1min\nCompleteSampleSec=1min\nMode=observe\n");

	if (r < 0)
		return r;
	f = *state;
	f->options.socket_path = g_build_filename(f->dir, "bus", NULL);
	r = start_daemon(f);
	return r < 0 ? r : nb_netlink_new_ethtool(&f->daemon->netlink);
}

static int tear_down_events(void **state)
{
	struct fixture *f = *state;

	g_clear_pointer(&f->options.socket_path, g_free);
	return tear_down(state);
}

/* As one that is no longer in its first window. */
static void grow_old(struct fixture *f)
{
	f->daemon->cycles = 10;
}

static bool has_looked_twice(struct fixture *f)
{
	if (f->daemon->cycles == 1)
		f->now_nsec = f->daemon->loop.snapshot->taken_nsec;
	return f->daemon->cycles == 2;
}

static void the_first_window_is_short_whatever_the_interval(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(run_until(f, has_looked_twice), 0);
	assert_true(f->daemon->loop.snapshot->taken_nsec - f->now_nsec >= NB_NSEC_PER_SEC / 2);
}

static bool has_looked(struct fixture *f)
{
	return f->daemon->cycles > 0;
}

/* By the clock that brought the tick. */
static void the_time_of_a_rescan_is_measured(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(run_until(f, has_looked), 0);
	assert_in_range(nb_sampler_rescan_nsec(f->daemon->sampler), 1,
			DEADLINE_USEC * NB_NSEC_PER_USEC);
}

/* As an order does. A queue whose NIC spares it is brought back by the next cycles. */
static void look_between_ticks(struct fixture *f)
{
	struct nb_rss_memory *rss = nb_memory_get_rss(&f->daemon->loop.memory, LAB0);

	nb_cpumask_add(&rss->queues, 0);
	nb_daemon_cycle(f->daemon, nb_daemon_now_nsec());
}

static bool has_looked_again(struct fixture *f)
{
	if (f->daemon->cycles == 11)
		look_between_ticks(f);
	return f->daemon->cycles > 12;
}

/* A table limited for a moment would stay so for a minute. */
static void what_a_look_between_ticks_began_goes_on_soon(void **state)
{
	struct fixture *f = *state;

	grow_old(f);
	assert_int_equal(run_until(f, has_looked_again), 0);
}

/* Five changes, one after the other. */
static bool has_rescanned_after_a_burst(struct fixture *f)
{
	if (f->daemon->cycles == 11 && monitor.n_told < 5) {
		if (monitor.n_told == 0) {
			f->now_nsec = nb_daemon_now_nsec();
			/* Long ago: it asks for no wait. */
			f->daemon->rescanned_nsec = 0;
		}
		change_link();
	}
	return f->daemon->cycles > 11;
}

static void a_burst_of_link_events_brings_one_rescan_soon(void **state)
{
	struct fixture *f = *state;

	grow_old(f);
	assert_int_equal(run_until(f, has_rescanned_after_a_burst), 0);
	/* 200 ms after the first of them, as the event loop reckons. */
	assert_true(f->daemon->rescanned_nsec >= f->now_nsec + NB_NSEC_PER_SEC / 10);
	assert_false(f->daemon->rescan_wanted);
}

static bool has_rescanned_after_a_failure(struct fixture *f)
{
	if (f->daemon->cycles == 11 && monitor.n_told < 2) {
		monitor.result = monitor.n_told == 0 ? -EIO : 0;
		change_link();
	}
	return f->daemon->cycles > 11;
}

static void a_notice_that_cannot_be_read_ends_nothing(void **state)
{
	struct fixture *f = *state;

	grow_old(f);
	assert_int_equal(run_until(f, has_rescanned_after_a_failure), 0);
	assert_int_equal(monitor.n_told, 2);
}

static bool has_reloaded(struct fixture *f)
{
	if (f->now_nsec != 0) {
		configure(f, "[Daemon]\nIntervalSec=1min\nCompleteSampleSec=1min\nMode=balance\n");
		assert_int_equal(kill(getpid(), SIGHUP), 0);
		f->now_nsec = 0;
	}
	return f->daemon->config->mode == NB_MODE_BALANCE;
}

static void sighup_reloads(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(f->daemon->config->mode, NB_MODE_OBSERVE);
	assert_int_equal(run_until(f, has_reloaded), 0);
}

static bool asks_to_end(struct fixture *f)
{
	if (f->now_nsec != 0)
		assert_int_equal(kill(getpid(), SIGTERM), 0);
	f->now_nsec = 0;
	return false;
}

static void sigterm_ends_it_well(void **state)
{
	assert_int_equal(run_until(*state, asks_to_end), 0);
}

/* --- what systemd is told */

static struct {
	int fd;
	GPtrArray *said;
} manager;

static int set_up_manager(void **state)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	struct fixture *f;
	int r = set_up(state);

	if (r < 0)
		return r;
	f = *state;
	g_snprintf(address.sun_path, sizeof(address.sun_path), "%s/notify", f->dir);
	manager.said = g_ptr_array_new_with_free_func(g_free);
	manager.fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (bind(manager.fd, (struct sockaddr *)&address, sizeof(address)) < 0)
		return -errno;
	g_setenv("NOTIFY_SOCKET", address.sun_path, true);
	g_setenv("WATCHDOG_USEC", "400000", true);
	g_unsetenv("WATCHDOG_PID");
	return 0;
}

static int tear_down_manager(void **state)
{
	g_unsetenv("NOTIFY_SOCKET");
	g_unsetenv("WATCHDOG_USEC");
	close(manager.fd);
	g_ptr_array_unref(manager.said);
	return tear_down_events(state);
}

static int on_said(sd_event_source *source, int fd, uint32_t revents, void *userdata)
{
	char text[512];
	ssize_t n = recv(fd, text, sizeof(text) - 1, 0);

	(void)source;
	(void)revents;
	(void)userdata;
	assert_true(n > 0);
	text[n] = '\0';
	g_ptr_array_add(manager.said, g_strdup(text));
	return 0;
}

/* Where something that begins so was said for the first time; -1: never. */
static int find_said(const char *begin)
{
	for (unsigned i = 0; i < manager.said->len; i++)
		if (g_str_has_prefix(manager.said->pdata[i], begin))
			return (int)i;
	return -1;
}

static unsigned n_pings(void)
{
	unsigned n = 0;

	for (unsigned i = 0; i < manager.said->len; i++)
		n += strcmp(manager.said->pdata[i], "WATCHDOG=1") == 0;
	return n;
}

/* Oftener than at the start and before the first rescan. */
static bool has_pinged_again(struct fixture *f)
{
	(void)f;
	return n_pings() >= 4;
}

static void listen_to(struct fixture *f)
{
	assert_true(sd_event_add_io(f->daemon->event, NULL, manager.fd, EPOLLIN, on_said, f) >= 0);
}

/* Between two looks, which come once a minute. */
static void the_watchdog_is_told_again_and_again(void **state)
{
	struct fixture *f = *state;

	listen_to(f);
	grow_old(f);
	assert_int_equal(run_until(f, has_pinged_again), 0);
	assert_int_equal(f->daemon->cycles, 11);
}

static bool is_ready(struct fixture *f)
{
	(void)f;
	return find_said("READY=1") >= 0;
}

static void it_is_ready_when_it_has_looked(void **state)
{
	struct fixture *f = *state;

	listen_to(f);
	assert_int_equal(run_until(f, is_ready), 0);
	/* The status is that of the first look. */
	assert_true(find_said("STATUS=Observing 8 queues of 1 interfaces: ") >= 0);
	assert_true(find_said("STATUS=") < find_said("READY=1"));
}

/* The event loop would be late with its own. */
static void the_watchdog_is_told_before_a_rescan(void **state)
{
	struct fixture *f = *state;

	g_setenv("WATCHDOG_USEC", "60000000", true);
	listen_to(f);
	assert_int_equal(run_until(f, is_ready), 0);
	assert_int_equal(n_pings(), 2);
	assert_true(find_said("WATCHDOG=1") < find_said("STATUS="));
}

/* Where it was said for the last time. */
static int find_last_said(const char *begin)
{
	for (unsigned i = manager.said->len; i > 0; i--)
		if (g_str_has_prefix(manager.said->pdata[i - 1], begin))
			return (int)i - 1;
	return -1;
}

static bool is_ready_again(struct fixture *f)
{
	if (!is_ready(f))
		return false;
	if (f->now_nsec != 0)
		assert_int_equal(kill(getpid(), SIGHUP), 0);
	f->now_nsec = 0;
	return find_said("RELOADING=1") >= 0 && find_last_said("READY=1") > find_said("READY=1");
}

static void a_reload_begins_and_ends_for_systemd(void **state)
{
	struct fixture *f = *state;

	listen_to(f);
	assert_int_equal(run_until(f, is_ready_again), 0);
	assert_non_null(strstr(manager.said->pdata[find_said("RELOADING=1")], "\nMONOTONIC_USEC="));
	assert_true(find_said("RELOADING=1") < find_last_said("READY=1"));
}

#define IN_LOOP(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down_events)
#define NOTIFYING(test) cmocka_unit_test_setup_teardown(test, set_up_manager, tear_down_manager)

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_LOOP(the_first_window_is_short_whatever_the_interval),
		IN_LOOP(the_time_of_a_rescan_is_measured),
		IN_LOOP(what_a_look_between_ticks_began_goes_on_soon),
		IN_LOOP(a_burst_of_link_events_brings_one_rescan_soon),
		IN_LOOP(a_notice_that_cannot_be_read_ends_nothing),
		IN_LOOP(sighup_reloads),
		IN_LOOP(sigterm_ends_it_well),
		NOTIFYING(the_watchdog_is_told_again_and_again),
		NOTIFYING(the_watchdog_is_told_before_a_rescan),
		NOTIFYING(it_is_ready_when_it_has_looked),
		NOTIFYING(a_reload_begins_and_ends_for_systemd),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

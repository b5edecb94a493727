/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The grade while programs are loaded, by a module of this test's own, which hangs. */
#include "daemon/daemon.h"
#include "publish/journal.h"
#include "support/support.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/wait.h>

#define TOO_LONG "loading the eBPF programs took longer than 15 s"

static uint64_t now_nsec;
/* Of this test's journal, in place of the daemon's. */
static unsigned n_notices;

void nb_journal_say(int priority, const char *message_id, const char *format, ...)
{
	(void)message_id;
	(void)format;
	n_notices += priority == LOG_NOTICE;
}

static int setup(void **state)
{
	const struct nb_device_rules rules = {};
	nb_daemon *daemon = g_new0(nb_daemon, 1);

	now_nsec = 1000 * NB_NSEC_PER_SEC;
	n_notices = 0;
	unsetenv("NB_LOADER_REFUSES");
	daemon->config = g_new0(struct nb_config, 1);
	daemon->config->probe = true;
	daemon->cycles = 2;
	*state = daemon;
	if (nb_sysroot_open(NULL, &daemon->root) < 0 ||
	    nb_sampler_new(daemon->root, NULL, &rules, &daemon->sampler) < 0)
		return -1;
	nb_grade_configure(daemon, now_nsec);
	return 0;
}

static int teardown(void **state)
{
	nb_daemon *daemon = *state;

	nb_probe_loading_free(daemon->probe_loading);
	nb_probe_loading_free(daemon->probe_dying);
	nb_sampler_free(daemon->sampler);
	nb_sysroot_free(daemon->root);
	g_free(daemon->config);
	g_free(daemon->grade_reason);
	g_free(daemon);
	return 0;
}

static void pass(nb_daemon *daemon, uint64_t sec)
{
	now_nsec += sec * NB_NSEC_PER_SEC;
	nb_grade_update(daemon, now_nsec);
}

static void hang(nb_daemon *daemon)
{
	pass(daemon, 0);
	assert_true(nb_grade_is_loading(daemon));
	pass(daemon, 15);
	assert_false(nb_grade_is_loading(daemon));
}

/* Until it can be reaped. */
static void await_child(void)
{
	siginfo_t info;

	assert_int_equal(waitid(P_ALL, 0, &info, WEXITED | WNOWAIT), 0);
}

static void assert_no_child(void)
{
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
}

static void loading_is_waited_for(void **state)
{
	nb_daemon *daemon = *state;

	pass(daemon, 0);
	pass(daemon, 14);
	assert_true(nb_grade_is_loading(daemon));
	assert_string_equal(daemon->grade_reason, "eBPF is yet to be started");
	assert_int_equal(n_notices, 0);
}

static void a_loader_that_hangs_is_given_up_with_a_reason(void **state)
{
	nb_daemon *daemon = *state;

	hang(daemon);
	assert_string_equal(daemon->grade_reason, TOO_LONG);
	assert_int_equal(n_notices, 1);
	pass(daemon, 1);
	assert_string_equal(daemon->grade_reason, TOO_LONG);
	assert_int_equal(n_notices, 1);
}

static void a_loader_that_hangs_is_killed_and_reaped(void **state)
{
	nb_daemon *daemon = *state;

	hang(daemon);
	await_child();
	pass(daemon, 1);
	assert_no_child();
	assert_null(daemon->probe_dying);
}

static void a_loader_that_hung_is_tried_again_and_told_once(void **state)
{
	nb_daemon *daemon = *state;

	hang(daemon);
	await_child();
	pass(daemon, 1);
	pass(daemon, 58);
	assert_false(nb_grade_is_loading(daemon));
	pass(daemon, 1);
	assert_true(nb_grade_is_loading(daemon));
	pass(daemon, 15);
	assert_string_equal(daemon->grade_reason, TOO_LONG);
	assert_int_equal(n_notices, 1);
}

static void the_window_of_loading_in_vain_is_left_out(void **state)
{
	nb_daemon *daemon = *state;

	daemon->settled = true;
	hang(daemon);
	assert_true(daemon->window_spoilt);
	assert_false(daemon->settled);
}

static void a_refusal_is_told_and_its_window_left_out(void **state)
{
	nb_daemon *daemon = *state;

	setenv("NB_LOADER_REFUSES", "", true);
	pass(daemon, 0);
	if (nb_grade_is_loading(daemon)) {
		await_child();
		pass(daemon, 1);
	}
	assert_string_equal(daemon->grade_reason, "not today");
	assert_int_equal(n_notices, 1);
	assert_true(daemon->window_spoilt);
	assert_no_child();
	pass(daemon, 3600);
	assert_false(nb_grade_is_loading(daemon));
}

/* Two CPUs, 0 as busy as said, 1 idle and isolated. */
static void see(nb_daemon *daemon, uint32_t busy)
{
	static struct nb_machine machine;
	static const struct nb_snapshot snapshot = {.machine = &machine};
	static struct nb_cpu_load cpus[] = {{.id = 0}, {.id = 1}};
	static const struct nb_loads loads = {.cpus = cpus, .n_cpus = 2};

	nb_cpumask_add(&machine.topology.isolated, 1);
	cpus[0].window_busy = busy;
	daemon->loop.snapshot = &snapshot;
	daemon->loop.loads = &loads;
}

static void loading_waits_for_a_cpu_that_is_idle_half_of_the_time(void **state)
{
	nb_daemon *daemon = *state;

	see(daemon, 5000);
	pass(daemon, 0);
	pass(daemon, 59);
	assert_false(nb_grade_is_loading(daemon));
	see(daemon, 4999);
	pass(daemon, 0);
	assert_true(nb_grade_is_loading(daemon));
}

static void loading_waits_no_longer_than_a_minute(void **state)
{
	nb_daemon *daemon = *state;

	see(daemon, 10000);
	pass(daemon, 59);
	assert_false(nb_grade_is_loading(daemon));
	pass(daemon, 1);
	assert_true(nb_grade_is_loading(daemon));
}

static void what_is_no_longer_wanted_is_not_loaded(void **state)
{
	nb_daemon *daemon = *state;

	pass(daemon, 0);
	daemon->config->probe = false;
	nb_grade_configure(daemon, now_nsec);
	assert_false(nb_grade_is_loading(daemon));
	assert_string_equal(daemon->grade_reason, "the configuration says Probe=no");
	await_child();
	pass(daemon, 1);
	assert_no_child();
}

int main(void)
{
#define WITH_DAEMON(test) cmocka_unit_test_setup_teardown(test, setup, teardown)
	const struct CMUnitTest tests[] = {
		WITH_DAEMON(loading_is_waited_for),
		WITH_DAEMON(a_loader_that_hangs_is_given_up_with_a_reason),
		WITH_DAEMON(a_loader_that_hangs_is_killed_and_reaped),
		WITH_DAEMON(a_loader_that_hung_is_tried_again_and_told_once),
		WITH_DAEMON(the_window_of_loading_in_vain_is_left_out),
		WITH_DAEMON(a_refusal_is_told_and_its_window_left_out),
		WITH_DAEMON(loading_waits_for_a_cpu_that_is_idle_half_of_the_time),
		WITH_DAEMON(loading_waits_no_longer_than_a_minute),
		WITH_DAEMON(what_is_no_longer_wanted_is_not_loaded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

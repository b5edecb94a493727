/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The grade while programs are loaded, by a module of this test's own, which hangs. */
#include "daemon/prober.h"
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

struct fixture {
	struct nb_sysroot *root;
	struct nb_prober prober;
	struct nb_loop loop;
	struct nb_prober_view view;
};

static int setup(void **state)
{
	const struct nb_device_rules rules = {};
	struct fixture *f = g_new0(struct fixture, 1);

	now_nsec = 1000 * NB_NSEC_PER_SEC;
	n_notices = 0;
	unsetenv("NB_LOADER_REFUSES");
	f->view = (struct nb_prober_view){.loop = &f->loop, .cycles = 2};
	*state = f;
	if (nb_sysroot_open(NULL, &f->root) < 0 ||
	    nb_sampler_new(f->root, NULL, &rules, &f->prober.sampler) < 0)
		return -1;
	nb_prober_configure(&f->prober, NULL, false, now_nsec);
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	nb_prober_clear(&f->prober);
	nb_sampler_free(f->prober.sampler);
	nb_sysroot_free(f->root);
	g_free(f);
	return 0;
}

static void pass(struct fixture *f, uint64_t sec)
{
	now_nsec += sec * NB_NSEC_PER_SEC;
	nb_prober_update(&f->prober, &f->view, now_nsec);
}

static bool is_loading(const struct fixture *f)
{
	return nb_prober_is_loading(&f->prober);
}

static void hang(struct fixture *f)
{
	pass(f, 0);
	assert_true(is_loading(f));
	pass(f, 15);
	assert_false(is_loading(f));
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
	struct fixture *f = *state;

	pass(f, 0);
	pass(f, 14);
	assert_true(is_loading(f));
	assert_string_equal(f->prober.reason, "the eBPF programs are not loaded yet");
	assert_int_equal(n_notices, 0);
}

static void a_loader_that_hangs_is_given_up_with_a_reason(void **state)
{
	struct fixture *f = *state;

	hang(f);
	assert_string_equal(f->prober.reason, TOO_LONG);
	assert_int_equal(n_notices, 1);
	pass(f, 1);
	assert_string_equal(f->prober.reason, TOO_LONG);
	assert_int_equal(n_notices, 1);
}

static void a_loader_that_hangs_is_killed_and_reaped(void **state)
{
	struct fixture *f = *state;

	hang(f);
	await_child();
	pass(f, 1);
	assert_no_child();
	assert_null(f->prober.dying);
}

static void a_loader_that_hung_is_tried_again_and_told_once(void **state)
{
	struct fixture *f = *state;

	hang(f);
	await_child();
	pass(f, 1);
	pass(f, 58);
	assert_false(is_loading(f));
	pass(f, 1);
	assert_true(is_loading(f));
	pass(f, 15);
	assert_string_equal(f->prober.reason, TOO_LONG);
	assert_int_equal(n_notices, 1);
}

static void the_window_of_loading_in_vain_is_left_out(void **state)
{
	struct fixture *f = *state;

	hang(f);
	assert_true(f->prober.window_spoilt);
}

static void a_refusal_is_told_and_its_window_left_out(void **state)
{
	struct fixture *f = *state;

	setenv("NB_LOADER_REFUSES", "", true);
	pass(f, 0);
	if (is_loading(f)) {
		await_child();
		pass(f, 1);
	}
	assert_string_equal(f->prober.reason, "not today");
	assert_int_equal(n_notices, 1);
	assert_true(f->prober.window_spoilt);
	assert_no_child();
	pass(f, 3600);
	assert_false(is_loading(f));
}

/* Two CPUs, 0 as busy as said, 1 idle and isolated. */
static void see(struct fixture *f, uint32_t busy)
{
	static struct nb_machine machine;
	static const struct nb_snapshot snapshot = {.machine = &machine};
	static struct nb_cpu_load cpus[] = {{.id = 0}, {.id = 1}};
	static const struct nb_loads loads = {.cpus = cpus, .n_cpus = 2};

	nb_cpumask_add(&machine.topology.isolated, 1);
	cpus[0].window_busy = busy;
	f->loop.snapshot = &snapshot;
	f->loop.loads = &loads;
}

static void loading_waits_for_a_cpu_that_is_idle_half_of_the_time(void **state)
{
	struct fixture *f = *state;

	see(f, 5000);
	pass(f, 0);
	pass(f, 59);
	assert_false(is_loading(f));
	see(f, 4999);
	pass(f, 0);
	assert_true(is_loading(f));
}

static void loading_waits_no_longer_than_a_minute(void **state)
{
	struct fixture *f = *state;

	see(f, 10000);
	pass(f, 59);
	assert_false(is_loading(f));
	pass(f, 1);
	assert_true(is_loading(f));
}

static void what_is_no_longer_wanted_is_not_loaded(void **state)
{
	struct fixture *f = *state;

	pass(f, 0);
	nb_prober_configure(&f->prober, "the configuration says Probe=no", false, now_nsec);
	assert_false(is_loading(f));
	assert_string_equal(f->prober.reason, "the configuration says Probe=no");
	await_child();
	pass(f, 1);
	assert_no_child();
}

int main(void)
{
#define WITH_SAMPLER(test) cmocka_unit_test_setup_teardown(test, setup, teardown)
	const struct CMUnitTest tests[] = {
		WITH_SAMPLER(loading_is_waited_for),
		WITH_SAMPLER(a_loader_that_hangs_is_given_up_with_a_reason),
		WITH_SAMPLER(a_loader_that_hangs_is_killed_and_reaped),
		WITH_SAMPLER(a_loader_that_hung_is_tried_again_and_told_once),
		WITH_SAMPLER(the_window_of_loading_in_vain_is_left_out),
		WITH_SAMPLER(a_refusal_is_told_and_its_window_left_out),
		WITH_SAMPLER(loading_waits_for_a_cpu_that_is_idle_half_of_the_time),
		WITH_SAMPLER(loading_waits_no_longer_than_a_minute),
		WITH_SAMPLER(what_is_no_longer_wanted_is_not_loaded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the operator asks for while the daemon runs. */
#include "daemon/fixture.h"

static int set_up(void **state)
{
	int r = set_up_machine(state, "");

	if (r < 0)
		return r;
	pile_up(*state);
	return start_daemon(*state);
}

/* Looks until the collapsed placement was put right. */
static void spread(struct fixture *f)
{
	for (unsigned i = 0; i < 5 && n_on(f, 0) == N_IRQS; i++)
		look(f);
	assert_in_range(n_on(f, 0), 0, 1);
}

static void restore_puts_back_pauses_and_forgets(void **state)
{
	struct fixture *f = *state;
	unsigned n_restored;

	spread(f);
	assert_int_equal(nb_daemon_restore(f->daemon, &n_restored), 0);
	assert_int_equal(n_on(f, 0), N_IRQS);
	assert_true(n_restored >= N_IRQS - 1);
	assert_true(f->daemon->paused);
	assert_int_equal(f->daemon->loop.memory.n_queues, 0);
	assert_int_equal(nb_applier_count(f->daemon->applier), 0);
	for (unsigned i = 0; i < 5; i++)
		look(f);
	assert_int_equal(n_on(f, 0), N_IRQS);
	/* Nobody else wrote these knobs. */
	for (unsigned i = 0; i < f->daemon->loop.memory.n_queues; i++)
		assert_int_equal(f->daemon->loop.memory.queues[i].yielded_until_nsec, 0);
}

static void what_was_found_while_paused_is_judged_when_it_resumes(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(nb_daemon_set_paused(f->daemon, true), 0);
	for (unsigned i = 0; i < 5; i++)
		look(f);
	assert_int_equal(n_on(f, 0), N_IRQS);
	assert_int_equal(nb_applier_count(f->daemon->applier), 0);
	assert_int_equal(nb_daemon_set_paused(f->daemon, false), 0);
	spread(f);
}

static void a_bad_configuration_leaves_the_old_one_in_use(void **state)
{
	struct fixture *f = *state;
	g_autofree char *error = NULL;

	configure(f, "[Daemon]\nMode=perhaps\n");
	assert_int_not_equal(nb_daemon_reload(f->daemon, f->now_nsec, &error), 0);
	assert_non_null(strstr(error, "nicbalance.conf:2"));
	assert_int_equal(f->daemon->config->mode, NB_MODE_BALANCE);
	spread(f);
}

static void a_device_that_is_taken_out_is_left_alone_from_the_next_look_on(void **state)
{
	struct fixture *f = *state;

	look(f);
	assert_true(f->daemon->loop.snapshot->n_queues > 0);
	configure(f, "[Device lab*]\nIgnore=yes\n");
	assert_int_equal(nb_daemon_reload(f->daemon, f->now_nsec, NULL), 0);
	for (unsigned i = 0; i < 5; i++)
		look(f);
	assert_int_equal(f->daemon->loop.snapshot->n_queues, 0);
	assert_int_equal(n_on(f, 0), N_IRQS);
}

static void a_mode_that_only_watches_stops_acting_at_once(void **state)
{
	struct fixture *f = *state;

	configure(f, "[Daemon]\nMode=observe\n");
	assert_int_equal(nb_daemon_reload(f->daemon, f->now_nsec, NULL), 0);
	for (unsigned i = 0; i < 5; i++)
		look(f);
	assert_int_equal(n_on(f, 0), N_IRQS);
	configure(f, "");
	assert_int_equal(nb_daemon_reload(f->daemon, f->now_nsec, NULL), 0);
	spread(f);
}

#define ON_MACHINE(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		ON_MACHINE(restore_puts_back_pauses_and_forgets),
		ON_MACHINE(what_was_found_while_paused_is_judged_when_it_resumes),
		ON_MACHINE(a_bad_configuration_leaves_the_old_one_in_use),
		ON_MACHINE(a_device_that_is_taken_out_is_left_alone_from_the_next_look_on),
		ON_MACHINE(a_mode_that_only_watches_stops_acting_at_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

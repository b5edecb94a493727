/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Bans in the files of irqbalance, as a container runtime writes them. */
#include "daemon/fixture.h"

#define FILE_OF_IRQBALANCE "etc/sysconfig/irqbalance"
#define BANNED_WORD "IRQBALANCE_BANNED_CPULIST="

static void tell(struct fixture *f, const char *text)
{
	nb_tmp_write(f->options.root, FILE_OF_IRQBALANCE, text);
}

static int set_up(void **state)
{
	int r = set_up_machine(state, "");

	if (r < 0)
		return r;
	pile_up(*state);
	tell(*state, BANNED_WORD "6-7\n");
	return start_daemon(*state);
}

static bool has_nothing_on(struct fixture *f, unsigned first, unsigned last)
{
	for (unsigned cpu = first; cpu <= last; cpu++)
		if (n_on(f, (int)cpu) > 0)
			return false;
	return true;
}

/* Until it rests: only a change brings a cycle then. */
static void settle(struct fixture *f)
{
	f->daemon->config->complete_sample_nsec = 1000 * NB_NSEC_PER_SEC;
	for (unsigned i = 0; i < 100; i++)
		cycle(f);
	for (unsigned i = 0; i < 20 && !f->daemon->idle; i++)
		cycle(f);
	assert_true(f->daemon->idle);
}

static const char *shown_origin(const struct nb_daemon *daemon)
{
	struct nb_status status;

	nb_daemon_handlers.get_status((void *)daemon, &status);
	return status.banned_by;
}

static void a_ban_found_at_the_start_is_obeyed(void **state)
{
	struct fixture *f = *state;

	for (unsigned i = 0; i < 5; i++)
		look(f);
	assert_int_equal(n_on(f, 0), 2);
	assert_true(has_nothing_on(f, 6, 7));
	assert_string_equal(shown_origin(f->daemon), "/" FILE_OF_IRQBALANCE ":1");
}

/* The daemon had nothing to do: a second later is soon enough. */
static void a_ban_that_comes_is_obeyed_at_once(void **state)
{
	struct fixture *f = *state;

	settle(f);
	assert_false(has_nothing_on(f, 2, 3));
	tell(f, BANNED_WORD "2-3,6-7\n");
	cycle(f);
	assert_false(f->daemon->idle);
	assert_true(has_nothing_on(f, 2, 3));
	assert_true(has_nothing_on(f, 6, 7));

	settle(f);
	assert_int_equal(nb_sysroot_unlink(f->daemon->root, FILE_OF_IRQBALANCE), 0);
	cycle(f);
	assert_false(f->daemon->idle);
	assert_true(nb_cpumask_empty(&f->daemon->config->policy.banned));
	assert_null(shown_origin(f->daemon));
}

static void what_is_broken_changes_nothing(void **state)
{
	struct fixture *f = *state;

	settle(f);
	tell(f, BANNED_WORD "soon\n");
	cycle(f);
	assert_true(f->daemon->idle);
	assert_true(f->daemon->irqbalance.refused);
	assert_int_equal(nb_cpumask_count(&f->daemon->config->policy.banned), 2);
	tell(f, BANNED_WORD "6\n");
	cycle(f);
	assert_false(f->daemon->irqbalance.refused);
	assert_int_equal(nb_cpumask_only(&f->daemon->config->policy.banned), 6);
}

static void a_reload_decides_whether_it_counts(void **state)
{
	struct fixture *f = *state;
	const struct nb_cpumask *banned;

	look(f);
	configure(f, "[Balance]\nIrqbalanceConfig=no\n");
	assert_int_equal(nb_daemon_reload(f->daemon, f->now_nsec, NULL), 0);
	assert_true(nb_cpumask_empty(&f->daemon->config->policy.banned));
	configure(f, "[Balance]\nBannedCPUs=1\n");
	assert_int_equal(nb_daemon_reload(f->daemon, f->now_nsec, NULL), 0);
	banned = &f->daemon->config->policy.banned;
	assert_int_equal(nb_cpumask_only(banned), 1);
	tell(f, BANNED_WORD "4\n");
	cycle(f);
	assert_int_equal(nb_cpumask_only(banned), 1);
	configure(f, "");
	assert_int_equal(nb_daemon_reload(f->daemon, f->now_nsec, NULL), 0);
	assert_int_equal(nb_cpumask_only(&f->daemon->config->policy.banned), 4);
}

static void an_interrupt_that_is_banned_is_never_moved(void **state)
{
	struct fixture *f = *state;

	tell(f, "IRQBALANCE_ARGS=--banirq=36 --banirq=37\n");
	for (unsigned i = 0; i < 5; i++)
		cycle(f);
	assert_int_equal(pointed_at(f, 36), 0);
	assert_int_equal(pointed_at(f, 37), 0);
	assert_int_equal(n_on(f, 0), 2);
}

static void nothing_of_a_driver_that_is_banned_is_moved(void **state)
{
	struct fixture *f = *state;

	tell(f, "IRQBALANCE_ARGS=--banmod=gb\n");
	for (unsigned i = 0; i < 5; i++)
		cycle(f);
	assert_int_equal(n_on(f, 0), N_IRQS);
}

/* Whose an interrupt is, only a rescan finds out; for CPUs alone it would be too much. */
static void banned_interrupts_bring_a_rescan_and_banned_cpus_none(void **state)
{
	struct fixture *f = *state;
	uint64_t generation;

	settle(f);
	generation = f->daemon->loop.snapshot->machine->generation;
	tell(f, BANNED_WORD "5-7\n");
	cycle(f);
	assert_false(f->daemon->idle);
	assert_int_equal(f->daemon->loop.snapshot->machine->generation, generation);
	tell(f, BANNED_WORD "5-7\nIRQBALANCE_ARGS=-i 36\n");
	cycle(f);
	assert_true(f->daemon->loop.snapshot->machine->queues[1].ignored);
	assert_false(f->daemon->loop.snapshot->queues[1].settable);
	tell(f, BANNED_WORD "5-7\n");
	cycle(f);
	assert_true(f->daemon->loop.snapshot->queues[1].settable);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(a_ban_found_at_the_start_is_obeyed),
		TEST(a_ban_that_comes_is_obeyed_at_once),
		TEST(what_is_broken_changes_nothing),
		TEST(a_reload_decides_whether_it_counts),
		TEST(an_interrupt_that_is_banned_is_never_moved),
		TEST(nothing_of_a_driver_that_is_banned_is_moved),
		TEST(banned_interrupts_bring_a_rescan_and_banned_cpus_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

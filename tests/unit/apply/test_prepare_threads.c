/* SPDX-License-Identifier: GPL-2.0-or-later */
/* NAPI threads, from the plan into the kernel and back. */
#include "unit/apply/fixture.h"

#include <errno.h>

#define N 2

/* No pids of a host (include/linux/threads.h PID_MAX_LIMIT). */
static const uint32_t pids[N] = {5000901, 5000902};

static void add_thread(struct fixture *f, unsigned i, uint64_t began, const char *list)
{
	g_autofree char *name = g_strdup_printf("napi/eth0-%u", 8193 + i);

	nb_fake_kernel_add_thread(f->kernel, pids[i], name, began, list);
}

static struct fixture *new_fixture(const char *list)
{
	struct fixture *f = fixture_new(NB_FAKE_6_12);

	for (unsigned i = 0; i < N; i++)
		add_thread(f, i, 4711, list);
	return f;
}

static enum nb_outcome apply_change(struct fixture *f, const struct nb_follow_change *change)
{
	struct nb_plan plan = PLAN_OF(FOLLOW(NB_KIND_THREAD, change));

	(void)apply_plan(f, &plan);
	return f->outcomes[0];
}

/* A mask of each thread, in a word. */
static enum nb_outcome follow(struct fixture *f, uint64_t a, uint64_t b)
{
	const struct nb_cpumask to[N] = {{.words = {a}}, {.words = {b}}};
	const struct nb_follow_change change = {.key.ifindex = ETH0,
						.reason = NB_REASON_THREAD_FOLLOW,
						.to = to,
						.threads = pids,
						.n = N};

	return apply_change(f, &change);
}

static enum nb_outcome go_back_of(struct fixture *f, int ifindex)
{
	const struct nb_follow_change change = {.key.ifindex = ifindex,
						.reason = NB_REASON_THREAD_BACK};

	return apply_change(f, &change);
}

static enum nb_outcome go_back(struct fixture *f)
{
	return go_back_of(f, ETH0);
}

static void assert_cpus(struct fixture *f, const char *a, const char *b)
{
	const char *const expected[N] = {a, b};

	for (unsigned i = 0; i < N; i++) {
		g_autofree char *shown = nb_fake_kernel_thread(f->kernel, pids[i]);

		assert_string_equal(shown, expected[i]);
	}
}

static void threads_are_bound_and_come_back(void **state)
{
	g_autoptr(fixture) f = new_fixture("0-3");

	(void)state;
	assert_int_equal(follow(f, 1, 4), NB_OUTCOME_APPLIED);
	assert_cpus(f, "0", "2");
	assert_true(nb_applier_wrote(f->applier, NB_KNOB_THREAD, ETH0));
	assert_false(nb_applier_wrote(f->applier, NB_KNOB_THREAD, ETH0 + 1));
	assert_int_equal(follow(f, 1, 4), NB_OUTCOME_UNCHANGED);
	nb_fake_kernel_fail(f->kernel, 1, 0, 0);
	assert_int_equal(follow(f, 8, 4), NB_OUTCOME_APPLIED);
	assert_int_equal(nb_fake_kernel_n_writes(f->kernel), 1);
	assert_cpus(f, "3", "2");
	assert_int_equal(go_back_of(f, ETH0 + 1), NB_OUTCOME_UNCHANGED);
	assert_cpus(f, "3", "2");
	assert_int_equal(go_back(f), NB_OUTCOME_APPLIED);
	assert_cpus(f, "0-3", "0-3");
	assert_int_equal(nb_applier_count(f->applier), 0);
	assert_int_equal(go_back(f), NB_OUTCOME_UNCHANGED);
}

static void one_alone_returns_when_its_interrupt_may_not_be_followed(void **state)
{
	g_autoptr(fixture) f = new_fixture("0-3");

	(void)state;
	assert_int_equal(follow(f, 1, 4), NB_OUTCOME_APPLIED);
	assert_int_equal(follow(f, 0, 4), NB_OUTCOME_APPLIED);
	assert_cpus(f, "0-3", "2");
	assert_int_equal(nb_applier_count(f->applier), 1);
}

static void the_next_run_puts_back_what_a_crash_left(void **state)
{
	g_autoptr(fixture) f = new_fixture("0-3");

	(void)state;
	assert_int_equal(follow(f, 1, 4), NB_OUTCOME_APPLIED);
	assert_int_equal(fixture_restart(f), 0);
	assert_true(nb_applier_wrote(f->applier, NB_KNOB_THREAD, ETH0));
	assert_int_equal(follow(f, 2, 4), NB_OUTCOME_APPLIED);
	assert_int_equal(fixture_restart(f), 0);
	assert_int_equal(nb_applier_restore(f->applier, NULL), 0);
	assert_cpus(f, "0-3", "0-3");
	assert_false(has_baseline(f));
}

static void what_someone_else_bound_stays_and_so_do_the_others(void **state)
{
	g_autoptr(fixture) f = new_fixture("0-3");

	(void)state;
	nb_fake_kernel_set_thread(f->kernel, pids[1], "3");
	assert_int_equal(follow(f, 1, 4), NB_OUTCOME_FOREIGN);
	/* Even where it would go. */
	assert_int_equal(follow(f, 1, 8), NB_OUTCOME_FOREIGN);
	assert_cpus(f, "0-3", "3");
	assert_int_equal(nb_applier_count(f->applier), 0);
}

static void who_took_a_cpu_from_a_thread_is_obeyed(void **state)
{
	g_autoptr(fixture) f = new_fixture("0-1");

	(void)state;
	assert_int_equal(follow(f, 1, 4), NB_OUTCOME_FOREIGN);
	assert_cpus(f, "0-1", "0-1");
	assert_int_equal(follow(f, 1, 2), NB_OUTCOME_APPLIED);
	assert_int_equal(follow(f, 1, 8), NB_OUTCOME_FOREIGN);
	assert_cpus(f, "0", "1");
	assert_int_equal(nb_applier_restore(f->applier, NULL), 0);
	assert_cpus(f, "0-1", "0-1");
}

static void what_another_program_writes_since_stays(void **state)
{
	g_autoptr(fixture) f = new_fixture("0-3");

	(void)state;
	assert_int_equal(follow(f, 1, 4), NB_OUTCOME_APPLIED);
	nb_fake_kernel_set_thread(f->kernel, pids[0], "2-3");
	assert_int_equal(follow(f, 2, 4), NB_OUTCOME_FOREIGN);
	assert_int_equal(follow(f, 4, 2), NB_OUTCOME_FOREIGN);
	assert_cpus(f, "2-3", "2");
	assert_int_equal(go_back(f), NB_OUTCOME_APPLIED);
	assert_cpus(f, "2-3", "0-3");
	/* The kernel gives a thread all CPUs when its own goes offline. */
	nb_fake_kernel_set_thread(f->kernel, pids[0], "0-3");
	assert_int_equal(follow(f, 4, 8), NB_OUTCOME_APPLIED);
	assert_int_equal(follow(f, 4, 2), NB_OUTCOME_APPLIED);
	nb_fake_kernel_set_thread(f->kernel, pids[1], "0-3");
	assert_int_equal(follow(f, 4, 8), NB_OUTCOME_APPLIED);
}

static void a_pid_that_is_another_thread_by_now_is_not_what_was_ours(void **state)
{
	g_autoptr(fixture) f = new_fixture("0-3");

	(void)state;
	assert_int_equal(follow(f, 1, 4), NB_OUTCOME_APPLIED);
	/* With the affinity that was ours. */
	add_thread(f, 0, 4712, "0");
	assert_int_equal(nb_applier_restore(f->applier, NULL), 0);
	assert_cpus(f, "0", "0-3");
	add_thread(f, 0, 4713, "0-1");
	assert_int_equal(follow(f, 1, 4), NB_OUTCOME_APPLIED);
	add_thread(f, 0, 4714, "1-2");
	assert_int_equal(follow(f, 2, 4), NB_OUTCOME_APPLIED);
	assert_int_equal(go_back(f), NB_OUTCOME_APPLIED);
	assert_cpus(f, "1-2", "0-3");
}

static void a_pid_that_is_no_napi_thread_by_now_is_never_touched(void **state)
{
	g_autoptr(fixture) f = new_fixture("0-3");

	(void)state;
	assert_int_equal(follow(f, 1, 4), NB_OUTCOME_APPLIED);
	nb_fake_kernel_add_thread(f->kernel, pids[0], "ksoftirqd/0", 4711, "0");
	assert_int_equal(follow(f, 2, 8), NB_OUTCOME_APPLIED);
	assert_cpus(f, "0", "3");
	assert_int_equal(go_back(f), NB_OUTCOME_APPLIED);
	assert_cpus(f, "0", "0-3");
}

static void threads_that_are_gone_are_forgotten(void **state)
{
	g_autoptr(fixture) f = new_fixture("0-3");

	(void)state;
	assert_int_equal(follow(f, 1, 4), NB_OUTCOME_APPLIED);
	nb_fake_kernel_remove_thread(f->kernel, pids[0]);
	assert_int_equal(follow(f, 2, 8), NB_OUTCOME_APPLIED);
	nb_fake_kernel_remove_thread(f->kernel, pids[1]);
	assert_int_equal(follow(f, 2, 4), NB_OUTCOME_GONE);
	assert_int_equal(go_back(f), NB_OUTCOME_UNCHANGED);
	assert_int_equal(nb_applier_restore(f->applier, NULL), 0);
	assert_false(has_baseline(f));
}

static void a_write_that_fails_leaves_all_as_they_were(void **state)
{
	(void)state;
	for (unsigned nth = 1; nth <= N; nth++) {
		g_autoptr(fixture) f = new_fixture("0-3");

		nb_fake_kernel_fail(f->kernel, nth, 1, -EPERM);
		assert_int_equal(follow(f, 1, 4), NB_OUTCOME_REFUSED);
		assert_cpus(f, "0-3", "0-3");
		assert_int_equal(nb_applier_count(f->applier), 0);
	}
}

/* Which must never be a pid of this host. */
static void a_captured_machine_has_no_threads_to_bind(void **state)
{
	g_autoptr(fixture) f = new_fixture("0-3");

	(void)state;
	nb_sysroot_set_writer(f->root, NULL, NULL);
	assert_int_equal(follow(f, 1, 4), NB_OUTCOME_REFUSED);
	assert_cpus(f, "0-3", "0-3");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(threads_are_bound_and_come_back),
		cmocka_unit_test(one_alone_returns_when_its_interrupt_may_not_be_followed),
		cmocka_unit_test(the_next_run_puts_back_what_a_crash_left),
		cmocka_unit_test(what_someone_else_bound_stays_and_so_do_the_others),
		cmocka_unit_test(who_took_a_cpu_from_a_thread_is_obeyed),
		cmocka_unit_test(what_another_program_writes_since_stays),
		cmocka_unit_test(a_pid_that_is_another_thread_by_now_is_not_what_was_ours),
		cmocka_unit_test(a_pid_that_is_no_napi_thread_by_now_is_never_touched),
		cmocka_unit_test(threads_that_are_gone_are_forgotten),
		cmocka_unit_test(a_write_that_fails_leaves_all_as_they_were),
		cmocka_unit_test(a_captured_machine_has_no_threads_to_bind),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Threaded NAPI of a NIC, from the plan into the kernel and back. */
#include "unit/apply/fixture.h"

#include <errno.h>
#include <unistd.h>

/* It is off. */
static struct fixture *new_fixture(void)
{
	struct fixture *f = fixture_new(NB_FAKE_6_12);

	nb_fake_kernel_set_threaded(f->kernel, "eth0", 0);
	return f;
}

static enum nb_outcome switch_to(struct fixture *f, bool on)
{
	struct nb_threaded_change change = {.key = {ETH0, NB_EVERY_QUEUE}, .on = on};
	struct nb_plan plan = PLAN_OF(SWITCH(&change));

	nb_fake_kernel_fail(f->kernel, 1, 0, 0); /* counts anew */
	(void)apply_plan(f, &plan);
	return f->outcomes[0];
}

static void it_is_switched_on_and_off_again(void **state)
{
	g_autoptr(fixture) f = new_fixture();
	g_autofree char *text = NULL;

	(void)state;
	assert_false(nb_applier_owns_threaded(f->applier, ETH0, "eth0"));
	assert_int_equal(switch_to(f, true), NB_OUTCOME_APPLIED);
	assert_int_equal(nb_fake_kernel_threaded(f->kernel, "eth0"), 1);
	text = nb_tmp_read(f->dir, BASELINE);
	assert_string_equal(text, "nicbalance baseline 1\nthreaded 2 0 0 1 eth0\n");
	assert_true(nb_applier_owns_threaded(f->applier, ETH0, "eth0"));
	assert_int_equal(switch_to(f, true), NB_OUTCOME_UNCHANGED);
	assert_int_equal(nb_fake_kernel_n_writes(f->kernel), 0);

	assert_int_equal(switch_to(f, false), NB_OUTCOME_APPLIED);
	assert_int_equal(nb_fake_kernel_threaded(f->kernel, "eth0"), 0);
	assert_int_equal(nb_applier_count(f->applier), 0);
}

static void the_next_run_switches_off_what_a_crash_left_on(void **state)
{
	g_autoptr(fixture) f = new_fixture();

	(void)state;
	assert_int_equal(switch_to(f, true), NB_OUTCOME_APPLIED);
	assert_int_equal(fixture_restart(f), 0);
	assert_true(nb_applier_owns_threaded(f->applier, ETH0, "eth0"));
	assert_int_equal(nb_applier_restore(f->applier, NULL), 0);
	assert_int_equal(nb_fake_kernel_threaded(f->kernel, "eth0"), 0);
	assert_false(has_baseline(f));
}

static void who_switched_it_on_has_chosen_that(void **state)
{
	g_autoptr(fixture) f = new_fixture();

	(void)state;
	for (unsigned n = 1; n <= 2; n++) { /* 2: busy polling, since Linux 6.19 */
		nb_fake_kernel_set_threaded(f->kernel, "eth0", n);
		assert_int_equal(switch_to(f, true), NB_OUTCOME_FOREIGN);
		assert_int_equal(switch_to(f, false), NB_OUTCOME_FOREIGN);
		assert_int_equal(nb_fake_kernel_threaded(f->kernel, "eth0"), n);
	}
	assert_int_equal(nb_fake_kernel_n_writes(f->kernel), 0);
	assert_int_equal(nb_applier_count(f->applier), 0);
}

static void who_switches_it_off_or_busy_polls_since_has_too(void **state)
{
	static const unsigned theirs[] = {0, 2};

	(void)state;
	for (unsigned i = 0; i < G_N_ELEMENTS(theirs); i++) {
		g_autoptr(fixture) f = new_fixture();

		assert_int_equal(switch_to(f, true), NB_OUTCOME_APPLIED);
		nb_fake_kernel_set_threaded(f->kernel, "eth0", theirs[i]);
		assert_false(nb_applier_owns_threaded(f->applier, ETH0, "eth0"));
		assert_int_equal(switch_to(f, false), NB_OUTCOME_FOREIGN);
		assert_int_equal(nb_applier_restore(f->applier, NULL), 0);
		assert_int_equal(nb_fake_kernel_threaded(f->kernel, "eth0"), theirs[i]);
	}
}

/* From Linux 6.17 on that write would wait for ever, with the RTNL lock. */
static void a_device_that_is_down_is_left_alone_until_it_is_up(void **state)
{
	g_autoptr(fixture) f = new_fixture();

	(void)state;
	assert_int_equal(switch_to(f, true), NB_OUTCOME_APPLIED);
	nb_fake_kernel_set_up(f->kernel, "eth0", false);
	assert_int_equal(switch_to(f, false), NB_OUTCOME_BUSY);
	assert_int_equal(nb_applier_restore(f->applier, NULL), -EAGAIN);
	assert_int_equal(nb_fake_kernel_n_writes(f->kernel), 0);
	assert_true(has_baseline(f));
	nb_fake_kernel_set_up(f->kernel, "eth0", true);
	assert_int_equal(nb_applier_restore(f->applier, NULL), 0);
	assert_int_equal(nb_fake_kernel_threaded(f->kernel, "eth0"), 0);
}

static void set_driver(struct fixture *f, const char *driver)
{
	g_autofree char *target = g_strdup_printf("../drivers/%s", driver);
	g_autofree char *device = g_build_filename(f->dir, "sys/class/net/eth0/device", NULL);
	g_autofree char *path = g_build_filename(device, "driver", NULL);

	assert_int_equal(g_mkdir_with_parents(device, 0755), 0);
	(void)unlink(path);
	assert_int_equal(symlink(target, path), 0);
}

/* So would it where a NAPI of the device stays disabled. */
static void a_driver_that_leaves_napis_disabled_is_left_alone(void **state)
{
	g_autoptr(fixture) f = new_fixture();

	(void)state;
	set_driver(f, "i40e");
	f->rss.most_channels = f->rss.n_rings;
	assert_int_equal(switch_to(f, true), NB_OUTCOME_APPLIED);
	f->rss.most_channels = f->rss.n_rings + 1;
	assert_int_equal(switch_to(f, false), NB_OUTCOME_BUSY);
	f->rss.fail_count = 1000;
	f->rss.fail_first = f->rss.n_requests + 1;
	f->rss.fail_error = -EOPNOTSUPP;
	assert_int_equal(switch_to(f, false), NB_OUTCOME_BUSY);
	f->rss.fail_count = 0;
	set_driver(f, "ice");
	assert_int_equal(switch_to(f, false), NB_OUTCOME_APPLIED);
}

static void nothing_is_read_while_the_lock_is_held(void **state)
{
	g_autoptr(fixture) f = new_fixture();

	(void)state;
	f->rss.most_channels = 4;
	f->rss.fail_first = f->rss.n_requests + 1;
	f->rss.fail_count = 1;
	f->rss.fail_error = -ETIMEDOUT;
	assert_int_equal(switch_to(f, true), NB_OUTCOME_BUSY);
	assert_int_equal(nb_fake_kernel_threaded(f->kernel, "eth0"), 0);
	assert_int_equal(switch_to(f, true), NB_OUTCOME_APPLIED);
}

static void a_kernel_without_it_refuses(void **state)
{
	g_autoptr(fixture) f = fixture_new(NB_FAKE_6_1);

	(void)state;
	assert_int_equal(switch_to(f, true), NB_OUTCOME_REFUSED);
	f->nic.ifindex = ETH0 + 1;
	assert_int_equal(switch_to(f, true), NB_OUTCOME_GONE);
}

static void a_write_that_fails_leaves_it_as_it_was(void **state)
{
	static const struct {
		int error;
		enum nb_outcome outcome;
	} cases[] = {{-EPERM, NB_OUTCOME_REFUSED},
		     {-EOPNOTSUPP, NB_OUTCOME_REFUSED}, /* no NAPIs */
		     {-ENOMEM, NB_OUTCOME_BUSY}};       /* no thread */

	(void)state;
	for (unsigned i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autoptr(fixture) f = new_fixture();
		struct nb_threaded_change change = {.key = {ETH0, NB_EVERY_QUEUE}, .on = true};
		struct nb_plan plan = PLAN_OF(SWITCH(&change));

		nb_fake_kernel_fail(f->kernel, 1, 1, cases[i].error);
		(void)apply_plan(f, &plan);
		assert_int_equal(f->outcomes[0], cases[i].outcome);
		assert_int_equal(nb_fake_kernel_threaded(f->kernel, "eth0"), 0);
		assert_int_equal(nb_applier_count(f->applier), 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_is_switched_on_and_off_again),
		cmocka_unit_test(the_next_run_switches_off_what_a_crash_left_on),
		cmocka_unit_test(who_switched_it_on_has_chosen_that),
		cmocka_unit_test(who_switches_it_off_or_busy_polls_since_has_too),
		cmocka_unit_test(a_device_that_is_down_is_left_alone_until_it_is_up),
		cmocka_unit_test(a_driver_that_leaves_napis_disabled_is_left_alone),
		cmocka_unit_test(nothing_is_read_while_the_lock_is_held),
		cmocka_unit_test(a_kernel_without_it_refuses),
		cmocka_unit_test(a_write_that_fails_leaves_it_as_it_was),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

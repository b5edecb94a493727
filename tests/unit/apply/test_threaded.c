/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Threaded NAPI of a NIC or of one queue, from the plan into the kernel and back. */
#include "support/fake_napis.h"
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

static bool owns(struct fixture *f, unsigned index)
{
	return nb_applier_owns_threaded(f->applier, (struct nb_queue_key){ETH0, index}, "eth0") > 0;
}

static enum nb_outcome switch_key(struct fixture *f, unsigned index, bool on)
{
	struct nb_threaded_change change = {.key = {ETH0, index}, .on = on};
	struct nb_plan plan = PLAN_OF(SWITCH(&change));

	nb_fake_kernel_fail(f->kernel, 1, 0, 0); /* counts anew */
	(void)apply_plan(f, &plan);
	return f->outcomes[0];
}

static enum nb_outcome switch_to(struct fixture *f, bool on)
{
	return switch_key(f, NB_EVERY_QUEUE, on);
}

static void it_is_switched_on_and_off_again(void **state)
{
	g_autoptr(fixture) f = new_fixture();
	g_autofree char *text = NULL;

	(void)state;
	assert_false(owns(f, NB_EVERY_QUEUE));
	assert_int_equal(switch_to(f, true), NB_OUTCOME_APPLIED);
	assert_int_equal(nb_fake_kernel_threaded(f->kernel, "eth0"), 1);
	text = nb_tmp_read(f->dir, BASELINE);
	assert_string_equal(text, "nicbalance baseline 1\nthreaded 2 0 0 1 eth0\n");
	assert_true(owns(f, NB_EVERY_QUEUE));
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
	assert_true(owns(f, NB_EVERY_QUEUE));
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
		assert_false(owns(f, NB_EVERY_QUEUE));
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

/* --- of one queue */

/* Of a kernel and a driver that have it: queue 1 is switched. */
static struct fixture *new_linked(struct nb_fake_napis *napis)
{
	struct fixture *f = new_fixture();

	*napis = (struct nb_fake_napis){.ifindex = ETH0, .n = 3, .first_id = 8193};
	nb_fake_napis_attach(napis, f->access.netlink);
	return f;
}

static void assert_threads(const struct nb_fake_napis *napis, uint32_t first, uint32_t second,
			   uint32_t third)
{
	assert_int_equal(napis->threaded[0], first);
	assert_int_equal(napis->threaded[1], second);
	assert_int_equal(napis->threaded[2], third);
}

static void one_queue_is_switched_on_and_off_again(void **state)
{
	struct nb_fake_napis napis;
	g_autoptr(fixture) f = new_linked(&napis);
	g_autofree char *text = NULL;

	(void)state;
	assert_false(owns(f, 1));
	assert_int_equal(switch_key(f, 1, true), NB_OUTCOME_APPLIED);
	assert_threads(&napis, 0, 1, 0);
	text = nb_tmp_read(f->dir, BASELINE);
	assert_string_equal(text, "nicbalance baseline 1\nthreaded-queue 2 1 0 0 1 eth0\n");
	assert_true(owns(f, 1));
	assert_false(owns(f, 0));
	assert_false(owns(f, NB_EVERY_QUEUE));
	assert_int_equal(switch_key(f, 1, true), NB_OUTCOME_UNCHANGED);
	assert_int_equal(napis.n_sets, 1);
	/* Its id is another after the device was down. */
	napis.first_id = 9000;
	assert_int_equal(switch_key(f, 1, false), NB_OUTCOME_APPLIED);
	assert_threads(&napis, 0, 0, 0);
	assert_int_equal(nb_applier_count(f->applier), 0);
	assert_int_equal(nb_fake_kernel_n_writes(f->kernel), 0);
}

static void the_next_run_switches_off_the_queue_that_a_crash_left_on(void **state)
{
	struct nb_fake_napis napis;
	g_autoptr(fixture) f = new_linked(&napis);
	g_autoptr(GArray) report = g_array_new(FALSE, FALSE, sizeof(struct nb_restored));

	(void)state;
	assert_int_equal(switch_key(f, 2, true), NB_OUTCOME_APPLIED);
	assert_int_equal(fixture_restart(f), 0);
	assert_true(owns(f, 2));
	assert_int_equal(nb_applier_restore(f->applier, report), 0);
	assert_threads(&napis, 0, 0, 0);
	assert_false(has_baseline(f));
	assert_int_equal(report->len, 1);
	assert_int_equal(g_array_index(report, struct nb_restored, 0).type, NB_KNOB_NAPI);
	assert_int_equal(g_array_index(report, struct nb_restored, 0).queue, 2);
}

static void who_switched_the_queue_or_the_whole_nic_has_chosen_that(void **state)
{
	struct nb_fake_napis napis;
	g_autoptr(fixture) f = new_linked(&napis);

	(void)state;
	for (unsigned n = 1; n <= 2; n++) {
		napis.threaded[1] = n;
		assert_int_equal(switch_key(f, 1, true), NB_OUTCOME_FOREIGN);
		assert_int_equal(switch_key(f, 1, false), NB_OUTCOME_FOREIGN);
	}
	nb_fake_kernel_set_threaded(f->kernel, "eth0", 1);
	nb_fake_napis_set_all(&napis, 1);
	assert_int_equal(switch_key(f, 1, true), NB_OUTCOME_FOREIGN);
	/* And then took this one out. */
	napis.threaded[1] = 0;
	assert_int_equal(switch_key(f, 1, true), NB_OUTCOME_FOREIGN);
	assert_int_equal(napis.n_sets, 0);
	assert_int_equal(nb_applier_count(f->applier), 0);
}

/* 3: the whole NIC. */
static void who_switches_it_after_us_is_obeyed(void **state)
{
	(void)state;
	for (unsigned theirs = 0; theirs <= 3; theirs++) {
		struct nb_fake_napis napis;
		g_autoptr(fixture) f = new_linked(&napis);

		if (theirs == 1)
			continue;
		assert_int_equal(switch_key(f, 1, true), NB_OUTCOME_APPLIED);
		if (theirs == 3) {
			nb_fake_kernel_set_threaded(f->kernel, "eth0", 1);
			nb_fake_napis_set_all(&napis, 1);
		} else {
			napis.threaded[1] = theirs;
		}
		assert_false(owns(f, 1));
		assert_int_equal(switch_key(f, 1, false), NB_OUTCOME_FOREIGN);
		assert_int_equal(nb_applier_restore(f->applier, NULL), 0);
		assert_int_equal(napis.threaded[1], theirs == 3 ? 1 : theirs);
		assert_int_equal(napis.n_sets, 1);
	}
}

static void a_queue_of_a_device_that_is_down_is_left_until_it_is_up(void **state)
{
	struct nb_fake_napis napis;
	g_autoptr(fixture) f = new_linked(&napis);

	(void)state;
	assert_int_equal(switch_key(f, 1, true), NB_OUTCOME_APPLIED);
	napis.down = true;
	assert_int_equal(switch_key(f, 1, false), NB_OUTCOME_BUSY);
	assert_int_equal(nb_applier_restore(f->applier, NULL), -EAGAIN);
	assert_true(has_baseline(f));
	napis.down = false;
	assert_int_equal(nb_applier_restore(f->applier, NULL), 0);
	assert_threads(&napis, 0, 0, 0);
	napis.n = 1;
	assert_int_equal(switch_key(f, 1, true), NB_OUTCOME_GONE);
}

static void a_queue_is_not_read_while_the_lock_is_held(void **state)
{
	struct nb_fake_napis napis;
	g_autoptr(fixture) f = new_linked(&napis);

	(void)state;
	f->rss.most_channels = 4;
	f->rss.fail_first = f->rss.n_requests + 1;
	f->rss.fail_count = 1;
	f->rss.fail_error = -ETIMEDOUT;
	assert_int_equal(switch_key(f, 1, true), NB_OUTCOME_BUSY);
	assert_int_equal(switch_key(f, 1, true), NB_OUTCOME_APPLIED);
}

static void kernels_and_drivers_without_the_switch_of_a_queue_refuse(void **state)
{
	struct nb_fake_napis napis;
	g_autoptr(fixture) f = new_linked(&napis);
	g_autoptr(fixture) older = new_fixture();

	(void)state;
	napis.unlinked = true;
	assert_int_equal(switch_key(f, 1, true), NB_OUTCOME_REFUSED);
	napis.unlinked = false;
	napis.old = true;
	assert_int_equal(switch_key(f, 1, true), NB_OUTCOME_REFUSED);
	napis.old = false;
	f->nic.ifindex = ETH0 + 1;
	assert_int_equal(switch_key(f, 1, true), NB_OUTCOME_GONE);
	assert_int_equal(switch_key(older, 1, true), NB_OUTCOME_REFUSED);
}

static void a_change_of_a_queue_that_fails_leaves_it_as_it_was(void **state)
{
	static const struct {
		int error;
		enum nb_outcome outcome;
	} cases[] = {{-EPERM, NB_OUTCOME_REFUSED},
		     {-EOPNOTSUPP, NB_OUTCOME_REFUSED},
		     {-EINVAL, NB_OUTCOME_REFUSED},
		     {-ENOENT, NB_OUTCOME_BUSY}, /* the driver resets the device */
		     {-ENOMEM, NB_OUTCOME_BUSY}};

	(void)state;
	for (unsigned i = 0; i < G_N_ELEMENTS(cases); i++) {
		struct nb_fake_napis napis;
		g_autoptr(fixture) f = new_linked(&napis);

		napis.set_error = cases[i].error;
		assert_int_equal(switch_key(f, 1, true), cases[i].outcome);
		assert_threads(&napis, 0, 0, 0);
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
		cmocka_unit_test(one_queue_is_switched_on_and_off_again),
		cmocka_unit_test(the_next_run_switches_off_the_queue_that_a_crash_left_on),
		cmocka_unit_test(who_switched_the_queue_or_the_whole_nic_has_chosen_that),
		cmocka_unit_test(who_switches_it_after_us_is_obeyed),
		cmocka_unit_test(a_queue_of_a_device_that_is_down_is_left_until_it_is_up),
		cmocka_unit_test(a_queue_is_not_read_while_the_lock_is_held),
		cmocka_unit_test(kernels_and_drivers_without_the_switch_of_a_queue_refuse),
		cmocka_unit_test(a_change_of_a_queue_that_fails_leaves_it_as_it_was),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

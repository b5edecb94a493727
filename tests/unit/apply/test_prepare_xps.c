/* SPDX-License-Identifier: GPL-2.0-or-later */
/* XPS masks, from the plan into the kernel and back. */
#include "unit/apply/fixture.h"

#include <errno.h>

#define N_TX 3

static struct fixture *new_fixture(const char *const lists[N_TX])
{
	struct fixture *f = fixture_new(NB_FAKE_6_12);

	f->nic.n_tx = N_TX;
	f->machine.topology.online = (struct nb_cpumask){.words = {0xf}};
	for (unsigned i = 0; i < N_TX; i++)
		nb_fake_kernel_add_tx_queue(f->kernel, ETH0, "eth0", i, lists[i]);
	return f;
}

static struct fixture *new_unset(void)
{
	return new_fixture((const char *const[N_TX]){"", "", ""});
}

static enum nb_outcome apply_xps(struct fixture *f, const struct nb_follow_change *change)
{
	struct nb_plan plan = PLAN_OF(FOLLOW(NB_KIND_XPS, change));

	(void)apply_plan(f, &plan);
	return f->outcomes[0];
}

/* A mask of each queue, in a word. */
static enum nb_outcome follow_after(struct fixture *f, uint64_t a, uint64_t b, uint64_t c,
				    bool reset, bool written)
{
	const struct nb_cpumask to[N_TX] = {{.words = {a}}, {.words = {b}}, {.words = {c}}};
	const struct nb_follow_change change = {.key.ifindex = ETH0,
						.reason = NB_REASON_XPS_FOLLOW,
						.to = to,
						.n = N_TX,
						.reset = reset,
						.written = written};

	return apply_xps(f, &change);
}

static enum nb_outcome follow(struct fixture *f, uint64_t a, uint64_t b, uint64_t c)
{
	return follow_after(f, a, b, c, false, nb_applier_wrote(f->applier, NB_KNOB_XPS, ETH0));
}

static enum nb_outcome go_back(struct fixture *f)
{
	const struct nb_follow_change change = {.key.ifindex = ETH0, .reason = NB_REASON_XPS_BACK};

	return apply_xps(f, &change);
}

static void assert_xps(struct fixture *f, const char *a, const char *b, const char *c)
{
	const char *const expected[N_TX] = {a, b, c};

	for (unsigned i = 0; i < N_TX; i++) {
		g_autofree char *shown = nb_fake_kernel_xps(f->kernel, "eth0", i);

		assert_string_equal(shown, expected[i]);
	}
}

static void unset_masks_are_set_and_come_back(void **state)
{
	g_autoptr(fixture) f = new_unset();

	(void)state;
	assert_int_equal(follow(f, 0x1, 0x2, 0xc), NB_OUTCOME_APPLIED);
	assert_xps(f, "0", "1", "2-3");
	assert_true(nb_applier_wrote(f->applier, NB_KNOB_XPS, ETH0));
	assert_false(nb_applier_wrote(f->applier, NB_KNOB_XPS, ETH0 + 1));
	assert_true(nb_applier_owns_xps(f->applier, ETH0, "eth0", 2));
	assert_int_equal(follow(f, 0x1, 0x2, 0xc), NB_OUTCOME_UNCHANGED);
	assert_int_equal(go_back(f), NB_OUTCOME_APPLIED);
	assert_xps(f, "", "", "");
	assert_int_equal(nb_applier_count(f->applier), 0);
	assert_int_equal(go_back(f), NB_OUTCOME_UNCHANGED);
}

static void only_masks_that_differ_are_written(void **state)
{
	g_autoptr(fixture) f = new_unset();

	(void)state;
	assert_int_equal(follow(f, 0x1, 0x2, 0xc), NB_OUTCOME_APPLIED);
	nb_fake_kernel_fail(f->kernel, 1, 0, 0);
	assert_int_equal(follow(f, 0x2, 0x1, 0xc), NB_OUTCOME_APPLIED);
	assert_int_equal(nb_fake_kernel_n_writes(f->kernel), 2);
	assert_xps(f, "1", "0", "2-3");
}

static void the_next_run_puts_back_what_a_crash_left(void **state)
{
	g_autoptr(fixture) f = new_unset();

	(void)state;
	assert_int_equal(follow(f, 0x1, 0x2, 0xc), NB_OUTCOME_APPLIED);
	assert_int_equal(fixture_restart(f), 0);
	assert_true(nb_applier_wrote(f->applier, NB_KNOB_XPS, ETH0));
	assert_int_equal(follow(f, 0x2, 0x1, 0xc), NB_OUTCOME_APPLIED);
	assert_int_equal(fixture_restart(f), 0);
	assert_int_equal(nb_applier_restore(f->applier, NULL), 0);
	assert_xps(f, "", "", "");
	assert_false(has_baseline(f));
}

/* Between file and kernel. */
static void a_crash_before_the_write_leaves_masks_to_us(void **state)
{
	g_autoptr(fixture) f = new_unset();

	(void)state;
	assert_int_equal(follow(f, 0x1, 0x2, 0xc), NB_OUTCOME_APPLIED);
	for (unsigned i = 0; i < N_TX; i++)
		nb_fake_kernel_set_xps(f->kernel, "eth0", i, "");
	assert_int_equal(fixture_restart(f), 0);
	assert_int_equal(follow_after(f, 0x2, 0x1, 0xc, false, false), NB_OUTCOME_APPLIED);
	assert_xps(f, "1", "0", "2-3");
}

/* Judged by where interrupts were found, not where we have put them. */
static void masks_of_a_driver_follow_and_come_back(void **state)
{
	g_autoptr(fixture) f = new_fixture((const char *const[N_TX]){"0", "1", "2"});

	(void)state;
	nb_fake_kernel_set_irq(f->kernel, 41, "0");
	nb_fake_kernel_set_irq(f->kernel, 42, "1");
	nb_fake_kernel_set_irq(f->kernel, 43, "2");
	assert_int_equal(apply_move(f, 1, 3), NB_OUTCOME_APPLIED);
	assert_int_equal(follow(f, 0x1, 0x8, 0x6), NB_OUTCOME_APPLIED);
	assert_xps(f, "0", "3", "1-2");
	/* The first has the value found, and is not ours. */
	assert_false(nb_applier_owns_xps(f->applier, ETH0, "eth0", 0));
	assert_int_equal(follow(f, 0x2, 0x8, 0x5), NB_OUTCOME_APPLIED);
	assert_int_equal(nb_applier_restore(f->applier, NULL), 0);
	assert_xps(f, "0", "1", "2");
}

static void masks_of_an_administrator_stay(void **state)
{
	g_autoptr(fixture) f = new_fixture((const char *const[N_TX]){"0-3", "0-3", "0-3"});
	g_autoptr(fixture) elsewhere = new_fixture((const char *const[N_TX]){"1", "0", "2"});

	(void)state;
	assert_int_equal(follow(f, 0x1, 0x2, 0xc), NB_OUTCOME_FOREIGN);
	assert_xps(f, "0-3", "0-3", "0-3");
	assert_false(has_baseline(f));
	nb_fake_kernel_set_irq(elsewhere->kernel, 41, "0");
	assert_int_equal(follow(elsewhere, 0x1, 0x2, 0xc), NB_OUTCOME_FOREIGN);
	assert_xps(elsewhere, "1", "0", "2");
}

static void receive_queues_and_traffic_classes_choose_otherwise(void **state)
{
	static const char *const files[] = {"sys/class/net/eth0/queues/tx-1/xps_rxqs",
					    "sys/class/net/eth0/queues/tx-2/traffic_class"};

	(void)state;
	for (unsigned i = 0; i < G_N_ELEMENTS(files); i++) {
		g_autoptr(fixture) f = new_unset();

		nb_tmp_write(f->dir, files[i], "0\n");
		assert_int_equal(follow(f, 0x1, 0x2, 0xc), NB_OUTCOME_APPLIED);
		nb_tmp_write(f->dir, files[i], "1\n");
		assert_int_equal(follow(f, 0x2, 0x1, 0xc), NB_OUTCOME_FOREIGN);
		assert_xps(f, "0", "1", "2-3");
	}
}

static void another_writer_keeps_what_it_wrote(void **state)
{
	g_autoptr(fixture) f = new_unset();

	(void)state;
	assert_int_equal(follow(f, 0x1, 0x2, 0xc), NB_OUTCOME_APPLIED);
	nb_fake_kernel_set_xps(f->kernel, "eth0", 1, "0-3");
	assert_int_equal(follow(f, 0x2, 0x1, 0xc), NB_OUTCOME_FOREIGN);
	assert_xps(f, "0", "0-3", "2-3");
	assert_int_equal(nb_applier_restore(f->applier, NULL), 0);
	assert_xps(f, "", "0-3", "");
}

static void what_is_off_was_turned_off_unless_the_driver_did(void **state)
{
	g_autoptr(fixture) f = new_unset();

	(void)state;
	assert_int_equal(follow(f, 0x1, 0x2, 0xc), NB_OUTCOME_APPLIED);
	for (unsigned i = 0; i < N_TX; i++)
		nb_fake_kernel_set_xps(f->kernel, "eth0", i, "");
	assert_int_equal(follow(f, 0x2, 0x1, 0xc), NB_OUTCOME_FOREIGN);
	assert_xps(f, "", "", "");
	assert_int_equal(follow_after(f, 0x2, 0x1, 0xc, true, true), NB_OUTCOME_APPLIED);
	assert_xps(f, "1", "0", "2-3");
}

static void a_reset_makes_no_mask_of_an_administrator_ours(void **state)
{
	g_autoptr(fixture) f = new_unset();

	(void)state;
	assert_int_equal(follow(f, 0x1, 0x2, 0xc), NB_OUTCOME_APPLIED);
	nb_fake_kernel_set_xps(f->kernel, "eth0", 1, "0-3");
	assert_int_equal(follow_after(f, 0x2, 0x1, 0xc, true, true), NB_OUTCOME_FOREIGN);
	assert_xps(f, "0", "0-3", "2-3");
}

static void going_back_leaves_what_another_wrote(void **state)
{
	g_autoptr(fixture) f = new_unset();

	(void)state;
	assert_int_equal(follow(f, 0x1, 0x2, 0xc), NB_OUTCOME_APPLIED);
	nb_fake_kernel_set_xps(f->kernel, "eth0", 1, "0-3");
	assert_int_equal(go_back(f), NB_OUTCOME_APPLIED);
	assert_xps(f, "", "0-3", "");
}

/* All masks, or none; for every write that may fail. */
static void a_write_that_fails_undoes_those_before_it(void **state)
{
	(void)state;
	for (unsigned nth = 1; nth <= N_TX; nth++) {
		g_autoptr(fixture) f = new_unset();

		nb_fake_kernel_fail(f->kernel, nth, 1, -EBUSY);
		assert_int_not_equal(follow(f, 0x1, 0x2, 0xc), NB_OUTCOME_APPLIED);
		assert_xps(f, "", "", "");
		assert_int_equal(follow(f, 0x1, 0x2, 0xc), NB_OUTCOME_APPLIED);
		assert_int_equal(nb_applier_restore(f->applier, NULL), 0);
		assert_xps(f, "", "", "");
	}
}

/* What cannot be put back stays in the baseline, for the next attempt. */
static void a_restore_that_fails_is_made_again(void **state)
{
	(void)state;
	for (unsigned nth = 1; nth <= N_TX; nth++) {
		g_autoptr(fixture) f = new_unset();

		assert_int_equal(follow(f, 0x1, 0x2, 0xc), NB_OUTCOME_APPLIED);
		nb_fake_kernel_fail(f->kernel, nth, 1, -EBUSY);
		assert_int_equal(nb_applier_restore(f->applier, NULL), -EAGAIN);
		assert_int_equal(nb_applier_restore(f->applier, NULL), 0);
		assert_xps(f, "", "", "");
	}
}

static void a_single_queue_or_a_kernel_without_it_has_none(void **state)
{
	g_autoptr(fixture) f = fixture_new(NB_FAKE_6_12);
	g_autoptr(fixture) single = fixture_new(NB_FAKE_6_12);
	const struct nb_cpumask to[1] = {{.words = {0x1}}};
	const struct nb_follow_change change = {
		.key.ifindex = ETH0, .reason = NB_REASON_XPS_FOLLOW, .to = to, .n = 1};

	(void)state;
	f->nic.n_tx = N_TX;
	assert_int_equal(follow(f, 0x1, 0x2, 0xc), NB_OUTCOME_GONE);
	nb_fake_kernel_add_tx_queue(single->kernel, ETH0, "eth0", 0, "");
	assert_int_equal(apply_xps(single, &change), NB_OUTCOME_GONE);
}

static void a_cpu_that_is_offline_is_not_ours_to_hold(void **state)
{
	g_autoptr(fixture) f = new_unset();

	(void)state;
	nb_fake_kernel_set_online(f->kernel, 3, false);
	assert_int_equal(follow(f, 0x1, 0x2, 0xc), NB_OUTCOME_STALE);
	assert_xps(f, "", "", "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(unset_masks_are_set_and_come_back),
		cmocka_unit_test(only_masks_that_differ_are_written),
		cmocka_unit_test(the_next_run_puts_back_what_a_crash_left),
		cmocka_unit_test(a_crash_before_the_write_leaves_masks_to_us),
		cmocka_unit_test(masks_of_a_driver_follow_and_come_back),
		cmocka_unit_test(masks_of_an_administrator_stay),
		cmocka_unit_test(receive_queues_and_traffic_classes_choose_otherwise),
		cmocka_unit_test(another_writer_keeps_what_it_wrote),
		cmocka_unit_test(what_is_off_was_turned_off_unless_the_driver_did),
		cmocka_unit_test(a_reset_makes_no_mask_of_an_administrator_ours),
		cmocka_unit_test(going_back_leaves_what_another_wrote),
		cmocka_unit_test(a_write_that_fails_undoes_those_before_it),
		cmocka_unit_test(a_restore_that_fails_is_made_again),
		cmocka_unit_test(a_single_queue_or_a_kernel_without_it_has_none),
		cmocka_unit_test(a_cpu_that_is_offline_is_not_ours_to_hold),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

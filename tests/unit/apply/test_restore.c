/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unit/apply/fixture.h"

#include <errno.h>

static const struct nb_restored *row(const GArray *report, unsigned i)
{
	assert_true(i < report->len);
	return &g_array_index(report, struct nb_restored, i);
}

/* Restores when queue 1 is ours, and tells what came of it. */
static enum nb_outcome restore_one(struct fixture *f, int expected)
{
	g_autoptr(GArray) report = g_array_new(FALSE, FALSE, sizeof(struct nb_restored));

	assert_int_equal(nb_applier_restore(f->applier, report), expected);
	assert_int_equal(report->len, 1);
	return row(report, 0)->outcome;
}

static void puts_back_in_reverse_order_and_says_what(void **state)
{
	g_autoptr(fixture) f = fixture_new(NB_FAKE_6_12);
	g_autoptr(GArray) report = g_array_new(FALSE, FALSE, sizeof(struct nb_restored));

	(void)state;
	nb_fake_kernel_set_rps(f->kernel, "eth0", 2, "1");
	assert_int_equal(apply_move(f, 0, 2), NB_OUTCOME_APPLIED);
	assert_int_equal(apply_rps(f, 2, 2, 2), NB_OUTCOME_APPLIED);
	assert_int_equal(apply_move(f, 0, 3), NB_OUTCOME_APPLIED);
	assert_int_equal(nb_applier_restore(f->applier, report), 0);

	assert_int_equal(report->len, 3);
	assert_int_equal(row(report, 0)->type, NB_KNOB_RPS);
	assert_string_equal(row(report, 0)->ifname, "eth0");
	assert_int_equal(row(report, 0)->queue, 2);
	assert_int_equal(row(report, 0)->ours.words[0], 0xc);
	assert_int_equal(row(report, 0)->found.words[0], 0x2);
	assert_int_equal(row(report, 1)->irq, 41);
	assert_int_equal(row(report, 2)->irq, 40);
	assert_int_equal(row(report, 2)->ours.words[0], 0x8);
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(row(report, i)->outcome, NB_OUTCOME_APPLIED);

	assert_irq(f, 40, "0-3");
	assert_irq(f, 41, "0-3");
	assert_rps(f, 2, "1");
	assert_int_equal(nb_applier_count(f->applier), 0);
	assert_false(has_baseline(f));
}

static void restoring_nothing_is_done_at_once(void **state)
{
	g_autoptr(fixture) f = fixture_new(NB_FAKE_6_12);

	(void)state;
	assert_int_equal(nb_applier_restore(f->applier, NULL), 0);
	assert_int_equal(nb_fake_kernel_n_writes(f->kernel), 0);
}

static void what_someone_else_wrote_stays_and_is_forgotten(void **state)
{
	g_autoptr(fixture) f = fixture_new(NB_FAKE_6_12);

	(void)state;
	assert_int_equal(apply_move(f, 1, 2), NB_OUTCOME_APPLIED);
	nb_fake_kernel_set_irq(f->kernel, 42, "0-1");
	assert_int_equal(restore_one(f, 0), NB_OUTCOME_UNCHANGED);
	assert_irq(f, 42, "0-1");
	assert_int_equal(nb_applier_count(f->applier), 0);
	assert_false(has_baseline(f));
}

static void a_narrowed_rps_mask_is_someone_elses(void **state)
{
	g_autoptr(fixture) f = fixture_new(NB_FAKE_6_12);

	(void)state;
	assert_int_equal(apply_rps(f, 1, 1, 3), NB_OUTCOME_APPLIED);
	nb_fake_kernel_set_rps(f->kernel, "eth0", 1, "2");
	assert_int_equal(restore_one(f, 0), NB_OUTCOME_UNCHANGED);
	assert_rps(f, 1, "2");
}

static void a_reused_interrupt_is_never_written(void **state)
{
	g_autoptr(fixture) f = fixture_new(NB_FAKE_6_12);

	(void)state;
	assert_int_equal(apply_move(f, 1, 2), NB_OUTCOME_APPLIED);
	nb_fake_kernel_reuse_irq(f->kernel, 42, "nvme0q1", "2");
	assert_int_equal(restore_one(f, 0), NB_OUTCOME_GONE);
	assert_irq(f, 42, "2");
}

static void another_device_of_the_same_name_is_never_written(void **state)
{
	g_autoptr(fixture) f = fixture_new(NB_FAKE_6_12);

	(void)state;
	assert_int_equal(apply_rps(f, 1, 2, 1), NB_OUTCOME_APPLIED);
	nb_tmp_write(f->dir, "sys/class/net/eth0/ifindex", "17\n");
	assert_int_equal(restore_one(f, 0), NB_OUTCOME_GONE);
	assert_rps(f, 1, "2");
}

/* And another one has its name by now. */
static void a_device_that_was_renamed_is_put_back(void **state)
{
	g_autoptr(fixture) f = fixture_new(NB_FAKE_6_12);
	g_autoptr(GArray) report = g_array_new(FALSE, FALSE, sizeof(struct nb_restored));
	struct nb_rps_change steered = steer(1, 2, 1);
	struct nb_rss_change limited = {.key.ifindex = ETH0, .queues = {.words = {0x1}}};
	struct nb_plan plan = PLAN_OF(STEER(&steered), REDIRECT(&limited));
	g_autofree char *table = NULL, *mask = NULL;

	(void)state;
	assert_int_equal(apply_plan(f, &plan), 0);
	nb_fake_kernel_rename(f->kernel, "eth0", "lan0");
	f->rss.ifname = "lan0";
	nb_tmp_write(f->dir, "sys/class/net/eth0/ifindex", "17\n");
	assert_int_equal(nb_applier_restore(f->applier, report), 0);
	assert_int_equal(report->len, 2);
	for (unsigned i = 0; i < 2; i++) {
		assert_int_equal(row(report, i)->outcome, NB_OUTCOME_APPLIED);
		assert_string_equal(row(report, i)->ifname, "lan0");
	}
	mask = nb_fake_kernel_rps(f->kernel, "lan0", 1);
	assert_string_equal(mask, "");
	table = nb_fake_rss_text(&f->rss);
	assert_string_equal(table, "0,1,2,3,0,1,2,3");
}

static void a_vanished_interrupt_is_gone(void **state)
{
	g_autoptr(fixture) f = fixture_new(NB_FAKE_6_12);

	(void)state;
	assert_int_equal(apply_move(f, 1, 2), NB_OUTCOME_APPLIED);
	nb_fake_kernel_remove_irq(f->kernel, 42);
	assert_int_equal(restore_one(f, 0), NB_OUTCOME_GONE);
	assert_false(has_baseline(f));
}

static void an_interrupt_whose_interface_is_down_is_put_back(void **state)
{
	g_autoptr(fixture) f = fixture_new(NB_FAKE_6_12);

	(void)state;
	assert_int_equal(apply_move(f, 1, 2), NB_OUTCOME_APPLIED);
	nb_tmp_write(f->dir, "sys/kernel/irq/42/actions", "\n");
	assert_int_equal(restore_one(f, 0), NB_OUTCOME_APPLIED);
	assert_irq(f, 42, "0-3");
}

static void an_offline_cpu_in_the_value_found_does_no_harm(void **state)
{
	g_autoptr(fixture) f = fixture_new(NB_FAKE_6_12);

	(void)state;
	assert_int_equal(apply_move(f, 1, 2), NB_OUTCOME_APPLIED);
	nb_fake_kernel_set_online(f->kernel, 3, false);
	assert_int_equal(restore_one(f, 0), NB_OUTCOME_APPLIED);
	assert_irq(f, 42, "0-3");
}

static void an_interrupt_broken_by_its_cpu_going_offline_is_left_alone(void **state)
{
	g_autoptr(fixture) f = fixture_new(NB_FAKE_6_12);

	(void)state;
	assert_int_equal(apply_move(f, 1, 2), NB_OUTCOME_APPLIED);
	nb_fake_kernel_set_online(f->kernel, 2, false);
	assert_int_equal(restore_one(f, 0), NB_OUTCOME_UNCHANGED);
	assert_irq(f, 42, "0-1,3");
}

static void a_value_that_can_no_longer_be_set_is_stale(void **state)
{
	g_autoptr(fixture) f = fixture_new(NB_FAKE_6_12);

	(void)state;
	nb_fake_kernel_set_irq(f->kernel, 42, "3");
	assert_int_equal(apply_move(f, 1, 2), NB_OUTCOME_APPLIED);
	nb_fake_kernel_set_online(f->kernel, 3, false);
	assert_int_equal(restore_one(f, 0), NB_OUTCOME_STALE);
	assert_irq(f, 42, "2");
	assert_int_equal(nb_applier_count(f->applier), 0);
}

static void a_channel_is_told_with_its_queue(void **state)
{
	g_autoptr(fixture) f = fixture_new(NB_FAKE_6_12);
	g_autoptr(GArray) report = g_array_new(FALSE, FALSE, sizeof(struct nb_restored));

	(void)state;
	synthesize(f);
	assert_int_equal(apply_move(f, 2, 3), NB_OUTCOME_APPLIED);
	assert_int_equal(nb_applier_restore(f->applier, report), 0);
	assert_int_equal(report->len, 1);
	assert_int_equal(row(report, 0)->type, NB_KNOB_VMBUS);
	assert_int_equal(row(report, 0)->irq, NB_IRQ_CHANNEL | 22);
	assert_int_equal(row(report, 0)->queue, 2);
	assert_string_equal(row(report, 0)->ifname, "eth0");
	assert_int_equal(row(report, 0)->ours.words[0], 0x8);
	assert_int_equal(row(report, 0)->found.words[0], 0x1);
	assert_int_equal(nb_fake_kernel_channel(f->kernel, 22), 0);
}

static void a_channel_that_serves_another_queue_is_never_written(void **state)
{
	g_autoptr(fixture) f = fixture_new(NB_FAKE_6_12);

	(void)state;
	synthesize(f);
	assert_int_equal(apply_move(f, 2, 3), NB_OUTCOME_APPLIED);
	nb_tmp_write(f->dir, "sys/class/net/eth0/device/channels/22/subchannel_id", "1\n");
	assert_int_equal(restore_one(f, 0), NB_OUTCOME_GONE);
	assert_int_equal(nb_fake_kernel_channel(f->kernel, 22), 3);
}

static void what_may_pass_stays_for_the_next_time(void **state)
{
	static const int passing[] = {-EBUSY, -ENOMEM, -ENOSPC};

	(void)state;
	for (unsigned i = 0; i < G_N_ELEMENTS(passing); i++) {
		g_autoptr(fixture) f = fixture_new(NB_FAKE_6_12);

		assert_int_equal(apply_move(f, 1, 2), NB_OUTCOME_APPLIED);
		assert_int_equal(apply_move(f, 2, 3), NB_OUTCOME_APPLIED);
		nb_fake_kernel_fail(f->kernel, 1, 1, passing[i]);
		assert_int_equal(nb_applier_restore(f->applier, NULL), -EAGAIN);
		assert_irq(f, 42, "0-3");
		assert_irq(f, 43, "3");
		assert_int_equal(nb_applier_count(f->applier), 1);

		assert_int_equal(fixture_restart(f), 0);
		assert_int_equal(nb_applier_count(f->applier), 1);
		assert_int_equal(restore_one(f, 0), NB_OUTCOME_APPLIED);
		assert_irq(f, 43, "0-3");
		assert_false(has_baseline(f));
	}
}

static void a_refusal_for_good_is_told_and_forgotten(void **state)
{
	g_autoptr(fixture) f = fixture_new(NB_FAKE_6_12);

	(void)state;
	assert_int_equal(apply_move(f, 1, 2), NB_OUTCOME_APPLIED);
	nb_fake_kernel_manage_irq(f->kernel, 42);
	assert_int_equal(restore_one(f, 0), NB_OUTCOME_REFUSED);
	assert_int_equal(nb_fake_kernel_n_writes(f->kernel), 1);
	assert_false(has_baseline(f));
}

/* Every knob is as found, or the report says why it is not, or it is still in the baseline. */
static void whichever_write_of_a_restore_fails_nothing_is_lost(void **state)
{
	static const int errors[] = {-EIO, -EPERM, -ENOSPC, -EBUSY, -EINVAL, -ENOENT};
	struct nb_move moves[] = {to_cpu(0, 1), to_cpu(1, 2), to_cpu(2, 3)};

	(void)state;
	for (unsigned nth = 1; nth <= 4; nth++)
		for (unsigned i = 0; i < G_N_ELEMENTS(errors); i++) {
			g_autoptr(fixture) f = fixture_new(NB_FAKE_6_12);
			g_autoptr(GArray) report =
				g_array_new(FALSE, FALSE, sizeof(struct nb_restored));
			int r;

			assert_int_equal(apply_moves(f, moves, 3), 0);
			nb_fake_kernel_fail(f->kernel, nth, 1, errors[i]);
			r = nb_applier_restore(f->applier, report);
			assert_int_equal(report->len, 4);
			for (unsigned j = 0; j < 4; j++) {
				bool failed = j + 1 == nth;

				assert_true((row(report, j)->outcome == NB_OUTCOME_APPLIED) ==
					    !failed);
				if (!failed)
					assert_irq(f, row(report, j)->irq, "0-3");
			}
			assert_true((r == -EAGAIN) == (nb_applier_count(f->applier) == 1));
			assert_true(has_baseline(f) == (r == -EAGAIN));
		}
}

static void a_restore_cut_short_is_finished_by_the_next_run(void **state)
{
	(void)state;
	for (unsigned nth = 1; nth <= 4; nth++) {
		g_autoptr(fixture) f = fixture_new(NB_FAKE_6_12);
		struct nb_move moves[] = {to_cpu(0, 1), to_cpu(1, 2), to_cpu(2, 3)};
		g_autofree char *text = NULL;

		assert_int_equal(apply_moves(f, moves, 3), 0);
		text = nb_tmp_read(f->dir, BASELINE);
		nb_fake_kernel_fail(f->kernel, nth, UINT_MAX, -EIO);
		(void)nb_applier_restore(f->applier, NULL);
		nb_fake_kernel_fail(f->kernel, 0, 0, 0);

		/* It died before it came to the file. */
		nb_tmp_write(f->dir, BASELINE, text);
		assert_int_equal(fixture_restart(f), 0);
		assert_int_equal(nb_applier_restore(f->applier, NULL), 0);
		assert_all_as_found(f);
	}
}

static void a_full_run_does_not_keep_it_from_putting_back(void **state)
{
	g_autoptr(fixture) f = fixture_new(NB_FAKE_6_12);

	(void)state;
	assert_int_equal(apply_move(f, 0, 2), NB_OUTCOME_APPLIED);
	block_run(f);
	assert_int_equal(nb_applier_restore(f->applier, NULL), -ENOTDIR);
	assert_all_as_found(f);

	/* The file that stayed behind is of no harm. */
	unblock_run(f);
	assert_int_equal(fixture_restart(f), 0);
	assert_int_equal(nb_applier_count(f->applier), 2);
	nb_fake_kernel_fail(f->kernel, 0, 0, 0);
	assert_int_equal(nb_applier_restore(f->applier, NULL), 0);
	assert_int_equal(nb_fake_kernel_n_writes(f->kernel), 0);
	assert_false(has_baseline(f));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(puts_back_in_reverse_order_and_says_what),
		cmocka_unit_test(restoring_nothing_is_done_at_once),
		cmocka_unit_test(what_someone_else_wrote_stays_and_is_forgotten),
		cmocka_unit_test(a_narrowed_rps_mask_is_someone_elses),
		cmocka_unit_test(a_reused_interrupt_is_never_written),
		cmocka_unit_test(another_device_of_the_same_name_is_never_written),
		cmocka_unit_test(a_device_that_was_renamed_is_put_back),
		cmocka_unit_test(a_vanished_interrupt_is_gone),
		cmocka_unit_test(an_interrupt_whose_interface_is_down_is_put_back),
		cmocka_unit_test(an_offline_cpu_in_the_value_found_does_no_harm),
		cmocka_unit_test(an_interrupt_broken_by_its_cpu_going_offline_is_left_alone),
		cmocka_unit_test(a_value_that_can_no_longer_be_set_is_stale),
		cmocka_unit_test(a_channel_is_told_with_its_queue),
		cmocka_unit_test(a_channel_that_serves_another_queue_is_never_written),
		cmocka_unit_test(what_may_pass_stays_for_the_next_time),
		cmocka_unit_test(a_refusal_for_good_is_told_and_forgotten),
		cmocka_unit_test(whichever_write_of_a_restore_fails_nothing_is_lost),
		cmocka_unit_test(a_restore_cut_short_is_finished_by_the_next_run),
		cmocka_unit_test(a_full_run_does_not_keep_it_from_putting_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

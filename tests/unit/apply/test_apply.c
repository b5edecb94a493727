/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unit/apply/fixture.h"

#include <errno.h>

static void each_move_is_one_cpu_for_each_interrupt(void **state)
{
	g_autoptr(fixture) f = fixture_new(NB_FAKE_6_12);
	struct nb_move moves[] = {to_cpu(0, 1), to_cpu(1, 2), to_cpu(2, 3)};

	(void)state;
	assert_int_equal(apply_moves(f, moves, 3), 0);
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(f->outcomes[i], NB_OUTCOME_APPLIED);
	assert_irq(f, 40, "1");
	assert_irq(f, 41, "1");
	assert_irq(f, 42, "2");
	assert_irq(f, 43, "3");
	assert_int_equal(nb_fake_kernel_n_writes(f->kernel), 4);
}

static void an_interrupt_that_is_there_already_is_not_written(void **state)
{
	g_autoptr(fixture) f = fixture_new(NB_FAKE_6_12);

	(void)state;
	nb_fake_kernel_set_irq(f->kernel, 42, "2");
	assert_int_equal(apply_move(f, 1, 2), NB_OUTCOME_UNCHANGED);
	assert_int_equal(apply_rps(f, 1, 0, 0), NB_OUTCOME_UNCHANGED);
	assert_int_equal(nb_fake_kernel_n_writes(f->kernel), 0);
	assert_false(has_baseline(f));
}

/* The text of the baseline as each write finds it. */
struct witness {
	struct fixture *f;
	char *text;
	unsigned n_writes;
};

static int look(struct nb_sysroot *root, const char *path, const char *text, size_t len,
		void *userdata)
{
	struct witness *witness = userdata;
	g_autofree char *now = nb_tmp_read(witness->f->dir, BASELINE);

	if (witness->n_writes++ == 0)
		witness->text = g_steal_pointer(&now);
	else
		assert_string_equal(now, witness->text);
	return nb_sysroot_write_real(root, path, text, len);
}

static void all_that_was_found_is_kept_once_before_the_first_write(void **state)
{
	g_autoptr(fixture) f = fixture_new(NB_FAKE_6_12);
	struct witness witness = {.f = f};
	struct nb_move moves[] = {to_cpu(0, 1), to_cpu(2, 3)};
	struct nb_rps_change change = steer(1, 2, 2);
	struct nb_plan plan = PLAN_OF(MOVE(&moves[0]), MOVE(&moves[1]), STEER(&change));

	(void)state;
	nb_sysroot_set_writer(f->root, look, &witness);
	assert_int_equal(apply_plan(f, &plan), 0);
	assert_int_equal(witness.n_writes, 4);
	assert_string_equal(witness.text, "nicbalance baseline 1\n"
					  "irq 40 0000000f 0000000f 00000002 eth0-rx-0\n"
					  "irq 41 0000000f 0000000f 00000002 eth0-tx-0\n"
					  "irq 43 0000000f 0000000f 00000008 eth0 rxtx 2\n"
					  "rps 2 1 00000000 00000000 0000000c eth0\n");
	g_free(witness.text);
}

static void a_second_move_keeps_the_first_value_found(void **state)
{
	g_autoptr(fixture) f = fixture_new(NB_FAKE_6_12);
	g_autofree char *text = NULL;
	unsigned cpu;

	(void)state;
	assert_int_equal(apply_move(f, 1, 2), NB_OUTCOME_APPLIED);
	assert_int_equal(apply_move(f, 1, 3), NB_OUTCOME_APPLIED);
	text = nb_tmp_read(f->dir, BASELINE);
	assert_string_equal(text, "nicbalance baseline 1\n"
				  "irq 42 0000000f 00000004 00000008 eth0 rxtx 1\n");
	assert_true(nb_applier_owns_irq(f->applier, 42, &cpu));
	assert_int_equal(cpu, 3);
}

static void a_managed_interrupt_is_refused_by_every_kernel(void **state)
{
	static const enum nb_fake_release releases[] = {NB_FAKE_6_1, NB_FAKE_6_12};

	(void)state;
	for (unsigned i = 0; i < G_N_ELEMENTS(releases); i++) {
		g_autoptr(fixture) f = fixture_new(releases[i]);

		nb_fake_kernel_manage_irq(f->kernel, 42);
		assert_int_equal(apply_move(f, 1, 2), NB_OUTCOME_REFUSED);
		assert_irq(f, 42, "0-3");
		assert_int_equal(nb_applier_count(f->applier), 0);
		/* The mode says so since 6.12: then it is not even tried. */
		assert_int_equal(nb_fake_kernel_n_writes(f->kernel), releases[i] == NB_FAKE_6_1);
		assert_true(has_baseline(f) == (releases[i] == NB_FAKE_6_1));
	}
}

/* An interrupt of no queue, known to the applier by its number alone. */
static void an_other_is_moved_behind_the_rest_kept_and_put_back(void **state)
{
	g_autoptr(fixture) f = fixture_new(NB_FAKE_6_12);
	struct nb_move move = to_cpu(1, 2), other = {.key = nb_device_irq_key(50), .cpu_to = 3};
	struct nb_plan plan = PLAN_OF(MOVE(&move), MOVE_IRQ(&other));
	g_autofree char *text = NULL;
	unsigned cpu;

	(void)state;
	nb_fake_kernel_add_irq(f->kernel, 50, "ahci[0000:00:1f.2]", "0-3");
	assert_int_equal(apply_plan(f, &plan), 0);
	assert_int_equal(f->outcomes[0], NB_OUTCOME_APPLIED);
	assert_int_equal(f->outcomes[1], NB_OUTCOME_APPLIED);
	assert_irq(f, 50, "3");
	text = nb_tmp_read(f->dir, BASELINE);
	assert_non_null(strstr(text, "irq 50 0000000f 0000000f 00000008 ahci[0000:00:1f.2]\n"));
	assert_true(nb_applier_owns_irq(f->applier, 50, &cpu));
	assert_int_equal(cpu, 3);
	assert_int_equal(nb_applier_restore(f->applier, NULL), 0);
	assert_irq(f, 50, "0-3");
}

static void an_other_that_the_kernel_manages_is_refused(void **state)
{
	g_autoptr(fixture) f = fixture_new(NB_FAKE_6_1);
	struct nb_move other = {.key = nb_device_irq_key(50), .cpu_to = 3};
	struct nb_plan plan = PLAN_OF(MOVE_IRQ(&other));

	(void)state;
	nb_fake_kernel_add_irq(f->kernel, 50, "nvme0q1", "0-3");
	nb_fake_kernel_manage_irq(f->kernel, 50);
	assert_int_equal(apply_plan(f, &plan), 0);
	assert_int_equal(f->outcomes[0], NB_OUTCOME_REFUSED);
	assert_irq(f, 50, "0-3");
	assert_int_equal(nb_applier_count(f->applier), 0);
}

static void a_cpu_without_vectors_is_full(void **state)
{
	g_autoptr(fixture) f = fixture_new(NB_FAKE_6_12);

	(void)state;
	nb_fake_kernel_fill(f->kernel, 2, true);
	assert_int_equal(apply_move(f, 1, 2), NB_OUTCOME_NO_VECTOR);
	assert_irq(f, 42, "0-3");
	assert_int_equal(nb_applier_count(f->applier), 0);
	nb_fake_kernel_fill(f->kernel, 2, false);
	assert_int_equal(apply_move(f, 1, 2), NB_OUTCOME_APPLIED);
}

static void a_cpu_that_is_no_more_makes_the_plan_stale(void **state)
{
	g_autoptr(fixture) f = fixture_new(NB_FAKE_6_12);

	(void)state;
	nb_fake_kernel_set_online(f->kernel, 3, false);
	assert_int_equal(apply_move(f, 1, 3), NB_OUTCOME_STALE);
	assert_int_equal(apply_move(f, 1, 7), NB_OUTCOME_STALE);
	assert_int_equal(apply_move(f, 1, 4000), NB_OUTCOME_STALE);
	assert_irq(f, 42, "0-3");
	assert_int_equal(nb_applier_count(f->applier), 0);
}

static void what_is_no_more_is_gone_and_the_rest_is_done(void **state)
{
	g_autoptr(fixture) f = fixture_new(NB_FAKE_6_12);
	struct nb_move moves[] = {to_cpu(1, 1), to_cpu(7, 1), to_cpu(2, 1)};

	(void)state;
	nb_fake_kernel_remove_irq(f->kernel, 42);
	assert_int_equal(apply_moves(f, moves, 3), 0);
	assert_int_equal(f->outcomes[0], NB_OUTCOME_GONE);
	assert_int_equal(f->outcomes[1], NB_OUTCOME_GONE);
	assert_int_equal(f->outcomes[2], NB_OUTCOME_APPLIED);
	assert_int_equal(nb_applier_count(f->applier), 1);
	f->machine.n_nics = 0;
	f->machine.n_queues = 0;
	assert_int_equal(apply_rps(f, 0, 1, 1), NB_OUTCOME_GONE);
	assert_int_equal(apply_move(f, 2, 3), NB_OUTCOME_GONE);
}

static void rps_is_set_widened_and_withdrawn(void **state)
{
	g_autoptr(fixture) f = fixture_new(NB_FAKE_6_12);

	(void)state;
	assert_int_equal(apply_rps(f, 0, 2, 1), NB_OUTCOME_APPLIED);
	assert_rps(f, 0, "2");
	assert_int_equal(apply_rps(f, 0, 2, 2), NB_OUTCOME_APPLIED);
	assert_rps(f, 0, "2-3");
	assert_int_equal(nb_applier_count(f->applier), 1);
	assert_int_equal(apply_rps(f, 0, 0, 0), NB_OUTCOME_APPLIED);
	assert_rps(f, 0, "");
	assert_int_equal(nb_applier_count(f->applier), 0);
}

static void rps_without_cap_net_admin_is_refused(void **state)
{
	g_autoptr(fixture) f = fixture_new(NB_FAKE_6_12);

	(void)state;
	nb_fake_kernel_drop_net_admin(f->kernel);
	assert_int_equal(apply_rps(f, 0, 2, 2), NB_OUTCOME_REFUSED);
	assert_int_equal(nb_applier_count(f->applier), 0);
}

static void rps_with_no_housekeeping_cpu_left_is_stale(void **state)
{
	g_autoptr(fixture) f = fixture_new(NB_FAKE_6_12);

	(void)state;
	nb_fake_kernel_isolate(f->kernel, 2);
	nb_fake_kernel_isolate(f->kernel, 3);
	assert_int_equal(apply_rps(f, 0, 2, 2), NB_OUTCOME_STALE);
	assert_int_equal(nb_applier_count(f->applier), 0);
}

static void rps_that_came_out_off_is_stale_and_as_before(void **state)
{
	g_autoptr(fixture) f = fixture_new(NB_FAKE_6_12);

	(void)state;
	nb_fake_kernel_set_rps(f->kernel, "eth0", 0, "1");
	nb_fake_kernel_set_online(f->kernel, 2, false);
	nb_fake_kernel_set_online(f->kernel, 3, false);
	assert_int_equal(apply_rps(f, 0, 2, 2), NB_OUTCOME_STALE);
	assert_rps(f, 0, "1");
	assert_int_equal(nb_applier_count(f->applier), 0);
}

static void nothing_is_written_where_nothing_can_be_kept(void **state)
{
	g_autoptr(fixture) f = fixture_new(NB_FAKE_6_12);
	struct nb_move moves[] = {to_cpu(0, 1), to_cpu(1, 2), to_cpu(7, 0)};
	struct nb_rps_change change = steer(1, 2, 2);
	struct nb_plan plan =
		PLAN_OF(MOVE(&moves[0]), MOVE(&moves[1]), MOVE(&moves[2]), STEER(&change));

	(void)state;
	block_run(f);
	assert_int_equal(apply_plan(f, &plan), -ENOTDIR);
	for (unsigned i = 0; i < 4; i++)
		assert_int_equal(f->outcomes[i], NB_OUTCOME_UNSAFE);
	assert_int_equal(nb_fake_kernel_n_writes(f->kernel), 0);
	assert_int_equal(nb_applier_count(f->applier), 0);
	assert_all_as_found(f);

	unblock_run(f);
	assert_int_equal(apply_plan(f, &plan), 0);
	assert_int_equal(f->outcomes[0], NB_OUTCOME_APPLIED);
	assert_int_equal(f->outcomes[3], NB_OUTCOME_APPLIED);
}

static void a_round_that_could_not_be_kept_leaves_the_one_before_it_ours(void **state)
{
	g_autoptr(fixture) f = fixture_new(NB_FAKE_6_12);
	unsigned cpu;

	(void)state;
	assert_int_equal(apply_move(f, 0, 1), NB_OUTCOME_APPLIED);
	block_run(f);
	assert_int_equal(apply_move(f, 0, 2), NB_OUTCOME_UNSAFE);
	assert_irq(f, 40, "1");
	assert_true(nb_applier_owns_irq(f->applier, 40, &cpu));
	assert_int_equal(cpu, 1);
	unblock_run(f);
	assert_int_equal(nb_applier_restore(f->applier, NULL), 0);
	assert_all_as_found(f);
}

/* Three rounds that place, move again, steer, and withdraw. */
static void play(struct fixture *f)
{
	struct nb_move place[] = {to_cpu(0, 1), to_cpu(1, 2), to_cpu(2, 3)};
	struct nb_move again[] = {to_cpu(0, 2), to_cpu(1, 1)};
	struct nb_rps_change changes[] = {steer(1, 2, 2), steer(2, 0, 2), steer(1, 0, 0)};
	struct nb_plan rounds[] = {
		PLAN_OF(MOVE(&place[0]), MOVE(&place[1]), MOVE(&place[2]), STEER(&changes[0])),
		PLAN_OF(MOVE(&again[0]), MOVE(&again[1]), STEER(&changes[1])),
		PLAN_OF(STEER(&changes[2])),
	};

	changes[2].from = changes[0].to;
	for (unsigned i = 0; i < G_N_ELEMENTS(rounds); i++)
		assert_int_equal(apply_plan(f, &rounds[i]), 0);
}

static unsigned count_writes(void)
{
	g_autoptr(fixture) f = fixture_new(NB_FAKE_6_12);

	play(f);
	return nb_fake_kernel_n_writes(f->kernel);
}

static const int errors[] = {-EIO, -EPERM, -ENOSPC, -EBUSY, -EINVAL, -ENOMEM, -ENOENT};

/* With the Nth write failing, and with each one from the Nth on. */
static void play_with_failure(struct fixture *f, unsigned nth, int error, bool for_ever)
{
	nb_fake_kernel_fail(f->kernel, nth, for_ever ? UINT_MAX : 1, error);
	play(f);
	nb_fake_kernel_fail(f->kernel, 0, 0, 0);
}

static void whichever_write_fails_all_is_put_back(void **state)
{
	unsigned n_writes = count_writes();

	(void)state;
	assert_true(n_writes > 8);
	for (unsigned nth = 1; nth <= n_writes; nth++)
		for (unsigned i = 0; i < 2 * G_N_ELEMENTS(errors); i++) {
			g_autoptr(fixture) f = fixture_new(NB_FAKE_6_12);

			play_with_failure(f, nth, errors[i / 2], i % 2);
			assert_int_equal(nb_applier_restore(f->applier, NULL), 0);
			assert_all_as_found(f);
			assert_false(has_baseline(f));
		}
}

/* The writes from the Nth on never happened, and the ledger in memory is lost. */
static void whenever_it_dies_the_next_run_puts_all_back(void **state)
{
	unsigned n_writes = count_writes();

	(void)state;
	for (unsigned nth = 1; nth <= n_writes + 1; nth++) {
		g_autoptr(fixture) f = fixture_new(NB_FAKE_6_12);

		play_with_failure(f, nth, -EIO, true);
		assert_int_equal(fixture_restart(f), 0);
		assert_int_equal(nb_applier_restore(f->applier, NULL), 0);
		assert_all_as_found(f);
		assert_false(has_baseline(f));
	}
}

static void a_deferred_move_that_the_kernel_drops_is_put_back_too(void **state)
{
	g_autoptr(fixture) f = fixture_new(NB_FAKE_6_1);

	(void)state;
	nb_fake_kernel_defer(f->kernel);
	assert_int_equal(apply_move(f, 1, 2), NB_OUTCOME_APPLIED);
	nb_fake_kernel_interrupt(f->kernel, 42);
	nb_fake_kernel_fill(f->kernel, 3, true);
	assert_int_equal(apply_move(f, 1, 3), NB_OUTCOME_APPLIED);
	nb_fake_kernel_interrupt(f->kernel, 42);
	assert_irq(f, 42, "2");
	assert_int_equal(nb_applier_restore(f->applier, NULL), 0);
	assert_irq(f, 42, "0-3");
}

static void a_channel_is_moved_kept_and_put_back(void **state)
{
	g_autoptr(fixture) f = fixture_new(NB_FAKE_6_12);
	struct nb_move moves[] = {to_cpu(0, 1), to_cpu(1, 2), to_cpu(2, 0)};
	g_autofree char *text = NULL;

	(void)state;
	synthesize(f);
	assert_int_equal(apply_moves(f, moves, 3), 0);
	assert_int_equal(f->outcomes[0], NB_OUTCOME_APPLIED);
	assert_int_equal(f->outcomes[1], NB_OUTCOME_APPLIED);
	assert_int_equal(f->outcomes[2], NB_OUTCOME_UNCHANGED);
	assert_int_equal(nb_fake_kernel_channel(f->kernel, 21), 2);
	text = nb_tmp_read(f->dir, BASELINE);
	assert_string_equal(text, "nicbalance baseline 1\n"
				  "irq 40 0000000f 0000000f 00000002 eth0-rx-0\n"
				  "irq 41 0000000f 0000000f 00000002 eth0-tx-0\n"
				  "vmbus 2 1 21 00000001 00000001 00000004 eth0\n");
	/* After a crash. */
	assert_int_equal(fixture_restart(f), 0);
	assert_int_equal(nb_applier_restore(f->applier, NULL), 0);
	assert_int_equal(nb_fake_kernel_channel(f->kernel, 21), 0);
	assert_false(has_baseline(f));
}

static void whatever_a_channel_answers_it_is_put_back(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 2 * G_N_ELEMENTS(errors); i++) {
		g_autoptr(fixture) f = fixture_new(NB_FAKE_6_12);

		synthesize(f);
		assert_int_equal(apply_move(f, 1, 1), NB_OUTCOME_APPLIED);
		nb_fake_kernel_fail(f->kernel, 1, i % 2 ? UINT_MAX : 1, errors[i / 2]);
		assert_int_not_equal(apply_move(f, 1, 2), NB_OUTCOME_APPLIED);
		assert_int_equal(nb_fake_kernel_channel(f->kernel, 21), 1);
		nb_fake_kernel_fail(f->kernel, 0, 0, 0);
		assert_int_equal(nb_applier_restore(f->applier, NULL), 0);
		assert_int_equal(nb_fake_kernel_channel(f->kernel, 21), 0);
		assert_false(has_baseline(f));
	}
}

static void a_channel_that_does_not_move_is_as_it_was(void **state)
{
	g_autoptr(fixture) f = fixture_new(NB_FAKE_6_12);

	(void)state;
	synthesize(f);
	nb_fake_kernel_close_channel(f->kernel, 21);
	assert_int_equal(apply_move(f, 1, 2), NB_OUTCOME_STALE);
	nb_tmp_write(f->dir, "sys/class/net/eth0/device/channels/22/subchannel_id", "7\n");
	assert_int_equal(apply_move(f, 2, 2), NB_OUTCOME_GONE);
	assert_int_equal(nb_fake_kernel_channel(f->kernel, 21), 0);
	assert_int_equal(nb_fake_kernel_channel(f->kernel, 22), 0);
	assert_int_equal(nb_applier_count(f->applier), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_move_is_one_cpu_for_each_interrupt),
		cmocka_unit_test(an_interrupt_that_is_there_already_is_not_written),
		cmocka_unit_test(all_that_was_found_is_kept_once_before_the_first_write),
		cmocka_unit_test(a_second_move_keeps_the_first_value_found),
		cmocka_unit_test(a_managed_interrupt_is_refused_by_every_kernel),
		cmocka_unit_test(an_other_is_moved_behind_the_rest_kept_and_put_back),
		cmocka_unit_test(an_other_that_the_kernel_manages_is_refused),
		cmocka_unit_test(a_cpu_without_vectors_is_full),
		cmocka_unit_test(a_cpu_that_is_no_more_makes_the_plan_stale),
		cmocka_unit_test(what_is_no_more_is_gone_and_the_rest_is_done),
		cmocka_unit_test(rps_is_set_widened_and_withdrawn),
		cmocka_unit_test(rps_without_cap_net_admin_is_refused),
		cmocka_unit_test(rps_with_no_housekeeping_cpu_left_is_stale),
		cmocka_unit_test(rps_that_came_out_off_is_stale_and_as_before),
		cmocka_unit_test(nothing_is_written_where_nothing_can_be_kept),
		cmocka_unit_test(a_round_that_could_not_be_kept_leaves_the_one_before_it_ours),
		cmocka_unit_test(whichever_write_fails_all_is_put_back),
		cmocka_unit_test(whenever_it_dies_the_next_run_puts_all_back),
		cmocka_unit_test(a_deferred_move_that_the_kernel_drops_is_put_back_too),
		cmocka_unit_test(a_channel_is_moved_kept_and_put_back),
		cmocka_unit_test(whatever_a_channel_answers_it_is_put_back),
		cmocka_unit_test(a_channel_that_does_not_move_is_as_it_was),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unit/apply/fixture.h"

#include <errno.h>

static void owns_nothing_it_did_not_write(void **state)
{
	g_autoptr(fixture) f = fixture_new(NB_FAKE_6_12);
	struct nb_cpumask cpus = {0};
	unsigned cpu = 99;

	(void)state;
	nb_fake_kernel_set_irq(f->kernel, 42, "1");
	assert_int_equal(apply_move(f, 1, 1), NB_OUTCOME_UNCHANGED);
	assert_false(nb_applier_owns_irq(f->applier, 42, &cpu));
	assert_false(nb_applier_owns_irq(f->applier, 999, &cpu));
	assert_false(nb_applier_owns_rps(f->applier, ETH0, "eth0", 0, &cpus));
	assert_int_equal(cpu, 99);
	assert_int_equal(nb_applier_count(f->applier), 0);
}

static void owns_what_it_wrote_until_someone_else_writes(void **state)
{
	g_autoptr(fixture) f = fixture_new(NB_FAKE_6_12);
	struct nb_cpumask cpus = {0};
	unsigned cpu = 99;

	(void)state;
	assert_int_equal(apply_move(f, 1, 3), NB_OUTCOME_APPLIED);
	assert_int_equal(apply_rps(f, 1, 1, 2), NB_OUTCOME_APPLIED);
	assert_true(nb_applier_owns_irq(f->applier, 42, &cpu));
	assert_int_equal(cpu, 3);
	assert_true(nb_applier_owns_rps(f->applier, ETH0, "eth0", 1, &cpus));
	assert_true(cpus.words[0] == 0x6);
	assert_int_equal(nb_applier_count(f->applier), 2);
	assert_true(nb_applier_wrote(f->applier, NB_KNOB_RPS, ETH0));

	nb_fake_kernel_set_irq(f->kernel, 42, "0");
	nb_fake_kernel_set_rps(f->kernel, "eth0", 1, "1");
	assert_false(nb_applier_owns_irq(f->applier, 42, &cpu));
	assert_false(nb_applier_owns_rps(f->applier, ETH0, "eth0", 1, &cpus));
}

static void a_move_that_is_still_pending_is_owned(void **state)
{
	g_autoptr(fixture) f = fixture_new(NB_FAKE_6_12);
	unsigned cpu = 99;

	(void)state;
	nb_fake_kernel_defer(f->kernel);
	assert_int_equal(apply_move(f, 1, 3), NB_OUTCOME_APPLIED);
	assert_int_equal(nb_fake_kernel_effective(f->kernel, 42), 0);
	assert_true(nb_applier_owns_irq(f->applier, 42, &cpu));
	nb_fake_kernel_interrupt(f->kernel, 42);
	assert_int_equal(nb_fake_kernel_effective(f->kernel, 42), 3);
	assert_true(nb_applier_owns_irq(f->applier, 42, &cpu));
	assert_int_equal(cpu, 3);
}

static void an_interrupt_broken_by_its_cpu_going_offline_is_not_owned(void **state)
{
	g_autoptr(fixture) f = fixture_new(NB_FAKE_6_12);
	unsigned cpu;

	(void)state;
	assert_int_equal(apply_move(f, 1, 3), NB_OUTCOME_APPLIED);
	nb_fake_kernel_set_online(f->kernel, 3, false);
	assert_irq(f, 42, "0-2");
	assert_false(nb_applier_owns_irq(f->applier, 42, &cpu));
}

static void a_reused_number_is_not_owned_though_its_mask_is_ours(void **state)
{
	g_autoptr(fixture) f = fixture_new(NB_FAKE_6_12);
	unsigned cpu;

	(void)state;
	assert_int_equal(apply_move(f, 1, 3), NB_OUTCOME_APPLIED);
	nb_fake_kernel_reuse_irq(f->kernel, 42, "nvme0q1", "3");
	assert_false(nb_applier_owns_irq(f->applier, 42, &cpu));
}

static void a_restart_adopts_its_own_placement(void **state)
{
	g_autoptr(fixture) f = fixture_new(NB_FAKE_6_12);
	struct nb_cpumask cpus = {0};
	unsigned cpu;

	(void)state;
	assert_int_equal(apply_move(f, 0, 1), NB_OUTCOME_APPLIED);
	assert_int_equal(apply_rps(f, 0, 2, 2), NB_OUTCOME_APPLIED);
	assert_int_equal(fixture_restart(f), 0);
	assert_null(nb_applier_damage(f->applier));
	assert_int_equal(nb_applier_count(f->applier), 3);
	assert_true(nb_applier_owns_irq(f->applier, 40, &cpu));
	assert_int_equal(cpu, 1);
	assert_true(nb_applier_owns_irq(f->applier, 41, &cpu));
	assert_true(nb_applier_owns_rps(f->applier, ETH0, "eth0", 0, &cpus));
	assert_true(cpus.words[0] == 0xc);
}

static void a_queue_is_owned_as_a_whole(void **state)
{
	g_autoptr(fixture) f = fixture_new(NB_FAKE_6_12);
	const struct nb_queue none = {.key = {ETH0, 3}};
	unsigned cpu = 99;

	(void)state;
	synthesize(f);
	assert_false(nb_applier_owns_queue(f->applier, &f->machine, &none, &cpu));
	assert_false(nb_applier_owns_queue(f->applier, &f->machine, &f->queues[1], &cpu));
	assert_int_equal(cpu, 99);
	assert_int_equal(apply_move(f, 0, 1), NB_OUTCOME_APPLIED);
	assert_int_equal(apply_move(f, 1, 2), NB_OUTCOME_APPLIED);
	assert_int_equal(fixture_restart(f), 0);
	assert_true(nb_applier_owns_queue(f->applier, &f->machine, &f->queues[0], &cpu));
	assert_int_equal(cpu, 1);
	assert_true(nb_applier_owns_queue(f->applier, &f->machine, &f->queues[1], &cpu));
	assert_int_equal(cpu, 2);

	nb_fake_kernel_set_irq(f->kernel, 41, "2");
	nb_fake_kernel_set_channel(f->kernel, 21, 3);
	assert_false(nb_applier_owns_queue(f->applier, &f->machine, &f->queues[0], &cpu));
	assert_false(nb_applier_owns_queue(f->applier, &f->machine, &f->queues[1], &cpu));
}

/* As after a crash between the two writes of a move. */
static void a_queue_on_two_cpus_is_not_owned(void **state)
{
	g_autoptr(fixture) f = fixture_new(NB_FAKE_6_12);
	unsigned cpu;

	(void)state;
	nb_fake_kernel_set_irq(f->kernel, 40, "2");
	nb_fake_kernel_set_irq(f->kernel, 41, "1");
	nb_tmp_write(f->dir, BASELINE,
		     "nicbalance baseline 1\n"
		     "irq 40 0000000f 0000000f 00000004 eth0-rx-0\n"
		     "irq 41 0000000f 0000000f 00000002 eth0-tx-0\n");
	assert_int_equal(fixture_restart(f), 0);
	assert_true(nb_applier_owns_irq(f->applier, 41, &cpu));
	assert_false(nb_applier_owns_queue(f->applier, &f->machine, &f->queues[0], &cpu));
}

static void a_damaged_baseline_is_set_aside_and_the_rest_used(void **state)
{
	static const char text[] = "nicbalance baseline 1\n"
				   "irq 42 0000000f 0000000f 00000008 eth0 rxtx 1\n"
				   "irq 43 0000000f 000";
	g_autoptr(fixture) f = fixture_new(NB_FAKE_6_12);
	g_autofree char *aside = NULL, *now = NULL;
	unsigned cpu;

	(void)state;
	nb_fake_kernel_set_irq(f->kernel, 42, "3");
	nb_tmp_write(f->dir, BASELINE, text);
	assert_int_equal(fixture_restart(f), -EBADMSG);
	assert_string_equal(nb_applier_damage(f->applier), "3");
	assert_true(nb_applier_owns_irq(f->applier, 42, &cpu));

	aside = nb_tmp_read(f->dir, BASELINE ".damaged");
	assert_string_equal(aside, text);
	now = nb_tmp_read(f->dir, BASELINE);
	assert_string_equal(now, "nicbalance baseline 1\n"
				 "irq 42 0000000f 0000000f 00000008 eth0 rxtx 1\n");
	assert_int_equal(fixture_restart(f), 0);
}

static void a_damaged_baseline_that_cannot_be_set_aside_stays(void **state)
{
	g_autoptr(fixture) f = fixture_new(NB_FAKE_6_12);
	g_autofree char *now = NULL;

	(void)state;
	nb_tmp_write(f->dir, BASELINE, "garbage\nmore\n");
	/* Nothing can take the place of a directory that is not empty. */
	nb_tmp_write(f->dir, BASELINE ".damaged/in-the-way", "");
	assert_int_equal(fixture_restart(f), -EBADMSG);
	assert_string_equal(nb_applier_damage(f->applier), "1, 2");
	now = nb_tmp_read(f->dir, BASELINE);
	assert_string_equal(now, "garbage\nmore\n");
}

static void a_baseline_that_cannot_be_read_is_a_failure(void **state)
{
	g_autoptr(fixture) f = fixture_new(NB_FAKE_6_12);

	(void)state;
	nb_tmp_write(f->dir, BASELINE "/is-a-directory", "");
	assert_int_equal(fixture_restart(f), -EISDIR);
	assert_null(f->applier);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(owns_nothing_it_did_not_write),
		cmocka_unit_test(owns_what_it_wrote_until_someone_else_writes),
		cmocka_unit_test(a_move_that_is_still_pending_is_owned),
		cmocka_unit_test(an_interrupt_broken_by_its_cpu_going_offline_is_not_owned),
		cmocka_unit_test(a_reused_number_is_not_owned_though_its_mask_is_ours),
		cmocka_unit_test(a_restart_adopts_its_own_placement),
		cmocka_unit_test(a_queue_is_owned_as_a_whole),
		cmocka_unit_test(a_queue_on_two_cpus_is_not_owned),
		cmocka_unit_test(a_damaged_baseline_is_set_aside_and_the_rest_used),
		cmocka_unit_test(a_damaged_baseline_that_cannot_be_set_aside_stays),
		cmocka_unit_test(a_baseline_that_cannot_be_read_is_a_failure),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

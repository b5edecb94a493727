/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "apply/transaction.h"
#include "unit/apply/fixture.h"
#include "unit/apply/values.h"

#include <errno.h>

static void prepare_move(struct fixture *f, unsigned queue, unsigned cpu,
			 struct nb_transaction *transaction)
{
	struct nb_move move = to_cpu(queue, cpu);
	struct nb_change change = MOVE(&move);

	nb_transaction_prepare(transaction, &f->access, NULL, &f->machine, &change);
}

/* Queue 0 to a CPU: claimed and carried out. */
static enum nb_outcome move_queue_0(struct fixture *f, struct nb_baseline *baseline, unsigned cpu)
{
	struct nb_transaction transaction = {0};
	enum nb_outcome outcome;

	prepare_move(f, 0, cpu, &transaction);
	nb_transaction_claim(&transaction, baseline);
	nb_transaction_carry_out(&transaction, &f->access, baseline);
	outcome = transaction.outcome;
	nb_transaction_clear(&transaction);
	return outcome;
}

static void both_interrupts_of_a_queue_move(void **state)
{
	g_autoptr(fixture) f = fixture_new(NB_FAKE_6_12);
	g_autoptr(nb_baseline) baseline = nb_baseline_new();

	(void)state;
	assert_int_equal(move_queue_0(f, baseline, 2), NB_OUTCOME_APPLIED);
	assert_irq(f, 40, "2");
	assert_irq(f, 41, "2");
	assert_int_equal(nb_baseline_count(baseline), 2);
}

static void only_the_interrupt_that_is_elsewhere_is_written(void **state)
{
	g_autoptr(fixture) f = fixture_new(NB_FAKE_6_12);
	g_autoptr(nb_baseline) baseline = nb_baseline_new();

	(void)state;
	nb_fake_kernel_set_irq(f->kernel, 40, "2");
	assert_int_equal(move_queue_0(f, baseline, 2), NB_OUTCOME_APPLIED);
	assert_int_equal(nb_fake_kernel_n_writes(f->kernel), 1);
	assert_int_equal(nb_baseline_count(baseline), 1);
	assert_int_equal(nb_baseline_get(baseline, 0)->knob.irq, 41);
}

static void the_first_interrupt_comes_back_when_the_second_cannot_follow(void **state)
{
	g_autoptr(fixture) f = fixture_new(NB_FAKE_6_12);
	g_autoptr(nb_baseline) baseline = nb_baseline_new();

	(void)state;
	nb_fake_kernel_fail(f->kernel, 2, 1, -ENOSPC);
	assert_int_equal(move_queue_0(f, baseline, 2), NB_OUTCOME_NO_VECTOR);
	assert_irq(f, 40, "0-3");
	assert_irq(f, 41, "0-3");
	assert_int_equal(nb_baseline_count(baseline), 0);
}

static void a_first_interrupt_that_cannot_come_back_stays_ours(void **state)
{
	g_autoptr(fixture) f = fixture_new(NB_FAKE_6_12);
	g_autoptr(nb_baseline) baseline = nb_baseline_new();

	(void)state;
	nb_fake_kernel_fail(f->kernel, 2, 2, -EBUSY);
	assert_int_equal(move_queue_0(f, baseline, 2), NB_OUTCOME_BUSY);
	assert_irq(f, 40, "2");
	assert_irq(f, 41, "0-3");
	assert_int_equal(nb_baseline_count(baseline), 1);
	assert_value(nb_baseline_get(baseline, 0)->ours, "00000004");
	assert_value(nb_baseline_get(baseline, 0)->found, "0000000f");
}

static void neither_is_tried_where_one_is_known_to_be_refused(void **state)
{
	g_autoptr(fixture) f = fixture_new(NB_FAKE_6_12);
	g_autoptr(nb_baseline) baseline = nb_baseline_new();

	(void)state;
	nb_fake_kernel_manage_irq(f->kernel, 41);
	assert_int_equal(move_queue_0(f, baseline, 2), NB_OUTCOME_REFUSED);
	assert_int_equal(nb_fake_kernel_n_writes(f->kernel), 0);
	assert_int_equal(nb_baseline_count(baseline), 0);
}

static void a_second_interrupt_that_vanishes_is_forgotten(void **state)
{
	g_autoptr(fixture) f = fixture_new(NB_FAKE_6_12);
	g_autoptr(nb_baseline) baseline = nb_baseline_new();
	struct nb_transaction transaction = {0};

	(void)state;
	prepare_move(f, 0, 2, &transaction);
	nb_transaction_claim(&transaction, baseline);
	nb_fake_kernel_remove_irq(f->kernel, 41);
	nb_transaction_carry_out(&transaction, &f->access, baseline);
	assert_int_equal(transaction.outcome, NB_OUTCOME_GONE);
	assert_irq(f, 40, "0-3");
	assert_int_equal(nb_baseline_count(baseline), 0);
	nb_transaction_clear(&transaction);
}

static void disclaiming_leaves_the_ledger_as_it_was(void **state)
{
	g_autoptr(fixture) f = fixture_new(NB_FAKE_6_12);
	g_autoptr(nb_baseline) baseline = nb_baseline_new();
	struct nb_transaction transaction = {0};

	(void)state;
	prepare_move(f, 1, 2, &transaction);
	nb_transaction_claim(&transaction, baseline);
	nb_transaction_carry_out(&transaction, &f->access, baseline);
	nb_transaction_clear(&transaction);

	prepare_move(f, 1, 3, &transaction);
	nb_transaction_claim(&transaction, baseline);
	assert_value(nb_baseline_get(baseline, 0)->ours, "00000008");
	nb_transaction_disclaim(&transaction, baseline);
	nb_transaction_clear(&transaction);
	assert_value(nb_baseline_get(baseline, 0)->ours, "00000004");
	assert_value(nb_baseline_get(baseline, 0)->found, "0000000f");
}

static enum nb_outcome steer_queue_0(struct fixture *f, struct nb_baseline *baseline,
				     const struct nb_cpumask *cpus)
{
	struct nb_rps_change change = {.key = {ETH0, 0}, .from = rps_now(f, 0), .to = *cpus};
	struct nb_change steered = STEER(&change);
	struct nb_transaction transaction = {0};
	enum nb_outcome outcome;

	nb_transaction_prepare(&transaction, &f->access, NULL, &f->machine, &steered);
	nb_transaction_claim(&transaction, baseline);
	nb_transaction_carry_out(&transaction, &f->access, baseline);
	outcome = transaction.outcome;
	nb_transaction_clear(&transaction);
	return outcome;
}

static void an_rps_mask_that_the_kernel_narrows_is_put_back(void **state)
{
	g_autoptr(fixture) f = fixture_new(NB_FAKE_6_12);
	g_autoptr(nb_baseline) baseline = nb_baseline_new();
	struct nb_cpumask cpus = {.words = {0xe}};

	(void)state;
	nb_fake_kernel_set_rps(f->kernel, "eth0", 0, "1");
	nb_fake_kernel_isolate(f->kernel, 3);
	assert_int_equal(steer_queue_0(f, baseline, &cpus), NB_OUTCOME_STALE);
	assert_rps(f, 0, "1");
	assert_int_equal(nb_baseline_count(baseline), 0);
}

static void an_rps_mask_that_stays_narrowed_is_ours_as_it_is(void **state)
{
	g_autoptr(fixture) f = fixture_new(NB_FAKE_6_12);
	g_autoptr(nb_baseline) baseline = nb_baseline_new();
	struct nb_cpumask cpus = {.words = {0xe}};

	(void)state;
	nb_fake_kernel_isolate(f->kernel, 3);
	nb_fake_kernel_fail(f->kernel, 2, 1, -ENOMEM);
	assert_int_equal(steer_queue_0(f, baseline, &cpus), NB_OUTCOME_STALE);
	assert_rps(f, 0, "1-2");
	assert_int_equal(nb_baseline_count(baseline), 1);
	assert_value(nb_baseline_get(baseline, 0)->ours, "00000006");
	assert_value(nb_baseline_get(baseline, 0)->found, "00000000");
}

static void rps_of_a_device_that_changed_its_ifindex_is_gone(void **state)
{
	g_autoptr(fixture) f = fixture_new(NB_FAKE_6_12);
	g_autoptr(nb_baseline) baseline = nb_baseline_new();
	struct nb_cpumask cpus = {.words = {0xe}};

	(void)state;
	nb_tmp_write(f->dir, "sys/class/net/eth0/ifindex", "9\n");
	assert_int_equal(steer_queue_0(f, baseline, &cpus), NB_OUTCOME_GONE);
	assert_rps(f, 0, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_interrupts_of_a_queue_move),
		cmocka_unit_test(only_the_interrupt_that_is_elsewhere_is_written),
		cmocka_unit_test(the_first_interrupt_comes_back_when_the_second_cannot_follow),
		cmocka_unit_test(a_first_interrupt_that_cannot_come_back_stays_ours),
		cmocka_unit_test(neither_is_tried_where_one_is_known_to_be_refused),
		cmocka_unit_test(a_second_interrupt_that_vanishes_is_forgotten),
		cmocka_unit_test(disclaiming_leaves_the_ledger_as_it_was),
		cmocka_unit_test(an_rps_mask_that_the_kernel_narrows_is_put_back),
		cmocka_unit_test(an_rps_mask_that_stays_narrowed_is_ours_as_it_is),
		cmocka_unit_test(rps_of_a_device_that_changed_its_ifindex_is_gone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

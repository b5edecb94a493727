/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "apply/transaction.h"
#include "unit/apply/fixture.h"
#include "unit/apply/values.h"

static void prepare_move(struct fixture *f, unsigned queue, unsigned cpu,
			 struct nb_transaction *transaction)
{
	struct nb_move move = to_cpu(queue, cpu);
	struct nb_change change = MOVE(&move);

	nb_transaction_prepare(transaction, &f->access, NULL, &f->machine, &change);
}

static void preparing_writes_nothing(void **state)
{
	g_autoptr(fixture) f = fixture_new(NB_FAKE_6_12);
	struct nb_transaction transaction = {0};

	(void)state;
	prepare_move(f, 0, 1, &transaction);
	assert_int_equal(transaction.outcome, NB_OUTCOME_APPLIED);
	assert_int_equal(transaction.n_edits, 2);
	assert_value(transaction.edits[1].before, "0000000f");
	assert_value(transaction.edits[1].target, "00000002");
	assert_int_equal(nb_fake_kernel_n_writes(f->kernel), 0);
	nb_transaction_clear(&transaction);
}

static void an_rps_mask_that_someone_has_set_since_is_left_alone(void **state)
{
	g_autoptr(fixture) f = fixture_new(NB_FAKE_6_12);
	struct nb_rps_change change = {.key = {ETH0, 0}, .to = {.words = {0xc}}};
	struct nb_change steered = STEER(&change);
	struct nb_transaction transaction = {0};

	(void)state;
	nb_fake_kernel_set_rps(f->kernel, "eth0", 0, "1");
	nb_transaction_prepare(&transaction, &f->access, NULL, &f->machine, &steered);
	assert_int_equal(transaction.outcome, NB_OUTCOME_STALE);
	assert_false(transaction.edits[0].needed);
	nb_transaction_clear(&transaction);
}

static void what_the_machine_does_not_have_is_gone(void **state)
{
	g_autoptr(fixture) f = fixture_new(NB_FAKE_6_12);
	struct nb_rps_change of_nobody = {.key = {ETH0 + 1, 0}};
	struct nb_change steered = STEER(&of_nobody);
	struct nb_transaction queue = {0}, bare = {0}, rps = {0};

	(void)state;
	prepare_move(f, 7, 1, &queue);
	assert_int_equal(queue.outcome, NB_OUTCOME_GONE);
	f->queues[0].n_irqs = 0;
	prepare_move(f, 0, 2, &bare);
	assert_int_equal(bare.outcome, NB_OUTCOME_GONE);
	nb_transaction_prepare(&rps, &f->access, NULL, &f->machine, &steered);
	assert_int_equal(rps.outcome, NB_OUTCOME_GONE);
	nb_transaction_clear(&queue);
	nb_transaction_clear(&bare);
	nb_transaction_clear(&rps);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(preparing_writes_nothing),
		cmocka_unit_test(an_rps_mask_that_someone_has_set_since_is_left_alone),
		cmocka_unit_test(what_the_machine_does_not_have_is_gone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

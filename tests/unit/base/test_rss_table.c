/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/rss_table.h"

#include "support/support.h"

static void tables_are_told_apart(void **state)
{
	static const uint32_t table[] = {0, 1, 2, 3}, swapped[] = {0, 2, 1, 3};

	(void)state;
	assert_int_equal(nb_table_digest(table, 4), nb_table_digest(table, 4));
	assert_int_not_equal(nb_table_digest(table, 4), nb_table_digest(swapped, 4));
	assert_int_not_equal(nb_table_digest(table, 4), nb_table_digest(table, 3));
	assert_int_not_equal(nb_table_digest(NULL, 0), 0);
}

static void queues_may_differ_by_one_entry(void **state)
{
	static const uint32_t even[] = {0, 1, 2, 0, 1}, blocks[] = {0, 0, 1, 1, 2},
			      uneven[] = {0, 0, 0, 1, 2};

	(void)state;
	assert_true(nb_table_is_even(even, 5, 3));
	assert_true(nb_table_is_even(blocks, 5, 3));
	assert_false(nb_table_is_even(uneven, 5, 3));
}

static void a_queue_that_is_left_out_or_not_there_is_uneven(void **state)
{
	static const uint32_t table[] = {0, 1, 0, 1};

	(void)state;
	assert_true(nb_table_is_even(table, 4, 2));
	assert_false(nb_table_is_even(table, 4, 3));
	assert_false(nb_table_is_even(table, 4, 1));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tables_are_told_apart),
		cmocka_unit_test(queues_may_differ_by_one_entry),
		cmocka_unit_test(a_queue_that_is_left_out_or_not_there_is_uneven),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

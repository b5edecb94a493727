/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/follow.h"

#include "support/support.h"

static void rows_are_found_by_their_nic_and_dropped(void **state)
{
	struct nb_follow_rows rows = {};

	(void)state;
	assert_null(nb_follow_find(&rows, 2));
	nb_follow_get(&rows, 3)->places = 33;
	nb_follow_get(&rows, 2)->places = 22;
	assert_int_equal(rows.rows[0].ifindex, 2);
	assert_true(nb_follow_get(&rows, 3)->places == 33);
	assert_true(nb_follow_find(&rows, 2)->places == 22);
	assert_null(nb_follow_find(&rows, 1));
	assert_null(nb_follow_find(&rows, 4));
	nb_follow_drop(&rows, 2);
	nb_follow_drop(&rows, 4);
	assert_int_equal(rows.n, 1);
	assert_int_equal(rows.rows[0].ifindex, 3);
	nb_follow_clear(&rows);
	assert_int_equal(rows.n, 0);
}

static void a_row_lives_as_long_as_its_nic(void **state)
{
	struct nb_nic nic = {.ifindex = 3};
	const struct nb_machine machine = {.nics = &nic, .n_nics = 1};
	struct nb_follow_rows rows = {};

	(void)state;
	nb_follow_get(&rows, 2);
	nb_follow_get(&rows, 3);
	nb_follow_get(&rows, 4);
	nb_follow_sync(&rows, &machine);
	assert_int_equal(rows.n, 1);
	assert_non_null(nb_follow_find(&rows, 3));
	nb_follow_clear(&rows);
}

static void a_refresh_forgets_rehearsals_alone(void **state)
{
	struct nb_follow_rows rows = {};

	(void)state;
	*nb_follow_get(&rows, 2) =
		(struct nb_follow_memory){.ifindex = 2, .places = 5, .rehearsed = 6};
	nb_follow_refresh(&rows);
	assert_true(rows.rows[0].rehearsed == 0);
	assert_true(rows.rows[0].places == 5);
	nb_follow_clear(&rows);
}

static void what_is_anothers_or_was_refused_does_not_follow(void **state)
{
	struct nb_follow_rows rows = {};

	(void)state;
	assert_false(nb_follow_any(&rows));
	nb_follow_get(&rows, 2)->refused = true;
	assert_false(nb_follow_any(&rows));
	nb_follow_get(&rows, 3)->ours = true;
	assert_true(nb_follow_any(&rows));
	nb_follow_get(&rows, 3)->yielded_nsec = 1;
	assert_false(nb_follow_any(&rows));
	nb_follow_clear(&rows);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_are_found_by_their_nic_and_dropped),
		cmocka_unit_test(a_row_lives_as_long_as_its_nic),
		cmocka_unit_test(what_is_anothers_or_was_refused_does_not_follow),
		cmocka_unit_test(a_refresh_forgets_rehearsals_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

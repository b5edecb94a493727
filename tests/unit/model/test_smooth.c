/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/smooth.h"

#include "nicbalance/units.h"
#include "support/support.h"

#define SEC NB_NSEC_PER_SEC

static void what_was_never_seen_is_taken_as_it_is(void **state)
{
	uint64_t value = 77;

	(void)state;
	assert_true(nb_smooth_weight(SEC, 0) == NB_WHOLE);
	nb_smooth(&value, 4000, NB_WHOLE);
	assert_true(value == 4000);
}

static void a_second_weighs_three_tenths_in_the_long_run(void **state)
{
	uint64_t value = 4000;

	(void)state;
	assert_true(nb_smooth_weight(SEC, 100 * SEC) == 3000);
	nb_smooth(&value, 8000, 3000);
	assert_true(value == 5200);
}

static void a_short_first_window_is_soon_outweighed(void **state)
{
	(void)state;
	assert_in_range(nb_smooth_weight(SEC, 3 * SEC / 10), 7600, 7700);
	assert_in_range(nb_smooth_weight(SEC, 13 * SEC / 10), 4300, 4400);
}

static void a_short_window_weighs_less(void **state)
{
	(void)state;
	assert_true(nb_smooth_weight(SEC / 5, 100 * SEC) == 600);
}

static void a_long_window_replaces_all_before_it(void **state)
{
	(void)state;
	assert_true(nb_smooth_weight(60 * SEC, 100 * SEC) == NB_WHOLE);
}

static void fifteen_percent_in_a_second_are_a_shift(void **state)
{
	(void)state;
	assert_false(nb_smooth_has_shifted(4000, 5500, SEC, 0));
	assert_true(nb_smooth_has_shifted(4000, 5501, SEC, 0));
	assert_true(nb_smooth_has_shifted(4000, 2499, SEC, 0));
	assert_true(nb_smooth_has_shifted(4000, 5501, 10 * SEC, 0));
}

static void a_short_window_must_be_further_off_to_be_a_shift(void **state)
{
	(void)state;
	assert_false(nb_smooth_has_shifted(0, 6000, SEC / 4, 0));
	assert_true(nb_smooth_has_shifted(0, 6001, SEC / 4, 0));
}

static void noise_is_no_shift(void **state)
{
	(void)state;
	assert_false(nb_smooth_has_shifted(4000, 6000, SEC, 200));
	assert_true(nb_smooth_has_shifted(4000, 6001, SEC, 200));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_never_seen_is_taken_as_it_is),
		cmocka_unit_test(a_second_weighs_three_tenths_in_the_long_run),
		cmocka_unit_test(a_short_first_window_is_soon_outweighed),
		cmocka_unit_test(a_short_window_weighs_less),
		cmocka_unit_test(a_long_window_replaces_all_before_it),
		cmocka_unit_test(fifteen_percent_in_a_second_are_a_shift),
		cmocka_unit_test(a_short_window_must_be_further_off_to_be_a_shift),
		cmocka_unit_test(noise_is_no_shift),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

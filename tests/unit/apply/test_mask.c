/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "apply/mask.h"
#include "support/support.h"

static void equality_is_of_sets_not_of_texts(void **state)
{
	(void)state;
	assert_true(nb_mask_same("f", "0000000f"));
	assert_true(nb_mask_same("00000000,0000000F\n", "0000000f"));
	assert_false(nb_mask_same("00000001,00000000", "00000001"));
	assert_false(nb_mask_same("1", "2"));
}

static void what_is_no_mask_equals_nothing(void **state)
{
	(void)state;
	assert_false(nb_mask_same("0-3", "0-3"));
	assert_false(nb_mask_same("", ""));
	assert_false(nb_mask_same("1", "x"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equality_is_of_sets_not_of_texts),
		cmocka_unit_test(what_is_no_mask_equals_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

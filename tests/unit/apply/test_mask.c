/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "apply/mask.h"
#include "support/support.h"

#include <errno.h>

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

static void has_as_many_groups_as_the_file(void **state)
{
	struct nb_cpumask set = {0};
	g_autofree char *one = NULL, *three = NULL;

	(void)state;
	nb_cpumask_add(&set, 31);
	assert_int_equal(nb_mask_format_like("f", &set, &one), 0);
	assert_string_equal(one, "80000000");
	assert_int_equal(nb_mask_format_like("0,0,1", &set, &three), 0);
	assert_string_equal(three, "00000000,00000000,80000000");
}

static void never_leaves_out_a_cpu_that_does_not_fit(void **state)
{
	struct nb_cpumask set = {0};
	char *text = NULL;

	(void)state;
	nb_cpumask_add(&set, 3);
	nb_cpumask_add(&set, 32);
	assert_int_equal(nb_mask_format_like("0000000f", &set, &text), -ERANGE);
	assert_null(text);
	assert_int_equal(nb_mask_format_like("none", &set, &text), -EINVAL);
	assert_null(text);
}

static void the_highest_cpu_fits_the_widest_mask(void **state)
{
	g_autofree char *widest = g_strnfill(NB_CPUS_MAX / 32 * 2 - 1, '0');
	g_autofree char *text = NULL;
	struct nb_cpumask set = {0};

	(void)state;
	for (unsigned i = 1; i < NB_CPUS_MAX / 32 * 2 - 1; i += 2)
		widest[i] = ',';
	nb_cpumask_add(&set, NB_CPUS_MAX - 1);
	assert_int_equal(nb_mask_format_like(widest, &set, &text), 0);
	assert_true(g_str_has_prefix(text, "80000000,00000000,"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equality_is_of_sets_not_of_texts),
		cmocka_unit_test(what_is_no_mask_equals_nothing),
		cmocka_unit_test(has_as_many_groups_as_the_file),
		cmocka_unit_test(never_leaves_out_a_cpu_that_does_not_fit),
		cmocka_unit_test(the_highest_cpu_fits_the_widest_mask),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unit/apply/values.h"

static void equality_is_of_sets_not_of_texts(void **state)
{
	g_autoptr(GBytes) one = value_of("f"), wide = value_of("00000000,00000000,0000000F\n");
	g_autoptr(GBytes) high = value_of("0000000f,00000000,00000000");

	(void)state;
	assert_true(g_bytes_equal(one, wide));
	assert_false(g_bytes_equal(one, high));
	assert_int_equal(g_bytes_get_size(wide), 8);
}

static void a_set_comes_back_as_it_was(void **state)
{
	(void)state;
	for (unsigned cpu = 0; cpu <= NB_CPUS_MAX; cpu++) {
		struct nb_cpumask set = {.words = {1}}, back = {.words = {[3] = 7}};
		g_autoptr(GBytes) value = NULL;

		if (cpu < NB_CPUS_MAX)
			nb_cpumask_add(&set, cpu);
		else
			nb_cpumask_clear(&set);
		value = nb_value_of_cpus(&set);
		nb_value_cpus(value, &back);
		assert_true(nb_cpumask_equal(&set, &back));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equality_is_of_sets_not_of_texts),
		cmocka_unit_test(a_set_comes_back_as_it_was),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

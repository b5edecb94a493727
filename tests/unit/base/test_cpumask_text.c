/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/cpumask_text.h"
#include "support/support.h"

#include <errno.h>

static void assert_mask(const char *text, const char *list)
{
	g_autofree char *got = NULL;
	struct nb_cpumask mask;

	assert_int_equal(nb_cpumask_parse_mask(text, strlen(text), &mask), 0);
	got = nb_cpumask_format_list(&mask);
	assert_string_equal(got, list);
}

static void reads_masks_of_any_width(void **state)
{
	(void)state;
	assert_mask("0", "");
	assert_mask("3", "0-1");
	assert_mask("f\n", "0-3");
	assert_mask("FF", "0-7");
	assert_mask("00000001,80000000\n", "31-32");
	assert_mask("80000000,00000000,00000001", "0,95");
	assert_mask("00000000,00000000,00000000,00000000", "");
	assert_mask("1,0", "32");
}

static void assert_no_mask(const char *text, int error)
{
	struct nb_cpumask mask, before;

	memset(&mask, 0x5a, sizeof(mask));
	before = mask;
	assert_int_equal(nb_cpumask_parse_mask(text, strlen(text), &mask), error);
	assert_true(nb_cpumask_equal(&mask, &before));
}

static void refuses_what_is_not_a_mask(void **state)
{
	g_autoptr(GString) wide = g_string_new("1");

	(void)state;
	assert_no_mask("", -EINVAL);
	assert_no_mask("\n", -EINVAL);
	assert_no_mask("0x3", -EINVAL);
	assert_no_mask("3,", -EINVAL);
	assert_no_mask(",3", -EINVAL);
	assert_no_mask("1,,1", -EINVAL);
	assert_no_mask("123456789", -EINVAL);
	assert_no_mask("f f", -EINVAL);
	assert_no_mask("-1", -EINVAL);

	for (unsigned i = 0; i < NB_CPUS_MAX / 32; i++)
		g_string_append(wide, ",00000000");
	assert_no_mask(wide->str, -ERANGE);
}

static void length_counts_not_the_terminator(void **state)
{
	struct nb_cpumask mask;

	(void)state;
	assert_int_equal(nb_cpumask_parse_mask("f0", 1, &mask), 0);
	assert_int_equal(nb_cpumask_count(&mask), 4);
	assert_true(nb_cpumask_has(&mask, 3));
	assert_int_equal(nb_cpumask_parse_list("0-35", 3, &mask), 0);
	assert_int_equal(nb_cpumask_count(&mask), 4);
}

static void assert_written(unsigned cpu, const char *expected)
{
	struct nb_cpumask mask = {0};
	g_autofree char *text = NULL;

	if (cpu < NB_CPUS_MAX)
		nb_cpumask_add(&mask, cpu);
	text = nb_cpumask_format_mask(&mask);
	assert_string_equal(text, expected);
}

static void writes_no_more_groups_than_there_must_be(void **state)
{
	(void)state;
	assert_written(NB_CPUS_MAX, "00000000");
	assert_written(1, "00000002");
	assert_written(31, "80000000");
	assert_written(32, "00000001,00000000");
	assert_written(95, "80000000,00000000,00000000");
}

static void masks_survive_the_round_trip(void **state)
{
	struct nb_cpumask mask = {0}, back;
	g_autofree char *text = NULL, *list = NULL;

	(void)state;
	for (unsigned cpu = 0; cpu < NB_CPUS_MAX; cpu += 1 + cpu % 7)
		nb_cpumask_add(&mask, cpu);
	nb_cpumask_add(&mask, NB_CPUS_MAX - 1);

	text = nb_cpumask_format_mask(&mask);
	assert_int_equal(nb_cpumask_parse_mask(text, strlen(text), &back), 0);
	assert_true(nb_cpumask_equal(&mask, &back));

	list = nb_cpumask_format_list(&mask);
	assert_int_equal(nb_cpumask_parse_list(list, strlen(list), &back), 0);
	assert_true(nb_cpumask_equal(&mask, &back));
}

static void assert_list(const char *text, const char *list)
{
	g_autofree char *got = NULL;
	struct nb_cpumask mask;

	assert_int_equal(nb_cpumask_parse_list(text, strlen(text), &mask), 0);
	got = nb_cpumask_format_list(&mask);
	assert_string_equal(got, list);
}

static void reads_lists(void **state)
{
	(void)state;
	assert_list("0-3,8\n", "0-3,8");
	assert_list("8,0-3,2", "0-3,8");
	assert_list("5", "5");
	assert_list("63-65", "63-65");
	assert_list("0-15:2/4", "0-1,4-5,8-9,12-13");
	assert_list("1-8:1/3,0", "0-1,4,7");
	assert_list("8191", "8191");
}

static void no_cpu_at_all_is_the_empty_set(void **state)
{
	(void)state;
	assert_list("", "");
	assert_list("\n", "");
	assert_list("(null)\n", "");
}

static void assert_no_list(const char *text, int error)
{
	struct nb_cpumask mask, before;

	memset(&mask, 0x5a, sizeof(mask));
	before = mask;
	assert_int_equal(nb_cpumask_parse_list(text, strlen(text), &mask), error);
	assert_true(nb_cpumask_equal(&mask, &before));
}

static void refuses_what_is_not_a_list(void **state)
{
	(void)state;
	assert_no_list("a", -EINVAL);
	assert_no_list("3-1", -EINVAL);
	assert_no_list("1-", -EINVAL);
	assert_no_list("-1", -EINVAL);
	assert_no_list("1,", -EINVAL);
	assert_no_list(",1", -EINVAL);
	assert_no_list("1 2", -EINVAL);
	assert_no_list("0-7:3/2", -EINVAL);
	assert_no_list("0-7:1/0", -EINVAL);
	assert_no_list("0-7:1", -EINVAL);
	assert_no_list("(nul)", -EINVAL);
	assert_no_list("8192", -ERANGE);
	assert_no_list("0-8192", -ERANGE);
	assert_no_list("99999999999999999999", -ERANGE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_masks_of_any_width),
		cmocka_unit_test(refuses_what_is_not_a_mask),
		cmocka_unit_test(length_counts_not_the_terminator),
		cmocka_unit_test(writes_no_more_groups_than_there_must_be),
		cmocka_unit_test(masks_survive_the_round_trip),
		cmocka_unit_test(reads_lists),
		cmocka_unit_test(no_cpu_at_all_is_the_empty_set),
		cmocka_unit_test(refuses_what_is_not_a_list),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

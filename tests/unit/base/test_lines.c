/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/lines.h"

#include "support/support.h"

#include <string.h>

/* Keeps all but "bad". */
static bool take(const char *line, void *userdata)
{
	g_string_append_printf(userdata, "%s;", line);
	return !g_str_equal(line, "bad");
}

static void assert_parses(const char *text, size_t len, const char *taken, const char *damaged)
{
	g_autoptr(GArray) numbers = g_array_new(FALSE, FALSE, sizeof(unsigned));
	g_autoptr(GString) lines = g_string_new(NULL);
	g_autofree char *told = NULL;

	nb_lines_each(text, len, "form 1", take, lines, numbers);
	told = nb_lines_describe(numbers);
	assert_string_equal(lines->str, taken);
	assert_string_equal(told, damaged);
}

#define ASSERT_PARSES(text, taken, damaged) assert_parses(text, sizeof(text) - 1, taken, damaged)

static void each_line_after_the_first_is_taken(void **state)
{
	(void)state;
	ASSERT_PARSES("form 1\n", "", "");
	ASSERT_PARSES("form 1\none\n\ntwo\n", "one;;two;", "");
}

static void damaged_lines_are_told_and_the_others_count(void **state)
{
	(void)state;
	ASSERT_PARSES("form 1\none\nbad\ntwo\nbad\n", "one;bad;two;bad;", "3, 5");
	ASSERT_PARSES("form 1\no\0e\ntwo\n", "two;", "2");
	ASSERT_PARSES("form 1\none\ntw", "one;", "3");
}

static void nothing_counts_of_another_form(void **state)
{
	(void)state;
	ASSERT_PARSES("form 2\none\n", "", "1, 2");
	ASSERT_PARSES("form 1", "", "1");
	ASSERT_PARSES("", "", "1");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_line_after_the_first_is_taken),
		cmocka_unit_test(damaged_lines_are_told_and_the_others_count),
		cmocka_unit_test(nothing_counts_of_another_form),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ctl/show/layout.h"
#include "support/support.h"

static const struct nb_column time_column = {"TIME", "TIME", "time", NB_CELL_TEXT, 0};
static const struct nb_column what_column = {"WHAT", "WHAT", "what", NB_CELL_TEXT, NB_COLUMN_WRAP};
static const struct nb_column why_column = {"WHY", "WHY", "why", NB_CELL_TEXT, NB_COLUMN_WRAP};

static void assert_wrapped(const char *text, size_t width, const char *expected)
{
	g_autofree char *wrapped = nb_layout_wrap(text, width);

	assert_string_equal(wrapped, expected);
}

static void breaks_at_the_last_space_that_fits(void **state)
{
	(void)state;
	assert_wrapped("one two three", 7, "one two\nthree");
	assert_wrapped("one two three", 6, "one\ntwo\nthree");
	assert_wrapped("one two three", 13, "one two three");
}

static void a_word_too_long_stays_whole(void **state)
{
	(void)state;
	assert_wrapped("incomprehensible words", 5, "incomprehensible\nwords");
	assert_wrapped("", 5, "");
	assert_wrapped("a b", 0, "a\nb");
}

static void counts_characters_not_bytes(void **state)
{
	(void)state;
	assert_wrapped("CPU 1 → CPU 0", 7, "CPU 1 →\nCPU 0");
}

static GPtrArray *fit(const char *what, const char *why, size_t width)
{
	g_autoptr(GPtrArray) columns = g_ptr_array_new();
	GPtrArray *texts = g_ptr_array_new_with_free_func(g_free);

	g_ptr_array_add(columns, (gpointer)&time_column);
	g_ptr_array_add(columns, (gpointer)&what_column);
	g_ptr_array_add(columns, (gpointer)&why_column);
	g_ptr_array_add(texts, g_strdup("01:02 03"));
	g_ptr_array_add(texts, g_strdup(what));
	g_ptr_array_add(texts, g_strdup(why));
	nb_layout_fit(texts, columns, width);
	return texts;
}

static void what_fits_is_left_alone(void **state)
{
	g_autoptr(GPtrArray) texts = fit("twelve chars", "so it is", 30);

	(void)state;
	assert_string_equal(texts->pdata[0], "01:02 03");
	assert_string_equal(texts->pdata[1], "twelve chars");
	assert_string_equal(texts->pdata[2], "so it is");
}

static void the_first_column_goes_before_while_enough_is_left(void **state)
{
	/* 8 + 1 + 25 + 1 + 25 */
	g_autoptr(GPtrArray) texts =
		fit("as it is, this one has 25", "this has more than twenty-four characters", 60);

	(void)state;
	assert_string_equal(texts->pdata[1], "as it is, this one has 25");
	assert_string_equal(texts->pdata[2], "this has more than\ntwenty-four characters");
}

static void on_a_narrow_terminal_each_gets_its_share(void **state)
{
	g_autoptr(GPtrArray) texts = fit("aaaa bbbb cccc dddd", "eeee ffff gggg hhhh", 28);

	(void)state;
	assert_string_equal(texts->pdata[0], "01:02 03");
	assert_string_equal(texts->pdata[1], "aaaa bbbb\ncccc dddd");
	assert_string_equal(texts->pdata[2], "eeee ffff\ngggg hhhh");
}

static void a_terminal_without_room_breaks_nothing_but_lines(void **state)
{
	g_autoptr(GPtrArray) texts = fit("a b", "c d", 3);

	(void)state;
	assert_string_equal(texts->pdata[1], "a\nb");
	assert_string_equal(texts->pdata[2], "c\nd");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(breaks_at_the_last_space_that_fits),
		cmocka_unit_test(a_word_too_long_stays_whole),
		cmocka_unit_test(counts_characters_not_bytes),
		cmocka_unit_test(what_fits_is_left_alone),
		cmocka_unit_test(the_first_column_goes_before_while_enough_is_left),
		cmocka_unit_test(on_a_narrow_terminal_each_gets_its_share),
		cmocka_unit_test(a_terminal_without_room_breaks_nothing_but_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

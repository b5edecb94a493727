/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ctl/cell.h"
#include "support/support.h"

#include <string.h>

static void assert_cell(enum nb_cell cell, const void *field, const char *text, const char *json)
{
	const struct nb_column column = {.name = "X", .heading = "X", .json = "x", .cell = cell};
	g_autofree char *written = nb_cell_text(&column, field);
	GString *appended = g_string_new(NULL);

	nb_cell_append_json(appended, &column, field);
	assert_string_equal(written, text);
	assert_string_equal(appended->str, json);
	g_string_free(appended, TRUE);
}

static void assert_count(uint64_t count, const char *text)
{
	g_autofree char *json = g_strdup_printf("%" G_GUINT64_FORMAT, count);

	assert_cell(NB_CELL_COUNT64, &count, text, json);
}

static void large_counts_are_short_for_people_alone(void **state)
{
	(void)state;
	assert_count(0, "0");
	assert_count(999, "999");
	assert_count(1000, "1.0k");
	assert_count(12345, "12.3k");
	assert_count(99949, "99.9k");
	assert_count(99950, "100k");
	assert_count(999499, "999k");
	assert_count(999500, "1.0M");
	assert_count(UINT64_MAX, "18.4E");
}

static void assert_share(enum nb_cell cell, uint32_t bp, const char *text, const char *json)
{
	assert_cell(cell, &bp, text, json);
}

static void shares_are_whole_percents_for_people(void **state)
{
	(void)state;
	assert_share(NB_CELL_SHARE, 0, "0", "0.00");
	assert_share(NB_CELL_SHARE, 49, "0", "0.49");
	assert_share(NB_CELL_SHARE, 50, "1", "0.50");
	assert_share(NB_CELL_SHARE, 10000, "100", "100.00");
	assert_share(NB_CELL_SHARE, UINT32_MAX, "-", "null");
}

static void small_costs_have_a_tenth(void **state)
{
	(void)state;
	assert_share(NB_CELL_SMALL_SHARE, 0, "0", "0.00");
	assert_share(NB_CELL_SMALL_SHARE, 4, "0.0", "0.04");
	assert_share(NB_CELL_SMALL_SHARE, 35, "0.4", "0.35");
	assert_share(NB_CELL_SMALL_SHARE, 96, "1.0", "0.96");
	assert_share(NB_CELL_SMALL_SHARE, 994, "9.9", "9.94");
	assert_share(NB_CELL_SMALL_SHARE, 995, "10", "9.95");
	assert_share(NB_CELL_SMALL_SHARE, UINT32_MAX, "-", "null");
}

static void unknown_ids_are_a_dash(void **state)
{
	const int32_t unknown = -1, known = 3;

	(void)state;
	assert_cell(NB_CELL_ID, &unknown, "-", "null");
	assert_cell(NB_CELL_ID, &known, "3", "3");
}

static void all_cpus_together_are_no_number(void **state)
{
	const int32_t all = NB_CPU_ALL, first = 0;

	(void)state;
	assert_cell(NB_CELL_CPU, &all, "ALL", "null");
	assert_cell(NB_CELL_CPU, &first, "0", "0");
}

static void a_bound_that_is_none_is_null_for_programs(void **state)
{
	const struct nb_bound below = {16, false}, least = {4194304, true}, none = {0, false};

	(void)state;
	assert_cell(NB_CELL_BOUND, &below, "<16", "16");
	assert_cell(NB_CELL_BOUND, &least, ">=4194304", "null");
	assert_cell(NB_CELL_BOUND, &none, "-", "null");
}

static void texts_are_escaped_in_json(void **state)
{
	const char *odd = "a\"b\\c\n\x1b→", *empty = "";

	(void)state;
	assert_cell(NB_CELL_TEXT, &odd, odd, "\"a\\\"b\\\\c\\u000a\\u001b→\"");
	assert_cell(NB_CELL_TEXT, &empty, "-", "\"\"");
}

static void words_and_interrupts_are_arrays(void **state)
{
	const char *words = "moved,fresh", *none = "";
	const uint32_t irqs[] = {41, 42};
	const struct nb_irq_list two = {irqs, 2}, no_irqs = {NULL, 0};

	(void)state;
	assert_cell(NB_CELL_WORDS, &words, "moved,fresh", "[\"moved\", \"fresh\"]");
	assert_cell(NB_CELL_WORDS, &none, "", "[]");
	assert_cell(NB_CELL_IRQS, &two, "41,42", "[41, 42]");
	assert_cell(NB_CELL_IRQS, &no_irqs, "-", "[]");
}

static void times_of_another_day_have_the_date(void **state)
{
	const uint64_t usec = UINT64_C(1767225601000002);

	(void)state;
	assert_cell(NB_CELL_TIME, &usec, "2026-01-01 00:00:01", "\"2026-01-01T00:00:01.000002Z\"");
}

static void spans_are_hours_minutes_and_seconds(void **state)
{
	const uint64_t zero = 0, usec = UINT64_C(3912345678), days = UINT64_C(360000000000);

	(void)state;
	assert_cell(NB_CELL_SPAN, &zero, "0:00:00", "0.000");
	assert_cell(NB_CELL_SPAN, &usec, "1:05:12", "3912.345");
	assert_cell(NB_CELL_SPAN, &days, "100:00:00", "360000.000");
}

static void times_of_today_have_none(void **state)
{
	g_autofree char *text = nb_time_text((uint64_t)g_get_real_time());

	(void)state;
	assert_int_equal(strlen(text), strlen("00:00:00"));
}

static void both_parts_of_a_bar_are_as_long_as_the_sum(void **state)
{
	const struct nb_bar idle = {0, 0}, half = {2400, 2400}, over = {9000, 4000};

	(void)state;
	assert_cell(NB_CELL_BAR, &idle, "··········", "");
	assert_cell(NB_CELL_BAR, &half, "██▒▒▒·····", "");
	assert_cell(NB_CELL_BAR, &over, "█████████▒", "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(large_counts_are_short_for_people_alone),
		cmocka_unit_test(shares_are_whole_percents_for_people),
		cmocka_unit_test(small_costs_have_a_tenth),
		cmocka_unit_test(unknown_ids_are_a_dash),
		cmocka_unit_test(all_cpus_together_are_no_number),
		cmocka_unit_test(a_bound_that_is_none_is_null_for_programs),
		cmocka_unit_test(texts_are_escaped_in_json),
		cmocka_unit_test(words_and_interrupts_are_arrays),
		cmocka_unit_test(times_of_another_day_have_the_date),
		cmocka_unit_test(spans_are_hours_minutes_and_seconds),
		cmocka_unit_test(times_of_today_have_none),
		cmocka_unit_test(both_parts_of_a_bar_are_as_long_as_the_sum),
	};

	g_setenv("TZ", "UTC", TRUE);
	return cmocka_run_group_tests(tests, NULL, NULL);
}

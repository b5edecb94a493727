/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ctl/show/cell.h"
#include "support/support.h"

#include <string.h>

/* Takes over row, in which the field is "x". */
static void assert_in_row(enum nb_cell cell, json_t *row, const char *text)
{
	const struct nb_column column = {.name = "X", .heading = "X", .field = "x", .cell = cell};
	g_autofree char *written = nb_cell_text(&column, row);

	assert_non_null(row);
	assert_string_equal(written, text);
	json_decref(row);
}

static void assert_cell(enum nb_cell cell, json_t *value, const char *text)
{
	assert_in_row(cell, json_pack("{s:o}", "x", value), text);
}

static void assert_count(json_int_t count, const char *text)
{
	assert_cell(NB_CELL_COUNT, json_integer(count), text);
}

static void large_counts_are_short(void **state)
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
	assert_count(INT64_MAX, "9.2E");
}

static void assert_share(enum nb_cell cell, double percent, const char *text)
{
	assert_cell(cell, json_real(percent), text);
}

static void shares_are_whole_percents(void **state)
{
	(void)state;
	assert_share(NB_CELL_SHARE, 0, "0");
	assert_share(NB_CELL_SHARE, 0.49, "0");
	assert_share(NB_CELL_SHARE, 0.5, "1");
	assert_share(NB_CELL_SHARE, 100, "100");
	assert_cell(NB_CELL_SHARE, json_integer(45), "45");
}

static void small_shares_have_a_tenth(void **state)
{
	(void)state;
	assert_share(NB_CELL_SMALL_SHARE, 0, "0");
	assert_share(NB_CELL_SMALL_SHARE, 0.04, "0.0");
	assert_share(NB_CELL_SMALL_SHARE, 0.35, "0.4");
	assert_share(NB_CELL_SMALL_SHARE, 0.96, "1.0");
	assert_share(NB_CELL_SMALL_SHARE, 9.94, "9.9");
	assert_share(NB_CELL_SMALL_SHARE, 9.95, "10");
}

static void what_is_unknown_is_a_dash(void **state)
{
	static const enum nb_cell cells[] = {NB_CELL_TEXT,  NB_CELL_NUMBER,      NB_CELL_COUNT,
					     NB_CELL_SHARE, NB_CELL_SMALL_SHARE, NB_CELL_TIME,
					     NB_CELL_BOUND};

	(void)state;
	for (unsigned i = 0; i < G_N_ELEMENTS(cells); i++) {
		assert_cell(cells[i], json_null(), "-");
		assert_in_row(cells[i], json_object(), "-");
	}
}

/* A daemon of a later version may say anything. */
static void a_field_of_another_type_is_unknown(void **state)
{
	(void)state;
	assert_cell(NB_CELL_SHARE, json_string("much"), "-");
	assert_cell(NB_CELL_SHARE, json_real(-1), "-");
	assert_cell(NB_CELL_SHARE, json_real(1e300), "-");
	assert_cell(NB_CELL_COUNT, json_array(), "-");
	assert_cell(NB_CELL_TIME, json_integer(5), "-");
	assert_cell(NB_CELL_WORDS, json_integer(5), "");
	assert_cell(NB_CELL_SPAN, json_real(-1e300), "0:00:00");
}

static void all_cpus_together_are_no_number(void **state)
{
	(void)state;
	assert_cell(NB_CELL_CPU, json_null(), "ALL");
	assert_cell(NB_CELL_CPU, json_integer(0), "0");
}

static void the_last_bound_is_the_least(void **state)
{
	(void)state;
	assert_in_row(NB_CELL_BOUND, json_pack("{s:i, s:i}", "x", 16, "runs", 1), "<16");
	assert_in_row(NB_CELL_BOUND, json_pack("{s:n, s:i}", "x", "runs", 1), ">=4194304");
	assert_in_row(NB_CELL_BOUND, json_pack("{s:n, s:i}", "x", "runs", 0), "-");
}

static void texts_and_flags_are_words(void **state)
{
	(void)state;
	assert_cell(NB_CELL_TEXT, json_string("a\"b→"), "a\"b→");
	assert_cell(NB_CELL_TEXT, json_string(""), "-");
	assert_cell(NB_CELL_TEXT, json_true(), "yes");
	assert_cell(NB_CELL_TEXT, json_false(), "no");
}

static void words_and_interrupts_are_lists(void **state)
{
	(void)state;
	assert_cell(NB_CELL_WORDS, json_pack("[s, s]", "moved", "fresh"), "moved,fresh");
	assert_cell(NB_CELL_WORDS, json_array(), "");
	assert_cell(NB_CELL_TEXT, json_pack("[i, i]", 41, 42), "41,42");
	assert_cell(NB_CELL_TEXT, json_array(), "-");
}

static void times_of_another_day_have_the_date(void **state)
{
	(void)state;
	assert_cell(NB_CELL_TIME, json_string("2026-01-01T00:00:01.000002Z"),
		    "2026-01-01 00:00:01");
	assert_int_equal(nb_time_parse("2026-01-01T00:00:01.000002Z"), UINT64_C(1767225601000002));
	assert_int_equal(nb_time_parse("yesterday"), 0);
}

static void spans_are_hours_minutes_and_seconds(void **state)
{
	(void)state;
	assert_cell(NB_CELL_SPAN, json_real(0), "0:00:00");
	assert_cell(NB_CELL_SPAN, json_real(3912.345), "1:05:12");
	assert_cell(NB_CELL_SPAN, json_real(360000), "100:00:00");
}

static void times_of_today_have_none(void **state)
{
	g_autofree char *text = nb_time_text((uint64_t)g_get_real_time());

	(void)state;
	assert_int_equal(strlen(text), strlen("00:00:00"));
}

static void assert_bar(double queues, double fixed, const char *text)
{
	assert_in_row(NB_CELL_BAR,
		      json_pack("{s:f, s:f}", "queues-percent", queues, "fixed-percent", fixed),
		      text);
}

static void both_parts_of_a_bar_are_as_long_as_the_sum(void **state)
{
	(void)state;
	assert_bar(0, 0, "··········");
	assert_bar(24, 24, "██▒▒▒·····");
	assert_bar(90, 40, "█████████▒");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(large_counts_are_short),
		cmocka_unit_test(shares_are_whole_percents),
		cmocka_unit_test(small_shares_have_a_tenth),
		cmocka_unit_test(what_is_unknown_is_a_dash),
		cmocka_unit_test(a_field_of_another_type_is_unknown),
		cmocka_unit_test(all_cpus_together_are_no_number),
		cmocka_unit_test(the_last_bound_is_the_least),
		cmocka_unit_test(texts_and_flags_are_words),
		cmocka_unit_test(words_and_interrupts_are_lists),
		cmocka_unit_test(times_of_another_day_have_the_date),
		cmocka_unit_test(spans_are_hours_minutes_and_seconds),
		cmocka_unit_test(times_of_today_have_none),
		cmocka_unit_test(both_parts_of_a_bar_are_as_long_as_the_sum),
	};

	g_setenv("TZ", "UTC", TRUE);
	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "document/document.h"
#include "document/json.h"
#include "nicbalance/netdev.h"
#include "support/support.h"

/* Takes over value. */
static void assert_printed(json_t *value, const char *expected)
{
	g_autofree char *text = nb_document_print_compact(value);

	assert_string_equal(text, expected);
	json_decref(value);
}

static void shares_are_percents_as_they_were_put_in(void **state)
{
	(void)state;
	for (uint32_t share = 0; share <= 20000; share++) {
		json_t *value = nb_json_percent(share);
		g_autofree char *text = nb_document_print_compact(value);
		g_autofree char *expected = g_strdup_printf("%u.%02u", share / 100, share % 100);

		json_decref(value);
		/* Zeros at the end are left out, but for the first. */
		assert_true(g_str_has_prefix(expected, text));
		assert_true(strlen(text) >= strlen(expected) - 1);
	}
	assert_printed(nb_json_percent(UINT32_MAX), "null");
}

static void what_is_unknown_is_null(void **state)
{
	(void)state;
	assert_printed(nb_json_id(-1), "null");
	assert_printed(nb_json_id(0), "0");
	assert_printed(nb_json_text(NULL), "null");
	assert_printed(nb_json_text(""), "\"\"");
}

static void any_name_of_a_device_becomes_a_text(void **state)
{
	(void)state;
	assert_printed(nb_json_text("a\"b\\c\n\x1b→"), "\"a\\\"b\\\\c\\n\\u001B→\"");
	assert_printed(nb_json_text("eth\xff"), "\"eth\xef\xbf\xbd\"");
}

static void times_are_utc_to_the_microsecond(void **state)
{
	(void)state;
	assert_printed(nb_json_time(UINT64_C(1767225601000002)), "\"2026-01-01T00:00:01.000002Z\"");
	assert_printed(nb_json_time(UINT64_MAX), "null");
	assert_printed(nb_json_seconds(UINT64_C(3912345678)), "3912.345");
}

static json_t *irqs_of(const uint32_t *irqs, size_t n)
{
	json_t *row = json_object();

	nb_json_set_irqs(row, irqs, n);
	return row;
}

static void a_channel_is_no_interrupt(void **state)
{
	static const uint32_t irqs[] = {40, 41}, channel[] = {NB_IRQ_CHANNEL | 21};

	(void)state;
	assert_printed(irqs_of(irqs, 2), "{\"irqs\":[40,41],\"channel\":null}");
	assert_printed(irqs_of(channel, 1), "{\"irqs\":[],\"channel\":21}");
	assert_printed(irqs_of(NULL, 0), "{\"irqs\":[],\"channel\":null}");
}

static void a_count_is_as_large_as_json_has_it(void **state)
{
	(void)state;
	assert_printed(nb_json_count(0), "0");
	assert_printed(nb_json_count(UINT64_MAX), "9223372036854775807");
}

static void each_row_is_a_line_for_people(void **state)
{
	json_t *document = json_pack("{s:i, s:[{s:i}, {s:i}], s:[]}", "version", 1, "cpus", "cpu",
				     0, "cpu", 1, "moves");
	g_autofree char *text = nb_document_print(document);

	(void)state;
	assert_string_equal(text, "{\n  \"version\": 1,\n  \"cpus\": [\n    {\"cpu\": 0},\n"
				  "    {\"cpu\": 1}\n  ],\n  \"moves\": []\n}\n");
	json_decref(document);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shares_are_percents_as_they_were_put_in),
		cmocka_unit_test(what_is_unknown_is_null),
		cmocka_unit_test(any_name_of_a_device_becomes_a_text),
		cmocka_unit_test(times_are_utc_to_the_microsecond),
		cmocka_unit_test(a_channel_is_no_interrupt),
		cmocka_unit_test(a_count_is_as_large_as_json_has_it),
		cmocka_unit_test(each_row_is_a_line_for_people),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

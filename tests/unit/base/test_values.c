/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/values.h"
#include "nicbalance/units.h"
#include "support/support.h"

#include <errno.h>

#define MSEC (1000 * NB_NSEC_PER_USEC)
#define UNTOUCHED UINT64_C(0x5a5a5a5a)

typedef int (*parser)(const char *text, uint64_t *ret);
typedef char *(*formatter)(uint64_t value);

static void assert_value(parser parse, const char *text, uint64_t expected)
{
	uint64_t value = UNTOUCHED;

	assert_int_equal(parse(text, &value), 0);
	assert_int_equal(value, expected);
}

static void assert_no_value(parser parse, const char *text, int error)
{
	uint64_t value = UNTOUCHED;

	assert_int_equal(parse(text, &value), error);
	assert_int_equal(value, UNTOUCHED);
}

static void assert_there_and_back(parser parse, formatter format, const char *text)
{
	g_autofree char *got = NULL;
	uint64_t value;

	assert_int_equal(parse(text, &value), 0);
	got = format(value);
	assert_string_equal(got, text);
}

static void reads_shares_in_percent(void **state)
{
	(void)state;
	assert_value(nb_share_parse, "70%", 7000);
	assert_value(nb_share_parse, "0%", 0);
	assert_value(nb_share_parse, "100%", NB_WHOLE);
	assert_value(nb_share_parse, "2.5%", 250);
	assert_value(nb_share_parse, "2.25%", 225);
	assert_value(nb_share_parse, "2.250%", 225);
	assert_value(nb_share_parse, "140%", 14000);
}

static void refuses_what_is_no_share(void **state)
{
	static const char *const texts[] = {"",       "%",      "70",   "0.7",  "-5%",
					    "7O%",    "70%%",   "70 %", ".5%",  "5.%",
					    "1.2.3%", "2.255%", "0x1%", "1e2%", "2.2500001%"};

	(void)state;
	for (unsigned i = 0; i < G_N_ELEMENTS(texts); i++)
		assert_no_value(nb_share_parse, texts[i], -EINVAL);
	assert_no_value(nb_share_parse, "99999999999999999999%", -ERANGE);
	assert_no_value(nb_share_parse, "18446744073709551615%", -ERANGE);
}

static void reads_spans_as_systemd_does(void **state)
{
	(void)state;
	assert_value(nb_span_parse, "30s", 30 * NB_NSEC_PER_SEC);
	assert_value(nb_span_parse, "30", 30 * NB_NSEC_PER_SEC);
	assert_value(nb_span_parse, "30 sec", 30 * NB_NSEC_PER_SEC);
	assert_value(nb_span_parse, "1min 30s", 90 * NB_NSEC_PER_SEC);
	assert_value(nb_span_parse, "1min30s", 90 * NB_NSEC_PER_SEC);
	assert_value(nb_span_parse, "1min 30", 90 * NB_NSEC_PER_SEC);
	assert_value(nb_span_parse, "2 minutes", 120 * NB_NSEC_PER_SEC);
	assert_value(nb_span_parse, "250ms", 250 * MSEC);
	assert_value(nb_span_parse, "0.25", 250 * MSEC);
	assert_value(nb_span_parse, "1.5h", 5400 * NB_NSEC_PER_SEC);
	assert_value(nb_span_parse, "10us", 10 * NB_NSEC_PER_USEC);
	assert_value(nb_span_parse, "300ns", 300);
	assert_value(nb_span_parse, "1.5us", 1500);
	assert_value(nb_span_parse, "0.0000001s", 100);
	assert_value(nb_span_parse, "2days 1hr", 49 * 3600 * NB_NSEC_PER_SEC);
	assert_value(nb_span_parse, "0", 0);
}

static void refuses_what_is_no_span(void **state)
{
	static const char *const texts[] = {
		"",         "s",    "-1s",   "30x",           "30 S",   "1.5.5s", "1us ,",
		"infinity", "30s;", "1.5ns", "0.0000000001s", "1month", "."};

	(void)state;
	for (unsigned i = 0; i < G_N_ELEMENTS(texts); i++)
		assert_no_value(nb_span_parse, texts[i], -EINVAL);
	assert_no_value(nb_span_parse, "18446744074s", -ERANGE);
	assert_no_value(nb_span_parse, "213503d 213503d", -ERANGE);
	assert_no_value(nb_span_parse, "99999999999999999999999s", -ERANGE);
}

static void reads_all_words_for_yes_and_no(void **state)
{
	static const char *const yes[] = {"yes", "true", "on", "1", "YES", "True"};
	static const char *const no[] = {"no", "false", "off", "0", "No", "OFF"};

	(void)state;
	for (unsigned i = 0; i < G_N_ELEMENTS(yes); i++)
		assert_value(nb_boolean_parse, yes[i], 1);
	for (unsigned i = 0; i < G_N_ELEMENTS(no); i++)
		assert_value(nb_boolean_parse, no[i], 0);
	assert_no_value(nb_boolean_parse, "maybe", -EINVAL);
	assert_no_value(nb_boolean_parse, "y", -EINVAL);
	assert_no_value(nb_boolean_parse, "2", -EINVAL);
	assert_no_value(nb_boolean_parse, "", -EINVAL);
}

static void reads_counts(void **state)
{
	(void)state;
	assert_value(nb_count_parse, "0", 0);
	assert_value(nb_count_parse, "007", 7);
	assert_value(nb_count_parse, "18446744073709551615", UINT64_MAX);
	assert_value(nb_count_parse, "20k", 20000);
	assert_value(nb_count_parse, "1.5M", 1500000);
}

static void refuses_what_is_no_count(void **state)
{
	static const char *const texts[] = {"",  "-1", "1.5",     "3 ",     "0x10",
					    "k", "4K", "1.0005k", "1.2.3k", "4kM"};

	(void)state;
	for (unsigned i = 0; i < G_N_ELEMENTS(texts); i++)
		assert_no_value(nb_count_parse, texts[i], -EINVAL);
	assert_no_value(nb_count_parse, "18446744073709551616", -ERANGE);
	assert_no_value(nb_count_parse, "18446744073709551615k", -ERANGE);
}

static void writes_what_it_reads(void **state)
{
	static const char *const shares[] = {"0%", "5%", "2.5%", "2.05%", "70%", "100%"};
	static const char *const spans[] = {"0",  "250ms", "1s",   "1min 30s",
					    "1h", "1d",    "10us", "2d 3h 4min 5s 6ms 7us 8ns"};

	(void)state;
	for (unsigned i = 0; i < G_N_ELEMENTS(shares); i++)
		assert_there_and_back(nb_share_parse, nb_share_format, shares[i]);
	for (unsigned i = 0; i < G_N_ELEMENTS(spans); i++)
		assert_there_and_back(nb_span_parse, nb_span_format, spans[i]);
	assert_there_and_back(nb_boolean_parse, nb_boolean_format, "yes");
	assert_there_and_back(nb_boolean_parse, nb_boolean_format, "no");
	assert_there_and_back(nb_count_parse, nb_count_format, "42");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_shares_in_percent),
		cmocka_unit_test(refuses_what_is_no_share),
		cmocka_unit_test(reads_spans_as_systemd_does),
		cmocka_unit_test(refuses_what_is_no_span),
		cmocka_unit_test(reads_all_words_for_yes_and_no),
		cmocka_unit_test(reads_counts),
		cmocka_unit_test(refuses_what_is_no_count),
		cmocka_unit_test(writes_what_it_reads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

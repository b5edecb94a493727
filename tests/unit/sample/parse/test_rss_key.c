/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sample/parse/parse.h"

#include "support/support.h"

#include <errno.h>
#include <string.h>

static int parse(const char *text, uint8_t key[4])
{
	return nb_parse_rss_key(text, strlen(text), key, 4);
}

static void the_first_bytes_are_the_key(void **state)
{
	const uint8_t expected[4] = {0x6d, 0x5a, 0x00, 0xdf};
	uint8_t key[4];

	(void)state;
	assert_int_equal(parse("6d:5a:00:DF\n", key), 0);
	assert_memory_equal(key, expected, sizeof(key));
	memset(key, 0, sizeof(key));
	assert_int_equal(parse("6d:5a:00:df:25:5b\n", key), 0);
	assert_memory_equal(key, expected, sizeof(key));
	assert_int_equal(parse("00:00:00:01", key), 0);
}

static void zeroes_are_no_key(void **state)
{
	uint8_t key[4];

	(void)state;
	assert_int_equal(parse("00:00:00:00:01\n", key), -ENODATA);
}

static void what_is_cut_or_malformed_is_refused(void **state)
{
	static const char *const texts[] = {"",
					    "6d:5a:00",
					    "6d:5a:00:d",
					    "6d:5a:00:d\n",
					    "6d5a00df",
					    "6d:5a::df:00",
					    "6d:5a:00;df",
					    "6d:5a:0x:df",
					    "6:5a:00:df:00"};
	uint8_t key[4];

	(void)state;
	for (unsigned i = 0; i < G_N_ELEMENTS(texts); i++)
		assert_int_equal(parse(texts[i], key), -EBADMSG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_first_bytes_are_the_key),
		cmocka_unit_test(zeroes_are_no_key),
		cmocka_unit_test(what_is_cut_or_malformed_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

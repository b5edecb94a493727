/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim/values.h"

#include "support/support.h"

#include <errno.h>

static void expect(int (*parse)(const char *text, uint64_t *ret), const char *text, uint64_t value)
{
	uint64_t got = 1234567;

	if (parse(text, &got) != 0)
		fail_msg("\"%s\" is refused", text);
	assert_int_equal(got, value);
}

static void refuse(int (*parse)(const char *text, uint64_t *ret), const char *text, int error)
{
	uint64_t got = 1234567;

	assert_int_equal(parse(text, &got), error);
	assert_int_equal(got, 1234567);
}

static void reads_counts(void **state)
{
	(void)state;
	expect(nb_sim_parse_count, "0", 0);
	expect(nb_sim_parse_count, "40", 40);
	expect(nb_sim_parse_count, "20k", 20000);
	expect(nb_sim_parse_count, "1.5M", 1500000);
	expect(nb_sim_parse_count, "18446744073709551615", UINT64_MAX);
	refuse(nb_sim_parse_count, "18446744073709551616", -ERANGE);
	refuse(nb_sim_parse_count, "18446744073709551615k", -ERANGE);
	refuse(nb_sim_parse_count, "1.5", -EINVAL);
	refuse(nb_sim_parse_count, "1.0005k", -EINVAL);
	refuse(nb_sim_parse_count, "1.2.3k", -EINVAL);
	refuse(nb_sim_parse_count, "", -EINVAL);
	refuse(nb_sim_parse_count, "-1", -EINVAL);
	refuse(nb_sim_parse_count, "k", -EINVAL);
	refuse(nb_sim_parse_count, "4K", -EINVAL);
}

static void reads_shares(void **state)
{
	(void)state;
	expect(nb_sim_parse_share, "70%", 7000);
	expect(nb_sim_parse_share, "2.5%", 250);
	expect(nb_sim_parse_share, "0.01%", 1);
	refuse(nb_sim_parse_share, "0.001%", -EINVAL);
	refuse(nb_sim_parse_share, "70", -EINVAL);
	refuse(nb_sim_parse_share, "%", -EINVAL);
	refuse(nb_sim_parse_share, "7.%", -EINVAL);
}

static void reads_times(void **state)
{
	(void)state;
	expect(nb_sim_parse_span, "90", UINT64_C(90000000000));
	expect(nb_sim_parse_span, "300ns", 300);
	expect(nb_sim_parse_span, "1.5us", 1500);
	expect(nb_sim_parse_span, "5ms", 5000000);
	expect(nb_sim_parse_span, "1min 30s", UINT64_C(90000000000));
	expect(nb_sim_parse_span, "1h", UINT64_C(3600000000000));
	refuse(nb_sim_parse_span, "1.5ns", -EINVAL);
	refuse(nb_sim_parse_span, "5 ms", -EINVAL);
	refuse(nb_sim_parse_span, "5minutes", -EINVAL);
	refuse(nb_sim_parse_span, "", -EINVAL);
	refuse(nb_sim_parse_span, "99999999999h", -ERANGE);
}

static void reads_yes_and_no(void **state)
{
	(void)state;
	expect(nb_sim_parse_boolean, "yes", 1);
	expect(nb_sim_parse_boolean, "off", 0);
	refuse(nb_sim_parse_boolean, "maybe", -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_counts),
		cmocka_unit_test(reads_shares),
		cmocka_unit_test(reads_times),
		cmocka_unit_test(reads_yes_and_no),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

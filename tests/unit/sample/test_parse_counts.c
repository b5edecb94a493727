/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sample/parse.h"
#include "support/support.h"

#include <errno.h>

static int parse(const char *text, uint32_t *counts, unsigned n)
{
	return nb_parse_cpu_counts(text, strlen(text), counts, n);
}

static void reads_one_count_for_each_possible_cpu(void **state)
{
	uint32_t counts[3];

	(void)state;
	assert_int_equal(parse("1,4294967295,0\n", counts, 3), 0);
	assert_int_equal(counts[0], 1);
	assert_int_equal(counts[1], UINT32_MAX);
	assert_int_equal(counts[2], 0);
}

static void refuses_any_other_number_of_counts(void **state)
{
	uint32_t counts[3];

	(void)state;
	assert_int_equal(parse("1,2\n", counts, 3), -EBADMSG);
	assert_int_equal(parse("1,2,3,4\n", counts, 3), -EBADMSG);
	assert_int_equal(parse("", counts, 3), -EBADMSG);
	assert_int_equal(parse("1,,3\n", counts, 3), -EBADMSG);
	assert_int_equal(parse("1, 2,3\n", counts, 3), -EBADMSG);
	assert_int_equal(parse("1,2,4294967296\n", counts, 3), -EBADMSG);
}

/* A page of counts ends without newline, in the middle of a number perhaps. */
static void a_list_cut_at_a_page_is_refused(void **state)
{
	uint32_t counts[512];
	g_autoptr(GString) text = g_string_new("4000000000");

	(void)state;
	for (unsigned i = 1; i < G_N_ELEMENTS(counts); i++)
		g_string_append(text, ",4000000000");
	g_string_append(text, "\n");
	assert_int_equal(parse(text->str, counts, 512), 0);
	g_string_truncate(text, 4095);
	assert_int_equal(parse(text->str, counts, 512), -EBADMSG);
	/* Even where the cut falls on the last digit of the last count. */
	assert_int_equal(parse("1,2,3", counts, 3), -EBADMSG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_one_count_for_each_possible_cpu),
		cmocka_unit_test(refuses_any_other_number_of_counts),
		cmocka_unit_test(a_list_cut_at_a_page_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

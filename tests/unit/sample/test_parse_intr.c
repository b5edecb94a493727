/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sample/parse.h"
#include "support/support.h"

#include <errno.h>

static const char good[] = "cpu  30 0 0 0 0 0 0 0 0 0\n"
			   "cpu0 1 2 3 40 5 6 7 8 1 0\n"
			   "intr 18446744073709 7 0 0 4294967295 12\n"
			   "ctxt 5\n";

static void counts_stand_at_the_number_of_their_interrupt(void **state)
{
	g_autoptr(GArray) counts = g_array_new(FALSE, FALSE, sizeof(uint32_t));
	static const uint32_t expected[] = {7, 0, 0, UINT32_MAX, 12};

	(void)state;
	assert_int_equal(nb_parse_intr(good, strlen(good), counts), 0);
	assert_int_equal(counts->len, 5);
	assert_memory_equal(counts->data, expected, sizeof(expected));
	assert_int_equal(nb_parse_intr("intr 0\n", 7, counts), 0);
	assert_int_equal(counts->len, 0);
}

static void a_text_cut_before_the_end_of_the_line_is_bad(void **state)
{
	g_autoptr(GArray) counts = g_array_new(FALSE, FALSE, sizeof(uint32_t));
	size_t needed = (size_t)(strstr(good, "ctxt") - good);

	(void)state;
	for (size_t len = 0; len < needed; len++)
		assert_int_equal(nb_parse_intr(good, len, counts), -EBADMSG);
	assert_int_equal(nb_parse_intr(good, needed, counts), 0);
}

static void garbage_is_refused(void **state)
{
	static const char *const bad[] = {
		"",
		"\n",
		"intr\n",
		"intr \n",
		"intr x\n",
		"intr 5 1,2\n",
		"intr 5 4294967296\n",
		"intr 5 -1\n",
		"xintr 5 1\n",
	};
	g_autoptr(GArray) counts = g_array_new(FALSE, FALSE, sizeof(uint32_t));

	(void)state;
	for (unsigned i = 0; i < G_N_ELEMENTS(bad); i++)
		assert_int_equal(nb_parse_intr(bad[i], strlen(bad[i]), counts), -EBADMSG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_stand_at_the_number_of_their_interrupt),
		cmocka_unit_test(a_text_cut_before_the_end_of_the_line_is_bad),
		cmocka_unit_test(garbage_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

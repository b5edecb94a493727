/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "loader/loader.h"
#include "support/support.h"

#include <errno.h>

static void counts_ids_and_not_cpus(void **state)
{
	(void)state;
	assert_int_equal(nb_loader_count_cpu_ids("0\n"), 1);
	assert_int_equal(nb_loader_count_cpu_ids("0-7\n"), 8);
	assert_int_equal(nb_loader_count_cpu_ids("0-3,8-11\n"), 12);
	assert_int_equal(nb_loader_count_cpu_ids("0,2"), 3);
	assert_int_equal(nb_loader_count_cpu_ids("0-1,8191\n"), 8192);
}

static void refuses_what_is_no_list(void **state)
{
	static const char *const texts[] = {"", "\n", "0-", "(null)", "0-3,", "0-8192", "0,x-3x"};

	(void)state;
	for (unsigned i = 0; i < G_N_ELEMENTS(texts); i++)
		assert_int_equal(nb_loader_count_cpu_ids(texts[i]), -EBADMSG);
}

static void has_an_id_for_each_cpu_of_this_kernel(void **state)
{
	(void)state;
	assert_true(nb_loader_read_cpu_ids() >= (int)g_get_num_processors());
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_ids_and_not_cpus),
		cmocka_unit_test(refuses_what_is_no_list),
		cmocka_unit_test(has_an_id_for_each_cpu_of_this_kernel),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

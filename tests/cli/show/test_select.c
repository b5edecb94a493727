/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ctl/show/columns.h"
#include "support/support.h"

static const struct nb_style plain = {.hot = UINT32_MAX};

static bool holds(const GPtrArray *columns, const char *name)
{
	for (unsigned i = 0; i < columns->len; i++)
		if (g_str_equal(((const struct nb_column *)columns->pdata[i])->name, name))
			return true;
	return false;
}

static void a_rare_column_is_usual_where_one_row_has_it(void **state)
{
	json_t *queues = json_pack("[{s:f}]", "threaded-percent", 0.0);
	g_autoptr(GPtrArray) without = NULL, with = NULL;

	(void)state;
	without = nb_columns_usual(&nb_form_queues, &plain, queues);
	assert_false(holds(without, "THREADED"));
	json_array_append_new(queues, json_pack("{s:f}", "threaded-percent", 0.01));
	with = nb_columns_usual(&nb_form_queues, &plain, queues);
	assert_true(holds(with, "THREADED"));
	assert_int_equal(with->len, without->len + 1);
	json_decref(queues);
}

static void a_rare_column_is_added_by_its_name(void **state)
{
	g_autoptr(GPtrArray) named = NULL, others = NULL;
	g_autofree char *error = NULL;

	(void)state;
	assert_int_equal(nb_columns_select(&nb_form_queues, &plain, "+threaded", &named, &error),
			 0);
	assert_true(holds(named, "THREADED"));
	assert_int_equal(nb_columns_select(&nb_form_queues, &plain, "+ifindex", &others, &error),
			 0);
	assert_false(holds(others, "THREADED"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_rare_column_is_usual_where_one_row_has_it),
		cmocka_unit_test(a_rare_column_is_added_by_its_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

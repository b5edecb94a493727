/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ctl/columns.h"
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
	g_autoptr(GArray) queues = g_array_new(FALSE, TRUE, sizeof(struct nb_queue_row));
	const struct nb_queue_row none = {.index = 0}, threaded = {.index = 1, .threaded = 1};
	g_autoptr(GPtrArray) without = NULL, with = NULL;

	(void)state;
	g_array_append_val(queues, none);
	without = nb_columns_usual(&nb_form_queues, &plain, queues);
	assert_false(holds(without, "THREADED"));
	g_array_append_val(queues, threaded);
	with = nb_columns_usual(&nb_form_queues, &plain, queues);
	assert_true(holds(with, "THREADED"));
	assert_int_equal(with->len, without->len + 1);
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

static void programs_get_every_column_that_has_a_name_for_them(void **state)
{
	g_autoptr(GPtrArray) columns = nb_columns_json(&nb_form_cpus);

	(void)state;
	assert_true(holds(columns, "BACKLOG"));
	assert_false(holds(columns, "LOAD"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_rare_column_is_usual_where_one_row_has_it),
		cmocka_unit_test(a_rare_column_is_added_by_its_name),
		cmocka_unit_test(programs_get_every_column_that_has_a_name_for_them),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

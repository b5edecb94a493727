/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/rows.h"

#include "support/support.h"

#include <glib.h>

static uint32_t *insert(uint32_t *rows, unsigned *n, unsigned at, uint32_t value)
{
	rows = nb_rows_insert(rows, n, at, sizeof(*rows));
	assert_int_equal(rows[at], 0);
	rows[at] = value;
	return rows;
}

static void rows_come_at_either_end_and_between(void **state)
{
	g_autofree uint32_t *rows = NULL;
	unsigned n = 0;

	(void)state;
	rows = insert(rows, &n, 0, 20);
	rows = insert(rows, &n, 1, 40);
	rows = insert(rows, &n, 0, 10);
	rows = insert(rows, &n, 2, 30);
	assert_int_equal(n, 4);
	for (unsigned i = 0; i < n; i++)
		assert_int_equal(rows[i], 10 * (i + 1));
}

static void rows_go_from_either_end_and_between(void **state)
{
	uint32_t rows[] = {10, 20, 30, 40};
	unsigned n = 4;

	(void)state;
	nb_rows_remove(rows, &n, 1, sizeof(*rows));
	assert_int_equal(n, 3);
	assert_int_equal(rows[1], 30);
	assert_int_equal(rows[2], 40);
	nb_rows_remove(rows, &n, 2, sizeof(*rows));
	nb_rows_remove(rows, &n, 0, sizeof(*rows));
	assert_int_equal(n, 1);
	assert_int_equal(rows[0], 30);
	nb_rows_remove(rows, &n, 0, sizeof(*rows));
	assert_int_equal(n, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_come_at_either_end_and_between),
		cmocka_unit_test(rows_go_from_either_end_and_between),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "claims/written_text.h"

#include "unit/claims/fixture.h"

#define HEADER "nicbalance written 1\n"

static GArray *parse(const char *text, char **ret_damaged)
{
	g_autoptr(GArray) damaged = g_array_new(FALSE, FALSE, sizeof(unsigned));
	GArray *rows = nb_written_parse(text, strlen(text), damaged);
	GString *numbers = g_string_new(NULL);

	for (unsigned i = 0; i < damaged->len; i++)
		g_string_append_printf(numbers, "%u;", g_array_index(damaged, unsigned, i));
	*ret_damaged = g_string_free(numbers, FALSE);
	return rows;
}

static void assert_damaged(const char *text, unsigned n_rows, const char *expected)
{
	g_autofree char *damaged = NULL;
	g_autoptr(GArray) rows = parse(text, &damaged);

	assert_int_equal(rows->len, n_rows);
	assert_string_equal(damaged, expected);
}

static void what_is_written_is_read_again(void **state)
{
	static const char text[] = HEADER "pool 17 0-1,8 eth0:3\n"
					  "pin 18446744073709551615 2 4294967295\n"
					  "pin 1 4,6 eth0:4\n";
	g_autofree char *damaged = NULL, *again = NULL;
	g_autoptr(GArray) rows = parse(text, &damaged);
	const struct nb_written_row *row;

	(void)state;
	assert_string_equal(damaged, "");
	again = nb_written_format(rows);
	assert_string_equal(again, text);
	row = &g_array_index(rows, struct nb_written_row, 0);
	assert_false(row->pool.pin);
	assert_int_equal(row->pool.rule, NB_RULE_WRITTEN);
	assert_int_equal(row->pool.since_nsec, 17);
	assert_cpus(&row->pool.cpus, "0-1,8");
	assert_int_equal(row->target.type, NB_TARGET_QUEUE);
	row = &g_array_index(rows, struct nb_written_row, 1);
	assert_true(row->pool.pin);
	assert_int_equal(row->target.type, NB_TARGET_IRQ);
	assert_int_equal(row->target.number, UINT32_MAX);
}

static void lines_that_cannot_be_read_are_told_and_left_out(void **state)
{
	(void)state;
	assert_damaged(HEADER, 0, "");
	assert_damaged(HEADER "pin 1 2 eth0\npin 1 2 eth0:1\n", 1, "2;");
	assert_damaged(HEADER "pin 1 2\n", 0, "2;");
	assert_damaged(HEADER "pin 1 2 41 x\n", 0, "2;");
	assert_damaged(HEADER "pen 1 2 41\n", 0, "2;");
	assert_damaged(HEADER "pin x 2 41\n", 0, "2;");
	assert_damaged(HEADER "pin 1  41\n", 0, "2;");
	assert_damaged(HEADER "pin 1 8192 41\n", 0, "2;");
	assert_damaged(HEADER "pin 1 2 41", 0, "2;");
	assert_damaged("nicbalance written 2\npin 1 2 41\n", 0, "1;2;");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_written_is_read_again),
		cmocka_unit_test(lines_that_cannot_be_read_are_told_and_left_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

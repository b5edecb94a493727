/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "claims/orders_text.h"

#include "unit/claims/fixture.h"

#define HEADER "nicbalance claims 1\n"

static struct nb_orders *parse(const char *text, size_t len, char **ret_damaged)
{
	g_autoptr(GArray) damaged = g_array_new(FALSE, FALSE, sizeof(unsigned));
	struct nb_orders *orders = nb_orders_parse(text, len, damaged);
	GString *numbers = g_string_new(NULL);

	for (unsigned i = 0; i < damaged->len; i++)
		g_string_append_printf(numbers, "%u;", g_array_index(damaged, unsigned, i));
	*ret_damaged = g_string_free(numbers, FALSE);
	return orders;
}

static void assert_parses(const char *text, unsigned n_orders, const char *expected_damaged)
{
	g_autofree char *damaged = NULL;
	g_autoptr(nb_orders) orders = parse(text, strlen(text), &damaged);

	assert_int_equal(orders->rows->len, n_orders);
	assert_string_equal(damaged, expected_damaged);
}

static void what_is_written_is_read_again(void **state)
{
	static const char text[] = HEADER "ban 3 1,4-7 1700000000000001 0 0 operator\n"
					  "claim 5 2 1 18446744073709551615 7 kubelet/pod eth0\n"
					  "exclusive 6 0-8191 1 2 3 tuned eth0:17\n"
					  "claim 18446744073709551615 2 0 0 0 x 4294967295\n";
	g_autofree char *damaged = NULL, *again = NULL;
	g_autoptr(nb_orders) orders = parse(text, strlen(text), &damaged);
	const struct nb_order *order;

	(void)state;
	assert_string_equal(damaged, "");
	again = nb_orders_format(orders);
	assert_string_equal(again, text);

	order = nb_orders_get(orders, 0);
	assert_true(nb_order_is_ban(order));
	assert_cpus(&order->cpus, "1,4-7");
	order = nb_orders_get(orders, 1);
	assert_false(order->exclusive);
	assert_true(order->ends_realtime_usec == UINT64_MAX);
	assert_int_equal(order->ends_nsec, 7);
	assert_string_equal(order->owner, "kubelet/pod");
	order = nb_orders_get(orders, 2);
	assert_true(order->exclusive);
	assert_int_equal(order->target.type, NB_TARGET_QUEUE);
	assert_int_equal(order->target.number, 17);
	assert_int_equal(nb_orders_get(orders, 3)->target.type, NB_TARGET_IRQ);
}

static void orders_of_a_connection_are_not_written(void **state)
{
	g_autoptr(nb_orders) orders = nb_orders_new();
	g_autofree char *text = NULL;
	struct nb_order order = order_of("a", NULL, "2");

	(void)state;
	add(orders, "a", NULL, "1");
	g_strlcpy(order.connection, ":1.7", sizeof(order.connection));
	nb_orders_add(orders, &order);
	text = nb_orders_format(orders);
	assert_string_equal(text, HEADER "ban 1 1 0 0 0 a\n");
}

static void lines_that_cannot_be_read_are_told_and_left_out(void **state)
{
	(void)state;
	assert_parses(HEADER, 0, "");
	assert_parses(HEADER "ban 1 2 0 0 0 a\nban 1 3 0 0 0 b\nban 4 3 0 0 0 b\n", 2, "3;");
	assert_parses(HEADER "ban 0 2 0 0 0 a\n", 0, "2;");
	assert_parses(HEADER "ban 1 2 0 0 0\n", 0, "2;");
	assert_parses(HEADER "ban 1 2 0 0 0 a eth0\n", 0, "2;");
	assert_parses(HEADER "claim 1 2 0 0 0 a\n", 0, "2;");
	assert_parses(HEADER "claim 1 2 0 0 0 a eth0 x\n", 0, "2;");
	assert_parses(HEADER "claim 1 2 0 0 0 a eth0:x\n", 0, "2;");
	assert_parses(HEADER "claim 1  0 0 0 a eth0\n", 0, "2;");
	assert_parses(HEADER "claim 1 8192 0 0 0 a eth0\n", 0, "2;");
	assert_parses(HEADER "seize 1 2 0 0 0 a eth0\n", 0, "2;");
	assert_parses(HEADER "ban 1 2 -1 0 0 a\n", 0, "2;");
	assert_parses(HEADER "ban 1 2 0 18446744073709551616 0 a\n", 0, "2;");
	assert_parses(HEADER "ban 1 2 0 0 x a\n", 0, "2;");
	assert_parses(HEADER "\nban 1 2 0 0 0 a\n", 1, "2;");
	assert_parses(HEADER "ban 1 2 0 0 0 a\nban 2 3 0 0 0 oper", 1, "3;");
}

static void of_another_version_nothing_is_kept(void **state)
{
	(void)state;
	assert_parses("nicbalance claims 2\nban 1 2 0 0 0 a\n", 0, "1;2;");
	assert_parses("", 0, "1;");
	assert_parses("nicbalance claims 1", 0, "1;");
}

static void a_nul_is_no_end_of_a_line(void **state)
{
	static const char text[] = HEADER "ban 1 2 0 0 0 a\0b\n";
	g_autofree char *damaged = NULL;
	g_autoptr(nb_orders) orders = parse(text, sizeof(text) - 1, &damaged);

	(void)state;
	assert_int_equal(orders->rows->len, 0);
	assert_string_equal(damaged, "2;");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_written_is_read_again),
		cmocka_unit_test(orders_of_a_connection_are_not_written),
		cmocka_unit_test(lines_that_cannot_be_read_are_told_and_left_out),
		cmocka_unit_test(of_another_version_nothing_is_kept),
		cmocka_unit_test(a_nul_is_no_end_of_a_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

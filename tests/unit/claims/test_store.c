/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "claims/store.h"

#include "unit/claims/fixture.h"

struct fixture {
	char *dir;
	struct nb_sysroot *root;
};

static int set_up(void **state)
{
	struct fixture *f = g_new0(struct fixture, 1);

	f->dir = nb_tmp_make();
	*state = f;
	return nb_sysroot_open(f->dir, &f->root);
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	nb_sysroot_free(f->root);
	nb_tmp_remove(f->dir);
	g_free(f);
	return 0;
}

static struct nb_orders *load(const struct fixture *f, int expected, const char *expected_damaged)
{
	g_autofree char *damaged = NULL;
	struct nb_orders *orders = NULL;

	assert_int_equal(nb_orders_load(f->root, &orders, &damaged), expected);
	if (expected_damaged)
		assert_string_equal(damaged, expected_damaged);
	else
		assert_null(damaged);
	return orders;
}

static void without_a_file_there_is_nothing(void **state)
{
	g_autoptr(nb_orders) orders = load(*state, 0, NULL);

	assert_int_equal(orders->rows->len, 0);
}

static void what_was_saved_is_loaded(void **state)
{
	struct fixture *f = *state;
	g_autoptr(nb_orders) orders = nb_orders_new(), again = NULL;

	add(orders, "a", NULL, "1");
	add(orders, "b", "eth0", "2-3");
	assert_int_equal(nb_orders_save(f->root, orders), 0);
	again = load(f, 0, NULL);
	assert_int_equal(again->rows->len, 2);
	assert_string_equal(nb_orders_get(again, 1)->owner, "b");
}

static void a_list_without_orders_to_keep_is_no_file(void **state)
{
	struct fixture *f = *state;
	g_autoptr(nb_orders) orders = nb_orders_new();
	struct nb_order order = order_of("a", NULL, "2");

	add(orders, "a", NULL, "1");
	assert_int_equal(nb_orders_save(f->root, orders), 0);
	assert_true(nb_sysroot_exists(f->root, NB_CLAIMS_PATH));
	nb_orders_remove(orders, 0);
	g_strlcpy(order.connection, "socket:1", sizeof(order.connection));
	nb_orders_add(orders, &order);
	assert_int_equal(nb_orders_save(f->root, orders), 0);
	assert_false(nb_sysroot_exists(f->root, NB_CLAIMS_PATH));
	assert_int_equal(nb_orders_save(f->root, orders), 0);
}

static void of_a_damaged_file_the_good_lines_count(void **state)
{
	struct fixture *f = *state;
	g_autoptr(nb_orders) orders = NULL;

	nb_tmp_write(f->dir, NB_CLAIMS_PATH, "nicbalance claims 1\nban\nban 2 3 0 0 0 a\nclaim\n");
	orders = load(f, -EBADMSG, "2, 4");
	assert_int_equal(orders->rows->len, 1);
}

static void a_file_that_cannot_be_read_is_a_failure(void **state)
{
	struct fixture *f = *state;

	nb_tmp_write(f->dir, NB_CLAIMS_PATH "/in-the-way", "");
	assert_null(load(f, -EISDIR, NULL));
}

#define IN_ROOT(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_ROOT(without_a_file_there_is_nothing),
		IN_ROOT(what_was_saved_is_loaded),
		IN_ROOT(a_list_without_orders_to_keep_is_no_file),
		IN_ROOT(of_a_damaged_file_the_good_lines_count),
		IN_ROOT(a_file_that_cannot_be_read_is_a_failure),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

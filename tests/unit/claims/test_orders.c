/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "claims/orders.h"

#include "unit/claims/fixture.h"

struct fixture {
	struct nb_machine machine;
	struct nb_orders *orders;
	struct nb_claims claims;
};

static int set_up(void **state)
{
	struct fixture *f = g_new0(struct fixture, 1);

	make_machine(&f->machine);
	f->orders = nb_orders_new();
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	nb_orders_free(f->orders);
	nb_claims_clear(&f->claims);
	g_free(f);
	return 0;
}

static void resolve(struct fixture *f)
{
	nb_orders_resolve(f->orders, &f->machine, &f->claims);
}

static void assert_row(const struct fixture *f, unsigned i, struct nb_queue_key key,
		       const char *list)
{
	const struct nb_pool *row = &f->claims.pools.rows[i];

	assert_int_equal(nb_queue_key_compare(row->key, key), 0);
	assert_int_equal(row->rule, NB_RULE_CLAIM);
	assert_cpus(&row->cpus, list);
}

static void bans_are_united(void **state)
{
	struct fixture *f = *state;

	add(f->orders, "a", NULL, "1-2");
	add(f->orders, "b", NULL, "2-3");
	resolve(f);
	assert_cpus(&f->claims.banned, "1-3");
	assert_int_equal(f->claims.pools.n, 0);
}

static void claims_of_what_exists_are_rows_in_the_order_of_keys(void **state)
{
	struct fixture *f = *state;

	add(f->orders, "a", "eth0", "0-3");
	add_exclusive(f->orders, "a", "41", "3");
	add(f->orders, "a", "eth0:0", "1");
	add(f->orders, "a", "30", "2");
	add(f->orders, "a", "eth7", "4");
	add(f->orders, "b", "eth0:1", "3-4");
	resolve(f);
	assert_int_equal(f->claims.pools.n, 5);
	assert_row(f, 0, disk, "2");
	assert_row(f, 1, first, "1");
	/* Of the two for one queue, the earlier. */
	assert_row(f, 2, second, "3");
	assert_true(f->claims.pools.rows[2].exclusive);
	assert_row(f, 3, second, "3-4");
	assert_false(f->claims.pools.rows[3].exclusive);
	assert_row(f, 4, eth0, "0-3");
}

static void a_claim_counts_when_its_target_appears(void **state)
{
	struct fixture *f = *state;

	f->machine.n_nics = f->machine.n_queues = 0;
	add(f->orders, "a", "eth0:1", "3");
	add(f->orders, "a", NULL, "4");
	assert_false(nb_orders_resolve(f->orders, &f->machine, &f->claims));
	assert_int_equal(f->claims.pools.n, 0);
	assert_false(nb_orders_get(f->orders, 0)->present);
	make_machine(&f->machine);
	assert_true(nb_orders_resolve(f->orders, &f->machine, &f->claims));
	assert_row(f, 0, second, "3");
	assert_true(nb_orders_get(f->orders, 0)->present);
	assert_false(nb_orders_resolve(f->orders, &f->machine, &f->claims));
}

static void the_same_order_is_replaced(void **state)
{
	struct fixture *f = *state;
	uint64_t id = add(f->orders, "a", "eth0", "0-3");

	assert_int_equal(add(f->orders, "a", "eth0", "4"), id);
	assert_int_equal(f->orders->rows->len, 1);
	assert_cpus(&nb_orders_get(f->orders, 0)->cpus, "4");
	assert_int_not_equal(add(f->orders, "b", "eth0", "4"), id);
	assert_int_not_equal(add(f->orders, "a", "eth0:0", "4"), id);
	id = add(f->orders, "a", NULL, "1");
	assert_int_equal(add(f->orders, "a", NULL, "1"), id);
	assert_int_not_equal(add(f->orders, "a", NULL, "2"), id);
	assert_int_equal(f->orders->rows->len, 5);
}

static void an_id_is_given_once(void **state)
{
	struct fixture *f = *state;
	uint64_t id = add(f->orders, "a", NULL, "1");
	struct nb_order kept = order_of("b", NULL, "2");

	nb_orders_remove(f->orders, 0);
	assert_true(add(f->orders, "a", NULL, "1") > id);
	assert_false(nb_orders_keep(f->orders, &kept));
	kept.id = 2;
	assert_false(nb_orders_keep(f->orders, &kept));
	kept.id = 17;
	assert_true(nb_orders_keep(f->orders, &kept));
	assert_int_equal(add(f->orders, "c", NULL, "1"), 18);
}

static void unbanning_takes_cpus_out_of_the_owners_bans(void **state)
{
	struct fixture *f = *state;
	struct nb_cpumask some = cpus("2-3");

	add(f->orders, "a", NULL, "1-2");
	add(f->orders, "a", NULL, "3");
	add(f->orders, "a", "eth0", "2-3");
	add(f->orders, "b", NULL, "3");
	assert_int_equal(nb_orders_unban(f->orders, "a", &some), 2);
	resolve(f);
	assert_cpus(&f->claims.banned, "1,3");
	assert_int_equal(f->orders->rows->len, 3);
	assert_int_equal(nb_orders_unban(f->orders, "a", &some), 0);
}

static unsigned release(struct fixture *f, const char *what)
{
	unsigned n = 99;

	assert_int_equal(nb_orders_release(f->orders, "a", what, &n), 0);
	return n;
}

static void an_owner_releases_what_is_his(void **state)
{
	struct fixture *f = *state;
	unsigned n;

	add(f->orders, "a", "eth0", "0-3");
	add(f->orders, "b", "eth0", "0-3");
	add(f->orders, "a", "eth0:0", "0");
	add(f->orders, "a", NULL, "5");
	add(f->orders, "a", "40", "0");
	assert_int_equal(release(f, "eth0"), 1);
	assert_int_equal(release(f, "eth0"), 0);
	assert_int_equal(release(f, "@2"), 0);
	assert_int_equal(release(f, "@4"), 1);
	assert_int_equal(release(f, "all"), 2);
	assert_int_equal(f->orders->rows->len, 1);
	assert_string_equal(nb_orders_get(f->orders, 0)->owner, "b");
	assert_int_equal(nb_orders_release(f->orders, "a", "@0", &n), -EINVAL);
	assert_int_equal(nb_orders_release(f->orders, "a", "@x", &n), -EINVAL);
	assert_int_equal(nb_orders_release(f->orders, "a", "", &n), -EINVAL);
}

static void an_owner_is_a_word(void **state)
{
	g_autofree char *longest = g_strnfill(NB_OWNER_MAX - 1, 'x');
	g_autofree char *longer = g_strnfill(NB_OWNER_MAX, 'x');

	(void)state;
	assert_true(nb_owner_is_valid("kubelet/pod-17"));
	assert_true(nb_owner_is_valid(longest));
	assert_false(nb_owner_is_valid(longer));
	assert_false(nb_owner_is_valid(""));
	assert_false(nb_owner_is_valid("two words"));
	assert_false(nb_owner_is_valid("line\n"));
	assert_false(nb_owner_is_valid("\xc3\xa4"));
}

static void a_copy_is_its_own(void **state)
{
	struct fixture *f = *state;
	g_autoptr(nb_orders) copy = NULL;

	add(f->orders, "a", NULL, "1");
	copy = nb_orders_copy(f->orders);
	assert_int_equal(add(copy, "a", NULL, "2"), 2);
	assert_int_equal(f->orders->rows->len, 1);
	assert_int_equal(copy->rows->len, 2);
}

static void an_order_is_described_in_a_sentence(void **state)
{
	struct nb_order order = order_of("a", "eth0:1", "2-3");
	g_autofree char *claim = nb_order_describe(&order), *exclusive = NULL, *ban = NULL;

	(void)state;
	assert_string_equal(claim, "claim of CPUs 2-3 for eth0:1 by a");
	order.exclusive = true;
	exclusive = nb_order_describe(&order);
	assert_string_equal(exclusive, "exclusive claim of CPUs 2-3 for eth0:1 by a");
	order = order_of("a", NULL, "2-3");
	ban = nb_order_describe(&order);
	assert_string_equal(ban, "ban of CPUs 2-3 by a");
}

#define WITH_ORDERS(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_ORDERS(bans_are_united),
		WITH_ORDERS(claims_of_what_exists_are_rows_in_the_order_of_keys),
		WITH_ORDERS(a_claim_counts_when_its_target_appears),
		WITH_ORDERS(the_same_order_is_replaced),
		WITH_ORDERS(an_id_is_given_once),
		WITH_ORDERS(unbanning_takes_cpus_out_of_the_owners_bans),
		WITH_ORDERS(an_owner_releases_what_is_his),
		cmocka_unit_test(an_owner_is_a_word),
		WITH_ORDERS(a_copy_is_its_own),
		cmocka_unit_test(an_order_is_described_in_a_sentence),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

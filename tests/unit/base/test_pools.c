/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/pools.h"

#include "support/support.h"

static struct nb_pool pool_of(int ifindex, unsigned index, unsigned cpu)
{
	struct nb_pool pool = {.key = {.ifindex = ifindex, .index = index},
			       .rule = NB_RULE_WRITTEN};

	nb_cpumask_add(&pool.cpus, cpu);
	return pool;
}

static void rows_are_kept_in_the_order_of_their_keys(void **state)
{
	static const struct nb_queue_key keys[] = {{3, 1}, {2, 9}, {3, 0}, {0, 41}};
	struct nb_pools pools = {};

	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		struct nb_pool pool = pool_of(keys[i].ifindex, keys[i].index, i);

		nb_pools_set(&pools, &pool);
	}
	assert_int_equal(pools.n, 4);
	assert_int_equal(pools.rows[0].key.ifindex, 0);
	assert_int_equal(pools.rows[1].key.ifindex, 2);
	assert_int_equal(pools.rows[2].key.index, 0);
	assert_int_equal(pools.rows[3].key.index, 1);
	assert_int_equal(nb_pools_first(&pools, (struct nb_queue_key){2, 10}), 2);
	assert_int_equal(nb_pools_first(&pools, (struct nb_queue_key){4, 0}), 4);
	nb_pools_clear(&pools);
	assert_int_equal(pools.n, 0);
	assert_null(pools.rows);
}

static void a_row_takes_the_place_of_that_of_its_key(void **state)
{
	struct nb_pool first = pool_of(2, 1, 3), second = pool_of(2, 1, 5),
		       other = pool_of(2, 2, 7);
	struct nb_pools pools = {};

	(void)state;
	nb_pools_set(&pools, &first);
	nb_pools_set(&pools, &other);
	nb_pools_set(&pools, &second);
	assert_int_equal(pools.n, 2);
	assert_int_equal(nb_cpumask_only(&nb_pools_find(&pools, first.key)->cpus), 5);
	assert_true(nb_pools_drop(&pools, first.key));
	assert_false(nb_pools_drop(&pools, first.key));
	assert_null(nb_pools_find(&pools, first.key));
	assert_int_equal(nb_cpumask_only(&nb_pools_find(&pools, other.key)->cpus), 7);
	nb_pools_clear(&pools);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_are_kept_in_the_order_of_their_keys),
		cmocka_unit_test(a_row_takes_the_place_of_that_of_its_key),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "claims/check.h"

#include "base/refusal.h"
#include "unit/claims/fixture.h"

struct fixture {
	struct nb_machine machine;
	struct nb_cpumask banned;
	struct nb_orders *orders;
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
	g_free(f);
	return 0;
}

static void check(const struct fixture *f, const struct nb_order *order, const char *expected)
{
	g_auto(nb_refusal) refusal = {};
	int r = nb_orders_check(f->orders, order, &f->machine.topology, &f->banned, &refusal);

	assert_int_equal(r, expected ? -EBUSY : 0);
	if (!expected)
		assert_null(refusal.text);
	else if (!strstr(refusal.text, expected))
		fail_msg("\"%s\" does not hold \"%s\"", refusal.text, expected);
}

/* expected NULL: it is taken in. */
static void assert_order(const struct fixture *f, const char *target, const char *list,
			 const char *expected)
{
	struct nb_order order = order_of("a", target, list);

	check(f, &order, expected);
}

static void assert_exclusive(const struct fixture *f, const char *target, const char *list,
			     const char *expected)
{
	struct nb_order order = order_of("a", target, list);

	order.exclusive = true;
	check(f, &order, expected);
}

static void cpus_must_be_there(void **state)
{
	struct fixture *f = *state;

	assert_order(f, NULL, "0-6", NULL);
	assert_order(f, NULL, "6-12", "CPU 10-12 does not exist.");
	assert_order(f, "eth0", "6-9", "CPU 8-9 is offline.");
	assert_order(f, "eth7", "6-7", NULL);
}

static void what_another_has_exclusively_is_refused_by_name(void **state)
{
	static const char theirs[] = "CPU 3 is taken by the exclusive claim of CPUs 2-3 for eth0 "
				     "by b (order 1).";
	struct fixture *f = *state;

	add_exclusive(f->orders, "b", "eth0", "2-3");
	assert_exclusive(f, "30", "3-4", theirs);
	assert_order(f, "30", "3-4", theirs);
	assert_order(f, "eth0:1", "3", theirs);
	assert_order(f, NULL, "3", theirs);
	assert_order(f, NULL, "4", NULL);
	assert_exclusive(f, "30", "4", NULL);
}

static void what_is_shared_may_be_claimed_too(void **state)
{
	struct fixture *f = *state;

	add(f->orders, "b", "eth0", "2-3");
	assert_order(f, "eth0", "3-4", NULL);
	assert_exclusive(f, "30", "3", NULL);
	assert_order(f, NULL, "2-3", NULL);
}

static void an_owner_may_divide_what_his_nic_has(void **state)
{
	struct fixture *f = *state;

	add_exclusive(f->orders, "a", "eth0", "2-3");
	assert_order(f, "eth0:1", "3", NULL);
	assert_exclusive(f, "eth0:1", "3", "CPU 3 is taken by");
	assert_order(f, "eth1:1", "3", "CPU 3 is taken by");
	assert_order(f, "30", "3", "CPU 3 is taken by");
	assert_order(f, NULL, "3", "CPU 3 is taken by");
	/* The same one. */
	assert_exclusive(f, "eth0", "3-4", NULL);
}

static void a_claim_of_banned_cpus_alone_is_refused(void **state)
{
	struct fixture *f = *state;

	add(f->orders, "b", NULL, "2");
	add(f->orders, "c", NULL, "3");
	assert_order(f, "eth0", "2-3",
		     "No CPU of this claim is left by the ban of CPUs 3 by c (order 2).");
	assert_order(f, "eth0", "2-4", NULL);
	assert_order(f, NULL, "2-3", NULL);
}

static void refused(const struct fixture *f, const struct nb_order *order, struct nb_refusal *ret)
{
	assert_int_equal(nb_orders_check(f->orders, order, &f->machine.topology, &f->banned, ret),
			 -EBUSY);
}

static void a_refusal_holds_what_stands_in_the_way(void **state)
{
	struct fixture *f = *state;
	struct nb_order order = order_of("a", "30", "3-4"), offline = order_of("a", NULL, "6-9");
	struct nb_cpumask three = cpus("3"), eight = cpus("8-9");
	g_auto(nb_refusal) taken = {}, banned = {}, unavailable = {};

	add_exclusive(f->orders, "b", "eth0", "2-3");
	refused(f, &order, &taken);
	assert_int_equal(taken.cause, NB_REFUSAL_TAKEN);
	assert_true(nb_cpumask_equal(&taken.cpus, &three));
	assert_int_equal(taken.other.id, 1);
	assert_string_equal(taken.other.owner, "b");

	add(f->orders, "c", NULL, "4-7");
	order = order_of("a", "30", "4-5");
	refused(f, &order, &banned);
	assert_int_equal(banned.cause, NB_REFUSAL_TAKEN);
	assert_true(nb_cpumask_equal(&banned.cpus, &order.cpus));
	assert_int_equal(banned.other.id, 2);

	refused(f, &offline, &unavailable);
	assert_int_equal(unavailable.cause, NB_REFUSAL_UNAVAILABLE);
	assert_true(nb_cpumask_equal(&unavailable.cpus, &eight));
}

static void something_is_left_for_everything_else(void **state)
{
	static const char none[] = "would leave no CPU for anything else";
	struct fixture *f = *state;

	assert_order(f, NULL, "0-7", none);
	assert_exclusive(f, "eth0", "0-7", none);
	assert_order(f, "eth0", "0-7", NULL);
	f->machine.topology.isolated = cpus("7");
	assert_order(f, NULL, "0-6", none);
	f->banned = cpus("6");
	assert_order(f, NULL, "0-5", none);
	add(f->orders, "b", NULL, "5");
	assert_order(f, NULL, "0-4", none);
	add_exclusive(f->orders, "b", "eth0", "4");
	assert_order(f, NULL, "0-3", none);
	assert_exclusive(f, "30", "0-3", none);
	assert_order(f, NULL, "0-2", NULL);
	/* What is replaced takes nothing any more. */
	add_exclusive(f->orders, "a", "30", "3");
	assert_exclusive(f, "30", "0-2", NULL);
}

#define WITH_ORDERS(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_ORDERS(cpus_must_be_there),
		WITH_ORDERS(what_another_has_exclusively_is_refused_by_name),
		WITH_ORDERS(what_is_shared_may_be_claimed_too),
		WITH_ORDERS(an_owner_may_divide_what_his_nic_has),
		WITH_ORDERS(a_claim_of_banned_cpus_alone_is_refused),
		WITH_ORDERS(a_refusal_holds_what_stands_in_the_way),
		WITH_ORDERS(something_is_left_for_everything_else),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "daemon/cost.h"
#include "nicbalance/units.h"
#include "support/support.h"

#define SEC NB_NSEC_PER_SEC
#define MSEC (SEC / 1000)

/* A tick each second from begin to end, of which each takes so long. */
static void tick(struct nb_cost *cost, unsigned begin, unsigned end, uint64_t *spent_nsec,
		 uint64_t each_nsec)
{
	for (unsigned sec = begin; sec < end; sec++) {
		*spent_nsec += each_nsec;
		if (nb_cost_is_due(cost, sec * SEC))
			nb_cost_mark(cost, sec * SEC, *spent_nsec);
	}
}

static void the_start_is_what_was_spent_before_the_first_mark(void **state)
{
	struct nb_cost cost = {0};
	uint64_t spent_nsec = 400 * MSEC;

	(void)state;
	tick(&cost, 5, 100, &spent_nsec, MSEC);
	assert_int_equal(cost.start_nsec, 401 * MSEC);
}

static void there_is_no_average_before_ten_seconds(void **state)
{
	struct nb_cost cost = {0};
	struct nb_cost_mark recent;

	(void)state;
	assert_int_equal(nb_cost_recent(&cost, 100 * SEC, SEC).now_nsec, 0);
	nb_cost_mark(&cost, 5 * SEC, SEC);
	assert_int_equal(nb_cost_recent(&cost, 15 * SEC - 1, 2 * SEC).now_nsec, 0);
	recent = nb_cost_recent(&cost, 15 * SEC, SEC + MSEC);
	assert_int_equal(recent.now_nsec, 10 * SEC);
	assert_int_equal(recent.spent_nsec, MSEC);
}

static void the_average_is_that_of_the_last_minute(void **state)
{
	struct nb_cost cost = {0};
	struct nb_cost_mark recent;
	uint64_t spent_nsec = SEC;

	(void)state;
	tick(&cost, 1, 1000, &spent_nsec, 100 * MSEC);
	tick(&cost, 1000, 1071, &spent_nsec, MSEC);
	recent = nb_cost_recent(&cost, 1070 * SEC, spent_nsec);
	assert_in_range(recent.now_nsec, 60 * SEC, 70 * SEC);
	assert_int_equal(recent.spent_nsec, recent.now_nsec / 1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_start_is_what_was_spent_before_the_first_mark),
		cmocka_unit_test(there_is_no_average_before_ten_seconds),
		cmocka_unit_test(the_average_is_that_of_the_last_minute),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

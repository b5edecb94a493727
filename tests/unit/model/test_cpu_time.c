/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/cpu_time.h"

#include "nicbalance/units.h"
#include "support/support.h"

#define MSEC (NB_NSEC_PER_SEC / 1000)

static void every_column_but_idle_is_busy(void **state)
{
	struct nb_cpu_counters prev = {};
	struct nb_cpu_counters cur = {.user_nsec = 200 * MSEC,
				      .irq_nsec = 30 * MSEC,
				      .softirq_nsec = 100 * MSEC,
				      .steal_nsec = 20 * MSEC,
				      .idle_nsec = 650 * MSEC};
	struct nb_cpu_time time = nb_cpu_time_between(&prev, &cur, NB_NSEC_PER_SEC);

	(void)state;
	assert_true(time.busy_nsec == 350 * MSEC);
	assert_true(time.softirq_nsec == 100 * MSEC);
	assert_true(time.irq_nsec == 30 * MSEC);
}

/* 401 ticks went by, 380 are in the columns: what was measured of RPS to an idle CPU at 50 kpps. */
static void time_missing_from_all_columns_is_softirq(void **state)
{
	struct nb_cpu_counters prev = {.idle_nsec = 77 * MSEC};
	struct nb_cpu_counters cur = {.softirq_nsec = 40 * MSEC, .idle_nsec = (77 + 3760) * MSEC};
	struct nb_cpu_time time = nb_cpu_time_between(&prev, &cur, 4010 * MSEC);

	(void)state;
	assert_true(time.softirq_nsec == (40 + 210 - 20) * MSEC);
	assert_true(time.busy_nsec == time.softirq_nsec);
}

static void timed_interrupts_are_as_they_are(void **state)
{
	struct nb_cpu_counters prev = {.irq_nsec = MSEC, .dropped = UINT32_MAX};
	struct nb_cpu_counters cur = {
		.irq_nsec = 31 * MSEC, .softirq_nsec = 231 * MSEC, .net_rx = 9, .dropped = 1};
	struct nb_cpu_time time = nb_cpu_time_timed(&prev, &cur, 2500, NB_NSEC_PER_SEC);

	(void)state;
	assert_true(time.irq_nsec == 30 * MSEC);
	assert_true(time.softirq_nsec == 231 * MSEC);
	assert_true(time.busy_nsec == (250 + 261) * MSEC);
	assert_int_equal(time.net_rx, 9);
	assert_int_equal(time.dropped, 2);
}

/* The application's share is of an earlier window, and the rest is exact. */
static void a_timed_cpu_is_never_busier_than_the_window(void **state)
{
	struct nb_cpu_counters prev = {}, cur = {.softirq_nsec = 800 * MSEC};

	(void)state;
	assert_true(nb_cpu_time_timed(&prev, &cur, 4000, NB_NSEC_PER_SEC).busy_nsec ==
		    NB_NSEC_PER_SEC);
}

static void stolen_time_is_time_outside_interrupts(void **state)
{
	struct nb_cpu_counters prev = {.user_nsec = 100 * MSEC, .softirq_nsec = MSEC};
	struct nb_cpu_counters cur = {
		.user_nsec = 500 * MSEC, .steal_nsec = 200 * MSEC, .softirq_nsec = 90 * MSEC};

	(void)state;
	assert_int_equal(nb_cpu_other_share(&prev, &cur, 2 * NB_NSEC_PER_SEC), 3000);
	assert_int_equal(nb_cpu_other_share(&prev, &cur, 0), 0);
}

static void two_ticks_of_rounding_are_not_missing(void **state)
{
	struct nb_cpu_counters prev = {};
	struct nb_cpu_counters cur = {.idle_nsec = 980 * MSEC};

	(void)state;
	assert_true(nb_cpu_time_between(&prev, &cur, NB_NSEC_PER_SEC).busy_nsec == 0);
}

static void columns_that_all_stand_still_miss_nothing(void **state)
{
	struct nb_cpu_counters same = {.idle_nsec = 980 * MSEC};

	(void)state;
	assert_true(nb_cpu_time_between(&same, &same, NB_NSEC_PER_SEC).busy_nsec == 0);
}

static void a_decreasing_idle_clock_stands_still(void **state)
{
	struct nb_cpu_counters prev = {.idle_nsec = 500 * MSEC};
	struct nb_cpu_counters cur = {.idle_nsec = 400 * MSEC, .user_nsec = 1000 * MSEC};

	(void)state;
	assert_true(nb_cpu_time_between(&prev, &cur, NB_NSEC_PER_SEC).busy_nsec == 1000 * MSEC);
}

static void counters_wrap_once(void **state)
{
	struct nb_cpu_counters prev = {.net_rx = UINT32_MAX - 1, .dropped = UINT32_MAX};
	struct nb_cpu_counters cur = {.net_rx = 3, .dropped = 0};
	struct nb_cpu_time time = nb_cpu_time_between(&prev, &cur, NB_NSEC_PER_SEC);

	(void)state;
	assert_int_equal(time.net_rx, 5);
	assert_int_equal(time.dropped, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_column_but_idle_is_busy),
		cmocka_unit_test(time_missing_from_all_columns_is_softirq),
		cmocka_unit_test(timed_interrupts_are_as_they_are),
		cmocka_unit_test(a_timed_cpu_is_never_busier_than_the_window),
		cmocka_unit_test(stolen_time_is_time_outside_interrupts),
		cmocka_unit_test(two_ticks_of_rounding_are_not_missing),
		cmocka_unit_test(columns_that_all_stand_still_miss_nothing),
		cmocka_unit_test(a_decreasing_idle_clock_stands_still),
		cmocka_unit_test(counters_wrap_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

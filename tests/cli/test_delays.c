/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ctl/delays.h"
#include "nicbalance/status.h"
#include "support/support.h"

static GArray *one_cpu(unsigned cpu)
{
	GArray *delays = g_array_new(FALSE, TRUE, sizeof(struct nb_delays));
	const struct nb_delays row = {.cpu = cpu};

	g_array_append_val(delays, row);
	return delays;
}

static uint32_t *counts_of(GArray *delays, unsigned i)
{
	return g_array_index(delays, struct nb_delays, i).counts;
}

static const struct nb_latency_row *row(const GArray *rows, unsigned i)
{
	return nb_row_at(rows, i);
}

static void assert_bound(struct nb_bound bound, uint64_t usec, bool is_least)
{
	assert_int_equal(bound.usec, usec);
	assert_int_equal(bound.is_least, is_least);
}

static void percentiles_are_the_bounds_of_their_buckets(void **state)
{
	g_autoptr(GArray) before = one_cpu(2), after = one_cpu(2), rows = NULL;

	(void)state;
	counts_of(after, 0)[0] = 50;
	counts_of(after, 0)[3] = 49;
	counts_of(after, 0)[7] = 1;
	rows = nb_delays_summarize(before, after);
	assert_int_equal(rows->len, 2);
	assert_int_equal(row(rows, 0)->cpu, 2);
	assert_int_equal(row(rows, 0)->n_runs, 100);
	assert_bound(row(rows, 0)->p50, 1, false);
	assert_bound(row(rows, 0)->p99, 8, false);
	assert_bound(row(rows, 0)->max, 128, false);
}

static void one_more_in_a_hundred_moves_the_percentile(void **state)
{
	g_autoptr(GArray) before = one_cpu(2), after = one_cpu(2), rows = NULL;

	(void)state;
	counts_of(after, 0)[0] = 49;
	counts_of(after, 0)[3] = 49;
	counts_of(after, 0)[7] = 2;
	rows = nb_delays_summarize(before, after);
	assert_bound(row(rows, 0)->p50, 8, false);
	assert_bound(row(rows, 0)->p99, 128, false);
}

static void the_last_bucket_has_no_upper_bound(void **state)
{
	g_autoptr(GArray) before = one_cpu(0), after = one_cpu(0), rows = NULL;

	(void)state;
	counts_of(after, 0)[NB_DELAYS - 2] = 1;
	counts_of(after, 0)[NB_DELAYS - 1] = 1;
	rows = nb_delays_summarize(before, after);
	assert_bound(row(rows, 0)->p50, UINT64_C(1) << (NB_DELAYS - 2), false);
	assert_bound(row(rows, 0)->max, UINT64_C(1) << (NB_DELAYS - 2), true);
}

static void counters_may_wrap(void **state)
{
	g_autoptr(GArray) before = one_cpu(0), after = one_cpu(0), rows = NULL;

	(void)state;
	counts_of(before, 0)[4] = UINT32_MAX - 1;
	counts_of(after, 0)[4] = 3;
	rows = nb_delays_summarize(before, after);
	assert_int_equal(row(rows, 0)->n_runs, 5);
	assert_bound(row(rows, 0)->max, 16, false);
}

static void cpus_that_came_or_went_are_left_out(void **state)
{
	g_autoptr(GArray) before = one_cpu(1), after = one_cpu(0), rows = NULL;
	const struct nb_delays two = {.cpu = 2, .counts = {5}}, later = {.cpu = 2, .counts = {8}};

	(void)state;
	counts_of(after, 0)[0] = 100;
	g_array_append_val(before, two);
	g_array_append_val(after, later);
	rows = nb_delays_summarize(before, after);
	assert_int_equal(rows->len, 2);
	assert_int_equal(row(rows, 0)->cpu, 2);
	assert_int_equal(row(rows, 1)->cpu, NB_CPU_ALL);
	assert_int_equal(row(rows, 1)->n_runs, 3);
}

static void all_is_there_also_when_nothing_came(void **state)
{
	g_autoptr(GArray) before = one_cpu(1), after = one_cpu(1), rows = NULL;

	(void)state;
	rows = nb_delays_summarize(before, after);
	assert_int_equal(rows->len, 1);
	assert_int_equal(row(rows, 0)->cpu, NB_CPU_ALL);
	assert_int_equal(row(rows, 0)->n_runs, 0);
	assert_bound(row(rows, 0)->max, 0, false);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(percentiles_are_the_bounds_of_their_buckets),
		cmocka_unit_test(one_more_in_a_hundred_moves_the_percentile),
		cmocka_unit_test(the_last_bucket_has_no_upper_bound),
		cmocka_unit_test(counters_may_wrap),
		cmocka_unit_test(cpus_that_came_or_went_are_left_out),
		cmocka_unit_test(all_is_there_also_when_nothing_came),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

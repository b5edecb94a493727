/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fixture.h"

#include "rehearse/rehearsal.h"

static struct nb_cpu cpus[2] = {{.id = 0}, {.id = 4}};
static const struct nb_topology topology = {.cpus = cpus, .n_cpus = 2};

static void add(struct nb_rehearsal *rehearsal, uint64_t window_nsec, uint32_t first,
		uint32_t second, enum nb_verdict verdict)
{
	struct nb_cpumask network = {};
	uint32_t demand[2] = {first, second};
	struct nb_rehearsed_second closed = {
		.window_nsec = window_nsec, .verdict = verdict, .dropped = 3};

	nb_cpumask_add(&network, 0);
	nb_rehearsal_add_second(rehearsal, &closed, &topology, demand, &network);
}

static struct nb_rehearsal *rehearsal_of_two(void)
{
	struct nb_rehearsal *rehearsal = nb_rehearsal_new();

	nb_rehearsal_add_cpus(rehearsal, &topology);
	return rehearsal;
}

static void windows_weigh_as_much_as_they_are_long(void **state)
{
	g_autoptr(nb_rehearsal) rehearsal = rehearsal_of_two();
	struct nb_rehearsal_sum sum;

	(void)state;
	add(rehearsal, 3 * SEC, 1000, 0, NB_VERDICT_QUIET);
	add(rehearsal, SEC, 9400, 0, NB_VERDICT_HELD);
	nb_rehearsal_sum(rehearsal, &sum);
	assert_int_equal(sum.hottest_mean, 3100);
	assert_true(sum.length_nsec == 4 * SEC);
	assert_true(sum.hot_msec == 1000);
	assert_true(sum.verdict_nsec[NB_VERDICT_QUIET] == 3 * SEC);
	assert_true(sum.verdict_nsec[NB_VERDICT_HELD] == SEC);
	assert_true(sum.dropped == 6);
}

static void the_99th_percentile_passes_over_one_second_in_a_hundred(void **state)
{
	g_autoptr(nb_rehearsal) rehearsal = rehearsal_of_two();
	struct nb_rehearsal_sum sum;

	(void)state;
	for (unsigned i = 0; i < 99; i++)
		add(rehearsal, SEC, i * 10, 0, NB_VERDICT_QUIET);
	add(rehearsal, SEC, 9999, 0, NB_VERDICT_QUIET);
	nb_rehearsal_sum(rehearsal, &sum);
	assert_int_equal(sum.hottest_p99, 980);
	add(rehearsal, SEC, 9999, 0, NB_VERDICT_QUIET);
	add(rehearsal, SEC, 9999, 0, NB_VERDICT_QUIET);
	nb_rehearsal_sum(rehearsal, &sum);
	assert_int_equal(sum.hottest_p99, 9999);
}

static void cpus_without_network_work_do_not_count(void **state)
{
	g_autoptr(nb_rehearsal) rehearsal = rehearsal_of_two();
	struct nb_rehearsal_sum sum;

	(void)state;
	add(rehearsal, SEC, 500, 9999, NB_VERDICT_QUIET);
	nb_rehearsal_sum(rehearsal, &sum);
	assert_int_equal(sum.hottest_p99, 500);
	assert_true(sum.hot_msec == 0);
}

static void nothing_at_all_is_zero(void **state)
{
	g_autoptr(nb_rehearsal) rehearsal = nb_rehearsal_new();
	struct nb_rehearsal_sum sum;

	(void)state;
	nb_rehearsal_sum(rehearsal, &sum);
	assert_true(sum.length_nsec == 0);
	assert_int_equal(sum.hottest_mean, 0);
	assert_int_equal(sum.hottest_p99, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(windows_weigh_as_much_as_they_are_long),
		cmocka_unit_test(the_99th_percentile_passes_over_one_second_in_a_hundred),
		cmocka_unit_test(cpus_without_network_work_do_not_count),
		cmocka_unit_test(nothing_at_all_is_zero),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

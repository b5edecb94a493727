/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ctl/show/delays.h"
#include "ctl/show/value.h"
#include "nicbalance/status.h"
#include "support/support.h"

/* Readings of one CPU, and what is made of them. */
struct reading {
	json_t *before, *after, *rows;
};

static void add_cpu(json_t *delays, int cpu)
{
	json_t *counts = json_array();

	for (unsigned i = 0; i < NB_DELAYS; i++)
		json_array_append_new(counts, json_integer(0));
	json_array_append_new(delays, json_pack("{s:i, s:o}", "cpu", cpu, "runs-by-usec", counts));
}

static struct reading read_cpus(int before, int after)
{
	struct reading reading = {.before = json_array(), .after = json_array()};

	add_cpu(reading.before, before);
	add_cpu(reading.after, after);
	return reading;
}

static void set_count(json_t *delays, unsigned i, unsigned bucket, uint32_t count)
{
	json_array_set_new(json_object_get(json_array_get(delays, i), "runs-by-usec"), bucket,
			   json_integer(count));
}

static void summarize(struct reading *reading)
{
	reading->rows = nb_delays_summarize(reading->before, reading->after);
}

static void drop(struct reading *reading)
{
	json_decref(reading->before);
	json_decref(reading->after);
	json_decref(reading->rows);
}

/* Of the row i; -1: null. */
static json_int_t number(const struct reading *reading, size_t i, const char *name)
{
	const json_t *value = json_object_get(json_array_get(reading->rows, i), name);

	assert_non_null(value);
	return json_is_null(value) ? -1 : json_integer_value(value);
}

static void percentiles_are_the_bounds_of_their_buckets(void **state)
{
	struct reading reading = read_cpus(2, 2);

	(void)state;
	set_count(reading.after, 0, 0, 50);
	set_count(reading.after, 0, 3, 49);
	set_count(reading.after, 0, 7, 1);
	summarize(&reading);
	assert_int_equal(json_array_size(reading.rows), 2);
	assert_int_equal(number(&reading, 0, "cpu"), 2);
	assert_int_equal(number(&reading, 0, "runs"), 100);
	assert_int_equal(number(&reading, 0, "p50-below-usec"), 1);
	assert_int_equal(number(&reading, 0, "p99-below-usec"), 8);
	assert_int_equal(number(&reading, 0, "max-below-usec"), 128);
	drop(&reading);
}

static void one_more_in_a_hundred_moves_the_percentile(void **state)
{
	struct reading reading = read_cpus(2, 2);

	(void)state;
	set_count(reading.after, 0, 0, 49);
	set_count(reading.after, 0, 3, 49);
	set_count(reading.after, 0, 7, 2);
	summarize(&reading);
	assert_int_equal(number(&reading, 0, "p50-below-usec"), 8);
	assert_int_equal(number(&reading, 0, "p99-below-usec"), 128);
	drop(&reading);
}

static void the_last_bucket_has_no_upper_bound(void **state)
{
	struct reading reading = read_cpus(0, 0);

	(void)state;
	set_count(reading.after, 0, NB_DELAYS - 2, 1);
	set_count(reading.after, 0, NB_DELAYS - 1, 1);
	summarize(&reading);
	assert_int_equal(number(&reading, 0, "p50-below-usec"), 1 << (NB_DELAYS - 2));
	assert_int_equal(number(&reading, 0, "max-below-usec"), -1);
	drop(&reading);
}

static void counters_may_wrap(void **state)
{
	struct reading reading = read_cpus(0, 0);

	(void)state;
	set_count(reading.before, 0, 4, UINT32_MAX - 1);
	set_count(reading.after, 0, 4, 3);
	summarize(&reading);
	assert_int_equal(number(&reading, 0, "runs"), 5);
	assert_int_equal(number(&reading, 0, "max-below-usec"), 16);
	drop(&reading);
}

static void cpus_that_came_or_went_are_left_out(void **state)
{
	struct reading reading = read_cpus(1, 0);

	(void)state;
	add_cpu(reading.before, 2);
	add_cpu(reading.after, 2);
	set_count(reading.after, 0, 0, 100);
	set_count(reading.before, 1, 0, 5);
	set_count(reading.after, 1, 0, 8);
	summarize(&reading);
	assert_int_equal(json_array_size(reading.rows), 2);
	assert_int_equal(number(&reading, 0, "cpu"), 2);
	assert_int_equal(number(&reading, 1, "cpu"), -1);
	assert_int_equal(number(&reading, 1, "runs"), 3);
	drop(&reading);
}

static void all_is_there_also_when_nothing_came(void **state)
{
	struct reading reading = read_cpus(1, 1);

	(void)state;
	summarize(&reading);
	assert_int_equal(json_array_size(reading.rows), 1);
	assert_int_equal(number(&reading, 0, "cpu"), -1);
	assert_int_equal(number(&reading, 0, "runs"), 0);
	assert_int_equal(number(&reading, 0, "max-below-usec"), -1);
	drop(&reading);
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

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/delays.h"

#include "base/memory.h"
#include "nicbalance/units.h"
#include "support/support.h"

#include <string.h>

#define MAX_USEC 5000u

/* --- p99 */

static uint32_t p99(const uint32_t before[NB_DELAYS], const uint32_t now[NB_DELAYS])
{
	uint32_t usec = UINT32_MAX;

	assert_true(nb_delays_p99(before, now, &usec));
	return usec;
}

static void it_is_within_the_bucket_of_the_last_hundredth(void **state)
{
	const uint32_t none[NB_DELAYS] = {};

	(void)state;
	/* Of 100 the longest may be anything; of 200, two may. */
	assert_int_equal(p99(none, (uint32_t[NB_DELAYS]){[4] = 99, [20] = 1}), 16);
	assert_in_range(p99(none, (uint32_t[NB_DELAYS]){[4] = 98, [20] = 2}), 524288 + 1, 1048576);
	assert_int_equal(p99(none, (uint32_t[NB_DELAYS]){[4] = 198, [20] = 2}), 16);
	/* Between 4096 and 8192 by proportion. */
	assert_int_equal(p99(none, (uint32_t[NB_DELAYS]){[13] = 100}), 4096 + 4056);
	assert_int_equal(p99(none, (uint32_t[NB_DELAYS]){[3] = 990, [13] = 20}), 4096 + 2048);
	assert_int_equal(p99(none, (uint32_t[NB_DELAYS]){[0] = 100}), 1);
}

static void the_last_bucket_is_that_long_at_least(void **state)
{
	const uint32_t none[NB_DELAYS] = {};

	(void)state;
	assert_int_equal(p99(none, (uint32_t[NB_DELAYS]){[NB_DELAYS - 1] = 200}), 1u << 22);
}

static void only_what_grew_counts_across_a_wrap(void **state)
{
	const uint32_t before[NB_DELAYS] = {[2] = UINT32_MAX - 50, [20] = 5000};

	(void)state;
	assert_int_equal(p99(before, (uint32_t[NB_DELAYS]){[2] = 49, [20] = 5000}), 4);
}

static void of_few_runs_it_is_not_known(void **state)
{
	const uint32_t none[NB_DELAYS] = {};
	uint32_t usec = 4711;

	(void)state;
	assert_false(nb_delays_p99(none, (uint32_t[NB_DELAYS]){[13] = 99}, &usec));
	assert_false(nb_delays_p99(none, none, &usec));
	assert_int_equal(usec, 4711);
}

/* --- delayed CPUs */

struct fixture {
	struct nb_memory memory;
	struct nb_policy policy;
	struct nb_cpu_load cpus[2];
	struct nb_loads loads;
};

static int set_up(void **state)
{
	struct fixture *f = g_new0(struct fixture, 1);

	f->policy.delay_max_nsec = MAX_USEC * NB_NSEC_PER_USEC;
	f->cpus[0].id = 3;
	f->cpus[1].id = 5;
	f->loads = (struct nb_loads){.taken_nsec = 1000 * NB_NSEC_PER_SEC,
				     .window_nsec = NB_NSEC_PER_SEC,
				     .cpus = f->cpus,
				     .n_cpus = 2};
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	nb_memory_clear(&f->memory);
	g_free(f);
	return 0;
}

/* A second passes; CPU 5 lets NET_RX wait so long. */
static const struct nb_delay_memory *wait_for(struct fixture *f, uint32_t usec)
{
	f->loads.taken_nsec += NB_NSEC_PER_SEC;
	f->cpus[1].delay_known = true;
	f->cpus[1].delay_usec = usec;
	f->cpus[1].delay_msec = 1000;
	nb_delays_look(&f->memory, &f->loads, &f->policy);
	return nb_delays_find(&f->memory, 5);
}

static void pass_unknown(struct fixture *f, uint64_t sec)
{
	f->loads.taken_nsec += sec * NB_NSEC_PER_SEC;
	f->cpus[1].delay_known = false;
	nb_delays_look(&f->memory, &f->loads, &f->policy);
}

static const struct nb_delay_memory *delay(struct fixture *f)
{
	for (unsigned i = 0; i < 3; i++)
		wait_for(f, MAX_USEC + 1);
	assert_non_null(nb_delays_find(&f->memory, 5));
	return nb_delays_find(&f->memory, 5);
}

static void three_seconds_in_a_row_delay_a_cpu(void **state)
{
	struct fixture *f = *state;

	wait_for(f, MAX_USEC + 1);
	assert_false(nb_delays_acts(wait_for(f, MAX_USEC + 1)));
	assert_true(nb_delays_are_deciding(&f->memory));
	assert_null(wait_for(f, MAX_USEC));
	wait_for(f, MAX_USEC + 1);
	assert_false(wait_for(f, MAX_USEC + 1)->delayed);
	assert_true(nb_delays_acts(wait_for(f, 9000)));
	assert_int_equal(nb_delays_find(&f->memory, 5)->usec, 9000);
	assert_false(nb_delays_are_deciding(&f->memory));
	assert_null(nb_delays_find(&f->memory, 3));
}

/* A pause between two slices. */
static void what_is_not_known_counts_neither_way(void **state)
{
	struct fixture *f = *state;

	wait_for(f, MAX_USEC + 1);
	wait_for(f, MAX_USEC + 1);
	f->cpus[1].delay_usec = 0;
	pass_unknown(f, 60);
	assert_false(nb_delays_find(&f->memory, 5)->delayed);
	assert_true(nb_delays_acts(wait_for(f, MAX_USEC + 1)));
	pass_unknown(f, 60);
	assert_true(nb_delays_find(&f->memory, 5)->delayed);
}

static void what_was_known_long_ago_is_forgotten(void **state)
{
	struct fixture *f = *state;

	delay(f);
	pass_unknown(f, 150);
	assert_non_null(nb_delays_find(&f->memory, 5));
	pass_unknown(f, 1);
	assert_null(nb_delays_find(&f->memory, 5));
	assert_int_equal(f->memory.n_delays, 0);
}

static void it_lasts_until_half_of_the_limit_for_three_seconds(void **state)
{
	struct fixture *f = *state;

	delay(f);
	for (unsigned i = 0; i < 10; i++)
		assert_true(wait_for(f, MAX_USEC / 2)->delayed);
	assert_false(nb_delays_acts(nb_delays_find(&f->memory, 5)));
	wait_for(f, MAX_USEC / 2 - 1);
	wait_for(f, MAX_USEC / 2 - 1);
	assert_true(wait_for(f, MAX_USEC / 2)->delayed);
	wait_for(f, MAX_USEC / 2 - 1);
	assert_non_null(wait_for(f, MAX_USEC / 2 - 1));
	assert_null(wait_for(f, MAX_USEC / 2 - 1));
}

/* Between half of the limit and the limit it neither ends nor acts. */
static void it_acts_again_only_when_it_is_above_for_long(void **state)
{
	struct fixture *f = *state;

	delay(f);
	wait_for(f, MAX_USEC);
	wait_for(f, MAX_USEC + 1);
	assert_false(nb_delays_acts(wait_for(f, MAX_USEC + 1)));
	assert_true(nb_delays_acts(wait_for(f, MAX_USEC + 1)));
}

static void without_a_limit_nothing_is_remembered(void **state)
{
	struct fixture *f = *state;

	delay(f);
	f->policy.delay_max_nsec = 0;
	assert_null(wait_for(f, UINT32_MAX));
	assert_null(wait_for(f, UINT32_MAX));
	assert_int_equal(f->memory.n_delays, 0);
}

static void each_cpu_has_its_own(void **state)
{
	struct fixture *f = *state;

	delay(f);
	f->cpus[0].delay_known = true;
	f->cpus[0].delay_usec = MAX_USEC + 1;
	f->cpus[0].delay_msec = 1000;
	wait_for(f, MAX_USEC + 1);
	assert_int_equal(f->memory.n_delays, 2);
	assert_int_equal(f->memory.delays[0].id, 3);
	assert_false(f->memory.delays[0].delayed);
	assert_true(f->memory.delays[1].delayed);
	assert_null(nb_delays_find(&f->memory, 4));
}

#define WITH_MEMORY(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_is_within_the_bucket_of_the_last_hundredth),
		cmocka_unit_test(the_last_bucket_is_that_long_at_least),
		cmocka_unit_test(only_what_grew_counts_across_a_wrap),
		cmocka_unit_test(of_few_runs_it_is_not_known),
		WITH_MEMORY(three_seconds_in_a_row_delay_a_cpu),
		WITH_MEMORY(what_is_not_known_counts_neither_way),
		WITH_MEMORY(what_was_known_long_ago_is_forgotten),
		WITH_MEMORY(it_lasts_until_half_of_the_limit_for_three_seconds),
		WITH_MEMORY(it_acts_again_only_when_it_is_above_for_long),
		WITH_MEMORY(without_a_limit_nothing_is_remembered),
		WITH_MEMORY(each_cpu_has_its_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

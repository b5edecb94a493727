/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plan/spread.h"

#include "unit/plan/fixture.h"

/* Eight threads of four cores, one NIC of one queue on CPU 0, whose sibling is CPU 4. */
static int set_up(void **state)
{
	struct nb_host *host = nb_host_new(8, 2, 1);

	nb_host_add_nic(host, NB_NODE_NONE, 1, 0, 9000);
	return begin_with(state, host);
}

static bool spread(struct fixture *f, unsigned least_width, uint32_t cost)
{
	return nb_spread(&f->board, &f->board.queues[0], &f->keep, least_width, cost,
			 f->host->policy.hot, &f->mask);
}

static unsigned width(const struct fixture *f)
{
	return nb_cpumask_count(&f->mask);
}

static void is_as_narrow_as_keeps_all_cool(void **state)
{
	struct fixture *f = *state;

	look(f);
	assert_true(spread(f, 1, 7000));
	assert_int_equal(width(f), 1);
	assert_true(spread(f, 1, 7001));
	assert_int_equal(width(f), 2);
	assert_true(spread(f, 1, 14001));
	assert_int_equal(width(f), 3);
}

static void counts_what_the_targets_do_besides(void **state)
{
	struct fixture *f = *state;

	f->host->policy.sibling_weight = 0;
	for (unsigned i = 1; i < 8; i++)
		f->host->fixed[i] = 3000;
	look(f);
	assert_true(spread(f, 1, 8000));
	assert_int_equal(width(f), 2);
	assert_true(spread(f, 1, 8001));
	assert_int_equal(width(f), 3);
}

static void counts_what_the_other_thread_of_a_core_is_handed(void **state)
{
	struct fixture *f = *state;

	look(f);
	assert_true(spread(f, 1, 21000));
	assert_int_equal(width(f), 3);
	/* Six threads of three cores: each feels 65 % of what the other is handed. */
	assert_true(spread(f, 1, 25000));
	assert_int_equal(width(f), 6);
	assert_false(spread(f, 1, 26000));
}

static void does_not_count_twice_what_it_hands_on_already(void **state)
{
	struct fixture *f = *state;

	f->host->fixed[1] = 8000;
	look(f);
	f->board.cpus[1].backlog = 8000;
	nb_cpumask_add(&f->keep, 1);
	assert_true(spread(f, 2, 10000));
	assert_int_equal(width(f), 2);
	assert_true(nb_cpumask_has(&f->mask, 1));
}

static void replaces_what_has_no_room_any_more(void **state)
{
	struct fixture *f = *state;

	f->host->fixed[1] = 9000;
	look(f);
	f->board.cpus[1].backlog = 4000;
	nb_cpumask_add(&f->keep, 1);
	nb_cpumask_add(&f->keep, 2);
	assert_true(spread(f, 2, 8000));
	assert_int_equal(width(f), 2);
	assert_false(nb_cpumask_has(&f->mask, 1));
	assert_true(nb_cpumask_has(&f->mask, 2));
}

static void never_takes_the_core_of_the_interrupt(void **state)
{
	struct fixture *f = *state;

	look(f);
	assert_true(spread(f, 6, 9000));
	assert_false(nb_cpumask_has(&f->mask, 0));
	assert_false(nb_cpumask_has(&f->mask, 4));
	assert_false(spread(f, 7, 9000));
}

static void prefers_the_same_cache_to_a_cooler_cpu(void **state)
{
	struct fixture *f = *state;

	nb_host_set_caches(f->host, 2);
	f->host->fixed[1] = f->host->fixed[5] = 1500;
	look(f);
	assert_true(spread(f, 1, 3000));
	assert_true(nb_cpumask_has(&f->mask, 1));
}

static void leaves_the_result_alone_where_there_is_none(void **state)
{
	struct fixture *f = *state;

	f->host->policy.rps_width = 1;
	look(f);
	nb_cpumask_add(&f->mask, 7);
	assert_false(spread(f, 1, 7001));
	assert_int_equal(width(f), 1);
	assert_true(nb_cpumask_has(&f->mask, 7));
}

static void a_quarter_is_added_for_handing_on(void **state)
{
	(void)state;
	assert_int_equal(nb_spread_cost(8000), 10000);
}

static bool share(struct fixture *f, uint32_t work)
{
	return nb_spread_with_own(&f->board, &f->board.queues[0], &f->keep, work, &f->mask);
}

static void shares_with_all_that_have_time_and_with_its_own_cpu(void **state)
{
	struct fixture *f = *state;

	f->host->policy.sibling_weight = 0;
	for (unsigned i = 1; i < 8; i++)
		f->host->fixed[i] = 9000;
	f->host->fixed[2] = 4000;
	f->host->fixed[3] = 4001;
	look(f);
	f->board.cpus[3].backlog = 4001;
	assert_true(share(f, 6000));
	assert_int_equal(f->mask.words[0], 0x5);
	/* Who shares already is not asked again, and shares on. */
	nb_cpumask_add(&f->keep, 2);
	assert_false(share(f, 6000));
	assert_true(share(f, 5999));
	assert_int_equal(f->mask.words[0], 0xd);
}

static void shares_with_no_more_than_the_policy_allows(void **state)
{
	struct fixture *f = *state;

	f->host->policy.rps_width = 3;
	look(f);
	assert_true(share(f, 1000));
	assert_int_equal(width(f), 3);
	f->keep = f->mask;
	assert_false(share(f, 1000));
}

/* Half of 90 is 90 of a CPU of half the capacity, and that is too much. */
static void a_small_cpu_is_handed_as_many_packets_for_more_time(void **state)
{
	struct fixture *f = *state;

	for (unsigned cpu = 1; cpu < 8; cpu++)
		if (cpu % 4 > 1)
			nb_host_set_capacity(f->host, cpu, 5000);
	look(f);
	assert_true(spread(f, 1, 6000));
	assert_int_equal(nb_cpumask_only(&f->mask), 1);
	/* A third for CPUs 1, 2 and 3. */
	assert_true(spread(f, 2, 9000));
	assert_int_equal(width(f), 3);
	assert_true(nb_cpumask_has(&f->mask, 1));
}

/* And the work of a queue on a small one is less on a large one. */
static void a_large_cpu_takes_over_a_small_ones_queue(void **state)
{
	struct fixture *f = *state;

	nb_host_set_capacity(f->host, 0, 5000);
	nb_host_set_capacity(f->host, 4, 5000);
	look(f);
	assert_true(spread(f, 1, 14000));
	assert_int_equal(width(f), 1);
	assert_true(spread(f, 1, 14002));
	assert_int_equal(width(f), 2);
	for (unsigned cpu = 1; cpu < 8; cpu++)
		f->host->fixed[cpu] = 7600;
	f->host->policy.sibling_weight = 0;
	look(f);
	assert_true(nb_spread_with_own(&f->board, &f->board.queues[0], &f->keep, 4800, &f->mask));
	assert_false(nb_spread_with_own(&f->board, &f->board.queues[0], &f->keep, 4802, &f->mask));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_HOST(is_as_narrow_as_keeps_all_cool),
		WITH_HOST(counts_what_the_targets_do_besides),
		WITH_HOST(counts_what_the_other_thread_of_a_core_is_handed),
		WITH_HOST(does_not_count_twice_what_it_hands_on_already),
		WITH_HOST(replaces_what_has_no_room_any_more),
		WITH_HOST(never_takes_the_core_of_the_interrupt),
		WITH_HOST(prefers_the_same_cache_to_a_cooler_cpu),
		WITH_HOST(leaves_the_result_alone_where_there_is_none),
		cmocka_unit_test(a_quarter_is_added_for_handing_on),
		WITH_HOST(shares_with_all_that_have_time_and_with_its_own_cpu),
		WITH_HOST(shares_with_no_more_than_the_policy_allows),
		WITH_HOST(a_small_cpu_is_handed_as_many_packets_for_more_time),
		WITH_HOST(a_large_cpu_takes_over_a_small_ones_queue),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

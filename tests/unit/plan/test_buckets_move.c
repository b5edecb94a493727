/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unit/plan/buckets_fixture.h"

static struct nb_rss_change change;

static bool even_out(struct fixture *f, uint32_t gain)
{
	change = (struct nb_rss_change){};
	return nb_buckets_even_out(&f->board, gain, &change);
}

/* Of the queue, predicted. */
static uint32_t load_of(const struct fixture *f, unsigned queue)
{
	uint64_t load = 0;

	for (unsigned i = 0; i < N_BUCKETS; i++) {
		uint64_t sum = 0;

		for (unsigned k = table[i]; k < N_BUCKETS; k += N_QUEUES)
			sum += packets[k];
		if (change.to[i] == queue)
			load += (uint64_t)f->host->time[table[i]] * packets[i] / sum;
	}
	return (uint32_t)load;
}

static void small_buckets_leave_and_a_large_one_stays(void **state)
{
	struct fixture *f = *state;

	/* 10, 10, 19 and 41 of 80; others have 10 each: the goal is 29.5. */
	load_first(f, 8000, (const uint32_t[]){100, 100, 190, 410});
	assert_true(even_out(f, 1000));
	assert_int_equal(change.n_entries, N_BUCKETS);
	assert_ptr_equal(change.from, table);
	assert_int_equal(change.n_moved, 3);
	assert_int_equal(table[0], 0);
	for (unsigned i = 0; i < N_BUCKETS; i++)
		assert_int_equal(change.to[i] != table[i], i == 0 || i == 4 || i == 8);
}

static void as_few_move_as_reach_the_goal(void **state)
{
	struct fixture *f = *state;

	/* Others have 20 each: the mean of these and 50 is 27.5, and the goal two above. */
	for (unsigned i = 1; i < N_QUEUES; i++)
		f->host->time[i] = 2000;
	load_first(f, 5000, (const uint32_t[]){70, 80, 90, 260});
	assert_true(even_out(f, 2000));
	/* 9 and 8 would not do, three of them do. */
	assert_int_equal(change.n_moved, 3);
	assert_int_equal(change.to[12], 0);

	load_first(f, 3700, (const uint32_t[]){70, 80, 90, 130});
	assert_true(even_out(f, 700));
	/* The goal is 26.25, which none fits; the one that leaves the hotter of both coolest. */
	assert_int_not_equal(change.to[4], 0);
	assert_false(even_out(f, 1300));
}

static void what_needs_one_bucket_moves_the_smallest_that_will_do(void **state)
{
	struct fixture *f = *state;

	/* 2, 3, 5 and 6 of 16; others have 10 each: the goal is 13.5. */
	load_first(f, 1600, (const uint32_t[]){20, 30, 50, 60});
	assert_true(even_out(f, 250));
	assert_int_equal(change.n_moved, 1);
	assert_int_not_equal(change.to[4], 0);
}

static void queues_end_as_even_as_their_buckets_allow(void **state)
{
	struct fixture *f = *state;
	uint32_t most = 0;

	load_first(f, 8000, (const uint32_t[]){100, 100, 200, 400});
	assert_true(even_out(f, 1000));
	for (unsigned i = 0; i < N_QUEUES; i++)
		most = MAX(most, load_of(f, i));
	/* One bucket of 40 is above the mean of 27.5: it ends alone. */
	assert_int_equal(most, 4000);
}

static void all_else_leaves_the_queue_of_a_flow_that_fills_it(void **state)
{
	struct fixture *f = *state;

	load_first(f, 9500, (const uint32_t[]){750, 50, 50, 100});
	assert_true(even_out(f, 1000));
	assert_int_equal(change.to[0], 0);
	assert_int_not_equal(change.to[4], 0);
	assert_int_not_equal(change.to[8], 0);
	assert_int_not_equal(change.to[12], 0);
}

static void one_flow_alone_is_not_moved_about(void **state)
{
	struct fixture *f = *state;

	load_first(f, 9500, (const uint32_t[]){950, 0, 0, 1});
	assert_false(even_out(f, 100));
}

static void queues_that_do_not_take_part_keep_theirs_and_get_none(void **state)
{
	struct fixture *f = *state;
	struct nb_cpumask mask = {};

	f->host->time[3] = 0; /* the coolest */
	nb_cpumask_add(&mask, 7);
	nb_host_set_rps(f->host, 3, &mask);
	load_first(f, 8000, (const uint32_t[]){100, 100, 200, 400});
	assert_true(even_out(f, 1000));
	for (unsigned i = 0; i < N_BUCKETS; i++)
		assert_int_equal(change.to[i] == 3, table[i] == 3);
}

static void what_cpus_do_besides_counts(void **state)
{
	struct fixture *f = *state;

	for (unsigned i = 1; i < N_QUEUES; i++)
		f->host->fixed[i] = 7000;
	load_first(f, 8000, (const uint32_t[]){100, 100, 200, 400});
	assert_false(even_out(f, 1000));
	f->host->fixed[2] = 0;
	look(f);
	assert_true(even_out(f, 1000));
	for (unsigned i = 0; i < N_BUCKETS; i++)
		assert_true(change.to[i] == table[i] || change.to[i] == 2);
}

static void no_cpu_stays_marked(void **state)
{
	struct fixture *f = *state;

	load_first(f, 9500, (const uint32_t[]){950, 0, 0, 1});
	even_out(f, 100);
	for (unsigned i = 0; i < f->board.n_cpus; i++)
		assert_false(f->board.cpus[i].listed);
}

/* Queue 0 is on a CPU of half the capacity: 80 there are 40 elsewhere. */
static void a_bucket_is_less_on_a_larger_cpu(void **state)
{
	struct fixture *f = *state;

	nb_host_set_capacity(f->host, 0, 5000);
	/* Four of 20 there, which are 10 elsewhere, where there are 10. The goal is 22: two would
	 * leave 40, and with a third CPUs 1 to 3 have 20 each and CPU 0 as much. */
	load_first(f, 4000, (const uint32_t[]){100, 100, 100, 100});
	assert_true(even_out(f, 1000));
	assert_int_equal(change.load_before, 8000);
	assert_int_equal(change.n_moved, 3);
	assert_int_equal(change.load_after, 2000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_HOST(small_buckets_leave_and_a_large_one_stays),
		WITH_HOST(as_few_move_as_reach_the_goal),
		WITH_HOST(what_needs_one_bucket_moves_the_smallest_that_will_do),
		WITH_HOST(queues_end_as_even_as_their_buckets_allow),
		WITH_HOST(all_else_leaves_the_queue_of_a_flow_that_fills_it),
		WITH_HOST(one_flow_alone_is_not_moved_about),
		WITH_HOST(queues_that_do_not_take_part_keep_theirs_and_get_none),
		WITH_HOST(what_cpus_do_besides_counts),
		WITH_HOST(no_cpu_stays_marked),
		WITH_HOST(a_bucket_is_less_on_a_larger_cpu),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/idle_check.h"

#include "nicbalance/units.h"
#include "support/support.h"

#define MSEC (NB_NSEC_PER_SEC / 1000)
#define SEC NB_NSEC_PER_SEC

/* Four CPUs in two cores: 0 and 2, 1 and 3. */
struct fixture {
	struct nb_cpu topology_cpus[4];
	struct nb_topology topology;
	struct nb_cpu_counters before_cpus[4], now_cpus[4];
	struct nb_cpu_sample before, now;
	struct nb_policy policy;
	struct nb_idle_check *quiet;
};

static int setup(void **state)
{
	struct fixture *f = g_new0(struct fixture, 1);

	for (unsigned i = 0; i < 4; i++) {
		f->topology_cpus[i] = (struct nb_cpu){.id = i, .core = i % 2};
		f->before_cpus[i].id = f->now_cpus[i].id = i;
	}
	f->topology = (struct nb_topology){.n_possible = 4, .cpus = f->topology_cpus, .n_cpus = 4};
	f->before = (struct nb_cpu_sample){.taken_nsec = SEC,
					   .times_nsec = SEC,
					   .grade = NB_GRADE_MEASURED,
					   .topology = &f->topology,
					   .cpus = f->before_cpus};
	f->now = f->before;
	f->now.taken_nsec = f->now.times_nsec = 2 * SEC;
	f->now.cpus = f->now_cpus;
	f->policy = (struct nb_policy){.hot = 7000, .minimum_gain = 500, .sibling_weight = 5000};
	f->quiet = nb_idle_check_new();
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	nb_idle_check_free(f->quiet);
	g_free(f);
	return 0;
}

/* Shares of the second that went by: polls of queues, and applications. */
static void spend(struct fixture *f, unsigned cpu, unsigned queues_msec, unsigned user_msec)
{
	f->now_cpus[cpu].softirq_nsec += queues_msec * MSEC;
	f->now_cpus[cpu].queues_nsec += queues_msec * MSEC;
	f->now_cpus[cpu].user_nsec += user_msec * MSEC;
}

static bool is_quiet(const struct fixture *f)
{
	return nb_idle_check_passes(f->quiet, &f->before, &f->now, &f->policy);
}

static void a_cpu_that_is_not_hot_is_quiet(void **state)
{
	struct fixture *f = *state;

	spend(f, 0, 400, 290);
	assert_true(is_quiet(f));
}

static void a_hot_cpu_is_not(void **state)
{
	struct fixture *f = *state;

	spend(f, 0, 400, 310);
	assert_false(is_quiet(f));
}

static void what_applications_alone_fill_is_quiet(void **state)
{
	struct fixture *f = *state;

	spend(f, 0, 49, 950);
	assert_true(is_quiet(f));
	spend(f, 0, 2, 0);
	assert_false(is_quiet(f));
}

static void packets_handed_on_count_as_the_networks(void **state)
{
	struct fixture *f = *state;

	f->now_cpus[1].softirq_nsec = f->now_cpus[1].backlog_nsec = 710 * MSEC;
	assert_false(is_quiet(f));
}

/* 40 % and half of the 80 % beside it; the other core feels nothing of that. */
static void the_other_thread_of_the_core_counts(void **state)
{
	struct fixture *f = *state;

	spend(f, 0, 400, 0);
	spend(f, 3, 0, 800);
	assert_true(is_quiet(f));
	spend(f, 2, 0, 800);
	assert_false(is_quiet(f));
}

static void threads_as_busy_as_each_other_feel_each_other(void **state)
{
	struct fixture *f = *state;

	spend(f, 1, 480, 0);
	spend(f, 3, 480, 0);
	assert_false(is_quiet(f));
}

/* Below what a move has to gain nothing else needs to be known. */
static void without_other_times_only_little_work_is_quiet(void **state)
{
	struct fixture *f = *state;

	f->now.times_nsec = f->before.times_nsec;
	spend(f, 0, 49, 0);
	assert_true(is_quiet(f));
	spend(f, 0, 2, 0);
	assert_false(is_quiet(f));
}

static void ticks_count_all_softirq_time(void **state)
{
	struct fixture *f = *state;

	f->before.grade = f->now.grade = NB_GRADE_ESTIMATED;
	for (unsigned i = 0; i < 4; i++)
		f->now_cpus[i].idle_nsec = SEC;
	f->now_cpus[0].idle_nsec = 250 * MSEC;
	f->now_cpus[0].user_nsec = 600 * MSEC;
	f->now_cpus[0].softirq_nsec = 40 * MSEC;
	assert_false(is_quiet(f)); /* 110 ms are in no column */
	f->now_cpus[0].idle_nsec = 360 * MSEC;
	assert_true(is_quiet(f));
}

static void no_time_between_tells_nothing(void **state)
{
	struct fixture *f = *state;

	f->now.taken_nsec = f->before.taken_nsec;
	assert_false(is_quiet(f));
}

static uint32_t n_hot(struct fixture *f)
{
	bool quiet = is_quiet(f);
	uint32_t n = UINT32_MAX;

	assert_int_equal(quiet, nb_idle_check_knows_hot(f->quiet, &n) && n == 0);
	return n;
}

static void tells_how_many_are_hot(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(n_hot(f), 0);
	spend(f, 0, 400, 300);
	assert_int_equal(n_hot(f), 0);
	spend(f, 0, 0, 1);
	assert_int_equal(n_hot(f), 1);
	spend(f, 1, 710, 0);
	spend(f, 3, 0, 1000); /* with the network next to nothing */
	assert_int_equal(n_hot(f), 2);
	f->now.times_nsec = f->before.times_nsec;
	assert_int_equal(n_hot(f), UINT32_MAX);
}

static void counts_the_same_of_loads(void **state)
{
	struct fixture *f = *state;
	struct nb_cpu_load cpus[4] = {{.queues = 300, .backlog = 200, .window_busy = 7001},
				      {.queues = 499, .window_busy = 9000},
				      {.queues = 0},
				      {.backlog = 500, .window_busy = 2501}};
	const struct nb_loads loads = {.cpus = cpus, .n_cpus = 4};

	/* 25 % and half of the 90 % beside it. */
	assert_int_equal(nb_idle_check_count_hot(f->quiet, &loads, &f->topology, &f->policy), 2);
	cpus[3].window_busy--;
	assert_int_equal(nb_idle_check_count_hot(f->quiet, &loads, &f->topology, &f->policy), 1);
	cpus[0].window_busy--;
	assert_int_equal(nb_idle_check_count_hot(f->quiet, &loads, &f->topology, &f->policy), 0);
}

static void a_cpu_with_a_fifth_of_its_time_for_the_network_is_warm(void **state)
{
	struct fixture *f = *state;

	assert_false(nb_idle_check_is_warm(f->quiet));
	spend(f, 2, 199, 400);
	(void)is_quiet(f);
	assert_false(nb_idle_check_is_warm(f->quiet));
	spend(f, 2, 1, 0);
	(void)is_quiet(f);
	assert_true(nb_idle_check_is_warm(f->quiet));
}

static void tick(struct fixture *f, unsigned cpu, unsigned softirq_msec, unsigned user_msec)
{
	f->now_cpus[cpu].softirq_nsec = softirq_msec * MSEC;
	f->now_cpus[cpu].user_nsec = user_msec * MSEC;
	f->now_cpus[cpu].idle_nsec = (1000 - softirq_msec - user_msec) * MSEC;
}

static uint32_t n_hot_in_pause(struct fixture *f)
{
	uint32_t n = UINT32_MAX;

	nb_idle_check_watch(f->quiet, &f->before, &f->now, &f->policy);
	assert_true(nb_idle_check_knows_hot(f->quiet, &n));
	return n;
}

static void still(struct fixture *f)
{
	f->before.grade = f->now.grade = NB_GRADE_ESTIMATED;
	for (unsigned i = 0; i < 4; i++)
		tick(f, i, 0, 0);
}

/* CPU 0 is nearly full, with a queue, what that handed on, and softirqs that are no queue's. */
static uint32_t count_load(struct fixture *f, uint32_t queue, uint32_t handed_on, uint32_t others)
{
	struct nb_cpu_load cpus[] = {{.id = 0,
				      .queues = queue,
				      .backlog = handed_on,
				      .window_busy = 9900,
				      .window_fixed = 9900 - queue,
				      .window_backlog = handed_on,
				      .softirq = queue + handed_on + others / 2,
				      .irq = others - others / 2},
				     {.id = 1},
				     {.id = 2},
				     {.id = 3}};
	struct nb_loads loads = {.cpus = cpus, .n_cpus = 4};

	return nb_idle_check_count_hot(f->quiet, &loads, &f->topology, &f->policy);
}

static void assert_hot_from(struct fixture *f, unsigned softirq_msec)
{
	tick(f, 0, softirq_msec - 1, 990 - (softirq_msec - 1));
	assert_int_equal(n_hot_in_pause(f), 0);
	tick(f, 0, softirq_msec, 990 - softirq_msec);
	assert_int_equal(n_hot_in_pause(f), 1);
}

static void in_a_pause_softirqs_do_not_count_that_were_no_queues(void **state)
{
	struct fixture *f = *state;

	still(f);
	assert_hot_from(f, 50);
	/* 20 %, 15 more without having shifted, and what a move has to gain. */
	assert_int_equal(count_load(f, 0, 0, 2000), 0);
	assert_hot_from(f, 400);
	/* What is next to nothing does not differ by much. */
	assert_int_equal(count_load(f, 0, 0, 499), 0);
	assert_hot_from(f, 150);
	/* A plan goes by no such difference. */
	tick(f, 0, 50, 940);
	assert_int_equal(n_hot(f), 1);
}

static void in_a_pause_a_queue_about_as_big_as_a_gain_makes_no_difference(void **state)
{
	struct fixture *f = *state;

	still(f);
	assert_int_equal(count_load(f, 500, 0, 0), 1);
	assert_hot_from(f, 25);
	assert_int_equal(count_load(f, 499, 0, 0), 0);
	assert_hot_from(f, 100);
	assert_int_equal(count_load(f, 1000, 0, 2000), 1);
	assert_hot_from(f, 225);
	/* What was handed on counts with it. */
	assert_int_equal(count_load(f, 300, 200, 0), 1);
	assert_hot_from(f, 25);
	assert_int_equal(count_load(f, 300, 199, 0), 0);
	assert_hot_from(f, 100);
}

int main(void)
{
#define claim(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		claim(a_cpu_with_a_fifth_of_its_time_for_the_network_is_warm),
		claim(a_cpu_that_is_not_hot_is_quiet),
		claim(in_a_pause_softirqs_do_not_count_that_were_no_queues),
		claim(in_a_pause_a_queue_about_as_big_as_a_gain_makes_no_difference),
		claim(a_hot_cpu_is_not),
		claim(tells_how_many_are_hot),
		claim(counts_the_same_of_loads),
		claim(what_applications_alone_fill_is_quiet),
		claim(packets_handed_on_count_as_the_networks),
		claim(the_other_thread_of_the_core_counts),
		claim(threads_as_busy_as_each_other_feel_each_other),
		claim(without_other_times_only_little_work_is_quiet),
		claim(ticks_count_all_softirq_time),
		claim(no_time_between_tells_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

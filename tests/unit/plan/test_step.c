/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plan/step.h"

#include "base/memory.h"

#include "unit/plan/fixture.h"

/* Eight CPUs, two to a last-level cache, all one node. */
static int set_up(void **state)
{
	struct nb_host *host = nb_host_new(8, 1, 1);

	nb_host_set_caches(host, 2);
	return begin_with(state, host);
}

static void add_queue(struct fixture *f, unsigned cpu, uint32_t cost)
{
	nb_host_add_nic(f->host, NB_NODE_NONE, 1, cpu, cost);
}

static struct nb_step step_from(struct fixture *f, unsigned source, unsigned budget)
{
	struct nb_step_search search = {.board = &f->board, .gain = 500};

	look(f);
	nb_step_search_begin(&search);
	return nb_step_search_from(&search, source, budget);
}

static void set_all(struct fixture *f, uint32_t rest)
{
	for (unsigned cpu = 0; cpu < 8; cpu++)
		f->host->fixed[cpu] = rest;
}

static void stays_within_the_cache_when_that_gains_almost_as_much(void **state)
{
	struct fixture *f = *state;
	struct nb_step step;

	add_queue(f, 0, 4500);
	add_queue(f, 0, 4500);
	set_all(f, 2000);
	f->host->fixed[0] = 0;
	f->host->fixed[5] = 1500;
	step = step_from(f, 0, 2);
	assert_int_equal(step.target, 1);
	assert_int_equal(step.gain, 2500);
}

static void leaves_the_cache_when_that_gains_clearly_more(void **state)
{
	struct fixture *f = *state;
	struct nb_step step;

	add_queue(f, 0, 4500);
	add_queue(f, 0, 4500);
	set_all(f, 2000);
	f->host->fixed[0] = 0;
	f->host->fixed[5] = 1499;
	step = step_from(f, 0, 2);
	assert_int_equal(step.target, 5);
	assert_int_equal(step.gain, 3001);
	assert_int_equal(step.heat, 5999);
}

static void of_equal_gains_the_cooler_target_is_taken(void **state)
{
	struct fixture *f = *state;

	add_queue(f, 0, 1000);
	f->host->fixed[0] = 8000;
	f->host->fixed[1] = 3000;
	for (unsigned cpu = 2; cpu < 8; cpu++)
		f->host->fixed[cpu] = cpu == 6 ? 100 : 900;
	f->host->fixed[1] = 9000;
	assert_int_equal(step_from(f, 0, 2).target, 6);
}

static void a_swap_goes_by_the_difference(void **state)
{
	struct fixture *f = *state;
	struct nb_step step;

	set_all(f, 9000);
	f->host->fixed[0] = 3000;
	f->host->fixed[3] = 5000;
	add_queue(f, 0, 6000);
	add_queue(f, 3, 1000);
	add_queue(f, 3, 100);
	assert_null(step_from(f, 0, 1).queue);
	step = step_from(f, 0, 2);
	assert_null(step.queue);
	f->host->time[1] = 4900;
	f->host->fixed[3] = 1500;
	step = step_from(f, 0, 2);
	assert_non_null(step.back);
	assert_int_equal(step.back->time, 4900);
	assert_int_equal(step.gain, 1100);
}

/* A queue of 6000 on CPU 0 for one of 4900 on CPU 3. */
static void make_swap(struct fixture *f)
{
	set_all(f, 9000);
	f->host->fixed[0] = 3000;
	f->host->fixed[3] = 1500;
	add_queue(f, 0, 6000);
	add_queue(f, 3, 4900);
	nb_memory_sync(&f->host->memory, &f->host->snapshot);
	assert_non_null(step_from(f, 0, 2).back);
}

static void no_swap_returns_a_queue_to_a_cpu_that_it_shuns(void **state)
{
	struct fixture *f = *state;

	make_swap(f);
	f->host->memory.queues[1].shunned_cpu = 0;
	f->host->memory.queues[1].shunned_until_nsec = UINT64_MAX;
	assert_null(step_from(f, 0, 2).queue);
}

static void no_swap_returns_a_queue_to_a_cpu_without_vectors(void **state)
{
	struct fixture *f = *state;

	make_swap(f);
	nb_memory_set_no_vector(&f->host->memory, 0, UINT64_MAX);
	assert_null(step_from(f, 0, 2).queue);
}

static void no_swap_takes_a_queue_that_may_not_move(void **state)
{
	struct fixture *f = *state;

	make_swap(f);
	f->host->memory.queues[1].refused = true;
	assert_null(step_from(f, 0, 2).queue);
}

static void no_swap_takes_a_queue_that_may_want_as_much(void **state)
{
	struct nb_step_search search = {.gain = 500};
	struct fixture *f = *state;

	make_swap(f);
	nb_host_stick(f->host, 1, 3);
	assert_null(step_from(f, 0, 2).queue);
	f->host->loads.queues[1].wanted = 4950;
	lay_out(f);
	search.board = &f->board;
	nb_step_search_begin(&search);
	assert_int_equal(nb_step_search_from(&search, 0, 2).back->load, 4950);
}

static void the_other_thread_of_its_core_is_a_target_too(void **state)
{
	struct fixture *f = *state;
	struct nb_step step;

	nb_host_free(f->host);
	f->host = nb_host_new(4, 2, 1);
	f->host->fixed[1] = f->host->fixed[3] = 9000;
	add_queue(f, 0, 4000);
	add_queue(f, 0, 4000);
	step = step_from(f, 0, 2);
	assert_int_equal(step.target, 2);
	assert_int_equal(step.gain, 8000 - (4000 + 4000 * 65 / 100));
}

static void but_not_where_that_only_changes_their_places(void **state)
{
	struct fixture *f = *state;

	nb_host_free(f->host);
	f->host = nb_host_new(4, 2, 1);
	f->host->fixed[1] = f->host->fixed[3] = 9000;
	add_queue(f, 0, 4000);
	assert_null(step_from(f, 0, 2).queue);
}

static void a_queue_whose_packets_are_steered_stays(void **state)
{
	struct nb_cpumask mask = {.words[0] = 0x80};
	struct fixture *f = *state;

	add_queue(f, 0, 4500);
	add_queue(f, 0, 4500);
	assert_non_null(step_from(f, 0, 2).queue);
	for (unsigned i = 0; i < 2; i++)
		nb_host_set_rps(f->host, i, &mask);
	assert_null(step_from(f, 0, 2).queue);
}

static void a_target_whose_sibling_would_get_too_hot_is_none(void **state)
{
	struct fixture *f = *state;

	nb_host_free(f->host);
	f->host = nb_host_new(4, 2, 1);
	add_queue(f, 0, 4500);
	add_queue(f, 0, 4500);
	f->host->fixed[3] = 8000;
	nb_host_isolate(f->host, 2);
	assert_null(step_from(f, 0, 2).queue);
	f->host->fixed[3] = 3000;
	assert_int_equal(step_from(f, 0, 2).target, 1);
}

static void a_cooler_source_is_judged_as_if_it_were_the_first(void **state)
{
	struct fixture *f = *state;
	struct nb_step_search search = {.board = &f->board, .gain = 500};

	set_all(f, 5000);
	f->host->fixed[0] = f->host->fixed[1] = 0;
	add_queue(f, 0, 9500);
	add_queue(f, 1, 3000);
	add_queue(f, 1, 6000);
	step_from(f, 0, 2);
	nb_step_search_begin(&search);
	assert_null(nb_step_search_from(&search, 0, 2).queue);
	assert_int_equal(nb_step_search_from(&search, 1, 2).queue->time, 3000);
}

static void shuns_the_cpu_where_it_made_things_worse(void **state)
{
	struct fixture *f = *state;

	add_queue(f, 0, 4500);
	add_queue(f, 0, 4500);
	set_all(f, 2000);
	f->host->fixed[0] = 0;
	f->host->fixed[1] = 0;
	nb_memory_sync(&f->host->memory, &f->host->snapshot);
	for (unsigned i = 0; i < 2; i++) {
		f->host->memory.queues[i].shunned_cpu = 1;
		f->host->memory.queues[i].shunned_until_nsec = UINT64_MAX;
	}
	assert_int_equal(step_from(f, 0, 2).target, 2);
	f->host->memory.queues[0].shunned_until_nsec = 1;
	assert_int_equal(step_from(f, 0, 2).target, 1);
}

/* CPU 0 is at 90. Of 30 on CPU 1 become 60 there. */
static void a_small_cpu_takes_a_queue_for_what_it_is_there(void **state)
{
	struct fixture *f = *state;
	struct nb_step step;

	add_queue(f, 0, 3000);
	add_queue(f, 0, 6000);
	set_all(f, 9000);
	f->host->fixed[0] = 0;
	f->host->fixed[1] = 1000;
	nb_host_set_capacity(f->host, 1, 5000);
	step = step_from(f, 0, 2);
	assert_int_equal(step.target, 1);
	assert_int_equal(step.heat, 1000 + 6000);
	assert_int_equal(step.gain, 9000 - 7000);
	f->host->fixed[1] = 2501;
	assert_null(step_from(f, 0, 2).queue);
}

/* 40 of a small CPU are 20 of a large one; on another small one they are 40 again. */
static void a_large_cpu_has_room_for_more(void **state)
{
	struct fixture *f = *state;
	struct nb_step step;

	for (unsigned cpu = 0; cpu < 8; cpu++)
		nb_host_set_capacity(f->host, cpu, cpu == 5 ? NB_WHOLE : 5000);
	add_queue(f, 0, 2000);
	add_queue(f, 0, 2500);
	set_all(f, 4500);
	f->host->fixed[0] = 0;
	step = step_from(f, 0, 2);
	assert_int_equal(step.target, 5);
	assert_int_equal(step.heat, 4500 + 2000);
	assert_int_equal(step.gain, 9000 - 6500);
	f->host->fixed[5] = 8000;
	step = step_from(f, 0, 1);
	assert_int_not_equal(step.target, 5);
	assert_int_equal(step.heat, 4500 + 4000);
}

/* What relieves a small CPU by 6 takes 3 of a large one, which has no room for 6. */
static void little_room_is_enough_on_a_large_cpu(void **state)
{
	struct fixture *f = *state;
	struct nb_step step;

	nb_host_set_capacity(f->host, 0, 5000);
	add_queue(f, 0, 300);
	set_all(f, 9000);
	f->host->fixed[0] = 8700;
	f->host->fixed[3] = 8400;
	step = step_from(f, 0, 2);
	assert_int_equal(step.target, 3);
	assert_int_equal(step.heat, 8700);
	assert_int_equal(step.gain, 600);
}

/* 80 of a small CPU against 10 of a large one: 40 and 20 afterwards. */
static void a_swap_counts_each_queue_where_it_goes(void **state)
{
	struct fixture *f = *state;
	struct nb_step step;

	nb_host_set_capacity(f->host, 0, 5000);
	add_queue(f, 0, 4000);
	add_queue(f, 3, 1000);
	set_all(f, 9900);
	f->host->fixed[0] = 1000;
	f->host->fixed[3] = 4500;
	assert_null(step_from(f, 0, 1).queue);
	step = step_from(f, 0, 2);
	assert_int_equal(step.target, 3);
	assert_non_null(step.back);
	assert_int_equal(step.heat, 4500 + 4000);
	assert_int_equal(step.gain, 9000 - 8500);
}

/* What comes back is 15 of a large CPU and 30 of a small one. */
static void what_comes_back_counts_where_it_comes_to(void **state)
{
	struct fixture *f = *state;
	struct nb_step step = {.target = 3};

	nb_host_set_capacity(f->host, 0, 5000);
	add_queue(f, 0, 2000);
	add_queue(f, 3, 1500);
	f->host->fixed[0] = 4000;
	look(f);
	step.queue = &f->board.queues[0];
	step.back = &f->board.queues[1];
	nb_step_weigh(&f->board, &step);
	assert_int_equal(step.heat, 2000);
	assert_int_equal(step.gain, 8000 - (4000 + 3000));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_HOST(stays_within_the_cache_when_that_gains_almost_as_much),
		WITH_HOST(leaves_the_cache_when_that_gains_clearly_more),
		WITH_HOST(of_equal_gains_the_cooler_target_is_taken),
		WITH_HOST(a_swap_goes_by_the_difference),
		WITH_HOST(no_swap_returns_a_queue_to_a_cpu_that_it_shuns),
		WITH_HOST(no_swap_returns_a_queue_to_a_cpu_without_vectors),
		WITH_HOST(no_swap_takes_a_queue_that_may_not_move),
		WITH_HOST(no_swap_takes_a_queue_that_may_want_as_much),
		WITH_HOST(the_other_thread_of_its_core_is_a_target_too),
		WITH_HOST(but_not_where_that_only_changes_their_places),
		WITH_HOST(a_queue_whose_packets_are_steered_stays),
		WITH_HOST(a_target_whose_sibling_would_get_too_hot_is_none),
		WITH_HOST(a_cooler_source_is_judged_as_if_it_were_the_first),
		WITH_HOST(shuns_the_cpu_where_it_made_things_worse),
		WITH_HOST(a_small_cpu_takes_a_queue_for_what_it_is_there),
		WITH_HOST(a_large_cpu_has_room_for_more),
		WITH_HOST(little_room_is_enough_on_a_large_cpu),
		WITH_HOST(a_swap_counts_each_queue_where_it_goes),
		WITH_HOST(what_comes_back_counts_where_it_comes_to),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

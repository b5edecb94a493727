/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plan/balance.h"

#include "unit/plan/fixture.h"

static int set_up(void **state)
{
	return begin_with(state, nb_host_new(4, 1, 1));
}

static enum nb_obstacle balance(struct fixture *f)
{
	look(f);
	return nb_balance(&f->board, f->board.queues[0].domain, 500, f->moves);
}

/* Queues of the given costs, one NIC each so that nothing else ties them. */
static unsigned add_queue(struct fixture *f, unsigned cpu, uint32_t cost)
{
	return nb_host_add_nic(f->host, NB_NODE_NONE, 1, cpu, cost);
}

static void relocates_to_the_coolest_cpu(void **state)
{
	struct fixture *f = *state;

	add_queue(f, 0, 4500);
	add_queue(f, 0, 4500);
	f->host->fixed[1] = 2000;
	f->host->fixed[2] = 1000;
	f->host->fixed[3] = 3000;
	assert_int_equal(balance(f), NB_OBSTACLE_NONE);
	assert_int_equal(f->moves->len, 1);
	assert_int_equal(move(f, 0)->cpu_to, 2);
	assert_int_equal(move(f, 0)->source_before, 9000);
	assert_int_equal(move(f, 0)->source_after, 4500);
	assert_int_equal(move(f, 0)->target_after, 5500);
}

/* Queue 1 for queue 2. */
static void add_what_only_a_swap_helps(struct fixture *f)
{
	add_queue(f, 0, 6000);
	add_queue(f, 0, 3500);
	add_queue(f, 1, 1500);
	f->host->fixed[1] = 5000;
	f->host->fixed[2] = 8000;
	f->host->fixed[3] = 8000;
}

static void swaps_where_no_relocation_helps(void **state)
{
	struct fixture *f = *state;

	add_what_only_a_swap_helps(f);
	assert_int_equal(balance(f), NB_OBSTACLE_NONE);
	assert_int_equal(f->moves->len, 2);
	assert_int_equal(move(f, 0)->load, 3500);
	assert_int_equal(move(f, 0)->cpu_to, 1);
	assert_int_equal(move(f, 1)->reason, NB_REASON_SWAP);
	assert_int_equal(move(f, 1)->cpu_to, 0);
}

static void does_not_swap_when_only_one_move_is_allowed(void **state)
{
	struct fixture *f = *state;

	swaps_where_no_relocation_helps(state);
	f->host->policy.moves_per_round = 1;
	assert_int_equal(balance(f), NB_OBSTACLE_GAIN);
	assert_int_equal(f->moves->len, 0);
}

static void does_not_send_two_queues_to_the_same_cool_cpu(void **state)
{
	struct fixture *f = *state;

	for (unsigned i = 0; i < 3; i++)
		add_queue(f, 0, 3200);
	assert_int_equal(balance(f), NB_OBSTACLE_NONE);
	assert_int_equal(f->moves->len, 1);

	f->host->policy.hot = 3000;
	assert_int_equal(balance(f), NB_OBSTACLE_NONE);
	assert_int_equal(f->moves->len, 2);
	assert_int_not_equal(move(f, 0)->cpu_to, move(f, 1)->cpu_to);
}

static void a_dominant_queue_stays(void **state)
{
	struct fixture *f = *state;

	add_queue(f, 0, 9500);
	assert_int_equal(balance(f), NB_OBSTACLE_GAIN);
	assert_int_equal(f->moves->len, 0);
}

static void says_what_a_dwell_holds_back(void **state)
{
	struct fixture *f = *state;

	add_queue(f, 0, 4500);
	add_queue(f, 0, 4500);
	nb_memory_sync(&f->host->memory, &f->host->snapshot);
	for (unsigned i = 0; i < 2; i++)
		f->host->memory.queues[i].moved_nsec = f->host->snapshot.taken_nsec;
	assert_int_equal(balance(f), NB_OBSTACLE_HOLD);
	assert_int_equal(f->moves->len, 0);
}

static void backs_off_twice_as_long_after_each_failure(void **state)
{
	struct fixture *f = *state;
	uint64_t dwell_nsec = f->host->policy.dwell_nsec;

	add_queue(f, 0, 4500);
	add_queue(f, 0, 4500);
	nb_memory_sync(&f->host->memory, &f->host->snapshot);
	for (unsigned i = 0; i < 2; i++) {
		f->host->memory.queues[i].moved_nsec = f->host->snapshot.taken_nsec;
		f->host->memory.queues[i].failures = 2;
	}
	assert_int_equal(balance(f), NB_OBSTACLE_FIXED);
	f->host->snapshot.taken_nsec += 3 * dwell_nsec;
	assert_int_equal(balance(f), NB_OBSTACLE_HOLD);
	f->host->snapshot.taken_nsec += dwell_nsec;
	assert_int_equal(balance(f), NB_OBSTACLE_NONE);
}

static void looks_beyond_a_hottest_cpu_that_cannot_be_helped(void **state)
{
	struct fixture *f = *state;

	add_queue(f, 0, 9500);
	add_queue(f, 1, 4500);
	add_queue(f, 1, 4500);
	assert_int_equal(balance(f), NB_OBSTACLE_NONE);
	assert_int_equal(move(f, 0)->cpu_from, 1);
}

static void a_busy_sibling_makes_a_cpu_hot(void **state)
{
	struct fixture *f = *state;

	nb_host_free(f->host);
	f->host = nb_host_new(4, 2, 1);
	add_queue(f, 0, 4500);
	f->host->fixed[2] = 10000;
	assert_int_equal(balance(f), NB_OBSTACLE_NONE);
	assert_int_equal(move(f, 0)->cpu_to % 2, 1);
}

static void never_goes_back_to_a_cpu_that_was_left_lately(void **state)
{
	struct fixture *f = *state;

	add_queue(f, 0, 4500);
	add_queue(f, 0, 4500);
	nb_memory_sync(&f->host->memory, &f->host->snapshot);
	for (unsigned i = 0; i < 2; i++)
		for (unsigned k = 0; k < 2; k++)
			f->host->memory.queues[i].departures[k] = (struct nb_departure){
				.cpu = 1 + k, .nsec = f->host->snapshot.taken_nsec + 1};
	assert_int_equal(balance(f), NB_OBSTACLE_NONE);
	assert_int_equal(move(f, 0)->cpu_to, 3);
}

static void never_targets_a_cpu_without_free_vectors(void **state)
{
	struct fixture *f = *state;

	add_queue(f, 0, 4500);
	add_queue(f, 0, 4500);
	for (unsigned cpu = 1; cpu < 3; cpu++)
		nb_memory_set_no_vector(&f->host->memory, cpu, UINT64_MAX);
	assert_int_equal(balance(f), NB_OBSTACLE_NONE);
	assert_int_equal(move(f, 0)->cpu_to, 3);
}

static void leaves_a_queue_alone_that_is_not_where_we_put_it(void **state)
{
	struct fixture *f = *state;

	add_queue(f, 0, 4500);
	add_queue(f, 0, 4500);
	nb_memory_sync(&f->host->memory, &f->host->snapshot);
	for (unsigned i = 0; i < 2; i++)
		f->host->memory.queues[i].expected_cpu = 3;
	assert_int_equal(balance(f), NB_OBSTACLE_HOLD);
}

static void there_is_no_waiting_for_what_the_kernel_refuses(void **state)
{
	struct fixture *f = *state;

	add_queue(f, 0, 4500);
	add_queue(f, 0, 4500);
	nb_memory_sync(&f->host->memory, &f->host->snapshot);
	for (unsigned i = 0; i < 2; i++)
		f->host->memory.queues[i].refused = true;
	assert_int_equal(balance(f), NB_OBSTACLE_FIXED);
	assert_int_equal(f->moves->len, 0);
}

static void a_queue_that_has_not_followed_yet_counts_where_it_goes(void **state)
{
	struct fixture *f = *state;
	struct nb_pending *pending;

	for (unsigned i = 0; i < 3; i++)
		add_queue(f, 0, 3200);
	nb_memory_sync(&f->host->memory, &f->host->snapshot);
	pending = &f->host->memory.queues[0].pending;
	*pending = (struct nb_pending){.active = true, .move = {.cpu_from = 0, .cpu_to = 1}};
	f->host->snapshot.queues[0].affinity_cpu = 1;
	assert_int_equal(balance(f), NB_OBSTACLE_HOLD);
	assert_int_equal(f->moves->len, 0);
	/* Its new CPU is as hot as it will be; the old one is left alone until it has left. */
	add_queue(f, 2, 5000);
	add_queue(f, 2, 5000);
	assert_int_equal(balance(f), NB_OBSTACLE_NONE);
	assert_int_equal(move(f, 0)->cpu_from, 2);
	assert_int_equal(move(f, 0)->cpu_to, 3);
}

static void what_nothing_gets_to_follow_counts_where_it_is_polled(void **state)
{
	struct fixture *f = *state;

	add_queue(f, 0, 5000);
	add_queue(f, 0, 5000);
	nb_host_stick(f->host, 0, 0);
	nb_host_stick(f->host, 1, 0);
	nb_host_place(f->host, 0, 1);
	nb_memory_sync(&f->host->memory, &f->host->snapshot);
	assert_int_equal(balance(f), NB_OBSTACLE_HOLD);
	f->host->memory.queues[0].unstick_tries = 3;
	assert_int_equal(balance(f), NB_OBSTACLE_NONE);
	assert_int_equal(move(f, 0)->key.ifindex, f->host->machine.nics[1].ifindex);
}

/* As a cycle finds them: the model knows of the threads, the host made of data does not. */
static enum nb_obstacle balance_threaded(struct fixture *f, unsigned queue, uint32_t threaded)
{
	look(f);
	f->host->loads.queues[queue].threaded = threaded;
	lay_out(f);
	return nb_balance(&f->board, f->board.queues[0].domain, 500, f->moves);
}

static void what_threads_poll_is_the_schedulers_to_place(void **state)
{
	struct fixture *f = *state;

	add_queue(f, 0, 600);
	f->host->fixed[0] = 8500;
	assert_int_equal(balance_threaded(f, 0, 7000), NB_OBSTACLE_GAIN);
	assert_int_equal(f->moves->len, 0);
	assert_int_equal(balance_threaded(f, 0, 600), NB_OBSTACLE_NONE);
	assert_int_equal(f->moves->len, 1);
}

/* As a cycle finds it: the model knows of interrupts. */
static enum nb_obstacle balance_deferred(struct fixture *f, unsigned queue)
{
	look(f);
	f->host->loads.queues[queue].deferred = true;
	lay_out(f);
	return nb_balance(&f->board, f->board.queues[0].domain, 500, f->moves);
}

static void what_a_timer_polls_would_not_follow(void **state)
{
	struct fixture *f = *state;

	add_queue(f, 0, 4500);
	add_queue(f, 0, 4000);
	assert_int_equal(balance_deferred(f, 0), NB_OBSTACLE_NONE);
	assert_int_equal(f->moves->len, 1);
	assert_int_equal(move(f, 0)->load, 4000);
	f->host->time[1] = 0;
	f->host->fixed[0] = 4000;
	assert_int_equal(balance_deferred(f, 0), NB_OBSTACLE_FIXED);
	assert_int_equal(f->moves->len, 0);
	assert_int_equal(balance(f), NB_OBSTACLE_NONE);
}

static void what_threads_poll_is_not_swapped_either(void **state)
{
	struct fixture *f = *state;

	add_what_only_a_swap_helps(f);
	assert_int_equal(balance_threaded(f, 2, 2000), NB_OBSTACLE_GAIN);
	assert_int_equal(balance_threaded(f, 2, 0), NB_OBSTACLE_NONE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_HOST(relocates_to_the_coolest_cpu),
		WITH_HOST(swaps_where_no_relocation_helps),
		WITH_HOST(does_not_swap_when_only_one_move_is_allowed),
		WITH_HOST(does_not_send_two_queues_to_the_same_cool_cpu),
		WITH_HOST(a_dominant_queue_stays),
		WITH_HOST(says_what_a_dwell_holds_back),
		WITH_HOST(backs_off_twice_as_long_after_each_failure),
		WITH_HOST(looks_beyond_a_hottest_cpu_that_cannot_be_helped),
		WITH_HOST(a_busy_sibling_makes_a_cpu_hot),
		WITH_HOST(never_goes_back_to_a_cpu_that_was_left_lately),
		WITH_HOST(never_targets_a_cpu_without_free_vectors),
		WITH_HOST(leaves_a_queue_alone_that_is_not_where_we_put_it),
		WITH_HOST(there_is_no_waiting_for_what_the_kernel_refuses),
		WITH_HOST(a_queue_that_has_not_followed_yet_counts_where_it_goes),
		WITH_HOST(what_nothing_gets_to_follow_counts_where_it_is_polled),
		WITH_HOST(what_threads_poll_is_the_schedulers_to_place),
		WITH_HOST(what_threads_poll_is_not_swapped_either),
		WITH_HOST(what_a_timer_polls_would_not_follow),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plan/balance.h"

#include "support/host.h"
#include "support/support.h"

struct fixture {
	struct nb_host *host;
	struct nb_board board;
	GArray *moves;
};

static int set_up(void **state)
{
	struct fixture *f = g_new0(struct fixture, 1);

	f->host = nb_host_new(4, 1, 1);
	nb_board_init(&f->board);
	f->moves = g_array_new(FALSE, FALSE, sizeof(struct nb_move));
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	nb_board_clear(&f->board);
	g_array_unref(f->moves);
	nb_host_free(f->host);
	g_free(f);
	return 0;
}

static enum nb_obstacle balance(struct fixture *f)
{
	nb_memory_sync(&f->host->memory, &f->host->snapshot);
	nb_host_tick(f->host, NB_NSEC_PER_SEC);
	nb_board_set_up(&f->board, &f->host->snapshot, &f->host->loads, &f->host->policy,
			&f->host->memory);
	g_array_set_size(f->moves, 0);
	return nb_balance(&f->board, NB_NODE_NONE, 500, f->moves);
}

static const struct nb_move *move(const struct fixture *f, unsigned i)
{
	assert_true(i < f->moves->len);
	return &g_array_index(f->moves, struct nb_move, i);
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
	f->host->rest[1] = 2000;
	f->host->rest[2] = 1000;
	f->host->rest[3] = 3000;
	assert_int_equal(balance(f), NB_OBSTACLE_NONE);
	assert_int_equal(f->moves->len, 1);
	assert_int_equal(move(f, 0)->cpu_to, 2);
	assert_int_equal(move(f, 0)->source_before, 9000);
	assert_int_equal(move(f, 0)->source_after, 4500);
	assert_int_equal(move(f, 0)->target_after, 5500);
}

static void swaps_where_no_relocation_helps(void **state)
{
	struct fixture *f = *state;

	add_queue(f, 0, 6000);
	add_queue(f, 0, 3500);
	add_queue(f, 1, 1500);
	f->host->rest[1] = 5000;
	f->host->rest[2] = 8000;
	f->host->rest[3] = 8000;
	assert_int_equal(balance(f), NB_OBSTACLE_NONE);
	assert_int_equal(f->moves->len, 2);
	assert_int_equal(move(f, 0)->cost, 3500);
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
	f->host->rest[2] = 10000;
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
		nb_memory_set_full(&f->host->memory, cpu, UINT64_MAX);
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
	assert_int_equal(balance(f), NB_OBSTACLE_HOLD);
	assert_int_equal(f->moves->len, 0);
	f->host->cost[1] = 4500;
	assert_int_equal(balance(f), NB_OBSTACLE_NONE);
	assert_int_not_equal(move(f, 0)->cpu_to, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(relocates_to_the_coolest_cpu, set_up, tear_down),
		cmocka_unit_test_setup_teardown(swaps_where_no_relocation_helps, set_up, tear_down),
		cmocka_unit_test_setup_teardown(does_not_swap_when_only_one_move_is_allowed, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(does_not_send_two_queues_to_the_same_cool_cpu,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_dominant_queue_stays, set_up, tear_down),
		cmocka_unit_test_setup_teardown(says_what_a_dwell_holds_back, set_up, tear_down),
		cmocka_unit_test_setup_teardown(backs_off_twice_as_long_after_each_failure, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(looks_beyond_a_hottest_cpu_that_cannot_be_helped,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_busy_sibling_makes_a_cpu_hot, set_up, tear_down),
		cmocka_unit_test_setup_teardown(never_goes_back_to_a_cpu_that_was_left_lately,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(never_targets_a_cpu_without_free_vectors, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(leaves_a_queue_alone_that_is_not_where_we_put_it,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(there_is_no_waiting_for_what_the_kernel_refuses,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			a_queue_that_has_not_followed_yet_counts_where_it_goes, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

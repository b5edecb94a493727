/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plan/moves.h"

#include "unit/plan/fixture.h"

/* Four CPUs, two queues of 10 % on CPU 0, an application of 5 % on CPU 1. */
static int set_up(void **state)
{
	struct nb_host *host = nb_host_new(4, 1, 1);

	nb_host_add_nic(host, NB_NODE_NONE, 2, 0, 1000);
	host->fixed[1] = 500;
	begin_with(state, host);
	look(*state);
	return 0;
}

static void a_move_tells_loads_before_and_after(void **state)
{
	struct fixture *f = *state;
	const struct nb_move *added;

	nb_moves_add(f->moves, &f->board, &f->board.queues[0], 1, NB_REASON_BALANCE);
	added = move(f, 0);
	assert_int_equal(added->cpu_from, 0);
	assert_int_equal(added->cpu_to, 1);
	assert_int_equal(added->source_before, 2000);
	assert_int_equal(added->source_after, 1000);
	assert_int_equal(added->target_before, 500);
	assert_int_equal(added->target_after, 1500);
}

static void the_next_move_starts_from_the_last_one(void **state)
{
	struct fixture *f = *state;

	nb_moves_add(f->moves, &f->board, &f->board.queues[0], 1, NB_REASON_BALANCE);
	nb_moves_add(f->moves, &f->board, &f->board.queues[1], 1, NB_REASON_BALANCE);
	assert_int_equal(move(f, 1)->source_before, 1000);
	assert_int_equal(move(f, 1)->target_after, 2500);
}

static void a_queue_from_nowhere_relieves_no_cpu(void **state)
{
	struct fixture *f = *state;
	const struct nb_move *added;

	nb_board_place(&f->board, &f->board.queues[0], NB_NOWHERE);
	nb_moves_add(f->moves, &f->board, &f->board.queues[0], 2, NB_REASON_INELIGIBLE);
	added = move(f, 0);
	assert_int_equal(added->cpu_from, -1);
	assert_int_equal(added->source_before, 0);
	assert_int_equal(added->target_after, 1000);
}

static void a_move_tells_what_applications_got_of_the_cpu_it_left(void **state)
{
	struct fixture *f = *state;

	nb_host_place(f->host, 0, 1);
	look(f);
	nb_moves_add(f->moves, &f->board, &f->board.queues[0], 2, NB_REASON_BALANCE);
	assert_int_equal(move(f, 0)->source_applications, 500);
}

/* It may complete and want more all the same. */
static void what_leaves_a_cpu_that_runs_out_of_budget_counts_as_saturated(void **state)
{
	struct fixture *f = *state;

	nb_moves_add(f->moves, &f->board, &f->board.queues[0], 2, NB_REASON_BALANCE);
	assert_false(move(f, 0)->saturated);
	f->board.cpus[0].squeezed = true;
	nb_moves_add(f->moves, &f->board, &f->board.queues[1], 2, NB_REASON_BALANCE);
	assert_true(move(f, 1)->saturated);
	nb_moves_add(f->moves, &f->board, &f->board.queues[1], 3, NB_REASON_BALANCE);
	assert_false(move(f, 2)->saturated);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_HOST(a_move_tells_loads_before_and_after),
		WITH_HOST(the_next_move_starts_from_the_last_one),
		WITH_HOST(a_queue_from_nowhere_relieves_no_cpu),
		WITH_HOST(a_move_tells_what_applications_got_of_the_cpu_it_left),
		WITH_HOST(what_leaves_a_cpu_that_runs_out_of_budget_counts_as_saturated),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

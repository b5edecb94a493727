/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plan/moves.h"

#include "support/host.h"
#include "support/support.h"

struct fixture {
	struct nb_host *host;
	struct nb_board board;
	GArray *moves;
};

/* Four CPUs, two queues of 10 % on CPU 0, an application of 5 % on CPU 1. */
static int set_up(void **state)
{
	struct fixture *f = g_new0(struct fixture, 1);

	f->host = nb_host_new(4, 1, 1);
	nb_host_add_nic(f->host, NB_NODE_NONE, 2, 0, 1000);
	f->host->rest[1] = 500;
	nb_memory_sync(&f->host->memory, &f->host->snapshot);
	nb_host_tick(f->host, NB_NSEC_PER_SEC);
	nb_board_init(&f->board);
	nb_board_set_up(&f->board, &f->host->snapshot, &f->host->loads, &f->host->policy,
			&f->host->memory);
	f->moves = g_array_new(FALSE, FALSE, sizeof(struct nb_move));
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	g_array_unref(f->moves);
	nb_board_clear(&f->board);
	nb_host_free(f->host);
	g_free(f);
	return 0;
}

static void a_move_tells_loads_before_and_after(void **state)
{
	struct fixture *f = *state;
	const struct nb_move *move;

	nb_moves_add(f->moves, &f->board, &f->board.queues[0], 1, NB_REASON_BALANCE);
	move = &g_array_index(f->moves, struct nb_move, 0);
	assert_int_equal(move->cpu_from, 0);
	assert_int_equal(move->cpu_to, 1);
	assert_int_equal(move->source_before, 2000);
	assert_int_equal(move->source_after, 1000);
	assert_int_equal(move->target_before, 500);
	assert_int_equal(move->target_after, 1500);
}

static void the_next_move_starts_from_the_last_one(void **state)
{
	struct fixture *f = *state;

	nb_moves_add(f->moves, &f->board, &f->board.queues[0], 1, NB_REASON_BALANCE);
	nb_moves_add(f->moves, &f->board, &f->board.queues[1], 1, NB_REASON_BALANCE);
	assert_int_equal(g_array_index(f->moves, struct nb_move, 1).source_before, 1000);
	assert_int_equal(g_array_index(f->moves, struct nb_move, 1).target_after, 2500);
}

static void a_queue_from_nowhere_relieves_no_cpu(void **state)
{
	struct fixture *f = *state;
	const struct nb_move *move;

	nb_board_place(&f->board, &f->board.queues[0], NB_NOWHERE);
	nb_moves_add(f->moves, &f->board, &f->board.queues[0], 2, NB_REASON_INELIGIBLE);
	move = &g_array_index(f->moves, struct nb_move, 0);
	assert_int_equal(move->cpu_from, -1);
	assert_int_equal(move->source_before, 0);
	assert_int_equal(move->target_after, 1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_move_tells_loads_before_and_after, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(the_next_move_starts_from_the_last_one, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(a_queue_from_nowhere_relieves_no_cpu, set_up,
						tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

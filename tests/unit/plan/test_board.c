/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plan/board.h"

#include "support/host.h"
#include "support/support.h"

struct fixture {
	struct nb_host *host;
	struct nb_board board;
};

/* Four CPUs in two cores: 0 and 2, 1 and 3. */
static int set_up(void **state)
{
	struct fixture *f = g_new0(struct fixture, 1);

	f->host = nb_host_new(4, 2, 1);
	nb_host_add_nic(f->host, NB_NODE_NONE, 2, 0, 1000);
	nb_board_init(&f->board);
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	nb_board_clear(&f->board);
	nb_host_free(f->host);
	g_free(f);
	return 0;
}

static void look(struct fixture *f)
{
	nb_memory_sync(&f->host->memory, &f->host->snapshot);
	nb_host_tick(f->host, NB_NSEC_PER_SEC);
	nb_board_set_up(&f->board, &f->host->snapshot, &f->host->loads, &f->host->policy,
			&f->host->memory);
}

static void load_counts_the_weighted_sibling(void **state)
{
	struct fixture *f = *state;

	f->host->rest[2] = 4000;
	look(f);
	assert_int_equal(nb_board_load(&f->board, 0), 2000 + 4000 * 65 / 100);
	assert_int_equal(nb_board_load(&f->board, 2), 4000 + 2000 * 65 / 100);
	assert_int_equal(nb_board_load(&f->board, 1), 0);
}

static void placing_moves_cost_and_count(void **state)
{
	struct fixture *f = *state;

	look(f);
	nb_board_place(&f->board, &f->board.queues[1], 3);
	assert_int_equal(nb_board_own(&f->board.cpus[0]), 1000);
	assert_int_equal(nb_board_own(&f->board.cpus[3]), 1000);
	assert_int_equal(f->board.cpus[3].n_queues, 1);
	nb_board_place(&f->board, &f->board.queues[1], NB_NOWHERE);
	assert_int_equal(nb_board_own(&f->board.cpus[3]), 0);
	assert_int_equal(f->board.cpus[3].n_queues, 0);
}

static void finds_cpus_by_id_also_with_holes(void **state)
{
	struct fixture *f = *state;

	nb_host_set_offline(f->host, 1);
	look(f);
	assert_int_equal(f->board.n_cpus, 3);
	assert_int_equal(nb_board_find_cpu(&f->board, 2), 1);
	assert_int_equal(nb_board_find_cpu(&f->board, 1), NB_NOWHERE);
	assert_int_equal(nb_board_find_cpu(&f->board, -1), NB_NOWHERE);
}

static void domain_means_leave_out_ineligible_cpus(void **state)
{
	struct fixture *f = *state;
	struct nb_domain domain;

	f->host->rest[1] = 6000;
	nb_host_isolate(f->host, 3);
	look(f);
	domain = nb_board_domain(&f->board, NB_NODE_NONE);
	assert_int_equal(domain.n_cpus, 3);
	assert_int_equal(domain.mean_busy, (2000 + 6000 + 0) / 3);
	assert_int_equal(domain.hottest, 0);
	assert_int_equal(domain.hottest_load, 2000);
}

static void a_pending_or_refused_queue_is_not_movable(void **state)
{
	struct fixture *f = *state;

	look(f);
	assert_true(f->board.queues[0].movable);
	f->host->memory.queues[0].pending.active = true;
	f->host->memory.queues[1].refused = true;
	look(f);
	assert_false(f->board.queues[0].movable);
	assert_false(f->board.queues[1].movable);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(load_counts_the_weighted_sibling, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(placing_moves_cost_and_count, set_up, tear_down),
		cmocka_unit_test_setup_teardown(finds_cpus_by_id_also_with_holes, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(domain_means_leave_out_ineligible_cpus, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(a_pending_or_refused_queue_is_not_movable, set_up,
						tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

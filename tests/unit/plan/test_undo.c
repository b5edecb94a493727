/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plan/undo.h"

#include "plan/planner.h"
#include "support/host.h"
#include "support/plan.h"
#include "support/support.h"
#include "verify/verify.h"

struct fixture {
	struct nb_host *host;
	struct nb_planner *planner;
	uint32_t echo; /* what CPU 2 is burdened with while queue 0 is served there */
	bool worse;    /* a finding of the last cycle */
};

/* Two queues on CPU 0 of four; CPU 2 is the coolest of the others. */
static int set_up(void **state)
{
	struct fixture *f = g_new0(struct fixture, 1);

	f->host = nb_host_new(4, 1, 1);
	f->planner = nb_planner_new();
	for (unsigned i = 0; i < 2; i++)
		nb_host_add_nic(f->host, NB_NODE_NONE, 1, 0, 4000);
	f->host->fixed[1] = f->host->fixed[3] = 1500;
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	nb_planner_free(f->planner);
	nb_host_free(f->host);
	g_free(f);
	return 0;
}

static const struct nb_plan *cycle(struct fixture *f)
{
	g_autoptr(GArray) findings = g_array_new(FALSE, FALSE, sizeof(struct nb_finding));
	struct nb_host *host = f->host;
	struct nb_plan *plan;

	host->fixed[2] = nb_host_queues_on(host, 2) ? f->echo : 0;
	nb_host_tick(host, NB_NSEC_PER_SEC);
	nb_memory_sync(&host->memory, &host->snapshot);
	plan = nb_planner_run(f->planner, &host->snapshot, &host->loads, &host->policy,
			      &host->memory);
	nb_verify_judge(&host->snapshot, &host->loads, &host->policy, &host->memory, findings);
	f->worse = false;
	for (unsigned i = 0; i < findings->len; i++)
		f->worse |= g_array_index(findings, struct nb_finding, i).effect == NB_EFFECT_WORSE;
	nb_host_obey(host, plan);
	nb_verify_note(plan, host->snapshot.taken_nsec, &host->memory);
	return plan;
}

static void run_until_worse(struct fixture *f)
{
	for (unsigned i = 0; i < 20 && !f->worse; i++)
		cycle(f);
	assert_true(f->worse);
}

static void takes_back_once_what_made_things_worse(void **state)
{
	struct fixture *f = *state;
	const struct nb_plan *plan;

	f->echo = 5500;
	run_until_worse(f);
	plan = cycle(f);
	assert_int_equal(plan->verdict, NB_VERDICT_UNDOING);
	assert_int_equal(n_moves(plan), 1);
	assert_int_equal(plan->changes[0].move->reason, NB_REASON_UNDO);
	assert_int_equal(plan->changes[0].move->cpu_from, 2);
	assert_int_equal(plan->changes[0].move->cpu_to, 0);
	assert_int_equal(nb_host_queues_on(f->host, 0), 2);
	assert_true(f->host->memory.queues[0].pending.active);
}

static void does_not_go_there_again_while_it_backs_off(void **state)
{
	struct fixture *f = *state;
	const struct nb_queue_memory *queue;

	takes_back_once_what_made_things_worse(state);
	queue = &f->host->memory.queues[0];
	assert_int_equal(queue->failures, 1);
	for (unsigned i = 0; i < 58; i++) {
		cycle(f);
		assert_int_not_equal(nb_host_cpu_of(f->host, 0), 2);
	}
	assert_int_equal(queue->failures, 1);
}

static void the_way_back_is_never_taken_back(void **state)
{
	struct fixture *f = *state;

	takes_back_once_what_made_things_worse(state);
	/* All at once, CPU 0 is busy with something else. */
	f->host->fixed[0] = 2000;
	for (unsigned i = 0; i < 3; i++)
		assert_int_not_equal(cycle(f)->verdict, NB_VERDICT_UNDOING);
	assert_false(f->worse);
}

static void a_move_that_helped_stays(void **state)
{
	struct fixture *f = *state;

	f->echo = 1000;
	for (unsigned i = 0; i < 60; i++) {
		assert_int_not_equal(cycle(f)->verdict, NB_VERDICT_UNDOING);
		assert_false(f->worse);
	}
	assert_int_equal(nb_host_queues_on(f->host, 0), 1);
}

static void is_not_taken_back_to_a_cpu_that_may_no_longer_be_used(void **state)
{
	struct fixture *f = *state;
	const struct nb_plan *plan;

	f->echo = 5500;
	run_until_worse(f);
	nb_memory_set_no_vector(&f->host->memory, 0, UINT64_MAX);
	plan = cycle(f);
	assert_int_not_equal(plan->verdict, NB_VERDICT_UNDOING);
	assert_false(f->host->memory.queues[0].undo);
}

static void is_not_taken_back_to_where_it_is_hotter_by_now(void **state)
{
	struct fixture *f = *state;

	f->echo = 5500;
	run_until_worse(f);
	f->host->fixed[0] = 6000;
	assert_int_not_equal(cycle(f)->verdict, NB_VERDICT_UNDOING);
}

/* A board with queue 0 on CPU 2 for queue 2, which came to CPU 0. */
static void a_swap_is_taken_back_as_a_whole(void **state)
{
	struct fixture *f = *state;
	struct nb_host *host = f->host;
	struct nb_board board;
	g_autoptr(GArray) moves = g_array_new(FALSE, FALSE, sizeof(struct nb_move));

	nb_host_add_nic(host, NB_NODE_NONE, 1, 0, 1000);
	nb_host_place(host, 0, 2);
	host->fixed[2] = 5000;
	nb_memory_sync(&host->memory, &host->snapshot);
	nb_host_tick(host, NB_NSEC_PER_SEC);
	for (unsigned i = 0; i < 3; i += 2) {
		struct nb_queue_memory *queue = &host->memory.queues[i];

		queue->undo = true;
		queue->moved_nsec = 1;
		queue->pending.move = (struct nb_move){
			.key = queue->key,
			.reason = i ? NB_REASON_SWAP : NB_REASON_BALANCE,
			.cpu_from = i ? 2 : 0,
			.cpu_to = i ? 0 : 2,
		};
	}
	nb_board_init(&board);
	nb_board_set_up(&board, &host->snapshot, &host->loads, &host->policy, &host->memory);
	assert_true(nb_undo(&board, &host->memory, moves));
	assert_int_equal(moves->len, 2);
	assert_int_equal(g_array_index(moves, struct nb_move, 0).cpu_to, 0);
	assert_int_equal(g_array_index(moves, struct nb_move, 1).cpu_to, 2);
	assert_false(nb_undo(&board, &host->memory, moves));
	nb_board_clear(&board);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(takes_back_once_what_made_things_worse, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(does_not_go_there_again_while_it_backs_off, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(the_way_back_is_never_taken_back, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(a_move_that_helped_stays, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			is_not_taken_back_to_a_cpu_that_may_no_longer_be_used, set_up, tear_down),
		cmocka_unit_test_setup_teardown(is_not_taken_back_to_where_it_is_hotter_by_now,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_swap_is_taken_back_as_a_whole, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unit/verify/judge_fixture.h"

/* The other half of a swap: queue 1 came from CPU 2 to CPU 0 in the same round. */
static void swap_in(struct fixture *f)
{
	struct nb_queue_memory *other = &f->host->memory.queues[1];

	note_move(f);
	other->moved_nsec = f->host->memory.queues[0].moved_nsec;
	other->expected_cpu = 0;
	other->pending = (struct nb_pending){
		.active = true,
		.gain = 500,
		.move = {.key = other->key, .reason = NB_REASON_SWAP, .cpu_from = 2, .cpu_to = 0},
	};
	f->host->fixed[2] = 5501;
}

static void a_swap_that_made_things_worse_goes_back_whole(void **state)
{
	struct fixture *f = *state;

	swap_in(f);
	judge(f);
	judge(f);
	assert_true(f->host->memory.queues[0].undo);
	assert_true(f->host->memory.queues[1].undo);
	assert_int_equal(f->host->memory.queues[1].shunned_cpu, 0);
	assert_true(f->host->memory.queues[1].shunned_until_nsec ==
		    f->host->memory.queues[0].shunned_until_nsec);
	assert_true(f->host->memory.queues[1].shunned_until_nsec > f->host->snapshot.taken_nsec);
	assert_int_equal(f->host->memory.queues[1].failures, 1);
}

static void so_it_does_when_the_second_half_made_them_worse(void **state)
{
	struct fixture *f = *state;
	const struct nb_queue_memory *queues = f->host->memory.queues;

	swap_in(f);
	f->host->fixed[2] = 0;
	f->host->fixed[0] = 5501;
	judge(f);
	judge(f);
	assert_true(queues[1].undo);
	assert_true(queues[0].undo);
	assert_int_equal(queues[0].shunned_cpu, 2);
	assert_true(queues[0].shunned_until_nsec > f->host->snapshot.taken_nsec);
}

static void half_a_swap_does_not_go_back(void **state)
{
	struct fixture *f = *state;

	swap_in(f);
	nb_host_stick(f->host, 1, 2);
	judge(f);
	judge(f);
	assert_true(f->host->memory.queues[1].pending.stuck);
	assert_false(f->host->memory.queues[0].undo);
	assert_false(f->host->memory.queues[1].undo);
}

/* It was stuck for the first of two windows. */
static void a_swap_whose_other_half_is_still_measured_does_not_go_back(void **state)
{
	struct fixture *f = *state;

	swap_in(f);
	nb_host_stick(f->host, 1, 2);
	judge(f);
	g_array_set_size(f->findings, 0);
	nb_host_stick(f->host, 1, -1);
	judge(f);
	assert_int_equal(only_finding(f)->effect, NB_EFFECT_WORSE);
	assert_true(f->host->memory.queues[1].pending.active);
	assert_false(f->host->memory.queues[0].undo);
	assert_false(f->host->memory.queues[1].undo);
}

static void the_probe_judges_the_first_audit_after_a_rescan_too(void **state)
{
	struct fixture *f = *state;

	note_timed_move(f, 2);
	f->host->machine.generation++;
	judge(f);
	assert_int_equal(f->host->memory.queues[0].pending.measured_msec, 1000);
}

static void a_move_that_the_kernel_lost_is_not_someone_else(void **state)
{
	struct fixture *f = *state;

	note_move(f);
	nb_host_place(f->host, 0, 0);
	judge(f);
	assert_int_equal(only_finding(f)->event, NB_EVENT_MOVED);
	assert_int_equal(only_finding(f)->effect, NB_EFFECT_NOT_FOLLOWED);
	assert_int_equal(f->host->memory.queues[0].expected_cpu, -1);
	assert_int_equal(f->host->memory.queues[0].yielded_until_nsec, 0);
}

static void work_and_forget(struct fixture *f)
{
	note_move(f);
	judge(f);
	judge(f);
	g_array_set_size(f->findings, 0);
}

static void a_foreign_mask_that_narrows_nothing_is_yielded_for_long(void **state)
{
	struct fixture *f = *state;

	work_and_forget(f);
	f->host->snapshot.queues[0].affinity_cpu = -1;
	f->host->snapshot.queues[0].n_allowed = 4;
	judge(f);
	assert_int_equal(only_finding(f)->event, NB_EVENT_YIELDED);
	assert_int_equal(only_finding(f)->cpu_ours, 2);
	assert_int_equal(only_finding(f)->cpu_theirs, -1);
	assert_true(nb_cpumask_empty(&only_finding(f)->limited_to));
	assert_true(f->host->memory.queues[0].yielded_until_nsec ==
		    f->host->snapshot.taken_nsec + f->host->policy.yield_nsec);
	assert_false(f->host->memory.queues[0].fresh);
	judge(f);
	assert_int_equal(f->findings->len, 1);
}

static void assert_rests(const struct fixture *f, unsigned queue, unsigned sec)
{
	assert_true(f->host->memory.queues[queue].yielded_until_nsec ==
		    f->host->snapshot.taken_nsec + sec * NB_NSEC_PER_SEC);
	assert_int_equal(f->host->memory.queues[queue].expected_cpu, -1);
}

static void a_foreign_pin_is_obeyed_and_rests_for_a_while(void **state)
{
	struct fixture *f = *state;

	work_and_forget(f);
	nb_host_place(f->host, 0, 3);
	judge(f);
	assert_int_equal(only_finding(f)->event, NB_EVENT_YIELDED);
	assert_int_equal(only_finding(f)->cpu_ours, 2);
	assert_int_equal(only_finding(f)->cpu_theirs, 3);
	assert_int_equal(nb_cpumask_only(&only_finding(f)->limited_to), 3);
	assert_rests(f, 0, 30);
	assert_false(f->host->memory.queues[0].fresh);
	judge(f);
	assert_int_equal(f->findings->len, 1);
}

/* The second queue was never touched. It is told of after 1, 2 and 4 writes. */
static void a_writer_that_goes_on_is_told_of_ever_less(void **state)
{
	struct fixture *f = *state;

	for (unsigned i = 0; i < 7; i++) {
		nb_host_place(f->host, 1, 1 + i % 3);
		judge(f);
		assert_rests(f, 1, 30u << i);
	}
	assert_int_equal(f->findings->len, 3);
	assert_int_equal(g_array_index(f->findings, struct nb_finding, 0).cpu_ours, 0);
	assert_int_equal(g_array_index(f->findings, struct nb_finding, 1).cpu_ours, 1);
}

static void a_foreign_pool_is_judged_again_after_its_rest(void **state)
{
	struct fixture *f = *state;
	struct nb_several several = {.key = f->host->snapshot.queues[1].key};

	nb_cpumask_add(&several.cpus, 1);
	nb_cpumask_add(&several.cpus, 2);
	f->host->snapshot.queues[1].affinity_cpu = -1;
	f->host->snapshot.queues[1].n_allowed = 2;
	f->host->snapshot.several = &several;
	f->host->snapshot.n_several = 1;
	f->host->memory.queues[1].fresh = false;
	judge(f);
	assert_int_equal(nb_cpumask_count(&only_finding(f)->limited_to), 2);
	assert_rests(f, 1, 30);
	assert_true(f->host->memory.queues[1].fresh);
}

static void what_is_set_free_and_was_not_ours_is_balanced_after_a_rest(void **state)
{
	struct fixture *f = *state;

	f->host->memory.queues[1].fresh = false;
	f->host->snapshot.queues[1].affinity_cpu = -1;
	f->host->snapshot.queues[1].n_allowed = 4;
	judge(f);
	assert_int_equal(f->findings->len, 0);
	assert_rests(f, 1, 30);
	assert_true(f->host->memory.queues[1].fresh);
}

static void a_reading_between_audits_tells_nothing(void **state)
{
	struct fixture *f = *state;

	note_move(f);
	f->host->snapshot.complete = false;
	for (unsigned i = 0; i < 5; i++)
		judge(f);
	assert_int_equal(f->findings->len, 0);
	assert_int_equal(f->host->memory.queues[0].pending.measured_msec, 0);
}

static void a_rescan_hides_no_move_whose_landing_is_known(void **state)
{
	struct fixture *f = *state;

	note_move(f);
	f->host->machine.generation++;
	f->host->snapshot.queues[0].landed_cpu = NB_LANDED_UNKNOWN;
	judge(f);
	assert_int_equal(f->host->memory.queues[0].pending.measured_msec, 0);
	f->host->snapshot.queues[0].landed_cpu = 2;
	f->host->machine.generation++;
	judge(f);
	f->host->machine.generation++;
	judge(f);
	assert_int_equal(only_finding(f)->effect, NB_EFFECT_WORKED);
}

static void what_was_refused_may_be_asked_again_after_a_day(void **state)
{
	struct fixture *f = *state;
	struct nb_queue_memory *queue = &f->host->memory.queues[0];

	queue->refused = true;
	queue->rejections.nsec = f->host->snapshot.taken_nsec;
	judge(f);
	assert_true(queue->refused);
	nb_host_tick(f->host, 24 * 3600 * NB_NSEC_PER_SEC);
	judge(f);
	assert_false(queue->refused);
}

static void an_unreadable_affinity_is_no_foreign_write(void **state)
{
	struct fixture *f = *state;

	note_move(f);
	f->host->snapshot.queues[0].n_allowed = 0;
	f->host->snapshot.queues[0].affinity_cpu = -1;
	judge(f);
	assert_int_equal(f->findings->len, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_swap_that_made_things_worse_goes_back_whole,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(so_it_does_when_the_second_half_made_them_worse,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(half_a_swap_does_not_go_back, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			a_swap_whose_other_half_is_still_measured_does_not_go_back, set_up,
			tear_down),
		cmocka_unit_test_setup_teardown(the_probe_judges_the_first_audit_after_a_rescan_too,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_move_that_the_kernel_lost_is_not_someone_else,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			a_foreign_mask_that_narrows_nothing_is_yielded_for_long, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_foreign_pin_is_obeyed_and_rests_for_a_while,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_writer_that_goes_on_is_told_of_ever_less, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(a_foreign_pool_is_judged_again_after_its_rest,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			what_is_set_free_and_was_not_ours_is_balanced_after_a_rest, set_up,
			tear_down),
		cmocka_unit_test_setup_teardown(a_reading_between_audits_tells_nothing, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(a_rescan_hides_no_move_whose_landing_is_known,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(what_was_refused_may_be_asked_again_after_a_day,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(an_unreadable_affinity_is_no_foreign_write, set_up,
						tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

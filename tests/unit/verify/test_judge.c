/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "verify/verify.h"

#include "support/host.h"
#include "support/support.h"

struct fixture {
	struct nb_host *host;
	GArray *findings;
};

/* Two queues on CPU 0 of four; the first is then moved to CPU 2. */
static int set_up(void **state)
{
	struct fixture *f = g_new0(struct fixture, 1);

	f->host = nb_host_new(4, 1, 1);
	nb_host_add_nic(f->host, NB_NODE_NONE, 2, 0, 4500);
	nb_host_tick(f->host, NB_NSEC_PER_SEC);
	nb_memory_sync(&f->host->memory, &f->host->snapshot);
	f->host->memory.judged_generation = f->host->machine.generation;
	f->findings = g_array_new(FALSE, FALSE, sizeof(struct nb_finding));
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	g_array_unref(f->findings);
	nb_host_free(f->host);
	g_free(f);
	return 0;
}

static void note_move(struct fixture *f)
{
	struct nb_move move = {
		.key = f->host->snapshot.queues[0].key,
		.reason = NB_REASON_BALANCE,
		.cpu_from = 0,
		.cpu_to = 2,
		.cost = 4500,
		.source_before = 9000,
		.source_after = 4500,
		.target_after = 4500,
	};
	struct nb_plan plan = {.moves = &move, .n_moves = 1, .gain_needed = 500};
	enum nb_outcome outcome = NB_OUTCOME_APPLIED;

	nb_verify_note(&plan, &outcome, f->host->snapshot.taken_nsec, &f->host->memory);
	nb_host_place(f->host, 0, 2);
}

static void judge(struct fixture *f)
{
	nb_host_tick(f->host, NB_NSEC_PER_SEC);
	nb_verify_judge(&f->host->snapshot, &f->host->loads, &f->host->policy, &f->host->memory,
			f->findings);
}

static const struct nb_finding *only_finding(const struct fixture *f)
{
	assert_int_equal(f->findings->len, 1);
	return &g_array_index(f->findings, struct nb_finding, 0);
}

static void a_move_that_relieved_its_cpu_worked(void **state)
{
	struct fixture *f = *state;

	note_move(f);
	judge(f);
	assert_int_equal(f->findings->len, 0);
	judge(f);
	assert_int_equal(only_finding(f)->effect, NB_EFFECT_WORKED);
	assert_int_equal(only_finding(f)->measured, 4500);
	assert_false(f->host->memory.queues[0].pending.active);
	assert_int_equal(f->host->memory.queues[0].failures, 0);
}

static void a_move_that_relieved_nothing_backs_off(void **state)
{
	struct fixture *f = *state;

	note_move(f);
	f->host->rest[0] = 4000;
	judge(f);
	judge(f);
	assert_int_equal(only_finding(f)->effect, NB_EFFECT_NO_GAIN);
	assert_int_equal(f->host->memory.queues[0].failures, 1);
}

static void a_target_hotter_than_both_were_is_worse(void **state)
{
	struct fixture *f = *state;
	const struct nb_queue_memory *queue;

	note_move(f);
	f->host->rest[2] = 5501;
	judge(f);
	judge(f);
	queue = &f->host->memory.queues[0];
	assert_int_equal(only_finding(f)->effect, NB_EFFECT_WORSE);
	assert_int_equal(only_finding(f)->measured, 10001);
	assert_true(queue->undo);
	assert_int_equal(queue->failures, 1);
	assert_int_equal(queue->shunned_cpu, 2);
	assert_true(queue->shunned_until_nsec ==
		    f->host->snapshot.taken_nsec + 2 * f->host->policy.dwell_nsec);
}

static void a_rise_within_the_noise_is_not_worse(void **state)
{
	struct fixture *f = *state;

	note_move(f);
	f->host->rest[2] = 5500;
	judge(f);
	judge(f);
	assert_int_equal(only_finding(f)->effect, NB_EFFECT_WORKED);
	assert_false(f->host->memory.queues[0].undo);
}

static void a_rise_of_both_cpus_is_not_the_moves_doing(void **state)
{
	struct fixture *f = *state;

	note_move(f);
	f->host->rest[2] = 5900;
	f->host->rest[0] = 5000;
	judge(f);
	judge(f);
	assert_int_equal(only_finding(f)->effect, NB_EFFECT_NO_GAIN);
	assert_false(f->host->memory.queues[0].undo);
}

static void an_application_that_changed_over_is_not_the_moves_doing(void **state)
{
	struct fixture *f = *state;

	f->host->rest[0] = 3000;
	note_move(f);
	f->host->memory.queues[0].pending.move.source_before = 12000;
	f->host->memory.queues[0].pending.move.source_after = 7500;
	f->host->rest[0] = 0;
	f->host->rest[2] = 9000;
	judge(f);
	judge(f);
	assert_true(f->host->memory.queues[0].undo);
	f->host->memory.queues[0].undo = false;
	f->findings->len = 0;

	f->host->memory.queues[0].pending.active = true;
	f->host->memory.queues[0].pending.windows = 0;
	f->host->memory.queues[0].pending.source_sum = 0;
	f->host->memory.queues[0].pending.target_sum = 0;
	f->host->rest[2] = 3900;
	judge(f);
	judge(f);
	assert_false(f->host->memory.queues[0].undo);
}

static void what_is_stuck_on_the_target_explains_its_heat(void **state)
{
	struct fixture *f = *state;
	struct nb_queue_memory *other = &f->host->memory.queues[1];

	note_move(f);
	other->pending = (struct nb_pending){
		.active = true, .stuck = true, .move = {.key = other->key, .cpu_from = 2}};
	f->host->snapshot.queues[1].landed_cpu = -1;
	f->host->rest[2] = 5501;
	judge(f);
	judge(f);
	assert_false(f->host->memory.queues[0].undo);
}

/* The other one of the same round has not been called stuck yet when this one is judged. */
static void what_proves_stuck_in_the_same_window_explains_it_too(void **state)
{
	struct fixture *f = *state;
	struct nb_queue_memory *other = &f->host->memory.queues[1];

	note_move(f);
	other->pending = (struct nb_pending){
		.active = true, .move = {.key = other->key, .cpu_from = 2, .cpu_to = 3}};
	f->host->snapshot.queues[1].landed_cpu = -1;
	f->host->rest[2] = 5501;
	judge(f);
	judge(f);
	assert_true(other->pending.stuck);
	assert_false(f->host->memory.queues[0].undo);
}

static void what_came_to_the_target_later_explains_its_heat(void **state)
{
	struct fixture *f = *state;

	note_move(f);
	nb_host_place(f->host, 1, 2);
	f->host->memory.queues[1].expected_cpu = 2;
	f->host->memory.queues[1].moved_nsec = f->host->snapshot.taken_nsec;
	f->host->rest[0] = 4500;
	f->host->rest[2] = 1400;
	judge(f);
	judge(f);
	assert_int_equal(only_finding(f)->effect, NB_EFFECT_WORKED);
}

static void a_way_back_is_never_worse_and_its_success_no_merit(void **state)
{
	struct fixture *f = *state;

	note_move(f);
	f->host->memory.queues[0].pending.move.reason = NB_REASON_UNDO;
	f->host->memory.queues[0].failures = 3;
	f->host->rest[2] = 5501;
	judge(f);
	judge(f);
	assert_int_equal(only_finding(f)->effect, NB_EFFECT_WORKED);
	assert_false(f->host->memory.queues[0].undo);
	assert_int_equal(f->host->memory.queues[0].failures, 3);
}

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
	f->host->rest[2] = 5501;
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
	assert_int_equal(f->host->memory.queues[1].failures, 1);
}

static void half_a_swap_does_not_go_back(void **state)
{
	struct fixture *f = *state;

	swap_in(f);
	f->host->snapshot.queues[1].landed_cpu = -1;
	judge(f);
	judge(f);
	assert_true(f->host->memory.queues[1].pending.stuck);
	assert_false(f->host->memory.queues[0].undo);
	assert_false(f->host->memory.queues[1].undo);
}

static void a_full_source_may_stay_full_if_the_target_took_the_work(void **state)
{
	struct fixture *f = *state;

	note_move(f);
	f->host->memory.queues[0].pending.move.source_before = 9900;
	f->host->rest[0] = 5400;
	judge(f);
	judge(f);
	assert_int_equal(only_finding(f)->measured, 9900);
	assert_int_equal(only_finding(f)->effect, NB_EFFECT_WORKED);
}

static void a_move_for_its_place_alone_owes_no_gain(void **state)
{
	struct fixture *f = *state;

	note_move(f);
	f->host->memory.queues[0].pending.move.reason = NB_REASON_COLLAPSED;
	f->host->rest[0] = 4500;
	judge(f);
	judge(f);
	assert_int_equal(only_finding(f)->effect, NB_EFFECT_WORKED);
}

static void interrupts_that_land_elsewhere_did_not_follow(void **state)
{
	struct fixture *f = *state;

	note_move(f);
	f->host->snapshot.queues[0].landed_cpu = 0;
	judge(f);
	judge(f);
	assert_int_equal(only_finding(f)->effect, NB_EFFECT_NOT_FOLLOWED);
}

static void packets_without_interrupts_are_polled_where_they_were(void **state)
{
	struct fixture *f = *state;

	note_move(f);
	f->host->snapshot.queues[0].landed_cpu = -1;
	judge(f);
	judge(f);
	assert_int_equal(only_finding(f)->effect, NB_EFFECT_STUCK);
	assert_int_equal(f->host->memory.queues[0].failures, 0);
}

/* The full grade: polled_cpu tells where it is. */
static void note_timed_move(struct fixture *f, int polled_cpu)
{
	f->host->snapshot.grade = NB_GRADE_FULL;
	note_move(f);
	f->host->snapshot.queues[0].polled_cpu = polled_cpu;
}

static void a_napi_that_polls_on_is_stuck_wherever_its_interrupts_land(void **state)
{
	struct fixture *f = *state;

	note_timed_move(f, 0);
	judge(f);
	assert_int_equal(f->findings->len, 0);
	judge(f);
	assert_int_equal(only_finding(f)->effect, NB_EFFECT_STUCK);
	assert_int_equal(only_finding(f)->measured, NB_UNMEASURED);
	assert_true(f->host->memory.queues[0].pending.active);
	assert_true(f->host->memory.queues[0].pending.stuck);
	for (unsigned i = 0; i < NB_VERIFY_STUCK_WINDOWS - 1; i++)
		judge(f);
	assert_int_equal(f->findings->len, 1);
}

static void a_napi_that_stays_stuck_is_given_up(void **state)
{
	struct fixture *f = *state;

	note_timed_move(f, 0);
	for (unsigned i = 0; i < NB_VERIFY_WINDOWS + NB_VERIFY_STUCK_WINDOWS; i++)
		judge(f);
	assert_int_equal(f->findings->len, 2);
	assert_int_equal(g_array_index(f->findings, struct nb_finding, 1).effect,
			 NB_EFFECT_NOT_FOLLOWED);
	assert_false(f->host->memory.queues[0].pending.active);
	assert_int_equal(f->host->memory.queues[0].failures, 1);
}

static void a_napi_that_follows_late_is_measured_from_then(void **state)
{
	struct fixture *f = *state;

	note_timed_move(f, 0);
	f->host->rest[0] = 4000;
	for (unsigned i = 0; i < 5; i++)
		judge(f);
	assert_int_equal(only_finding(f)->effect, NB_EFFECT_STUCK);
	f->host->snapshot.queues[0].polled_cpu = 2;
	f->host->rest[0] = 0;
	judge(f);
	assert_false(f->host->memory.queues[0].pending.stuck);
	judge(f);
	assert_int_equal(f->findings->len, 2);
	assert_int_equal(g_array_index(f->findings, struct nb_finding, 1).effect, NB_EFFECT_WORKED);
	assert_int_equal(g_array_index(f->findings, struct nb_finding, 1).measured, 4500);
	assert_int_equal(f->host->memory.queues[0].failures, 0);
}

static void the_probe_judges_the_first_audit_after_a_rescan_too(void **state)
{
	struct fixture *f = *state;

	note_timed_move(f, 2);
	f->host->machine.generation++;
	judge(f);
	assert_int_equal(f->host->memory.queues[0].pending.windows, 1);
}

static void a_silent_queue_is_not_judged_by_its_silence(void **state)
{
	struct fixture *f = *state;

	note_move(f);
	f->host->snapshot.queues[0].landed_cpu = -1;
	f->host->cost[0] = 0;
	judge(f);
	judge(f);
	assert_int_equal(only_finding(f)->effect, NB_EFFECT_IDLE);
	assert_int_equal(f->host->memory.queues[0].failures, 0);
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

static void a_foreign_write_is_yielded(void **state)
{
	struct fixture *f = *state;

	note_move(f);
	judge(f);
	judge(f);
	g_array_set_size(f->findings, 0);
	nb_host_place(f->host, 0, 3);
	judge(f);
	assert_int_equal(only_finding(f)->event, NB_EVENT_YIELDED);
	assert_int_equal(only_finding(f)->cpu_ours, 2);
	assert_int_equal(only_finding(f)->cpu_theirs, 3);
	assert_true(f->host->memory.queues[0].yielded_until_nsec ==
		    f->host->snapshot.taken_nsec + f->host->policy.yield_nsec);
	judge(f);
	assert_int_equal(f->findings->len, 1);
}

static void a_foreign_rps_mask_is_yielded(void **state)
{
	struct fixture *f = *state;
	struct nb_queue_key key = f->host->snapshot.queues[0].key;
	struct nb_cpumask ours = {}, theirs = {};

	nb_cpumask_add(&ours, 1);
	nb_cpumask_add(&theirs, 3);
	nb_memory_adopt_rps(&f->host->memory, key, &ours, 1);
	nb_host_set_rps(f->host, 0, &ours);
	judge(f);
	assert_int_equal(f->findings->len, 0);
	nb_host_set_rps(f->host, 0, &theirs);
	judge(f);
	assert_true(only_finding(f)->is_rps);
	assert_true(nb_cpumask_equal(&only_finding(f)->rps_theirs, &theirs));
	assert_true(nb_cpumask_empty(&nb_memory_find_rps(&f->host->memory, key)->cpus));
}

static void a_reading_between_audits_tells_nothing(void **state)
{
	struct fixture *f = *state;

	note_move(f);
	f->host->snapshot.audited = false;
	for (unsigned i = 0; i < 5; i++)
		judge(f);
	assert_int_equal(f->findings->len, 0);
	assert_int_equal(f->host->memory.queues[0].pending.windows, 0);
}

static void the_first_audit_after_a_rescan_judges_no_move(void **state)
{
	struct fixture *f = *state;

	note_move(f);
	f->host->machine.generation++;
	f->host->snapshot.queues[0].landed_cpu = -1;
	judge(f);
	assert_int_equal(f->host->memory.queues[0].pending.windows, 0);
	f->host->snapshot.queues[0].landed_cpu = 2;
	judge(f);
	judge(f);
	assert_int_equal(only_finding(f)->effect, NB_EFFECT_WORKED);
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

/* Queue 0 hands on to CPUs 2 and 3; before, CPU 0 was so busy. */
static struct nb_rps_memory *steer(struct fixture *f, uint32_t before)
{
	struct nb_cpumask mask = {};
	struct nb_rps_memory *rps;

	nb_cpumask_add(&mask, 2);
	nb_cpumask_add(&mask, 3);
	nb_host_set_rps(f->host, 0, &mask);
	nb_memory_adopt_rps(&f->host->memory, f->host->snapshot.queues[0].key, &mask, 0);
	rps = &f->host->memory.rps[0];
	rps->trial = (struct nb_rps_trial){.active = true, .before = before};
	return rps;
}

static void judge_backlog(struct fixture *f, uint32_t on_2, uint32_t on_3)
{
	f->host->rest[2] = on_2;
	f->host->rest[3] = on_3;
	for (unsigned i = 0; i < 2; i++) {
		nb_host_tick(f->host, NB_NSEC_PER_SEC);
		f->host->loads.cpus[2].window_backlog = on_2;
		f->host->loads.cpus[3].window_backlog = on_3;
		assert_true(f->host->memory.rps[0].trial.active);
		nb_verify_judge(&f->host->snapshot, &f->host->loads, &f->host->policy,
				&f->host->memory, f->findings);
	}
	assert_false(f->host->memory.rps[0].trial.active);
}

static void rps_helps_that_leaves_no_cpu_as_hot_as_it_was(void **state)
{
	struct fixture *f = *state;
	struct nb_rps_memory *rps = steer(f, 8500);

	f->host->cost[0] = 0;
	rps->failures = 1;
	f->host->snapshot.audited = false;
	judge_backlog(f, 8150, 500);
	assert_false(rps->no_gain);
	assert_int_equal(rps->failures, 0);
}

static void rps_that_only_moves_the_heat_did_not_help(void **state)
{
	struct fixture *f = *state;
	struct nb_rps_memory *rps = steer(f, 8500);

	f->host->cost[0] = 0;
	judge_backlog(f, 8151, 500);
	assert_true(rps->no_gain);
	assert_int_equal(rps->failures, 1);
}

static void one_flow_that_fills_its_next_cpu_was_not_helped(void **state)
{
	struct fixture *f = *state;
	struct nb_rps_memory *rps = steer(f, 10000);

	judge_backlog(f, 10000, 1000);
	assert_true(rps->no_gain);
}

static void flows_that_fill_several_cpus_instead_of_one_were_helped(void **state)
{
	struct fixture *f = *state;
	struct nb_rps_memory *rps = steer(f, 10000);

	judge_backlog(f, 10000, 9000);
	assert_false(rps->no_gain);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_move_that_relieved_its_cpu_worked, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(a_move_that_relieved_nothing_backs_off, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(a_target_hotter_than_both_were_is_worse, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(a_rise_within_the_noise_is_not_worse, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(a_rise_of_both_cpus_is_not_the_moves_doing, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(
			an_application_that_changed_over_is_not_the_moves_doing, set_up, tear_down),
		cmocka_unit_test_setup_teardown(what_is_stuck_on_the_target_explains_its_heat,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			what_proves_stuck_in_the_same_window_explains_it_too, set_up, tear_down),
		cmocka_unit_test_setup_teardown(what_came_to_the_target_later_explains_its_heat,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_way_back_is_never_worse_and_its_success_no_merit,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_swap_that_made_things_worse_goes_back_whole,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(half_a_swap_does_not_go_back, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			a_full_source_may_stay_full_if_the_target_took_the_work, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_move_for_its_place_alone_owes_no_gain, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(interrupts_that_land_elsewhere_did_not_follow,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			packets_without_interrupts_are_polled_where_they_were, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			a_napi_that_polls_on_is_stuck_wherever_its_interrupts_land, set_up,
			tear_down),
		cmocka_unit_test_setup_teardown(a_napi_that_stays_stuck_is_given_up, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(a_napi_that_follows_late_is_measured_from_then,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(the_probe_judges_the_first_audit_after_a_rescan_too,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_silent_queue_is_not_judged_by_its_silence, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(a_move_that_the_kernel_lost_is_not_someone_else,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_foreign_write_is_yielded, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_foreign_rps_mask_is_yielded, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_reading_between_audits_tells_nothing, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(the_first_audit_after_a_rescan_judges_no_move,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(an_unreadable_affinity_is_no_foreign_write, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(rps_helps_that_leaves_no_cpu_as_hot_as_it_was,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(rps_that_only_moves_the_heat_did_not_help, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(one_flow_that_fills_its_next_cpu_was_not_helped,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			flows_that_fill_several_cpus_instead_of_one_were_helped, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

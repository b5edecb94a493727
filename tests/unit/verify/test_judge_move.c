/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unit/verify/judge_fixture.h"

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
	f->host->fixed[0] = 4000;
	judge(f);
	judge(f);
	assert_int_equal(only_finding(f)->effect, NB_EFFECT_NO_GAIN);
	assert_int_equal(f->host->memory.queues[0].failures, 1);
}

/* The other queue on its old CPU is an application here, which goes where the first one goes. */
static void follow(struct fixture *f)
{
	f->host->time[1] = 0;
	f->host->fixed[0] = 0;
	f->host->fixed[2] = 4500;
	f->host->memory.queues[0].pending.move.source_fixed = 4500;
}

static void an_application_that_went_along_makes_it_no_gain(void **state)
{
	struct fixture *f = *state;

	note_move(f);
	follow(f);
	judge(f);
	judge(f);
	assert_int_equal(only_finding(f)->effect, NB_EFFECT_NO_GAIN);
	assert_int_equal(f->host->memory.queues[0].failures, 1);
	assert_true(f->host->memory.queues[0].accompanied_until_nsec ==
		    f->host->snapshot.taken_nsec + 64 * f->host->policy.dwell_nsec);
}

static void it_may_come_later_but_not_long_after(void **state)
{
	struct fixture *f = *state;
	struct nb_queue_memory *queue = &f->host->memory.queues[0];

	note_move(f);
	judge(f);
	judge(f);
	assert_int_equal(only_finding(f)->effect, NB_EFFECT_WORKED);
	follow(f);
	judge(f);
	assert_true(queue->accompanied_until_nsec > 0);
	queue->accompanied_until_nsec = 0;
	nb_host_tick(f->host, f->host->policy.dwell_nsec);
	judge(f);
	assert_true(queue->accompanied_until_nsec == 0);
}

/* The application got 5 % beside both queues of CPU 0, and gets 45 % beside one. */
static uint32_t applications_that_queue_0_left(struct fixture *f)
{
	f->host->memory.queues[0].departures[0].applications = 500;
	follow(f);
	f->host->fixed[0] = 4500;
	f->host->fixed[2] = 0;
	judge(f);
	f->host->fixed[0] = 0;
	judge(f);
	return f->host->memory.queues[0].departures[0].applications;
}

static void what_softirqs_took_from_a_service_shows_when_a_queue_has_left(void **state)
{
	struct fixture *f = *state;

	f->host->memory.begun_nsec = f->host->snapshot.taken_nsec;
	note_move(f);
	assert_int_equal(applications_that_queue_0_left(f), 4500);
}

static void a_service_that_starts_later_is_none_of_the_moves_reasons(void **state)
{
	struct fixture *f = *state;

	f->host->memory.begun_nsec = f->host->snapshot.taken_nsec - 15 * NB_NSEC_PER_SEC;
	note_move(f);
	assert_int_equal(applications_that_queue_0_left(f), 500);
}

static void what_a_queue_left_before_is_none_of_the_moves_reasons(void **state)
{
	struct fixture *f = *state;
	struct nb_queue_memory *queue = &f->host->memory.queues[0];

	f->host->memory.begun_nsec = f->host->snapshot.taken_nsec;
	note_move(f);
	queue->departures[0].nsec = queue->pending.since_nsec - 1;
	assert_int_equal(applications_that_queue_0_left(f), 500);
}

/* One that only left, or one that only came, is not the move's doing. */
static void an_application_that_left_went_not_along(void **state)
{
	struct fixture *f = *state;

	note_move(f);
	follow(f);
	f->host->fixed[2] = 0;
	judge(f);
	judge(f);
	assert_int_equal(only_finding(f)->effect, NB_EFFECT_WORKED);
	assert_true(f->host->memory.queues[0].accompanied_until_nsec == 0);
}

/* Of 4500 that were predicted. */
static void relief_by_half_of_what_was_predicted_is_enough(void **state)
{
	struct fixture *f = *state;

	note_move(f);
	f->host->fixed[0] = 2250;
	judge(f);
	judge(f);
	assert_int_equal(only_finding(f)->effect, NB_EFFECT_WORKED);
}

static void relief_by_less_than_half_is_no_gain(void **state)
{
	struct fixture *f = *state;

	note_move(f);
	f->host->fixed[0] = 2251;
	judge(f);
	judge(f);
	assert_int_equal(only_finding(f)->effect, NB_EFFECT_NO_GAIN);
}

static void a_target_hotter_than_both_were_is_worse(void **state)
{
	struct fixture *f = *state;
	const struct nb_queue_memory *queue;

	note_move(f);
	f->host->fixed[2] = 5501;
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
	f->host->fixed[2] = 5500;
	judge(f);
	judge(f);
	assert_int_equal(only_finding(f)->effect, NB_EFFECT_WORKED);
	assert_false(f->host->memory.queues[0].undo);
}

static void a_rise_of_both_cpus_is_not_the_moves_doing(void **state)
{
	struct fixture *f = *state;

	note_move(f);
	f->host->fixed[2] = 5900;
	f->host->fixed[0] = 5000;
	judge(f);
	judge(f);
	assert_int_equal(only_finding(f)->effect, NB_EFFECT_NO_GAIN);
	assert_false(f->host->memory.queues[0].undo);
}

static void an_application_that_changed_over_is_not_the_moves_doing(void **state)
{
	struct fixture *f = *state;

	f->host->fixed[0] = 3000;
	note_move(f);
	f->host->memory.queues[0].pending.move.source_before = 12000;
	f->host->memory.queues[0].pending.move.source_after = 7500;
	f->host->fixed[0] = 0;
	f->host->fixed[2] = 9000;
	judge(f);
	judge(f);
	assert_true(f->host->memory.queues[0].undo);
	f->host->memory.queues[0].undo = false;
	g_array_set_size(f->findings, 0);

	f->host->memory.queues[0].pending.active = true;
	f->host->memory.queues[0].pending.measured_msec = 0;
	f->host->memory.queues[0].pending.source_sum = 0;
	f->host->memory.queues[0].pending.target_sum = 0;
	f->host->fixed[2] = 3900;
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
		.active = true,
		.stuck = true,
		.since_nsec = f->host->snapshot.taken_nsec,
		.move = {.key = other->key, .cpu_from = 2},
	};
	nb_host_stick(f->host, 1, 2);
	f->host->fixed[2] = 5501;
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
		.active = true,
		.since_nsec = f->host->snapshot.taken_nsec,
		.move = {.key = other->key, .cpu_from = 2, .cpu_to = 3},
	};
	nb_host_stick(f->host, 1, 2);
	f->host->fixed[2] = 5501;
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
	f->host->fixed[0] = 4500;
	f->host->fixed[2] = 1400;
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
	f->host->fixed[2] = 5501;
	judge(f);
	judge(f);
	assert_int_equal(only_finding(f)->effect, NB_EFFECT_WORKED);
	assert_false(f->host->memory.queues[0].undo);
	assert_int_equal(f->host->memory.queues[0].failures, 3);
}

static void a_full_source_may_stay_full_if_the_target_took_the_work(void **state)
{
	struct fixture *f = *state;

	note_move(f);
	f->host->memory.queues[0].pending.move.source_before = 9900;
	f->host->fixed[0] = 5400;
	judge(f);
	judge(f);
	assert_int_equal(only_finding(f)->measured, 9900);
	assert_int_equal(only_finding(f)->effect, NB_EFFECT_WORKED);
}

/* The source is full before and after; the queue does as much on the target as is said. */
static enum nb_effect effect_where_target_took(struct fixture *f, uint32_t time)
{
	note_move(f);
	f->host->memory.queues[0].pending.move.source_before = 9900;
	f->host->memory.queues[0].pending.move.source_after = 5400;
	f->host->fixed[0] = 5400;
	f->host->time[0] = time;
	judge(f);
	judge(f);
	return only_finding(f)->effect;
}

static void beside_a_full_source_the_target_must_take_half(void **state)
{
	assert_int_equal(effect_where_target_took(*state, 2250), NB_EFFECT_WORKED);
}

static void beside_a_full_source_less_than_half_is_no_gain(void **state)
{
	assert_int_equal(effect_where_target_took(*state, 2249), NB_EFFECT_NO_GAIN);
}

static void a_move_for_its_place_alone_owes_no_gain(void **state)
{
	struct fixture *f = *state;

	note_move(f);
	f->host->memory.queues[0].pending.move.reason = NB_REASON_COLLAPSED;
	f->host->fixed[0] = 4500;
	judge(f);
	judge(f);
	assert_int_equal(only_finding(f)->effect, NB_EFFECT_WORKED);
}

static void a_queue_that_is_polled_on_a_third_cpu_did_not_follow(void **state)
{
	struct fixture *f = *state;

	note_move(f);
	nb_host_stick(f->host, 0, 3);
	judge(f);
	judge(f);
	assert_int_equal(only_finding(f)->effect, NB_EFFECT_NOT_FOLLOWED);
}

static void a_napi_that_polls_on_is_stuck(void **state)
{
	struct fixture *f = *state;

	note_move(f);
	nb_host_stick(f->host, 0, 0);
	judge(f);
	assert_int_equal(f->findings->len, 0);
	judge(f);
	assert_int_equal(only_finding(f)->effect, NB_EFFECT_STUCK);
	assert_int_equal(only_finding(f)->measured, NB_UNMEASURED);
	assert_true(f->host->memory.queues[0].pending.active);
	assert_true(f->host->memory.queues[0].pending.stuck);
	for (unsigned i = 0; i < 7; i++)
		judge(f);
	assert_int_equal(f->findings->len, 1);
}

static void a_napi_that_stays_stuck_is_given_up(void **state)
{
	struct fixture *f = *state;

	note_move(f);
	nb_host_stick(f->host, 0, 0);
	for (unsigned i = 0; i < 10; i++)
		judge(f);
	assert_int_equal(f->findings->len, 2);
	assert_int_equal(g_array_index(f->findings, struct nb_finding, 1).effect,
			 NB_EFFECT_NOT_FOLLOWED);
	assert_int_equal(g_array_index(f->findings, struct nb_finding, 1).measured, NB_UNMEASURED);
	assert_false(f->host->memory.queues[0].pending.active);
	/* It needs help to follow, and no other CPU: its next move is not put off. */
	assert_int_equal(f->host->memory.queues[0].failures, 0);
}

/* Nothing is wrong with it: it waits for a moment without packets. */
static void a_napi_that_a_timer_polls_is_waited_for_and_never_stuck(void **state)
{
	struct fixture *f = *state;

	note_move(f);
	nb_host_stick(f->host, 0, 0);
	f->deferred = true;
	for (unsigned i = 0; i < 9; i++)
		judge(f);
	assert_int_equal(f->findings->len, 0);
	judge(f);
	assert_int_equal(only_finding(f)->effect, NB_EFFECT_NOT_FOLLOWED);
	assert_false(f->host->memory.queues[0].pending.active);
	assert_int_equal(f->host->memory.queues[0].failures, 0);
}

static void a_queue_that_is_done_and_does_not_follow_failed(void **state)
{
	struct fixture *f = *state;

	note_move(f);
	f->host->snapshot.queues[0].effective_cpu = 0;
	for (unsigned i = 0; i < 10; i++)
		judge(f);
	assert_int_equal(g_array_index(f->findings, struct nb_finding, 1).effect,
			 NB_EFFECT_NOT_FOLLOWED);
	assert_int_equal(f->host->memory.queues[0].failures, 1);
}

static void a_napi_that_follows_late_is_measured_from_then(void **state)
{
	struct fixture *f = *state;

	note_move(f);
	nb_host_stick(f->host, 0, 0);
	f->host->fixed[0] = 4000;
	for (unsigned i = 0; i < 5; i++)
		judge(f);
	assert_int_equal(only_finding(f)->effect, NB_EFFECT_STUCK);
	nb_host_stick(f->host, 0, -1);
	f->host->fixed[0] = 0;
	judge(f);
	assert_int_equal(f->findings->len, 1);
	judge(f);
	assert_int_equal(f->findings->len, 2);
	assert_int_equal(g_array_index(f->findings, struct nb_finding, 1).effect, NB_EFFECT_WORKED);
	assert_int_equal(g_array_index(f->findings, struct nb_finding, 1).measured, 4500);
	assert_int_equal(f->host->memory.queues[0].failures, 0);
}

static void a_silent_queue_is_not_judged_by_its_silence(void **state)
{
	struct fixture *f = *state;

	note_move(f);
	f->host->snapshot.queues[0].landed_cpu = -1;
	f->host->time[0] = 0;
	judge(f);
	judge(f);
	assert_int_equal(only_finding(f)->effect, NB_EFFECT_IDLE);
	assert_int_equal(f->host->memory.queues[0].failures, 0);
}

/* It was to let NET_RX wait less than 8 ms. Two seconds later it is judged; waits of CPU 0, which
 * it left, and of CPU 2, of runs in the time before; UINT32_MAX: not known. */
static enum nb_effect judge_delay_of(struct fixture *f, uint32_t source_usec, uint32_t target_usec,
				     uint32_t msec)
{
	const uint32_t usec[] = {source_usec, 0, target_usec};

	note_move(f);
	f->host->memory.queues[0].pending.move.reason = NB_REASON_DELAY;
	f->host->memory.queues[0].pending.move.delay_usec = 8000;
	for (unsigned i = 0; i < 2; i++) {
		nb_host_tick(f->host, NB_NSEC_PER_SEC);
		for (unsigned cpu = 0; cpu < 3; cpu += 2) {
			f->host->loads.cpus[cpu].delay_known = usec[cpu] != UINT32_MAX;
			f->host->loads.cpus[cpu].delay_usec = usec[cpu];
			f->host->loads.cpus[cpu].delay_msec = msec;
		}
		nb_verify_judge(&f->host->snapshot, &f->host->loads, &f->host->policy,
				&f->host->memory, f->findings);
	}
	return only_finding(f)->effect;
}

static enum nb_effect judge_delay(struct fixture *f, uint32_t source_usec, uint32_t target_usec)
{
	return judge_delay_of(f, source_usec, target_usec, 1000);
}

static void a_wait_that_got_shorter_worked(void **state)
{
	assert_int_equal(judge_delay(*state, 6000, 100), NB_EFFECT_WORKED);
}

static void a_wait_that_lasts_on_the_old_cpu_is_no_gain(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(judge_delay(f, 6001, 100), NB_EFFECT_NO_GAIN);
	assert_int_equal(f->host->memory.queues[0].failures, 1);
}

static void a_wait_that_came_along_is_no_gain(void **state)
{
	assert_int_equal(judge_delay(*state, UINT32_MAX, 8000), NB_EFFECT_NO_GAIN);
}

static void where_no_wait_is_known_loads_tell(void **state)
{
	assert_int_equal(judge_delay(*state, UINT32_MAX, UINT32_MAX), NB_EFFECT_WORKED);
}

static void waits_of_before_the_move_tell_nothing(void **state)
{
	assert_int_equal(judge_delay_of(*state, 8000, 8000, 2001), NB_EFFECT_WORKED);
}

static void waits_since_the_move_tell(void **state)
{
	assert_int_equal(judge_delay_of(*state, 8000, 8000, 2000), NB_EFFECT_NO_GAIN);
}

/* A full CPU stays full; on a large one what it had takes half. */
static void what_a_larger_cpu_took_up_counts_for_more(void **state)
{
	struct fixture *f = *state;

	nb_host_set_capacity(f->host, 0, 5000);
	note_move(f);
	f->host->memory.queues[0].pending.move.source_before = 9500;
	f->host->memory.queues[0].pending.move.source_after = 5000;
	f->host->fixed[0] = 9500;
	f->host->time[0] = 1125;
	judge(f);
	judge(f);
	assert_int_equal(only_finding(f)->effect, NB_EFFECT_WORKED);
}

/* What has 40 of a small CPU had 20 of the old one: less than half of what the move was for. */
static void an_application_that_went_along_to_a_small_cpu_is_less_than_it_seems(void **state)
{
	struct fixture *f = *state;

	nb_host_set_capacity(f->host, 2, 5000);
	note_move(f);
	follow(f);
	f->host->fixed[2] = 4000;
	judge(f);
	judge(f);
	assert_true(f->host->memory.queues[0].accompanied_until_nsec == 0);
	f->host->fixed[2] = 4600;
	judge(f);
	assert_true(f->host->memory.queues[0].accompanied_until_nsec > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_wait_that_got_shorter_worked, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_wait_that_lasts_on_the_old_cpu_is_no_gain, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(a_wait_that_came_along_is_no_gain, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(where_no_wait_is_known_loads_tell, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(a_move_that_relieved_its_cpu_worked, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(a_move_that_relieved_nothing_backs_off, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(an_application_that_went_along_makes_it_no_gain,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(it_may_come_later_but_not_long_after, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(
			what_softirqs_took_from_a_service_shows_when_a_queue_has_left, set_up,
			tear_down),
		cmocka_unit_test_setup_teardown(
			what_a_queue_left_before_is_none_of_the_moves_reasons, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			a_service_that_starts_later_is_none_of_the_moves_reasons, set_up,
			tear_down),
		cmocka_unit_test_setup_teardown(an_application_that_left_went_not_along, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(relief_by_half_of_what_was_predicted_is_enough,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(relief_by_less_than_half_is_no_gain, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(beside_a_full_source_the_target_must_take_half,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(beside_a_full_source_less_than_half_is_no_gain,
						set_up, tear_down),
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
		cmocka_unit_test_setup_teardown(
			a_full_source_may_stay_full_if_the_target_took_the_work, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_move_for_its_place_alone_owes_no_gain, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(
			a_queue_that_is_polled_on_a_third_cpu_did_not_follow, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_napi_that_polls_on_is_stuck, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_queue_that_is_done_and_does_not_follow_failed,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			a_napi_that_a_timer_polls_is_waited_for_and_never_stuck, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_napi_that_stays_stuck_is_given_up, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(a_napi_that_follows_late_is_measured_from_then,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_silent_queue_is_not_judged_by_its_silence, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(waits_of_before_the_move_tell_nothing, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(waits_since_the_move_tell, set_up, tear_down),
		cmocka_unit_test_setup_teardown(what_a_larger_cpu_took_up_counts_for_more, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(
			an_application_that_went_along_to_a_small_cpu_is_less_than_it_seems, set_up,
			tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

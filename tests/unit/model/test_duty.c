/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/duty.h"

#include "nicbalance/units.h"
#include "support/support.h"

#define SEC NB_NSEC_PER_SEC

/* A host whose hot CPUs and whose cost of measuring the test sets; one call a second, but that a
 * slice ends in time. */
struct host {
	struct nb_duty duty;
	struct nb_duty_view view;
	uint64_t measured_nsec, passed_nsec;
	unsigned n_attached; /* times */
};

/* The last alert is just over. */
static struct host make(uint32_t n_hot, uint32_t cost)
{
	return (struct host){.duty = {.alert_nsec = 984 * SEC},
			     .view = {.now_nsec = 1000 * SEC,
				      .known = true,
				      .n_hot = n_hot,
				      .budget = 50,
				      .cost = cost}};
}

static bool measures(const struct host *host)
{
	return host->duty.stage == NB_DUTY_SLICE || host->duty.stage == NB_DUTY_FULL;
}

static void step(struct host *host)
{
	bool was_attached = measures(host);
	uint32_t cost = host->view.cost;
	uint64_t nsec = SEC;

	if (host->duty.stage == NB_DUTY_SLICE)
		nsec = MIN(nsec, host->duty.until_nsec - host->view.now_nsec);
	host->view.now_nsec += nsec;
	host->passed_nsec += nsec;
	host->measured_nsec += measures(host) ? nsec : 0;
	host->view.cost = measures(host) ? cost : 0;
	nb_duty_update(&host->duty, &host->view);
	host->view.cost = cost;
	host->n_attached += !was_attached && measures(host);
}

static void pass(struct host *host, uint64_t sec)
{
	uint64_t end_nsec = host->view.now_nsec + sec * SEC;

	host->measured_nsec = host->passed_nsec = 0;
	while (host->view.now_nsec < end_nsec)
		step(host);
}

/* Basis points of the time. */
static uint64_t share(const struct host *host)
{
	return host->measured_nsec * NB_WHOLE / host->passed_nsec;
}

static void nothing_is_attached_while_no_cpu_is_hot(void **state)
{
	struct host host = make(0, 10);

	(void)state;
	host.view.deciding = true;
	host.view.rescan_due = true;
	pass(&host, 100000);
	assert_int_equal(host.n_attached, 0);
	host.view.n_hot = 1;
	step(&host);
	assert_int_equal(host.duty.stage, NB_DUTY_SLICE);
}

static void what_is_not_known_attaches_nothing(void **state)
{
	struct host host = make(1, 10);

	(void)state;
	host.view.known = false;
	pass(&host, 1000);
	assert_int_equal(host.n_attached, 0);
}

static void a_minute_without_a_hot_cpu_ends_measuring(void **state)
{
	struct host host = make(1, 10);

	(void)state;
	pass(&host, 10);
	host.view.n_hot = 0;
	pass(&host, 59);
	assert_int_not_equal(host.duty.stage, NB_DUTY_DETACHED);
	pass(&host, 2);
	assert_int_equal(host.duty.stage, NB_DUTY_DETACHED);
}

static void a_hot_cpu_in_between_begins_the_minute_again(void **state)
{
	struct host host = make(1, 10);

	(void)state;
	for (unsigned i = 0; i < 100; i++) {
		host.view.n_hot = 0;
		pass(&host, 50);
		host.view.n_hot = 1;
		step(&host);
		assert_int_not_equal(host.duty.stage, NB_DUTY_DETACHED);
	}
}

static void a_window_that_tells_nothing_is_not_taken_for_cool(void **state)
{
	struct host host = make(1, 10);

	(void)state;
	pass(&host, 10);
	host.view.n_hot = 0;
	for (unsigned i = 0; i < 100; i++) {
		host.view.known = true;
		pass(&host, 40);
		host.view.known = false;
		step(&host);
	}
	assert_int_not_equal(host.duty.stage, NB_DUTY_DETACHED);
}

static void measuring_goes_on_while_a_change_is_open(void **state)
{
	struct host host = make(1, 10);

	(void)state;
	pass(&host, 10);
	host.view.n_hot = 0;
	host.view.rescan_due = true;
	step(&host);
	host.view.rescan_due = false;
	host.view.deciding = true;
	pass(&host, 1000);
	assert_int_equal(host.duty.stage, NB_DUTY_FULL);
}

/* Hot when nothing is attached, or the more CPUs the longer it lasts: the worst there can be. */
static void attaching_is_rare_whatever_the_load(void **state)
{
	struct host host = make(0, 10);

	(void)state;
	for (unsigned i = 0; i < 86400; i++) {
		host.view.n_hot = measures(&host) ? 0 : host.view.n_hot + 1;
		step(&host);
	}
	assert_in_range(host.n_attached, 24 * 100, 24 * (180 + 12) + 1);
}

static void what_nothing_can_be_done_about_is_measured_once_a_minute(void **state)
{
	struct host host = make(1, 10);

	(void)state;
	pass(&host, 3600);
	assert_in_range(share(&host), 480, 500);
	assert_in_range(host.n_attached, 59, 61);
}

static void what_is_decided_is_measured_all_the_time(void **state)
{
	struct host host = make(1, 10);

	(void)state;
	host.view.deciding = true;
	pass(&host, 1);
	pass(&host, 100);
	assert_int_equal(share(&host), NB_WHOLE);
	assert_int_equal(host.n_attached, 1);
	host.view.deciding = false;
	pass(&host, 3600);
	assert_in_range(share(&host), 480, 510);
}

/* A quarter of a second tells what it costs, whatever is decided. */
static void the_first_slice_is_a_short_trial(void **state)
{
	struct host host = make(1, 1001);

	(void)state;
	host.view.deciding = true;
	step(&host);
	assert_int_equal(host.duty.stage, NB_DUTY_SLICE);
	pass(&host, 50);
	assert_int_equal(host.duty.stage, NB_DUTY_DETACHED);
	assert_int_equal(host.measured_nsec, SEC / 4);
}

static void a_trial_that_is_cheap_goes_on(void **state)
{
	struct host host = make(1, 10);

	(void)state;
	step(&host);
	step(&host);
	assert_int_equal(host.duty.stage, NB_DUTY_SLICE);
	assert_int_equal(host.duty.until_nsec - host.view.now_nsec, 3 * SEC);
	assert_int_equal(host.n_attached, 1);
}

static void a_trial_that_tells_no_cost_ends_in_a_pause(void **state)
{
	struct host host = make(1, 0);

	(void)state;
	host.view.deciding = true;
	step(&host);
	step(&host);
	assert_int_equal(host.duty.stage, NB_DUTY_PAUSED);
}

/* What it costs, over the time: the ceiling holds at any price. */
static void the_budget_holds(void **state)
{
	static const uint32_t costs[] = {10,  50,  51,   60,   100,  200,
					 400, 900, 1000, 1001, 2000, 10000};

	(void)state;
	for (unsigned i = 0; i < G_N_ELEMENTS(costs); i++) {
		struct host host = make(1, costs[i]);

		host.view.deciding = true;
		pass(&host, 20000);
		assert_true(share(&host) * costs[i] <= 50 * NB_WHOLE * 21 / 20);
		/* Too dear, it is still tried each half an hour. */
		assert_true(host.measured_nsec > 0);
	}
}

static void what_is_too_dear_is_tried_later_and_later(void **state)
{
	static const unsigned waits[] = {60, 120, 240, 480, 960, 1800, 1800};
	struct host host = make(1, 1001);

	(void)state;
	step(&host);
	for (unsigned i = 0; i < G_N_ELEMENTS(waits); i++) {
		uint64_t began_nsec;

		step(&host);
		assert_int_equal(host.duty.stage, NB_DUTY_DETACHED);
		assert_int_equal(host.duty.cost, 1001);
		began_nsec = host.view.now_nsec;
		while (host.duty.stage == NB_DUTY_DETACHED)
			step(&host);
		assert_int_equal(host.view.now_nsec - began_nsec, waits[i] * SEC);
	}
	/* One that is cheap enough ends that. */
	host.view.cost = 1000;
	pass(&host, 10);
	host.view.cost = 1001;
	pass(&host, 100);
	assert_int_equal(host.duty.dear_wait_nsec, 60 * SEC);
}

static void what_is_almost_too_dear_is_measured_a_little(void **state)
{
	struct host host = make(1, 1000);

	(void)state;
	host.view.deciding = true;
	pass(&host, 3600);
	assert_in_range(share(&host), 450, 500);
}

static void what_is_set_for_a_moment_is_not_left_alone_for_a_pause(void **state)
{
	struct host host = make(1, 900);

	(void)state;
	host.view.deciding = true;
	pass(&host, 3);
	host.view.urgent = true;
	pass(&host, 10);
	pass(&host, 10);
	assert_int_equal(share(&host), NB_WHOLE);
	host.view.urgent = false;
	step(&host);
	assert_int_equal(host.duty.stage, NB_DUTY_PAUSED);
}

static void recording_has_everything_at_any_price(void **state)
{
	struct host host = make(0, 10000);

	(void)state;
	host.view.everything = true;
	step(&host);
	assert_int_equal(host.duty.stage, NB_DUTY_FULL);
	pass(&host, 100);
	assert_int_equal(share(&host), NB_WHOLE);
	host.view.everything = false;
	step(&host);
	assert_int_equal(host.duty.stage, NB_DUTY_DETACHED);
}

static struct host make_paused(uint32_t n_hot)
{
	struct host host = make(n_hot, 10);

	pass(&host, 4);
	assert_int_equal(host.duty.stage, NB_DUTY_PAUSED);
	return host;
}

static void recording_ends_a_pause(void **state)
{
	struct host host = make_paused(1);

	(void)state;
	host.view.everything = true;
	step(&host);
	assert_int_equal(host.duty.stage, NB_DUTY_FULL);
}

static void a_rescan_ends_a_pause(void **state)
{
	struct host host = make_paused(1);

	(void)state;
	host.view.rescan_due = true;
	step(&host);
	assert_int_equal(host.duty.stage, NB_DUTY_SLICE);
}

static void one_hot_cpu_more_ends_a_pause(void **state)
{
	struct host host = make_paused(1);

	(void)state;
	pass(&host, 20);
	assert_int_equal(host.duty.stage, NB_DUTY_PAUSED);
	host.view.n_hot = 2;
	step(&host);
	assert_int_equal(host.duty.stage, NB_DUTY_SLICE);
	/* Both are hot still, which is nothing new. */
	pass(&host, 30);
	assert_int_equal(host.duty.stage, NB_DUTY_PAUSED);
	assert_int_equal(host.n_attached, 2);
}

/* What the status says would be of a load that is gone. */
static void one_hot_cpu_fewer_ends_a_pause_when_it_lasts(void **state)
{
	struct host host = make_paused(2);

	(void)state;
	pass(&host, 20);
	host.view.n_hot = 1;
	pass(&host, 10);
	assert_int_equal(host.duty.stage, NB_DUTY_PAUSED);
	step(&host);
	assert_int_equal(host.duty.stage, NB_DUTY_SLICE);
	pass(&host, 50);
	assert_int_equal(host.duty.stage, NB_DUTY_PAUSED);
	assert_int_equal(host.n_attached, 2);
}

static void one_hot_cpu_fewer_for_a_moment_does_not(void **state)
{
	struct host host = make_paused(2);

	(void)state;
	for (unsigned i = 0; i < 6; i++) {
		host.view.n_hot = 1;
		pass(&host, 7);
		host.view.n_hot = 2;
		step(&host);
		assert_int_equal(host.duty.stage, NB_DUTY_PAUSED);
	}
}

static void nor_do_two_moments_around_a_hotter_one(void **state)
{
	struct host host = make_paused(2);

	(void)state;
	host.view.n_hot = 1;
	pass(&host, 7);
	host.view.n_hot = 3;
	step(&host);
	host.view.n_hot = 1;
	pass(&host, 9);
	assert_int_equal(host.duty.stage, NB_DUTY_PAUSED);
}

static void not_sooner_than_twenty_seconds_after_the_slice_began(void **state)
{
	struct host host = make_paused(1);

	(void)state;
	host.view.n_hot = 2;
	pass(&host, 16);
	assert_int_equal(host.duty.stage, NB_DUTY_PAUSED);
	step(&host);
	assert_int_equal(host.duty.stage, NB_DUTY_SLICE);
}

/* One second in five: each is likely to be measured from its begin to its end. */
static void bursts_are_waited_for(void **state)
{
	struct host host = make(0, 10);
	unsigned longest = 0, at_a_time = 0;

	(void)state;
	host.duty = (struct nb_duty){};
	for (unsigned i = 0; i < 3000; i++) {
		host.view.n_hot = i % 5 == 0;
		step(&host);
		at_a_time = measures(&host) ? at_a_time + 1 : 0;
		longest = MAX(longest, at_a_time);
		if (i == 20)
			assert_in_range(longest, 15, 17);
	}
	assert_in_range(longest, 15, 17);
	host.measured_nsec = host.passed_nsec = 0;
	for (unsigned i = 0; i < 3000; i++) {
		host.view.n_hot = i % 5 == 0;
		step(&host);
	}
	/* An alert in five minutes, and a slice in the other minutes. */
	assert_in_range(share(&host), 500, 1000);
}

/* Attaching took half a second of what was to be a quarter. */
static void a_slice_lasts_from_when_the_programs_are_attached(void **state)
{
	struct host host = make(1, 10);

	(void)state;
	step(&host);
	assert_true(host.duty.until_nsec == host.view.now_nsec + SEC / 4);
	nb_duty_put_off(&host.duty, SEC / 2);
	assert_true(host.duty.began_nsec == host.view.now_nsec + SEC / 2);
	assert_true(host.duty.until_nsec == host.view.now_nsec + SEC / 2 + SEC / 4);
}

static void delays_are_measured_in_slices_while_a_cpu_is_warm(void **state)
{
	struct host host = make(0, 10);

	(void)state;
	host.view.warm = true;
	pass(&host, 3600);
	assert_in_range(share(&host), 480, 510);
	assert_in_range(host.n_attached, 59, 61);
	host.view.deciding = true;
	pass(&host, 100);
	assert_int_equal(host.duty.stage, NB_DUTY_FULL);
	host.view.deciding = host.view.warm = false;
	pass(&host, 122);
	assert_int_equal(host.duty.stage, NB_DUTY_DETACHED);
}

static void delays_have_to_fit_the_budget(void **state)
{
	struct host host = make(0, 1001);

	(void)state;
	host.view.warm = true;
	pass(&host, 50);
	assert_int_equal(host.duty.stage, NB_DUTY_DETACHED);
	assert_int_equal(host.measured_nsec, SEC / 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(delays_are_measured_in_slices_while_a_cpu_is_warm),
		cmocka_unit_test(delays_have_to_fit_the_budget),
		cmocka_unit_test(nothing_is_attached_while_no_cpu_is_hot),
		cmocka_unit_test(what_is_not_known_attaches_nothing),
		cmocka_unit_test(a_minute_without_a_hot_cpu_ends_measuring),
		cmocka_unit_test(a_hot_cpu_in_between_begins_the_minute_again),
		cmocka_unit_test(a_window_that_tells_nothing_is_not_taken_for_cool),
		cmocka_unit_test(measuring_goes_on_while_a_change_is_open),
		cmocka_unit_test(attaching_is_rare_whatever_the_load),
		cmocka_unit_test(what_nothing_can_be_done_about_is_measured_once_a_minute),
		cmocka_unit_test(what_is_decided_is_measured_all_the_time),
		cmocka_unit_test(the_first_slice_is_a_short_trial),
		cmocka_unit_test(a_trial_that_is_cheap_goes_on),
		cmocka_unit_test(a_trial_that_tells_no_cost_ends_in_a_pause),
		cmocka_unit_test(the_budget_holds),
		cmocka_unit_test(what_is_too_dear_is_tried_later_and_later),
		cmocka_unit_test(what_is_almost_too_dear_is_measured_a_little),
		cmocka_unit_test(what_is_set_for_a_moment_is_not_left_alone_for_a_pause),
		cmocka_unit_test(recording_has_everything_at_any_price),
		cmocka_unit_test(recording_ends_a_pause),
		cmocka_unit_test(a_rescan_ends_a_pause),
		cmocka_unit_test(one_hot_cpu_more_ends_a_pause),
		cmocka_unit_test(one_hot_cpu_fewer_ends_a_pause_when_it_lasts),
		cmocka_unit_test(one_hot_cpu_fewer_for_a_moment_does_not),
		cmocka_unit_test(nor_do_two_moments_around_a_hotter_one),
		cmocka_unit_test(not_sooner_than_twenty_seconds_after_the_slice_began),
		cmocka_unit_test(bursts_are_waited_for),
		cmocka_unit_test(a_slice_lasts_from_when_the_programs_are_attached),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

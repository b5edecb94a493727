/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/duty.h"

#include "nicbalance/units.h"
#include "support/support.h"

#define SEC NB_NSEC_PER_SEC
#define HOT 7000

/* A host whose busiest CPU and whose cost of measuring the test sets; one call a second, but that a
 * slice ends in time. */
struct host {
	struct nb_duty duty;
	struct nb_duty_view view;
	uint64_t measured_nsec, passed_nsec;
	unsigned n_attached; /* times */
};

static struct host make(uint32_t busiest, uint32_t cost)
{
	return (struct host){.view = {.now_nsec = 1000 * SEC,
				      .hot = HOT,
				      .known = true,
				      .busiest = busiest,
				      .budget = 50,
				      .cost = cost}};
}

static bool measures(const struct host *host)
{
	return host->duty.stage == NB_DUTY_SLICE || host->duty.stage == NB_DUTY_FULL;
}

static void step(struct host *host)
{
	bool was_detached = host->duty.stage == NB_DUTY_DETACHED;
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
	host->n_attached += was_detached && host->duty.stage != NB_DUTY_DETACHED;
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

static void nothing_is_attached_while_no_cpu_comes_near(void **state)
{
	struct host host = make(5949, 10);

	(void)state;
	host.view.deciding = true;
	pass(&host, 100000);
	assert_int_equal(host.n_attached, 0);
	host.view.busiest = 5950;
	step(&host);
	assert_int_equal(host.duty.stage, NB_DUTY_SLICE);
}

static void what_is_not_known_attaches_nothing(void **state)
{
	struct host host = make(9000, 10);

	(void)state;
	host.view.known = false;
	pass(&host, 1000);
	assert_int_equal(host.n_attached, 0);
}

static void calm_detaches_after_five_minutes(void **state)
{
	struct host host = make(6000, 10);

	(void)state;
	pass(&host, 10);
	host.view.busiest = 4899;
	pass(&host, 295);
	assert_int_not_equal(host.duty.stage, NB_DUTY_DETACHED);
	pass(&host, 10);
	assert_int_equal(host.duty.stage, NB_DUTY_DETACHED);
}

static void what_is_not_quite_calm_stays_attached(void **state)
{
	struct host host = make(6000, 10);

	(void)state;
	pass(&host, 10);
	host.view.busiest = 4900;
	pass(&host, 10000);
	assert_int_not_equal(host.duty.stage, NB_DUTY_DETACHED);
}

static void a_window_that_tells_nothing_is_not_taken_for_calm(void **state)
{
	struct host host = make(6000, 10);

	(void)state;
	pass(&host, 10);
	host.view.busiest = 0;
	for (unsigned i = 0; i < 100; i++) {
		host.view.known = true;
		pass(&host, 200);
		host.view.known = false;
		step(&host);
	}
	assert_int_not_equal(host.duty.stage, NB_DUTY_DETACHED);
}

static void calm_is_not_noticed_while_a_change_is_open(void **state)
{
	struct host host = make(6000, 10);

	(void)state;
	pass(&host, 10);
	host.view.busiest = 0;
	host.view.deciding = true;
	pass(&host, 1000);
	assert_int_equal(host.duty.stage, NB_DUTY_FULL);
}

/* From zero to full and back each minute, for a day. */
static void a_load_that_swings_attaches_once(void **state)
{
	struct host host = make(0, 10);

	(void)state;
	for (unsigned i = 0; i < 1440; i++) {
		host.view.busiest = i % 2 ? 10000 : 0;
		pass(&host, 60);
	}
	assert_int_equal(host.n_attached, 1);
}

/* Calm for just long enough, then near: the worst there can be. */
static void attaching_is_rare_whatever_the_load(void **state)
{
	struct host host = make(0, 10);

	(void)state;
	for (unsigned i = 0; i < 86400; i++) {
		host.view.busiest = host.duty.stage == NB_DUTY_DETACHED ? 10000 : 0;
		step(&host);
	}
	assert_true(host.n_attached <= 24 * 12);
}

static void a_warm_host_is_measured_for_a_twentieth_of_the_time(void **state)
{
	struct host host = make(6500, 10);

	(void)state;
	pass(&host, 1000);
	assert_in_range(share(&host), 300, 500);
}

static void what_is_decided_is_measured_all_the_time(void **state)
{
	struct host host = make(8000, 10);

	(void)state;
	pass(&host, 20);
	host.view.deciding = true;
	pass(&host, 10);
	pass(&host, 100);
	assert_int_equal(share(&host), NB_WHOLE);
	host.view.deciding = false;
	pass(&host, 1000);
	assert_in_range(share(&host), 300, 600);
}

static void the_first_slice_is_short_whatever_is_decided(void **state)
{
	struct host host = make(8000, 0);

	(void)state;
	host.view.deciding = true;
	step(&host);
	assert_int_equal(host.duty.stage, NB_DUTY_SLICE);
	assert_int_equal(host.duty.until_nsec - host.view.now_nsec, SEC / 4);
}

/* What it costs, over the time: the ceiling holds at any price. */
static void the_budget_holds(void **state)
{
	static const uint32_t costs[] = {10,  50,  51,   60,   100,  200,
					 400, 900, 1000, 1001, 2000, 10000};

	(void)state;
	for (unsigned i = 0; i < G_N_ELEMENTS(costs); i++) {
		struct host host = make(8000, costs[i]);

		host.view.deciding = true;
		pass(&host, 2000);
		/* Slices end a little late. */
		assert_true(share(&host) * costs[i] <= 50 * NB_WHOLE * 21 / 20);
	}
}

static void what_is_too_dear_is_detached_for_half_an_hour(void **state)
{
	struct host host = make(8000, 1001);

	(void)state;
	pass(&host, 1);
	step(&host);
	assert_int_equal(host.duty.stage, NB_DUTY_DETACHED);
	assert_true(host.duty.dear_until_nsec > 0);
	assert_int_equal(host.duty.cost, 1001);
	pass(&host, 1795);
	assert_int_equal(host.n_attached, 1);
	pass(&host, 10);
	assert_int_equal(host.n_attached, 2);
}

static void what_is_almost_too_dear_is_measured_a_little(void **state)
{
	struct host host = make(8000, 1000);

	(void)state;
	host.view.deciding = true;
	pass(&host, 1000);
	assert_in_range(share(&host), 300, 500);
}

static void what_is_set_for_a_moment_is_not_left_alone_for_a_pause(void **state)
{
	struct host host = make(8000, 900);

	(void)state;
	host.view.deciding = true;
	pass(&host, 20);
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

static void recording_ends_a_pause(void **state)
{
	struct host host = make(6500, 10);

	(void)state;
	pass(&host, 2);
	assert_int_equal(host.duty.stage, NB_DUTY_PAUSED);
	host.view.everything = true;
	step(&host);
	assert_int_equal(host.duty.stage, NB_DUTY_FULL);
}

static void a_cpu_that_becomes_hot_ends_a_pause(void **state)
{
	struct host host = make(6500, 10);

	(void)state;
	pass(&host, 2);
	assert_int_equal(host.duty.stage, NB_DUTY_PAUSED);
	host.view.busiest = 7001;
	step(&host);
	assert_int_equal(host.duty.stage, NB_DUTY_SLICE);
	/* It is hot still, which is nothing new. */
	step(&host);
	assert_int_equal(host.duty.stage, NB_DUTY_PAUSED);
	step(&host);
	assert_int_equal(host.duty.stage, NB_DUTY_PAUSED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_is_attached_while_no_cpu_comes_near),
		cmocka_unit_test(what_is_not_known_attaches_nothing),
		cmocka_unit_test(calm_detaches_after_five_minutes),
		cmocka_unit_test(what_is_not_quite_calm_stays_attached),
		cmocka_unit_test(a_window_that_tells_nothing_is_not_taken_for_calm),
		cmocka_unit_test(calm_is_not_noticed_while_a_change_is_open),
		cmocka_unit_test(a_load_that_swings_attaches_once),
		cmocka_unit_test(attaching_is_rare_whatever_the_load),
		cmocka_unit_test(a_warm_host_is_measured_for_a_twentieth_of_the_time),
		cmocka_unit_test(what_is_decided_is_measured_all_the_time),
		cmocka_unit_test(the_first_slice_is_short_whatever_is_decided),
		cmocka_unit_test(the_budget_holds),
		cmocka_unit_test(what_is_too_dear_is_detached_for_half_an_hour),
		cmocka_unit_test(what_is_almost_too_dear_is_measured_a_little),
		cmocka_unit_test(what_is_set_for_a_moment_is_not_left_alone_for_a_pause),
		cmocka_unit_test(recording_has_everything_at_any_price),
		cmocka_unit_test(recording_ends_a_pause),
		cmocka_unit_test(a_cpu_that_becomes_hot_ends_a_pause),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

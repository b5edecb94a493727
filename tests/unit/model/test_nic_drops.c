/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/nic_drops.h"

#include "nicbalance/units.h"
#include "support/support.h"

#define SEC NB_NSEC_PER_SEC

/* Two NICs (ifindex 2 and 3) of two queues each, on CPUs 0 and 1; nothing is full. */
struct fixture {
	struct nb_nic_drops drops;
	struct nb_machine machine;
	struct nb_queue_state states[4];
	struct nb_nic_state nics[2];
	struct nb_snapshot snapshot;
	struct nb_cpu_load cpus[2];
	struct nb_queue_load queues[4];
	struct nb_loads loads;
};

static int set_up(void **state)
{
	struct fixture *f = g_new0(struct fixture, 1);

	nb_nic_drops_init(&f->drops);
	f->machine.generation = 1;
	for (unsigned i = 0; i < 4; i++) {
		struct nb_queue_key key = {.ifindex = i < 2 ? 2 : 3, .index = i % 2};

		f->states[i].key = key;
		f->queues[i] = (struct nb_queue_load){
			.key = key, .cpu = (int)(i % 2), .window_time = 1000};
	}
	f->cpus[1].id = 1;
	f->nics[0].ifindex = 2;
	f->nics[1].ifindex = 3;
	f->snapshot = (struct nb_snapshot){
		.machine = &f->machine,
		.queues = f->states,
		.n_queues = 4,
		.nics = f->nics,
		.n_nics = 2,
	};
	f->loads = (struct nb_loads){
		.window_nsec = SEC,
		.cpus = f->cpus,
		.n_cpus = 2,
		.queues = f->queues,
		.n_queues = 4,
	};
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	nb_nic_drops_clear(&f->drops);
	g_free(f);
	return 0;
}

/* A second passes without a reading. */
static void pass(struct fixture *f)
{
	f->snapshot.taken_nsec += SEC;
	nb_nic_drops_update(&f->drops, &f->snapshot, &f->loads);
}

/* Ten do, and the NICs are read. */
static void read_nics(struct fixture *f)
{
	for (unsigned i = 0; i < 9; i++)
		pass(f);
	f->snapshot.taken_nsec += SEC;
	for (unsigned i = 0; i < 2; i++)
		f->nics[i].read_nsec = f->snapshot.taken_nsec;
	nb_nic_drops_update(&f->drops, &f->snapshot, &f->loads);
}

static void fill(struct fixture *f, unsigned cpu)
{
	f->cpus[cpu].squeezed = 7;
	f->cpus[cpu].window_busy = 9900;
}

static void calm_down(struct fixture *f, unsigned cpu)
{
	f->cpus[cpu].squeezed = 0;
	f->cpus[cpu].window_busy = 3000;
}

static void assert_nic(const struct fixture *f, unsigned i, uint64_t per_sec,
		       enum nb_drops_cause cause)
{
	assert_int_equal(f->loads.n_nics, 2);
	assert_int_equal(f->loads.nics[i].ifindex, 2 + i);
	assert_true(f->loads.nics[i].known);
	assert_int_equal(f->loads.nics[i].dropped_per_sec, per_sec);
	assert_int_equal(f->loads.nics[i].cause, cause);
}

static void the_first_reading_gives_no_rate(void **state)
{
	struct fixture *f = *state;

	f->nics[0].missed = 1000000;
	pass(f);
	assert_false(f->loads.nics[0].known);
	read_nics(f);
	assert_false(f->loads.nics[0].known);
	assert_int_equal(f->loads.nics[0].dropped_per_sec, 0);
	read_nics(f);
	assert_nic(f, 0, 0, NB_DROPS_NONE);
	assert_false(f->queues[0].drops_known);
}

static void a_rate_is_that_between_two_readings(void **state)
{
	struct fixture *f = *state;

	read_nics(f);
	f->nics[0].missed += 12340;
	f->nics[1].missed += 9; /* less than one a second */
	for (unsigned i = 0; i < 9; i++)
		pass(f);
	assert_false(f->loads.nics[0].known);
	read_nics(f);
	assert_nic(f, 0, 12340 / 19, NB_DROPS_DEVICE);
	assert_nic(f, 1, 0, NB_DROPS_NONE);
	pass(f);
	assert_nic(f, 0, 12340 / 19, NB_DROPS_DEVICE);
	read_nics(f);
	assert_nic(f, 0, 0, NB_DROPS_NONE);
}

static void what_goes_back_has_not_grown(void **state)
{
	struct fixture *f = *state;

	f->nics[0].missed = 5000;
	f->nics[0].by_queue = true;
	f->states[1].dropped = 5000;
	read_nics(f);
	f->nics[0].missed = 10;
	f->states[1].dropped = 10;
	read_nics(f);
	assert_nic(f, 0, 0, NB_DROPS_NONE);
	f->nics[0].missed = 110;
	f->states[1].dropped = 60;
	read_nics(f);
	assert_nic(f, 0, 10, NB_DROPS_DEVICE);
	assert_int_equal(f->queues[1].dropped_per_sec, 5);
}

static void counters_of_another_kind_begin_again(void **state)
{
	struct fixture *f = *state;

	read_nics(f);
	f->nics[0].by_queue = true;
	f->states[0].dropped = 100000;
	read_nics(f);
	assert_false(f->loads.nics[0].known);
	assert_false(f->queues[0].drops_known);
	f->states[0].dropped += 100;
	read_nics(f);
	assert_nic(f, 0, 10, NB_DROPS_DEVICE);
	assert_int_equal(f->queues[0].dropped_per_sec, 10);
}

/* Some drivers count what their queues dropped in that of the device, others do not. */
static void nothing_counts_twice(void **state)
{
	struct fixture *f = *state;

	f->nics[0].by_queue = f->nics[1].by_queue = true;
	read_nics(f);
	f->states[0].dropped += 300;
	f->nics[0].missed += 300;
	f->states[2].dropped += 300;
	read_nics(f);
	assert_nic(f, 0, 30, NB_DROPS_DEVICE);
	assert_nic(f, 1, 30, NB_DROPS_DEVICE);
	assert_int_equal(f->queues[0].dropped_per_sec, 30);
	assert_true(f->queues[1].drops_known);
	assert_int_equal(f->queues[1].dropped_per_sec, 0);
}

static void drops_beside_idle_time_are_no_cpus(void **state)
{
	struct fixture *f = *state;

	f->nics[0].by_queue = true;
	read_nics(f);
	/* Neither makes a full CPU alone. */
	f->cpus[0].squeezed = 5;
	f->cpus[1].window_busy = 10000;
	f->queues[1].saturated = true;
	for (unsigned i = 0; i < 3; i++) {
		f->states[0].dropped += 50000;
		f->states[1].dropped += 50000;
		read_nics(f);
		assert_nic(f, 0, 10000, NB_DROPS_DEVICE);
		assert_int_equal(nb_cpu_load_lost(&f->cpus[0]), 0);
		assert_int_equal(nb_cpu_load_lost(&f->cpus[1]), 0);
	}
}

static void drops_of_a_queue_that_fills_its_cpu_are_the_cpus(void **state)
{
	struct fixture *f = *state;

	f->nics[0].by_queue = true;
	read_nics(f);
	fill(f, 0);
	f->states[0].dropped += 500;
	f->states[1].dropped += 500;
	read_nics(f);
	assert_nic(f, 0, 100, NB_DROPS_FULL_CPU);
	assert_int_equal(f->cpus[0].nic_dropped, 50);
	assert_int_equal(f->cpus[1].nic_dropped, 0);
	f->loads.window_nsec = SEC / 100;
	pass(f);
	assert_int_equal(f->cpus[0].nic_dropped, 1);
	f->loads.window_nsec = 0;
	pass(f);
	assert_int_equal(f->cpus[0].nic_dropped, 0);
}

/* Its polls use their whole budget, beside another one of the core that takes half of the time. */
static void a_saturated_queue_fills_its_cpu(void **state)
{
	struct fixture *f = *state;

	read_nics(f);
	f->queues[3].saturated = true;
	f->cpus[1].squeezed = 1;
	f->cpus[1].window_busy = 8000;
	f->nics[1].missed += 200;
	read_nics(f);
	assert_nic(f, 1, 20, NB_DROPS_FULL_CPU);
	assert_int_equal(f->cpus[1].nic_dropped, 20);
}

static void it_was_full_if_it_was_in_any_window(void **state)
{
	struct fixture *f = *state;

	read_nics(f);
	fill(f, 1);
	pass(f);
	calm_down(f, 1);
	f->nics[0].missed += 1100;
	read_nics(f);
	assert_nic(f, 0, 100, NB_DROPS_FULL_CPU);
	/* It runs out of budget no more. */
	assert_int_equal(f->cpus[1].nic_dropped, 0);
	f->cpus[1].squeezed = 1;
	pass(f);
	assert_int_equal(f->cpus[1].nic_dropped, 100);
}

static void drops_of_the_device_are_those_of_the_only_queue_that_fills_a_cpu(void **state)
{
	struct fixture *f = *state;

	read_nics(f);
	fill(f, 0);
	f->nics[0].missed += 700;
	read_nics(f);
	assert_nic(f, 0, 70, NB_DROPS_FULL_CPU);
	assert_true(f->queues[0].drops_known);
	assert_int_equal(f->queues[0].dropped_per_sec, 70);
	assert_false(f->queues[1].drops_known);
	assert_int_equal(f->cpus[0].nic_dropped, 70);
	assert_int_equal(f->cpus[1].nic_dropped, 0);
}

/* It is polled on the same CPU, and receives nothing. */
static void an_idle_queue_fills_nothing(void **state)
{
	struct fixture *f = *state;

	f->queues[1].cpu = 0;
	f->queues[1].window_time = 0;
	read_nics(f);
	fill(f, 0);
	f->nics[0].missed += 700;
	read_nics(f);
	assert_int_equal(f->queues[0].dropped_per_sec, 70);
	assert_false(f->queues[1].drops_known);
}

static void of_two_such_queues_neither_gets_them(void **state)
{
	struct fixture *f = *state;

	read_nics(f);
	fill(f, 0);
	fill(f, 1);
	f->nics[0].missed += 700;
	read_nics(f);
	assert_nic(f, 0, 70, NB_DROPS_FULL_CPU);
	for (unsigned i = 0; i < 2; i++) {
		assert_false(f->queues[i].drops_known);
		assert_int_equal(f->cpus[i].nic_dropped, 0);
	}
}

static void a_queue_that_moved_takes_nothing_to_its_new_cpu(void **state)
{
	struct fixture *f = *state;

	f->nics[0].by_queue = true;
	read_nics(f);
	fill(f, 0);
	fill(f, 1);
	f->states[0].dropped += 500;
	read_nics(f);
	assert_int_equal(f->cpus[0].nic_dropped, 50);
	f->queues[0].cpu = 1;
	pass(f);
	assert_int_equal(f->cpus[0].nic_dropped, 0);
	assert_int_equal(f->cpus[1].nic_dropped, 0);
	f->states[0].dropped += 500;
	read_nics(f);
	assert_int_equal(f->queues[0].dropped_per_sec, 45);
	assert_int_equal(f->loads.nics[0].cause, NB_DROPS_FULL_CPU);
	assert_int_equal(f->cpus[1].nic_dropped, 0);
	f->states[0].dropped += 500;
	read_nics(f);
	assert_int_equal(f->cpus[1].nic_dropped, 50);
}

static void a_cause_is_known_since_it_began(void **state)
{
	struct fixture *f = *state;
	uint64_t began_nsec;

	read_nics(f);
	began_nsec = f->snapshot.taken_nsec + 10 * SEC;
	for (unsigned i = 0; i < 3; i++) {
		f->nics[0].missed += 700;
		read_nics(f);
		assert_int_equal(f->loads.nics[0].since_nsec, began_nsec);
		assert_int_equal(f->loads.nics[0].read_nsec, began_nsec + i * 10 * SEC);
	}
	read_nics(f);
	assert_int_equal(f->loads.nics[0].cause, NB_DROPS_NONE);
	f->nics[0].missed += 700;
	read_nics(f);
	assert_int_equal(f->loads.nics[0].since_nsec, began_nsec + 40 * SEC);
}

/* As while the probe measures a twentieth of the time. */
static void what_is_in_no_window_has_no_cause(void **state)
{
	struct fixture *f = *state;

	read_nics(f);
	f->nics[0].missed += 700;
	f->loads.window_nsec = 0;
	read_nics(f);
	assert_nic(f, 0, 70, NB_DROPS_UNKNOWN);
	f->nics[0].missed += 700;
	read_nics(f);
	fill(f, 0);
	f->loads.window_nsec = SEC / 4;
	pass(f);
	calm_down(f, 0);
	f->nics[0].missed += 700;
	read_nics(f);
	assert_nic(f, 0, 63, NB_DROPS_FULL_CPU);
}

/* The probe does not know yet which queue it polls there. */
static void a_full_cpu_without_a_queue_of_the_nic_is_not_acquitted(void **state)
{
	struct fixture *f = *state;

	f->queues[0].window_time = 0;
	read_nics(f);
	fill(f, 0);
	f->nics[0].missed += 700;
	read_nics(f);
	assert_nic(f, 0, 70, NB_DROPS_UNKNOWN);
	calm_down(f, 0);
	f->nics[0].missed += 700;
	read_nics(f);
	assert_nic(f, 0, 70, NB_DROPS_DEVICE);
}

static void a_rescan_keeps_what_is_still_there(void **state)
{
	struct fixture *f = *state;

	f->nics[0].by_queue = f->nics[1].by_queue = true;
	f->states[3].dropped = 9000;
	read_nics(f);
	/* NIC 2 goes, and of NIC 3 queue 0. Queue 2 comes, with a counter of long ago. */
	f->machine.generation++;
	f->nics[0] = f->nics[1];
	f->states[0] = f->states[3];
	f->states[1] = (struct nb_queue_state){.key = {3, 2}, .dropped = 100000};
	f->queues[0].key = f->states[0].key;
	f->queues[1].key = f->states[1].key;
	f->snapshot.n_nics = 1;
	f->snapshot.n_queues = f->loads.n_queues = 2;
	f->states[0].dropped += 100;
	read_nics(f);
	assert_int_equal(f->loads.n_nics, 1);
	assert_int_equal(f->loads.nics[0].ifindex, 3);
	assert_int_equal(f->loads.nics[0].dropped_per_sec, 10);
	assert_int_equal(f->queues[0].dropped_per_sec, 10);
	assert_false(f->queues[1].drops_known);
}

int main(void)
{
#define claim(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		claim(the_first_reading_gives_no_rate),
		claim(a_rate_is_that_between_two_readings),
		claim(what_goes_back_has_not_grown),
		claim(counters_of_another_kind_begin_again),
		claim(nothing_counts_twice),
		claim(drops_beside_idle_time_are_no_cpus),
		claim(drops_of_a_queue_that_fills_its_cpu_are_the_cpus),
		claim(a_saturated_queue_fills_its_cpu),
		claim(it_was_full_if_it_was_in_any_window),
		claim(drops_of_the_device_are_those_of_the_only_queue_that_fills_a_cpu),
		claim(an_idle_queue_fills_nothing),
		claim(of_two_such_queues_neither_gets_them),
		claim(a_queue_that_moved_takes_nothing_to_its_new_cpu),
		claim(a_cause_is_known_since_it_began),
		claim(what_is_in_no_window_has_no_cause),
		claim(a_full_cpu_without_a_queue_of_the_nic_is_not_acquitted),
		claim(a_rescan_keeps_what_is_still_there),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/model.h"

#include "support/support.h"

#include <string.h>

#define SEC NB_NSEC_PER_SEC

/* Two readings of a host of two CPUs and one NIC of two queues, both on CPU 0. */
struct fixture {
	struct nb_model *model;
	struct nb_machine machine;
	struct nb_nic nic;
	struct nb_cpu_counters cpus[2][2];
	struct nb_queue_state queues[2][2];
	struct nb_snapshot snapshots[2];
	unsigned now;                 /* which of the two readings is the newer */
	uint64_t threaded_msec;       /* that kernel threads poll queue 0 in each timed second */
	uint32_t completed;           /* of 50 polls of queue 0 in each timed second */
	uint32_t processed_on_1;      /* packets of each second that CPU 1's protocol layers take */
	uint32_t complete_interrupts; /* that the next reading, a complete sample then, counts of
					 queue 0 */
};

static int set_up(void **state)
{
	struct fixture *f = g_new0(struct fixture, 1);

	f->model = nb_model_new();
	f->nic = (struct nb_nic){.ifindex = 2, .packets = NB_PACKETS_ETHTOOL};
	f->machine = (struct nb_machine){.generation = 1, .nics = &f->nic, .n_nics = 1};
	for (unsigned i = 0; i < 2; i++) {
		for (unsigned j = 0; j < 2; j++) {
			f->cpus[i][j].id = j;
			f->queues[i][j] = (struct nb_queue_state){.key = {.ifindex = 2, .index = j},
								  .landed_cpu = -1};
		}
		f->snapshots[i] = (struct nb_snapshot){
			.taken_nsec = SEC,
			.machine = &f->machine,
			.cpus = f->cpus[i],
			.n_cpus = 2,
			.queues = f->queues[i],
			.n_queues = 2,
		};
	}
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	nb_model_free(f->model);
	g_free(f);
	return 0;
}

/* One second in which CPU 0 spends softirq_msec on packets of both queues, 3 to 1, and CPU 1
 * user_msec. */
static const struct nb_loads *second(struct fixture *f, uint64_t softirq_msec, uint64_t user_msec)
{
	const uint64_t msec = SEC / 1000;
	unsigned before = f->now;
	unsigned now = f->now ^= 1;

	memcpy(f->cpus[now], f->cpus[before], sizeof(f->cpus[now]));
	memcpy(f->queues[now], f->queues[before], sizeof(f->queues[now]));
	f->snapshots[now].taken_nsec = f->snapshots[before].taken_nsec + SEC;
	f->cpus[now][0].softirq_nsec += softirq_msec * msec;
	f->cpus[now][0].idle_nsec += (1000 - softirq_msec) * msec;
	f->cpus[now][0].net_rx += 100;
	f->cpus[now][0].processed += 4000;
	f->cpus[now][1].processed += f->processed_on_1;
	f->cpus[now][1].user_nsec += user_msec * msec;
	f->cpus[now][1].idle_nsec += (1000 - user_msec) * msec;
	f->queues[now][0].rx_packets += 3000;
	f->queues[now][0].interrupts += f->complete_interrupts;
	f->snapshots[now].complete = f->complete_interrupts > 0;
	f->complete_interrupts = 0;
	f->queues[now][1].rx_packets += 1000;
	return nb_model_update(f->model, &f->snapshots[before], &f->snapshots[now]);
}

static void without_a_window_nothing_is_known(void **state)
{
	struct fixture *f = *state;

	assert_true(nb_model_update(f->model, NULL, &f->snapshots[0])->window_nsec == 0);
	assert_true(nb_model_update(f->model, &f->snapshots[0], &f->snapshots[0])->window_nsec ==
		    0);
}

static void splits_a_cpu_into_queues_and_the_rest(void **state)
{
	struct fixture *f = *state;
	const struct nb_loads *loads = second(f, 400, 250);

	assert_int_equal(loads->queues[0].time, 3000);
	assert_int_equal(loads->queues[1].time, 1000);
	assert_int_equal(loads->cpus[0].queues, 4000);
	assert_int_equal(loads->cpus[0].fixed, 0);
	assert_int_equal(loads->cpus[0].busy, 4000);
	assert_int_equal(loads->cpus[1].queues, 0);
	assert_int_equal(loads->cpus[1].fixed, 2500);
	assert_true(loads->queues[0].rx_packets_per_sec == 3000);
}

static void smooths_three_tenths_a_second(void **state)
{
	struct fixture *f = *state;
	const struct nb_loads *loads;

	for (unsigned i = 0; i < 4; i++)
		second(f, 400, 0);
	loads = second(f, 500, 0);
	assert_int_equal(loads->cpus[0].busy, 4000 + 1000 * 3 / 10);
	assert_int_equal(loads->cpus[0].window_busy, 5000);
}

/* Queue 0 has three quarters of it. */
static void a_shift_is_followed_at_once(void **state)
{
	struct fixture *f = *state;
	const struct nb_loads *loads;

	for (unsigned i = 0; i < 8; i++)
		loads = second(f, 400, 100);
	assert_int_equal(loads->cpus[1].steady_nsec, 8 * NB_NSEC_PER_SEC);
	assert_false(loads->shifted);
	loads = second(f, 800, 400);
	assert_true(loads->shifted);
	assert_int_equal(loads->cpus[0].steady_nsec, 9 * NB_NSEC_PER_SEC);
	assert_int_equal(loads->cpus[1].steady_nsec, NB_NSEC_PER_SEC);
	assert_int_equal(loads->queues[0].time, 6000);
	assert_int_equal(loads->queues[1].time, 1000 + 1000 * 3 / 10);
	assert_int_equal(loads->cpus[1].fixed, 4000);
	assert_in_range(loads->noise, 1, 1500 * 372 / 1000);
	assert_false(second(f, 800, 400)->shifted);
}

static void a_window_is_told_as_it_was(void **state)
{
	struct fixture *f = *state;
	const struct nb_loads *loads;

	for (unsigned i = 0; i < 4; i++)
		second(f, 400, 250);
	loads = second(f, 500, 350);
	assert_int_equal(loads->queues[0].window_time, 3750);
	assert_int_equal(loads->queues[1].window_time, 1250);
	assert_int_equal(loads->cpus[0].window_fixed, 0);
	assert_int_equal(loads->cpus[0].window_backlog, 0);
	assert_int_equal(loads->cpus[1].window_fixed, 3500);
	assert_true(loads->queues[0].time < 3750 && loads->cpus[1].fixed < 3500);
}

static void a_moved_queue_takes_its_cost_along_at_once(void **state)
{
	struct fixture *f = *state;
	const struct nb_loads *loads;

	for (unsigned i = 0; i < 4; i++)
		second(f, 400, 0);
	f->queues[f->now][0].landed_cpu = 1;
	f->complete_interrupts = 1000;
	f->processed_on_1 = 3000;
	loads = second(f, 400, 0);
	assert_int_equal(loads->queues[0].cpu, 1);
	assert_true(loads->cpus[1].queues > 2000);
	assert_true(loads->cpus[0].queues < 2000);
}

/* As the sampler hands them over: the count stands still between complete samples. */
static void interrupts_are_rated_from_audit_to_audit(void **state)
{
	struct fixture *f = *state;
	const struct nb_loads *loads;

	nb_model_update(f->model, NULL, &f->snapshots[0]);
	for (unsigned i = 0; i < 3; i++)
		assert_true(second(f, 400, 0)->queues[0].interrupts_per_sec == 0);
	f->complete_interrupts = 2000;
	loads = second(f, 400, 0);
	assert_true(loads->queues[0].interrupts_per_sec == 500);
	assert_true(second(f, 400, 0)->queues[0].interrupts_per_sec == 500);
}

/* Such a window is left out as a whole, but the count of interrupts goes on. */
static void a_window_that_is_left_out_makes_no_rate_too_high(void **state)
{
	struct fixture *f = *state;

	nb_model_update(f->model, NULL, &f->snapshots[0]);
	for (unsigned i = 0; i < 3; i++)
		second(f, 400, 0);
	nb_model_update(f->model, NULL, &f->snapshots[f->now]);
	f->complete_interrupts = 2000;
	assert_true(second(f, 400, 0)->queues[0].interrupts_per_sec == 500);
}

static void a_queue_that_defers_interrupts_and_raised_none_is_polled_by_a_timer(void **state)
{
	struct fixture *f = *state;
	const struct nb_loads *loads;

	f->queues[0][0].defers = true;
	nb_model_update(f->model, NULL, &f->snapshots[0]);
	loads = second(f, 400, 0);
	assert_true(loads->queues[0].deferred);
	assert_false(loads->queues[1].deferred);
	f->complete_interrupts = 2000;
	assert_false(second(f, 400, 0)->queues[0].deferred);
	assert_false(second(f, 400, 0)->queues[0].deferred);
	f->complete_interrupts = 1;
	assert_true(second(f, 400, 0)->queues[0].deferred);
	/* One without packets waits for its interrupt. */
	assert_false(second(f, 0, 0)->queues[0].deferred);
}

static void a_rescan_keeps_what_was_learnt(void **state)
{
	struct fixture *f = *state;
	const struct nb_loads *loads;

	for (unsigned i = 0; i < 4; i++)
		second(f, 400, 0);
	f->machine.generation++;
	loads = second(f, 500, 0);
	assert_int_equal(loads->cpus[0].busy, 4300);
}

static void a_queue_that_is_never_done_stays_across_a_rescan(void **state)
{
	struct fixture *f = *state;

	f->queues[0][0].landed_cpu = f->queues[0][1].landed_cpu = 0;
	f->complete_interrupts = 1000;
	second(f, 400, 0);
	f->queues[f->now][0].landed_cpu = -1;
	f->queues[f->now][0].effective_cpu = 1;
	f->machine.generation++;
	f->complete_interrupts = 1;
	assert_int_equal(second(f, 400, 0)->queues[0].cpu, 0);
}

static void a_cpu_that_comes_online_begins_anew(void **state)
{
	struct fixture *f = *state;
	const struct nb_loads *loads;

	f->snapshots[0].n_cpus = f->snapshots[1].n_cpus = 1;
	second(f, 400, 0);
	f->snapshots[f->now ^ 1].n_cpus = 2;
	f->machine.generation++;
	loads = second(f, 400, 300);
	assert_int_equal(loads->n_cpus, 2);
	f->snapshots[f->now ^ 1].n_cpus = 2;
	loads = second(f, 400, 300);
	assert_int_equal(loads->cpus[1].busy, 3000);
}

static void steady_load_has_no_noise_and_jumps_have(void **state)
{
	struct fixture *f = *state;

	for (unsigned i = 0; i < 5; i++)
		assert_int_equal(second(f, 500, 0)->noise, 0);
	for (unsigned i = 0; i < 20; i++)
		second(f, i % 2 ? 200 : 800, 0);
	assert_in_range(second(f, 500, 0)->noise, 450, 1500 * 372 / 1000);
}

/* It moved in the middle of a window. */
static void neither_window_of_a_queue_that_moves_is_noise(void **state)
{
	struct fixture *f = *state;

	f->processed_on_1 = 1000;
	for (unsigned i = 0; i < 5; i++)
		second(f, 800, 0);
	f->queues[f->now][0].landed_cpu = 0;
	f->queues[f->now][1].landed_cpu = 1;
	f->complete_interrupts = 100;
	assert_int_equal(second(f, 600, 0)->noise, 0);
	assert_int_equal(second(f, 400, 0)->noise, 0);
	assert_int_not_equal(second(f, 500, 0)->noise, 0);
}

static void an_application_on_a_cpu_without_queues_is_no_noise(void **state)
{
	struct fixture *f = *state;

	for (unsigned i = 0; i < 10; i++)
		assert_int_equal(second(f, 500, i % 2 ? 300 : 400)->noise, 0);
}

/* A window in which CPU 0 spends so many milliseconds on queue 0, and CPU 1 on queue 1. */
static const struct nb_loads *window_apart(struct fixture *f, uint64_t window_nsec, uint64_t msec_0,
					   uint64_t msec_1)
{
	const uint64_t msec[] = {msec_0, msec_1};
	unsigned before = f->now;
	unsigned now = f->now ^= 1;

	memcpy(f->cpus[now], f->cpus[before], sizeof(f->cpus[now]));
	memcpy(f->queues[now], f->queues[before], sizeof(f->queues[now]));
	f->snapshots[now].taken_nsec = f->snapshots[before].taken_nsec + window_nsec;
	for (unsigned i = 0; i < 2; i++) {
		f->cpus[now][i].softirq_nsec += msec[i] * NB_NSEC_PER_MSEC;
		f->cpus[now][i].idle_nsec += window_nsec - msec[i] * NB_NSEC_PER_MSEC;
		f->cpus[now][i].net_rx += 100;
		f->cpus[now][i].processed += 1000;
		f->queues[now][i].effective_cpu = (int)i;
		f->queues[now][i].rx_packets += 1000;
	}
	return nb_model_update(f->model, &f->snapshots[before], &f->snapshots[now]);
}

static const struct nb_loads *second_apart(struct fixture *f, uint64_t msec_0, uint64_t msec_1)
{
	return window_apart(f, SEC, msec_0, msec_1);
}

/* Half of it, where it was 80 % before and after. */
static void a_window_of_a_few_ticks_tells_nothing_of_the_noise(void **state)
{
	struct fixture *f = *state;

	for (unsigned i = 0; i < 5; i++)
		second_apart(f, 800, 100);
	window_apart(f, SEC * 2 / 5, 200, 40);
	assert_int_equal(second_apart(f, 800, 100)->noise, 0);
	assert_int_equal(second_apart(f, 800, 100)->noise, 0);
}

/* The idle one goes to and fro by 500. By the squares of the loads, 8000 and 1250, that is 12 of
 * all CPUs; by the loads themselves it would be 68. */
static void an_idle_cpu_makes_little_of_the_noise(void **state)
{
	struct fixture *f = *state;

	for (unsigned i = 0; i < 30; i++)
		second_apart(f, 800, i % 2 ? 150 : 100);
	assert_in_range(second_apart(f, 800, 100)->noise, 1, 12 * 372 / 1000 + 4);
}

/* The smoothed load takes seconds to come up to it. */
static void a_step_is_noise_once(void **state)
{
	struct fixture *f = *state;
	uint32_t noise;

	for (unsigned i = 0; i < 8; i++)
		second(f, 400, 0);
	noise = second(f, 500, 0)->noise;
	assert_int_not_equal(noise, 0);
	for (unsigned i = 0; i < 4; i++) {
		uint32_t next = second(f, 500, 0)->noise;

		assert_true(next < noise);
		noise = next;
	}
}

/* One second in which queue 0 is polled for msec on CPU cpu, beside msec of backlog there, and that
 * CPU's times say user_msec if they are read. */
static const struct nb_loads *timed_second(struct fixture *f, unsigned cpu, uint64_t msec,
					   uint64_t user_msec, bool times)
{
	const uint64_t nsec = SEC / 1000;
	unsigned before = f->now, now = f->now ^= 1;

	memcpy(f->cpus[now], f->cpus[before], sizeof(f->cpus[now]));
	memcpy(f->queues[now], f->queues[before], sizeof(f->queues[now]));
	f->snapshots[before].grade = NB_GRADE_MEASURED;
	f->snapshots[now].grade = NB_GRADE_MEASURED;
	f->snapshots[now].taken_nsec = f->snapshots[before].taken_nsec + SEC;
	f->snapshots[now].times_nsec =
		times ? f->snapshots[now].taken_nsec : f->snapshots[before].times_nsec;
	f->cpus[now][cpu].softirq_nsec += 2 * msec * nsec;
	f->cpus[now][cpu].queues_nsec += msec * nsec;
	f->cpus[now][cpu].backlog_nsec += msec * nsec;
	if (times)
		f->cpus[now][cpu].user_nsec += user_msec * nsec;
	f->queues[now][0].time_nsec += msec * nsec;
	f->queues[now][0].threaded_nsec += f->threaded_msec * nsec;
	f->queues[now][0].polled_packets += 3000;
	f->queues[now][0].polls += 50;
	f->queues[now][0].exhausted += 50 - f->completed;
	f->queues[now][0].polled_cpu = (int)cpu;
	return nb_model_update(f->model, &f->snapshots[before], &f->snapshots[now]);
}

static void timed_queues_cost_what_they_cost_and_the_rest_stays(void **state)
{
	struct fixture *f = *state;
	const struct nb_loads *loads;

	f->snapshots[f->now].times_nsec = SEC;
	loads = timed_second(f, 1, 200, 100, true);
	assert_int_equal(loads->queues[0].time, 2000);
	assert_int_equal(loads->queues[0].cpu, 1);
	assert_int_equal(loads->queues[0].rx_packets_per_sec, 3000);
	assert_true(loads->queues[0].saturated);
	assert_int_equal(loads->queues[1].time, 0);
	assert_false(loads->queues[1].saturated);
	assert_int_equal(loads->cpus[1].queues, 2000);
	assert_int_equal(loads->cpus[1].fixed, 3000);
	assert_int_equal(loads->cpus[1].backlog, 2000);
	assert_int_equal(loads->cpus[1].window_backlog, 2000);
	assert_int_equal(loads->cpus[1].busy, 5000);
}

static void what_applications_had_before_a_cpu_was_full_is_remembered(void **state)
{
	struct fixture *f = *state;
	const struct nb_loads *loads;

	f->snapshots[f->now].times_nsec = SEC;
	for (unsigned i = 0; i < 3; i++)
		loads = timed_second(f, 1, 50, 300, true);
	assert_int_equal(loads->cpus[1].fixed, 3500);
	assert_int_equal(loads->cpus[1].starved, 0);
	loads = timed_second(f, 1, 450, 100, true);
	assert_int_equal(loads->cpus[1].window_busy, 10000);
	assert_int_equal(loads->cpus[1].fixed, 5500);
	assert_int_equal(loads->cpus[1].starved, 2000);
	loads = timed_second(f, 1, 450, 100, true);
	assert_int_equal(loads->cpus[1].starved, 2000);
	loads = timed_second(f, 1, 400, 100, true);
	assert_int_equal(loads->cpus[1].starved, 0);
	loads = timed_second(f, 1, 450, 100, true);
	assert_int_equal(loads->cpus[1].starved, 0);
}

/* Starved in the last of so many seconds without idle time, after so many with some. */
static uint32_t starved_after(struct fixture *f, unsigned idle_seconds, unsigned full_seconds)
{
	uint32_t starved = 0;

	f->snapshots[f->now].times_nsec = SEC;
	for (unsigned i = 0; i < idle_seconds; i++)
		timed_second(f, 1, 50, 400, true);
	for (unsigned i = 0; i < full_seconds; i++)
		starved = timed_second(f, 1, 490, 20, true)->cpus[1].starved;
	return starved;
}

static void an_application_seen_for_a_moment_counts_for_ten_seconds(void **state)
{
	struct fixture *f = *state;

	assert_in_range(starved_after(f, 2, 10), 2000, 5000);
	assert_int_equal(starved_after(f, 0, 1), 0);
	assert_in_range(starved_after(f, 2, 10), 2000, 5000);
}

static void an_application_that_lasted_counts_until_there_is_idle_time(void **state)
{
	struct fixture *f = *state;

	assert_in_range(starved_after(f, 3, 100), 2000, 5000);
}

static void an_application_that_comes_with_another_is_seen_anew(void **state)
{
	struct fixture *f = *state;

	f->snapshots[f->now].times_nsec = SEC;
	for (unsigned i = 0; i < 5; i++)
		timed_second(f, 1, 50, 100, true);
	assert_in_range(starved_after(f, 2, 10), 2000, 5000);
	assert_int_equal(starved_after(f, 0, 1), 0);
}

static void a_little_less_for_applications_is_noise(void **state)
{
	struct fixture *f = *state;

	f->snapshots[f->now].times_nsec = SEC;
	timed_second(f, 1, 50, 240, true);
	assert_int_equal(timed_second(f, 1, 450, 100, true)->cpus[1].starved, 0);
}

static void a_saturated_queue_wants_what_it_had(void **state)
{
	struct fixture *f = *state;
	const struct nb_loads *loads;

	f->snapshots[f->now].times_nsec = SEC;
	f->completed = 1;
	for (unsigned i = 0; i < 3; i++)
		loads = timed_second(f, 1, 300, 0, true);
	assert_false(loads->queues[0].saturated);
	assert_int_equal(loads->queues[0].wanted, 0);
	f->completed = 0;
	loads = timed_second(f, 1, 200, 600, true);
	assert_true(loads->queues[0].saturated);
	assert_true(loads->queues[0].time < 3000);
	assert_int_equal(loads->queues[0].wanted, 3000);
	loads = timed_second(f, 1, 490, 20, true);
	assert_true(loads->queues[0].time > 3000);
	assert_int_equal(loads->queues[0].wanted, 0);
}

/* Beside a full CPU's applications a queue may get less without being saturated, and where RPS
 * takes its packets it needs less. */
static void neither_a_full_cpu_nor_rps_shows_what_a_queue_wants(void **state)
{
	struct fixture *f = *state;
	struct nb_rps_state mask = {.key = {.ifindex = 2, .index = 0}};
	const struct nb_loads *loads;

	nb_cpumask_add(&mask.cpus, 0);
	f->snapshots[f->now].times_nsec = SEC;
	f->completed = 1;
	for (unsigned i = 0; i < 3; i++)
		timed_second(f, 1, 300, 0, true);
	for (unsigned i = 0; i < 3; i++)
		timed_second(f, 1, 200, 600, true);
	for (unsigned i = 0; i < 2; i++) {
		f->snapshots[i].rps = &mask;
		f->snapshots[i].n_rps = 1;
	}
	for (unsigned i = 0; i < 3; i++)
		timed_second(f, 1, 100, 0, true);
	f->completed = 0;
	loads = timed_second(f, 1, 200, 600, true);
	assert_int_equal(loads->queues[0].wanted, 3000);
}

/* Back in softirqs, the work is too little to be a shift. */
static void threads_that_poll_no_more_are_forgotten_at_once(void **state)
{
	struct fixture *f = *state;
	const struct nb_loads *loads;

	f->snapshots[f->now].times_nsec = SEC;
	f->threaded_msec = 300;
	for (unsigned i = 0; i < 8; i++)
		loads = timed_second(f, 1, 50, 0, true);
	assert_int_equal(loads->queues[0].threaded, 3000);
	assert_int_equal(loads->queues[0].window_threaded, 3000);
	f->threaded_msec = 0;
	loads = timed_second(f, 1, 150, 0, true);
	assert_int_equal(loads->queues[0].threaded, 0);
	assert_int_equal(loads->queues[0].time, 1500);
}

static void times_that_were_not_read_go_on_as_they_were(void **state)
{
	struct fixture *f = *state;
	const struct nb_loads *loads;

	f->snapshots[f->now].times_nsec = SEC;
	timed_second(f, 1, 200, 100, true);
	loads = timed_second(f, 1, 200, 0, false);
	assert_int_equal(loads->cpus[1].fixed, 3000);
	/* Two seconds' worth, read at once. */
	loads = timed_second(f, 1, 200, 200, true);
	assert_int_equal(loads->cpus[1].fixed, 3000);
}

static void work_of_a_queue_that_moved_is_the_rest_of_no_cpu(void **state)
{
	struct fixture *f = *state;
	const struct nb_loads *loads;

	f->snapshots[f->now].times_nsec = SEC;
	timed_second(f, 0, 200, 0, true);
	loads = timed_second(f, 1, 200, 0, true);
	assert_int_equal(loads->cpus[0].queues, 0);
	assert_int_equal(loads->cpus[1].queues, 2000);
	assert_true(loads->cpus[0].fixed < 2000);
	assert_true(loads->cpus[1].fixed <= 2000);
}

static void two_grades_cannot_be_compared(void **state)
{
	struct fixture *f = *state;

	second(f, 400, 300);
	f->snapshots[f->now].grade = NB_GRADE_MEASURED;
	assert_true(nb_model_update(f->model, &f->snapshots[!f->now], &f->snapshots[f->now])
			    ->window_nsec == 0);
}

/* A window of so long in which CPU 1 is full and no queue is polled. */
static const struct nb_loads *fill(struct fixture *f, uint64_t nsec)
{
	unsigned before = f->now, now = f->now ^= 1;

	memcpy(f->cpus[now], f->cpus[before], sizeof(f->cpus[now]));
	memcpy(f->queues[now], f->queues[before], sizeof(f->queues[now]));
	f->snapshots[now].taken_nsec = f->snapshots[before].taken_nsec + nsec;
	f->snapshots[now].times_nsec = f->snapshots[now].taken_nsec;
	f->cpus[now][1].softirq_nsec += nsec;
	f->cpus[now][1].squeezed++;
	return nb_model_update(f->model, &f->snapshots[before], &f->snapshots[now]);
}

static void what_waits_for_its_turn_still_does_on_a_new_machine(void **state)
{
	struct fixture *f = *state;
	const struct nb_loads *loads;

	f->snapshots[f->now].times_nsec = SEC;
	assert_true(timed_second(f, 1, 450, 100, true)->queues[0].saturated);
	f->machine.generation++;
	nb_model_update(f->model, NULL, &f->snapshots[f->now]);
	loads = fill(f, SEC / 5);
	assert_int_equal(loads->queues[0].cpu, 1);
	assert_true(loads->queues[0].saturated);
	assert_int_equal(loads->queues[1].cpu, 0);
}

static void what_a_new_machine_has_in_common_with_the_last_stays_known(void **state)
{
	struct fixture *f = *state;
	const struct nb_queue_load fresh_queue = {.key = {3, 1}, .cpu = -1};
	const struct nb_loads *loads;
	struct nb_cpu_load cpu;
	struct nb_queue_load queue;

	nb_model_update(f->model, NULL, &f->snapshots[0]);
	loads = second(f, 400, 300);
	cpu = loads->cpus[0];
	queue = loads->queues[0];
	assert_int_equal(cpu.id, 0);
	assert_true(queue.time > 0);
	f->machine.generation = 2;
	f->cpus[f->now][1].id = 9;
	f->queues[f->now][1].key.ifindex = 3;
	loads = nb_model_update(f->model, NULL, &f->snapshots[f->now]);
	assert_int_equal(loads->window_nsec, 0);
	assert_memory_equal(&loads->cpus[0], &cpu, sizeof(cpu));
	assert_memory_equal(&loads->queues[0], &queue, sizeof(queue));
	assert_int_equal(loads->cpus[1].id, 9);
	assert_int_equal(loads->cpus[1].busy, 0);
	assert_memory_equal(&loads->queues[1], &fresh_queue, sizeof(fresh_queue));
}

/* A timed second of so many runs of CPU 1 that wait for less than 8 ms; -1: they are not counted.
 */
static const struct nb_cpu_load *wait_second(struct fixture *f, int runs, bool spoilt)
{
	unsigned before = f->now, now = f->now ^= 1;
	const struct nb_loads *loads;

	memcpy(f->cpus[now], f->cpus[before], sizeof(f->cpus[now]));
	f->snapshots[now].taken_nsec = f->snapshots[before].taken_nsec + SEC;
	f->snapshots[0].grade = f->snapshots[1].grade = NB_GRADE_MEASURED;
	f->cpus[now][1].delays_known = runs >= 0;
	f->cpus[now][1].delays[13] += runs > 0 ? (uint32_t)runs : 0;
	loads = nb_model_update(f->model, spoilt ? NULL : &f->snapshots[before],
				&f->snapshots[now]);
	assert_false(loads->cpus[0].delay_known);
	return &loads->cpus[1];
}

static void the_delay_of_a_window_is_known_of_enough_runs(void **state)
{
	struct fixture *f = *state;

	assert_false(wait_second(f, 200, true)->delay_known);
	assert_true(wait_second(f, 100, false)->delay_known);
	assert_in_range(f->snapshots[f->now].taken_nsec, 3 * SEC, 3 * SEC);
	assert_int_equal(wait_second(f, 200, false)->delay_msec, 1000);
	assert_in_range(wait_second(f, 200, false)->delay_usec, 8100, 8192);
}

static void few_runs_are_collected_over_windows(void **state)
{
	struct fixture *f = *state;

	wait_second(f, 0, true);
	assert_false(wait_second(f, 40, false)->delay_known);
	assert_false(wait_second(f, 40, false)->delay_known);
	assert_true(wait_second(f, 40, false)->delay_known);
	for (unsigned i = 0; i < 30; i++)
		assert_false(wait_second(f, 15, false)->delay_known);
}

static void a_delay_does_not_reach_over_a_pause(void **state)
{
	struct fixture *f = *state;

	wait_second(f, 0, true);
	wait_second(f, 60, false);
	assert_false(wait_second(f, 60, true)->delay_known);
	assert_false(wait_second(f, 60, false)->delay_known);
	assert_false(wait_second(f, -1, false)->delay_known);
	assert_false(wait_second(f, 200, false)->delay_known);
	assert_int_equal(wait_second(f, 200, false)->delay_msec, 1000);
}

/* CPU 1 does half as much in a time. */
static void what_is_known_of_a_queue_is_twice_as_much_on_a_small_cpu(void **state)
{
	struct fixture *f = *state;
	struct nb_cpu cpus[] = {{.id = 0, .capacity = NB_WHOLE}, {.id = 1, .capacity = 5000}};
	const struct nb_loads *loads;

	f->machine.topology.cpus = cpus;
	f->machine.topology.n_cpus = 2;
	f->snapshots[f->now].times_nsec = SEC;
	f->completed = 1;
	for (unsigned i = 0; i < 3; i++)
		loads = timed_second(f, 0, 200, 0, true);
	assert_int_equal(loads->queues[0].time, 2000);
	loads = timed_second(f, 1, 400, 0, true);
	assert_int_equal(loads->queues[0].time, 4000);
	for (unsigned i = 0; i < 3; i++)
		loads = timed_second(f, 0, 200, 0, true);
	f->completed = 0;
	loads = timed_second(f, 1, 300, 0, true);
	assert_true(loads->queues[0].saturated);
	assert_int_equal(loads->queues[0].wanted, 4000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(the_delay_of_a_window_is_known_of_enough_runs,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(few_runs_are_collected_over_windows, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(a_delay_does_not_reach_over_a_pause, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(what_waits_for_its_turn_still_does_on_a_new_machine,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			what_a_new_machine_has_in_common_with_the_last_stays_known, set_up,
			tear_down),
		cmocka_unit_test_setup_teardown(without_a_window_nothing_is_known, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(splits_a_cpu_into_queues_and_the_rest, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(smooths_three_tenths_a_second, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_shift_is_followed_at_once, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_window_is_told_as_it_was, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_moved_queue_takes_its_cost_along_at_once, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(interrupts_are_rated_from_audit_to_audit, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(a_window_that_is_left_out_makes_no_rate_too_high,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			a_queue_that_defers_interrupts_and_raised_none_is_polled_by_a_timer, set_up,
			tear_down),
		cmocka_unit_test_setup_teardown(a_rescan_keeps_what_was_learnt, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_queue_that_is_never_done_stays_across_a_rescan,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_cpu_that_comes_online_begins_anew, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(a_step_is_noise_once, set_up, tear_down),
		cmocka_unit_test_setup_teardown(an_application_on_a_cpu_without_queues_is_no_noise,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_window_of_a_few_ticks_tells_nothing_of_the_noise,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(neither_window_of_a_queue_that_moves_is_noise,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(an_idle_cpu_makes_little_of_the_noise, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(steady_load_has_no_noise_and_jumps_have, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(timed_queues_cost_what_they_cost_and_the_rest_stays,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			what_applications_had_before_a_cpu_was_full_is_remembered, set_up,
			tear_down),
		cmocka_unit_test_setup_teardown(
			an_application_seen_for_a_moment_counts_for_ten_seconds, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			an_application_that_lasted_counts_until_there_is_idle_time, set_up,
			tear_down),
		cmocka_unit_test_setup_teardown(an_application_that_comes_with_another_is_seen_anew,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_little_less_for_applications_is_noise, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(a_saturated_queue_wants_what_it_had, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(neither_a_full_cpu_nor_rps_shows_what_a_queue_wants,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(threads_that_poll_no_more_are_forgotten_at_once,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(times_that_were_not_read_go_on_as_they_were, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(work_of_a_queue_that_moved_is_the_rest_of_no_cpu,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(two_grades_cannot_be_compared, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			what_is_known_of_a_queue_is_twice_as_much_on_a_small_cpu, set_up,
			tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

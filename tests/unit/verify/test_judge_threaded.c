/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unit/verify/judge_fixture.h"

/* Two queues of 4500 on CPU 0: threaded NAPI was switched on for it. */
static struct nb_threaded_memory *begin(struct fixture *f, uint32_t before, uint64_t packets_before)
{
	struct nb_threaded_memory *threaded = nb_memory_get_threaded(
		&f->host->memory, nb_queue_key_every(f->host->machine.nics[0].ifindex));

	threaded->on = true;
	threaded->failures = 1;
	threaded->trial = (struct nb_threaded_trial){
		.active = true, .before = before, .packets_per_sec_before = packets_before};
	return threaded;
}

static void look(struct fixture *f)
{
	nb_verify_judge(&f->host->snapshot, &f->host->loads, &f->host->policy, &f->host->memory,
			f->findings);
}

/* Of the second queue. */
#define SOFTIRQS 300

/* CPU 0 is so busy, and CPU 3, where the thread of the first queue ran for so long. Packets of a
 * queue are as many as its load, in this host. */
static void judge_loads(struct fixture *f, uint32_t first, uint32_t last, uint32_t threaded)
{
	const struct nb_threaded_memory *memory = &f->host->memory.threaded[0];

	f->host->snapshot.complete = false;
	f->host->snapshot.queues[0].thread_cpu = 3;
	f->host->snapshot.queues[1].thread_cpu = -1;
	f->host->fixed[3] = last;
	for (unsigned i = 0; i < 2; i++) {
		assert_true(memory->trial.active);
		nb_host_tick(f->host, NB_NSEC_PER_SEC);
		f->host->loads.cpus[0].window_busy = first;
		f->host->loads.queues[0].window_threaded = threaded;
		f->host->loads.queues[1].window_time = SOFTIRQS;
		look(f);
	}
	assert_false(memory->trial.active);
}

static void it_helps_if_neither_cpu_is_as_hot_as_the_one_was(void **state)
{
	struct fixture *f = *state;
	uint32_t gain = f->host->policy.minimum_gain;
	const struct nb_threaded_memory *threaded = begin(f, 8500, 9000);

	judge_loads(f, 3000, 8500 - gain, 4000);
	assert_false(threaded->no_gain);
	assert_int_equal(threaded->failures, 0);
	assert_int_equal(only_finding(f)->event, NB_EVENT_STEERED);
	assert_int_equal(only_finding(f)->kind, NB_KIND_THREADED);
	assert_int_equal(nb_queue_key_compare(only_finding(f)->key, threaded->key), 0);
	assert_int_equal(only_finding(f)->effect, NB_EFFECT_WORKED);
	assert_int_equal(only_finding(f)->measured, 8500 - gain);
}

static void a_thread_that_only_takes_the_heat_along_did_not_help(void **state)
{
	struct fixture *f = *state;
	uint32_t gain = f->host->policy.minimum_gain;
	const struct nb_threaded_memory *threaded = begin(f, 8500, 9000);

	judge_loads(f, 3000, 8501 - gain, 4000);
	assert_true(threaded->no_gain);
	assert_int_equal(threaded->failures, 2);
	assert_int_equal(only_finding(f)->effect, NB_EFFECT_NO_GAIN);
	begin(f, 8500, 9000);
	judge_loads(f, 8501 - gain, 3000, 4000);
	assert_true(threaded->no_gain);
}

/* Packets and threads of the others are none of its business. */
static void of_a_queue_alone_it_is_the_queue_that_counts(void **state)
{
	struct fixture *f = *state;
	struct nb_threaded_memory *threaded = begin(f, 8500, 4500);

	threaded->key.index = 1;
	judge_loads(f, 3000, 9900, 4000);
	assert_false(threaded->no_gain);
	assert_int_equal(only_finding(f)->key.index, 1);
	assert_int_equal(only_finding(f)->measured, 3000);
	threaded->trial = (struct nb_threaded_trial){
		.active = true, .before = 8500, .packets_per_sec_before = 4500 + 4500 / 18};
	judge_loads(f, 3000, 9900, 4000);
	assert_true(threaded->no_gain);
}

static void where_a_thread_hardly_runs_does_not_count(void **state)
{
	struct fixture *f = *state;
	const struct nb_threaded_memory *threaded = begin(f, 8500, 9000);

	judge_loads(f, 3000, 9900, f->host->policy.minimum_gain - 1);
	assert_false(threaded->no_gain);
	begin(f, 8500, 9000);
	judge_loads(f, 3000, 9900, f->host->policy.minimum_gain);
	assert_true(threaded->no_gain);
}

/* It waits for applications, and packets are lost. */
static void a_cooler_cpu_with_fewer_packets_is_no_help(void **state)
{
	struct fixture *f = *state;
	const struct nb_threaded_memory *threaded = begin(f, 8500, 9473);

	judge_loads(f, 3000, 3000, 4000);
	assert_false(threaded->no_gain);
	begin(f, 8500, 9474); /* 9000 are less than 95 % of that */
	judge_loads(f, 3000, 3000, 4000);
	assert_true(threaded->no_gain);
}

static void of_a_full_cpu_it_is_enough_that_more_packets_are_received(void **state)
{
	struct fixture *f = *state;
	const struct nb_threaded_memory *threaded = begin(f, 10000, 8571);

	judge_loads(f, 10000, 10000, 4000);
	assert_false(threaded->no_gain);
	begin(f, 10000, 8572); /* 9000 are less than 105 % of that */
	judge_loads(f, 10000, 10000, 4000);
	assert_true(threaded->no_gain);
	begin(f, f->host->policy.panic, 8571);
	judge_loads(f, 10000, 10000, 4000);
	assert_true(threaded->no_gain);
}

/* Of the same packets: 9000 a second, for which threads and softirqs take 43 % of a CPU now. */
static void it_tells_what_softirqs_take_for_what_a_thread_takes(void **state)
{
	struct fixture *f = *state;
	struct nb_threaded_memory *threaded = begin(f, 8500, 9000);

	threaded->load = (4000 + SOFTIRQS) / 2;
	judge_loads(f, 3000, 3000, 4000);
	assert_int_equal(threaded->softirq_share, NB_WHOLE / 2);
	begin(f, 8500, 4500);
	judge_loads(f, 3000, 3000, 4000);
	assert_int_equal(threaded->softirq_share, NB_WHOLE);
	begin(f, 8500, 0);
	judge_loads(f, 3000, 3000, 4000);
	assert_int_equal(threaded->softirq_share, 0);
}

static void too_little_time_tells_nothing_of_softirqs(void **state)
{
	struct fixture *f = *state;
	struct nb_threaded_memory *threaded = begin(f, 8500, 9000);
	uint32_t gain = f->host->policy.minimum_gain;

	threaded->load = gain;
	judge_loads(f, 3000, 3000, gain - SOFTIRQS - 1);
	assert_int_equal(threaded->softirq_share, 0);
	begin(f, 8500, 9000);
	judge_loads(f, 3000, 3000, gain - SOFTIRQS);
	assert_int_equal(threaded->softirq_share, NB_WHOLE);
}

static void without_a_trial_nothing_is_judged(void **state)
{
	struct fixture *f = *state;
	struct nb_threaded_memory *threaded = begin(f, 8500, 9000);

	threaded->trial.active = false;
	nb_host_tick(f->host, 5 * NB_NSEC_PER_SEC);
	look(f);
	assert_int_equal(f->findings->len, 0);
	assert_int_equal(threaded->failures, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(it_helps_if_neither_cpu_is_as_hot_as_the_one_was,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			a_thread_that_only_takes_the_heat_along_did_not_help, set_up, tear_down),
		cmocka_unit_test_setup_teardown(of_a_queue_alone_it_is_the_queue_that_counts,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(where_a_thread_hardly_runs_does_not_count, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(a_cooler_cpu_with_fewer_packets_is_no_help, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(
			of_a_full_cpu_it_is_enough_that_more_packets_are_received, set_up,
			tear_down),
		cmocka_unit_test_setup_teardown(it_tells_what_softirqs_take_for_what_a_thread_takes,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(too_little_time_tells_nothing_of_softirqs, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(without_a_trial_nothing_is_judged, set_up,
						tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

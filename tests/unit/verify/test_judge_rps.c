/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unit/verify/judge_fixture.h"

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
	assert_int_equal(only_finding(f)->kind, NB_KIND_RPS);
	assert_true(nb_cpumask_equal(&only_finding(f)->rps_theirs, &theirs));
	assert_true(nb_cpumask_empty(&nb_memory_find_rps(&f->host->memory, key)->cpus));
}

/* Queue 0 steers to CPUs 2 and 3; before, CPU 0 was so busy. */
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
	f->host->fixed[2] = on_2;
	f->host->fixed[3] = on_3;
	for (unsigned i = 0; i < 2 && f->host->memory.rps[0].trial.active; i++) {
		nb_host_tick(f->host, NB_NSEC_PER_SEC);
		f->host->loads.cpus[2].window_backlog = on_2;
		f->host->loads.cpus[3].window_backlog = on_3;
		nb_verify_judge(&f->host->snapshot, &f->host->loads, &f->host->policy,
				&f->host->memory, f->findings);
	}
	assert_false(f->host->memory.rps[0].trial.active);
}

static void rps_helps_that_leaves_no_cpu_as_hot_as_it_was(void **state)
{
	struct fixture *f = *state;
	struct nb_rps_memory *rps = steer(f, 8500);

	f->host->time[0] = 0;
	rps->failures = 1;
	f->host->snapshot.complete = false;
	judge_backlog(f, 8150, 500);
	assert_false(rps->no_gain);
	assert_int_equal(rps->failures, 0);
}

static void rps_that_only_moves_the_heat_did_not_help(void **state)
{
	struct fixture *f = *state;
	struct nb_rps_memory *rps = steer(f, 8500);

	f->host->time[0] = 0;
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
	/* It is the same flow the next time: told by one window, and tried more seldom. */
	assert_int_equal(rps->trial.measured_msec, 1000);
	assert_int_equal(rps->failures, 2);
}

/* What another CPU of the host got in a second is half chance. */
static void one_window_does_not_tell_who_shares(void **state)
{
	struct fixture *f = *state;
	struct nb_rps_memory *rps = steer(f, 10000);

	f->host->fixed[2] = 10000;
	for (unsigned i = 0; i < 2; i++) {
		nb_host_tick(f->host, NB_NSEC_PER_SEC);
		f->host->loads.cpus[2].window_backlog = 10000;
		f->host->loads.cpus[3].window_backlog = i == 0 ? 9000 : 2500;
		nb_verify_judge(&f->host->snapshot, &f->host->loads, &f->host->policy,
				&f->host->memory, f->findings);
	}
	assert_false(rps->trial.active);
	assert_false(rps->no_gain);
}

static void what_one_cpu_does_most_of_was_not_helped(void **state)
{
	struct fixture *f = *state;
	struct nb_rps_memory *rps = steer(f, 10000);

	judge_backlog(f, 10000, 2500);
	assert_true(rps->no_gain);
	assert_int_equal(rps->trial.measured_msec, 2000);
	assert_int_equal(rps->failures, 1);
}

/* Here the first of them is the queue's own: what the other does is gained. */
static void where_the_queues_own_cpu_does_most_the_rest_helps(void **state)
{
	struct fixture *f = *state;
	struct nb_rps_memory *rps = steer(f, 10000);

	rps->own = true;
	judge_backlog(f, 9900, 1500);
	assert_false(rps->no_gain);

	rps = steer(f, 10000);
	rps->own = true;
	judge_backlog(f, 9900, 1000);
	assert_true(rps->no_gain);
}

static void flows_that_fill_several_cpus_instead_of_one_were_helped(void **state)
{
	struct fixture *f = *state;
	struct nb_rps_memory *rps = steer(f, 10000);

	judge_backlog(f, 10000, 9000);
	assert_false(rps->no_gain);
}

/* As many packets take four times as long there. */
static void a_small_cpu_that_takes_longer_is_not_one_flow(void **state)
{
	struct fixture *f = *state;
	struct nb_rps_memory *rps = steer(f, 10000);

	nb_host_set_capacity(f->host, 2, 2500);
	judge_backlog(f, 9800, 2450);
	assert_false(rps->no_gain);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_foreign_rps_mask_is_yielded, set_up, tear_down),
		cmocka_unit_test_setup_teardown(rps_helps_that_leaves_no_cpu_as_hot_as_it_was,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(rps_that_only_moves_the_heat_did_not_help, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(one_flow_that_fills_its_next_cpu_was_not_helped,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(one_window_does_not_tell_who_shares, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(what_one_cpu_does_most_of_was_not_helped, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(where_the_queues_own_cpu_does_most_the_rest_helps,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			flows_that_fill_several_cpus_instead_of_one_were_helped, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_small_cpu_that_takes_longer_is_not_one_flow,
						set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

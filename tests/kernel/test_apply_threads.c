/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Kernel threads that poll NAPIs of a veth in a network namespace of the test's own: these alone
 * are bound, and none of the host's. */
#include "kernel/test_apply.h"

#include <unistd.h>

#define N 4

struct threads {
	struct bench bench;
	uint32_t pids[N];
	cpu_set_t found;
};

static cpu_set_t affinity_of(uint32_t pid)
{
	cpu_set_t set;

	assert_int_equal(sched_getaffinity((pid_t)pid, sizeof(set), &set), 0);
	return set;
}

static int setup(void **state)
{
	struct threads *threads = g_new0(struct threads, 1);

	(void)add_veth(state);
	bring_up_with_napi();
	run("sh -c 'echo 1 > /sys/class/net/vv1/threaded'");
	bench_open(&threads->bench, "vv1");
	assert_int_equal(find_napi_threads(threads->pids, N), N);
	threads->found = affinity_of(threads->pids[0]);
	*state = threads;
	return 0;
}

static enum nb_outcome apply_change(struct threads *threads, const struct nb_follow_change *change)
{
	const struct nb_machine machine = {};
	struct nb_plan plan = PLAN_OF(FOLLOW(NB_KIND_THREAD, change));

	assert_int_equal(nb_apply(threads->bench.applier, &machine, &plan), 0);
	return plan.changes[0].outcome;
}

/* The CPU of the first thread; the others get the other one. */
static enum nb_outcome follow(struct threads *threads, unsigned first)
{
	struct nb_cpumask to[N] = {};
	const struct nb_follow_change change = {.key.ifindex = threads->bench.nic.ifindex,
						.reason = NB_REASON_THREAD_FOLLOW,
						.to = to,
						.threads = threads->pids,
						.n = N};

	for (unsigned i = 0; i < N; i++)
		nb_cpumask_add(&to[i], i == 0 ? first : !first);
	return apply_change(threads, &change);
}

static enum nb_outcome go_back(struct threads *threads)
{
	const struct nb_follow_change change = {.key.ifindex = threads->bench.nic.ifindex,
						.reason = NB_REASON_THREAD_BACK};

	return apply_change(threads, &change);
}

static void assert_bound(struct threads *threads, unsigned first)
{
	for (unsigned i = 0; i < N; i++) {
		cpu_set_t set = affinity_of(threads->pids[i]);

		assert_int_equal(CPU_COUNT(&set), 1);
		assert_true(CPU_ISSET(i == 0 ? first : !first, &set));
	}
}

static void assert_as_found(struct threads *threads)
{
	for (unsigned i = 0; i < N; i++) {
		cpu_set_t set = affinity_of(threads->pids[i]);

		assert_true(CPU_EQUAL(&set, &threads->found));
	}
}

static void threads_are_bound_and_come_back(void **state)
{
	struct threads *threads = *state;

	assert_int_equal(follow(threads, 0), NB_OUTCOME_APPLIED);
	assert_bound(threads, 0);
	assert_int_equal(follow(threads, 0), NB_OUTCOME_UNCHANGED);
	assert_int_equal(follow(threads, 1), NB_OUTCOME_APPLIED);
	assert_bound(threads, 1);
	assert_int_equal(go_back(threads), NB_OUTCOME_APPLIED);
	assert_as_found(threads);
	assert_int_equal(nb_applier_count(threads->bench.applier), 0);
}

static void the_next_run_puts_back_what_this_one_left(void **state)
{
	struct threads *threads = *state;

	assert_int_equal(follow(threads, 0), NB_OUTCOME_APPLIED);
	bench_restart(&threads->bench);
	assert_int_equal(nb_applier_count(threads->bench.applier), N);
	assert_int_equal(nb_applier_restore(threads->bench.applier, NULL), 0);
	assert_as_found(threads);
	assert_false(nb_sysroot_exists(threads->bench.root, BASELINE));
}

static void what_someone_else_bound_stays(void **state)
{
	struct threads *threads = *state;
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(1, &one);
	assert_int_equal(sched_setaffinity((pid_t)threads->pids[2], sizeof(one), &one), 0);
	assert_int_equal(follow(threads, 0), NB_OUTCOME_FOREIGN);
	assert_int_equal(nb_applier_count(threads->bench.applier), 0);
	assert_int_equal(
		sched_setaffinity((pid_t)threads->pids[2], sizeof(threads->found), &threads->found),
		0);
	assert_as_found(threads);
	assert_int_equal(follow(threads, 0), NB_OUTCOME_APPLIED);
}

/* Other threads may get their pids before long. */
static void threads_that_ended_are_gone_and_new_ones_are_not_ours(void **state)
{
	struct threads *threads = *state;

	assert_int_equal(follow(threads, 0), NB_OUTCOME_APPLIED);
	run("sh -c 'echo 0 > /sys/class/net/vv1/threaded'");
	run("ip link set vv1 down");
	assert_int_equal(follow(threads, 1), NB_OUTCOME_GONE);
	run("ip link set vv1 up");
	run("sh -c 'echo 1 > /sys/class/net/vv1/threaded'");
	assert_int_equal(find_napi_threads(threads->pids, N), N);
	assert_as_found(threads);
	assert_int_equal(follow(threads, 1), NB_OUTCOME_APPLIED);
	assert_bound(threads, 1);
	assert_int_equal(nb_applier_restore(threads->bench.applier, NULL), 0);
	assert_as_found(threads);
}

static void a_process_of_another_kind_is_never_touched(void **state)
{
	struct threads *threads = *state;
	cpu_set_t before = affinity_of((uint32_t)getpid()), after;

	threads->pids[1] = (uint32_t)getpid();
	assert_int_equal(follow(threads, 0), NB_OUTCOME_APPLIED);
	after = affinity_of((uint32_t)getpid());
	assert_true(CPU_EQUAL(&before, &after));
	assert_int_equal(nb_applier_count(threads->bench.applier), N - 1);
	assert_int_equal(nb_applier_restore(threads->bench.applier, NULL), 0);
}

int main(void)
{
#define WITH_BENCH(test) cmocka_unit_test_setup_teardown(test, setup, bench_teardown)
	const struct CMUnitTest tests[] = {
		WITH_BENCH(threads_are_bound_and_come_back),
		WITH_BENCH(the_next_run_puts_back_what_this_one_left),
		WITH_BENCH(what_someone_else_bound_stays),
		WITH_BENCH(threads_that_ended_are_gone_and_new_ones_are_not_ours),
		WITH_BENCH(a_process_of_another_kind_is_never_touched),
	};

	if (!enter_namespace() || !enter_private_mounts())
		return NB_TEST_SKIPPED;
	if (access("/sys/class/net/lo/threaded", F_OK) < 0 || sysconf(_SC_NPROCESSORS_ONLN) < 2) {
		printf("skipped: a kernel before 5.12, without threaded NAPI, or a single CPU\n");
		return NB_TEST_SKIPPED;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}

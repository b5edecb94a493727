/* SPDX-License-Identifier: GPL-2.0-or-later */
/* XPS masks of a real kernel, on a veth in a network namespace of the test's own, with mounts in
 * this process alone. Interrupts are never touched: a veth has none. */
#include "kernel/test_apply.h"

#include <unistd.h>

#define N_TX 4

/* The CPU of the first queue; the others get the other one. */
static enum nb_outcome follow(struct bench *bench, unsigned first)
{
	struct nb_cpumask to[N_TX] = {};
	const struct nb_follow_change change = {.key.ifindex = bench->nic.ifindex,
						.reason = NB_REASON_XPS_FOLLOW,
						.to = to,
						.n = bench->nic.n_tx};
	struct nb_plan plan = PLAN_OF(FOLLOW(NB_KIND_XPS, &change));

	for (unsigned i = 0; i < bench->nic.n_tx; i++)
		nb_cpumask_add(&to[i], i == 0 ? first : !first);
	assert_int_equal(nb_apply(bench->applier, &bench->machine, &plan), 0);
	return plan.changes[0].outcome;
}

static uint64_t shown(struct bench *bench, unsigned queue)
{
	g_autofree char *path = g_strdup_printf("sys/class/net/vv0/queues/tx-%u/xps_cpus", queue);
	g_autofree char *text = NULL;
	size_t len;

	assert_int_equal(nb_sysroot_read(bench->root, path, &text, &len), 0);
	return g_ascii_strtoull(strrchr(text, ',') ? strrchr(text, ',') + 1 : text, NULL, 16);
}

static void assert_shown(struct bench *bench, uint64_t first, uint64_t others)
{
	for (unsigned i = 0; i < N_TX; i++)
		assert_int_equal(shown(bench, i), i == 0 ? first : others);
}

static void masks_follow_and_come_back(void **state)
{
	struct bench *bench = *state;

	assert_int_equal(follow(bench, 0), NB_OUTCOME_APPLIED);
	assert_shown(bench, 1, 2);
	assert_int_equal(follow(bench, 0), NB_OUTCOME_UNCHANGED);
	assert_int_equal(follow(bench, 1), NB_OUTCOME_APPLIED);
	assert_shown(bench, 2, 1);
	assert_int_equal(nb_applier_restore(bench->applier, NULL), 0);
	assert_shown(bench, 0, 0);
	assert_false(nb_sysroot_exists(bench->root, BASELINE));
}

static void the_next_run_puts_back_what_this_one_left(void **state)
{
	struct bench *bench = *state;

	assert_int_equal(follow(bench, 0), NB_OUTCOME_APPLIED);
	bench_restart(bench);
	assert_int_equal(nb_applier_count(bench->applier), N_TX);
	assert_int_equal(nb_applier_restore(bench->applier, NULL), 0);
	assert_shown(bench, 0, 0);
}

static void what_someone_else_wrote_stays(void **state)
{
	struct bench *bench = *state;

	assert_int_equal(follow(bench, 0), NB_OUTCOME_APPLIED);
	run("sh -c 'echo 3 > /sys/class/net/vv0/queues/tx-2/xps_cpus'");
	assert_int_equal(follow(bench, 1), NB_OUTCOME_FOREIGN);
	assert_int_equal(shown(bench, 2), 3);
	assert_int_equal(shown(bench, 0), 1);
	assert_int_equal(nb_applier_restore(bench->applier, NULL), 0);
	assert_int_equal(shown(bench, 2), 3);
	assert_int_equal(shown(bench, 0), 0);
}

/* The kernel forgets masks of queues that go (net/core/dev.c netif_reset_xps_queues_gt()). */
static void fewer_queues_and_more_again_leave_nothing_of_ours(void **state)
{
	struct bench *bench = *state;

	assert_int_equal(follow(bench, 0), NB_OUTCOME_APPLIED);
	run("ethtool -L vv0 tx 2");
	bench->nic.n_tx = 2;
	assert_int_equal(follow(bench, 1), NB_OUTCOME_APPLIED);
	assert_int_equal(shown(bench, 0), 2);
	run("ethtool -L vv0 tx 4");
	assert_int_equal(shown(bench, 3), 0);
	assert_int_equal(nb_applier_restore(bench->applier, NULL), 0);
	assert_shown(bench, 0, 0);
}

static void masks_by_receive_queue_come_first(void **state)
{
	struct bench *bench = *state;

	run("sh -c 'echo 1 > /sys/class/net/vv0/queues/tx-1/xps_rxqs'");
	assert_int_equal(follow(bench, 0), NB_OUTCOME_FOREIGN);
	assert_shown(bench, 0, 0);
}

static void a_single_queue_has_no_masks(void **state)
{
	struct bench *bench = *state;

	run("ip link add vs0 numtxqueues 1 type veth peer name vs1");
	bench->nic.ifindex = (int)if_nametoindex("vs0");
	g_strlcpy(bench->nic.name, "vs0", sizeof(bench->nic.name));
	bench->nic.n_tx = 1;
	assert_int_equal(follow(bench, 0), NB_OUTCOME_GONE);
	run("ip link del vs0");
}

static void a_device_that_vanished_is_gone(void **state)
{
	struct bench *bench = *state;

	assert_int_equal(follow(bench, 0), NB_OUTCOME_APPLIED);
	(void)del_veth(state);
	assert_int_equal(follow(bench, 1), NB_OUTCOME_GONE);
	assert_int_equal(nb_applier_restore(bench->applier, NULL), 0);
}

int main(void)
{
#define WITH_BENCH(test) cmocka_unit_test_setup_teardown(test, bench_setup, bench_teardown)
	const struct CMUnitTest tests[] = {
		WITH_BENCH(masks_follow_and_come_back),
		WITH_BENCH(the_next_run_puts_back_what_this_one_left),
		WITH_BENCH(what_someone_else_wrote_stays),
		WITH_BENCH(fewer_queues_and_more_again_leave_nothing_of_ours),
		WITH_BENCH(masks_by_receive_queue_come_first),
		WITH_BENCH(a_single_queue_has_no_masks),
		WITH_BENCH(a_device_that_vanished_is_gone),
	};

	if (!enter_namespace() || !enter_private_mounts())
		return NB_TEST_SKIPPED;
	if (access("/sys/class/net/lo/queues/tx-0/xps_cpus", F_OK) < 0 ||
	    sysconf(_SC_NPROCESSORS_ONLN) < 2) {
		printf("skipped: a kernel without CONFIG_XPS, or a single CPU\n");
		return NB_TEST_SKIPPED;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}

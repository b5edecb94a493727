/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Flow tables of a real kernel, on a veth in a network namespace of the test's own. The table of
 * the host is not there in such a namespace; a file that is large enough, and so never written,
 * takes its place in this process alone. */
#include "kernel/test_apply.h"

#include <unistd.h>

#define CORE "/proc/sys/net/core"
#define HOST CORE "/rps_sock_flow_entries"
#define N_RX 4

static int setup_with_host(void **state)
{
	assert_int_equal(access(HOST, F_OK), -1);
	assert_int_equal(mount("tmpfs", CORE, "tmpfs", 0, NULL), 0);
	assert_true(g_file_set_contents(HOST, "65536\n", -1, NULL));
	return bench_setup(state);
}

static int teardown_with_host(void **state)
{
	g_autofree char *text = NULL;

	assert_true(g_file_get_contents(HOST, &text, NULL, NULL));
	assert_string_equal(text, "65536\n");
	assert_int_equal(umount(CORE), 0);
	return bench_teardown(state);
}

static enum nb_outcome ask(struct bench *bench, unsigned flows)
{
	const struct nb_setting_change change = {.key.ifindex = bench->nic.ifindex, .to = flows};
	struct nb_plan plan = PLAN_OF(SET(NB_KIND_RFS, &change));

	assert_int_equal(nb_apply(bench->applier, &bench->machine, &plan), 0);
	return plan.changes[0].outcome;
}

static void assert_shown(struct bench *bench, unsigned queue, uint64_t expected)
{
	g_autofree char *path =
		g_strdup_printf("sys/class/net/vv0/queues/rx-%u/rps_flow_cnt", queue);
	uint64_t n;

	assert_int_equal(nb_sysroot_read_number(bench->root, path, UINT32_MAX, &n), 0);
	assert_int_equal(n, expected);
}

static void assert_all_shown(struct bench *bench, uint64_t expected)
{
	for (unsigned i = 0; i < N_RX; i++)
		assert_shown(bench, i, expected);
}

static void tables_grow_and_come_back(void **state)
{
	struct bench *bench = *state;

	assert_int_equal(ask(bench, 30000), NB_OUTCOME_APPLIED);
	assert_all_shown(bench, 8192);
	assert_int_equal(ask(bench, 30000), NB_OUTCOME_UNCHANGED);
	assert_int_equal(ask(bench, 65536), NB_OUTCOME_APPLIED);
	assert_all_shown(bench, 16384);
	assert_int_equal(ask(bench, 0), NB_OUTCOME_APPLIED);
	assert_all_shown(bench, 0);
	assert_int_equal(nb_applier_count(bench->applier), 0);
}

static void the_next_run_puts_back_what_this_one_left(void **state)
{
	struct bench *bench = *state;

	run("sh -c 'echo 100 > /sys/class/net/vv0/queues/rx-1/rps_flow_cnt'");
	assert_int_equal(ask(bench, 1024), NB_OUTCOME_APPLIED);
	bench_restart(bench);
	assert_int_equal(nb_applier_count(bench->applier), N_RX);
	assert_int_equal(ask(bench, 1024), NB_OUTCOME_UNCHANGED);
	assert_int_equal(nb_applier_restore(bench->applier, NULL), 0);
	assert_shown(bench, 0, 0);
	assert_shown(bench, 1, 128);
	assert_false(nb_sysroot_exists(bench->root, BASELINE));
}

static void what_someone_else_wrote_stays(void **state)
{
	struct bench *bench = *state;

	assert_int_equal(ask(bench, 1024), NB_OUTCOME_APPLIED);
	run("sh -c 'echo 64 > /sys/class/net/vv0/queues/rx-2/rps_flow_cnt'");
	assert_int_equal(ask(bench, 4096), NB_OUTCOME_FOREIGN);
	assert_shown(bench, 1, 256);
	assert_int_equal(nb_applier_restore(bench->applier, NULL), 0);
	assert_shown(bench, 1, 0);
	assert_shown(bench, 2, 64);
}

/* The kernel frees the table of a queue that goes (net/core/net-sysfs.c rx_queue_release()). */
static void queues_that_come_back_get_their_table_again(void **state)
{
	struct bench *bench = *state;

	assert_int_equal(ask(bench, 1024), NB_OUTCOME_APPLIED);
	run("ethtool -L vv0 rx 2");
	bench->nic.n_rx = 2;
	assert_int_equal(ask(bench, 1024), NB_OUTCOME_APPLIED);
	assert_shown(bench, 0, 512);
	run("ethtool -L vv0 rx 4");
	assert_shown(bench, 3, 0);
	bench->nic.n_rx = N_RX;
	assert_int_equal(ask(bench, 1024), NB_OUTCOME_APPLIED);
	assert_all_shown(bench, 256);
	assert_int_equal(nb_applier_restore(bench->applier, NULL), 0);
	assert_all_shown(bench, 0);
}

static void without_a_table_of_the_host_nothing_is_written(void **state)
{
	struct bench *bench = *state;

	assert_int_equal(ask(bench, 1024), NB_OUTCOME_REFUSED);
	assert_all_shown(bench, 0);
}

static void a_device_that_vanished_is_gone(void **state)
{
	struct bench *bench = *state;

	assert_int_equal(ask(bench, 1024), NB_OUTCOME_APPLIED);
	(void)del_veth(state);
	assert_int_equal(ask(bench, 2048), NB_OUTCOME_GONE);
	assert_int_equal(nb_applier_restore(bench->applier, NULL), 0);
}

int main(void)
{
#define WITH_HOST(test) cmocka_unit_test_setup_teardown(test, setup_with_host, teardown_with_host)
	const struct CMUnitTest tests[] = {
		WITH_HOST(tables_grow_and_come_back),
		WITH_HOST(the_next_run_puts_back_what_this_one_left),
		WITH_HOST(what_someone_else_wrote_stays),
		WITH_HOST(queues_that_come_back_get_their_table_again),
		WITH_HOST(a_device_that_vanished_is_gone),
		cmocka_unit_test_setup_teardown(without_a_table_of_the_host_nothing_is_written,
						bench_setup, bench_teardown),
	};

	if (!enter_namespace() || !enter_private_mounts())
		return NB_TEST_SKIPPED;
	if (access("/sys/class/net/lo/queues/rx-0/rps_flow_cnt", F_OK) < 0) {
		printf("skipped: a kernel without CONFIG_RPS\n");
		return NB_TEST_SKIPPED;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Threaded NAPI of a veth in a network namespace of the test's own. */
#include "kernel/test_apply.h"

#include <unistd.h>

static int setup(void **state)
{
	struct bench *bench = g_new0(struct bench, 1);

	(void)add_veth(state);
	bring_up_with_napi();
	assert_int_equal(nb_netlink_new_ethtool(&bench->netlink), 0);
	bench_open(bench, "vv1");
	*state = bench;
	return 0;
}

static void write_threaded(const char *value)
{
	g_autofree char *command =
		g_strdup_printf("sh -c 'echo %s > /sys/class/net/vv1/threaded'", value);

	run(command);
}

static uint64_t read_threaded(struct bench *bench)
{
	uint64_t n;

	assert_int_equal(nb_sysroot_read_number(bench->root, "sys/class/net/vv1/threaded", 2, &n),
			 0);
	return n;
}

static enum nb_outcome switch_to(struct bench *bench, bool on)
{
	struct nb_threaded_change change = {.key = {bench->nic.ifindex, NB_EVERY_QUEUE}, .on = on};
	struct nb_plan plan = PLAN_OF(SWITCH(&change));

	assert_int_equal(nb_apply(bench->applier, &bench->machine, &plan), 0);
	return plan.changes[0].outcome;
}

static void threads_come_and_it_is_off_again(void **state)
{
	struct bench *bench = *state;

	assert_int_equal(switch_to(bench, true), NB_OUTCOME_APPLIED);
	assert_int_equal(read_threaded(bench), 1);
	assert_int_equal(find_napi_threads(NULL, 0), 4);
	assert_int_equal(switch_to(bench, true), NB_OUTCOME_UNCHANGED);
	assert_int_equal(switch_to(bench, false), NB_OUTCOME_APPLIED);
	assert_int_equal(read_threaded(bench), 0);
	assert_int_equal(nb_applier_count(bench->applier), 0);
}

static void what_a_crash_left_is_off_again(void **state)
{
	struct bench *bench = *state;

	assert_int_equal(switch_to(bench, true), NB_OUTCOME_APPLIED);
	bench_restart(bench);
	assert_int_equal(nb_applier_owns_threaded(bench->applier,
						  nb_queue_key_every(bench->nic.ifindex), "vv1"),
			 1);
	assert_int_equal(nb_applier_restore(bench->applier, NULL), 0);
	assert_int_equal(read_threaded(bench), 0);
}

static void what_another_program_writes_stays(void **state)
{
	struct bench *bench = *state;

	write_threaded("1");
	assert_int_equal(switch_to(bench, true), NB_OUTCOME_FOREIGN);
	assert_int_equal(read_threaded(bench), 1);
	write_threaded("0");
	assert_int_equal(switch_to(bench, true), NB_OUTCOME_APPLIED);
	write_threaded("0");
	assert_int_equal(switch_to(bench, false), NB_OUTCOME_FOREIGN);
	assert_int_equal(nb_applier_restore(bench->applier, NULL), 0);
	assert_int_equal(read_threaded(bench), 0);
}

/* It has no NAPIs then. */
static void a_device_that_is_down_is_left_for_later(void **state)
{
	struct bench *bench = *state;

	assert_int_equal(switch_to(bench, true), NB_OUTCOME_APPLIED);
	run("ip link set vv1 down");
	assert_int_equal(nb_applier_restore(bench->applier, NULL), -EAGAIN);
	assert_int_equal(read_threaded(bench), 1);
	bring_up_with_napi();
	assert_int_equal(find_napi_threads(NULL, 0), 4);
	assert_int_equal(nb_applier_restore(bench->applier, NULL), 0);
	assert_int_equal(read_threaded(bench), 0);
}

static void a_device_without_napis_refuses(void **state)
{
	struct bench *bench = *state;

	bench->nic = (struct nb_nic){.ifindex = (int)if_nametoindex("lo"), .name = "lo"};
	run("ip link set lo up");
	assert_int_equal(switch_to(bench, true), NB_OUTCOME_REFUSED);
	assert_int_equal(nb_applier_count(bench->applier), 0);
}

int main(void)
{
#define WITH_BENCH(test) cmocka_unit_test_setup_teardown(test, setup, bench_teardown)
	const struct CMUnitTest tests[] = {
		WITH_BENCH(threads_come_and_it_is_off_again),
		WITH_BENCH(what_a_crash_left_is_off_again),
		WITH_BENCH(what_another_program_writes_stays),
		WITH_BENCH(a_device_that_is_down_is_left_for_later),
		WITH_BENCH(a_device_without_napis_refuses),
	};

	if (!enter_namespace() || !enter_private_mounts())
		return NB_TEST_SKIPPED;
	if (access("/sys/class/net/lo/threaded", F_OK) < 0) {
		printf("skipped: a kernel before 5.12, without threaded NAPI\n");
		return NB_TEST_SKIPPED;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}

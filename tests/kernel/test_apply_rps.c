/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kernel/test_apply.h"

#include <linux/capability.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <unistd.h>

/* RPS masks of a real kernel, on a veth in a network namespace of the test's own. /sys shows that
 * namespace and /run is empty, both in this process alone. Interrupts are never touched. */

static uint64_t shown(struct bench *bench);

static int steer(struct bench *bench, unsigned cpu, enum nb_outcome *ret_outcome)
{
	struct nb_rps_change change = {.key = {bench->nic.ifindex, 3},
				       .from = {.words = {shown(bench)}}};
	struct nb_plan plan = PLAN_OF(STEER(&change));
	int r;

	nb_cpumask_add(&change.to, cpu);
	r = nb_apply(bench->applier, &bench->machine, &plan);
	*ret_outcome = plan.changes[0].outcome;
	return r;
}

static void assert_steered(struct bench *bench, unsigned cpu)
{
	enum nb_outcome outcome;

	assert_int_equal(steer(bench, cpu, &outcome), 0);
	assert_int_equal(outcome, NB_OUTCOME_APPLIED);
}

/* The mask as the kernel shows it, in one number. */
static uint64_t shown(struct bench *bench)
{
	g_autofree char *text = NULL;
	size_t len;

	assert_int_equal(
		nb_sysroot_read(bench->root, "sys/class/net/vv0/queues/rx-3/rps_cpus", &text, &len),
		0);
	return g_ascii_strtoull(strrchr(text, ',') ? strrchr(text, ',') + 1 : text, NULL, 16);
}

static enum nb_outcome restore(struct bench *bench)
{
	g_autoptr(GArray) report = g_array_new(FALSE, FALSE, sizeof(struct nb_restored));
	const struct nb_restored *restored;

	assert_int_equal(nb_applier_restore(bench->applier, report), 0);
	assert_int_equal(report->len, 1);
	restored = &g_array_index(report, struct nb_restored, 0);
	assert_int_equal(restored->type, NB_KNOB_RPS);
	assert_string_equal(restored->ifname, "vv0");
	assert_int_equal(restored->queue, 3);
	assert_false(nb_sysroot_exists(bench->root, BASELINE));
	return restored->outcome;
}

static void a_mask_is_set_owned_and_put_back(void **state)
{
	struct bench *bench = *state;
	struct nb_cpumask cpus;

	assert_int_equal(shown(bench), 0);
	assert_steered(bench, 0);
	assert_int_equal(shown(bench), 1);
	assert_true(nb_sysroot_exists(bench->root, BASELINE));
	assert_true(nb_applier_owns_rps(bench->applier, bench->nic.ifindex, "vv0", 3, &cpus));
	assert_true(nb_cpumask_has(&cpus, 0));
	assert_int_equal(nb_cpumask_count(&cpus), 1);
	assert_int_equal(restore(bench), NB_OUTCOME_APPLIED);
	assert_int_equal(shown(bench), 0);
}

static void the_next_run_puts_back_what_this_one_left(void **state)
{
	struct bench *bench = *state;

	assert_steered(bench, 0);
	bench_restart(bench);
	assert_int_equal(nb_applier_count(bench->applier), 1);
	assert_int_equal(restore(bench), NB_OUTCOME_APPLIED);
	assert_int_equal(shown(bench), 0);
}

static void what_someone_else_wrote_stays(void **state)
{
	struct bench *bench = *state;

	if (sysconf(_SC_NPROCESSORS_ONLN) < 2)
		nb_skip("this machine has one CPU");
	assert_steered(bench, 0);
	run("sh -c 'echo 2 > /sys/class/net/vv0/queues/rx-3/rps_cpus'");
	assert_int_equal(restore(bench), NB_OUTCOME_UNCHANGED);
	assert_int_equal(shown(bench), 2);
}

static void a_device_that_vanished_is_gone(void **state)
{
	struct bench *bench = *state;

	assert_steered(bench, 0);
	(void)del_veth(state);
	assert_int_equal(restore(bench), NB_OUTCOME_GONE);
}

static void another_device_of_the_same_name_is_left_alone(void **state)
{
	struct bench *bench = *state;

	assert_steered(bench, 0);
	(void)del_veth(state);
	(void)add_veth(state);
	run("sh -c 'echo 1 > /sys/class/net/vv0/queues/rx-3/rps_cpus'");
	assert_int_equal(restore(bench), NB_OUTCOME_GONE);
	assert_int_equal(shown(bench), 1);
}

static void a_cpu_that_the_machine_lacks_is_stale(void **state)
{
	struct bench *bench = *state;
	enum nb_outcome outcome;

	assert_int_equal(steer(bench, NB_CPUS_MAX - 1, &outcome), 0);
	assert_int_equal(outcome, NB_OUTCOME_STALE);
	assert_int_equal(shown(bench), 0);
	assert_int_equal(nb_applier_count(bench->applier), 0);
}

static void set_net_admin(bool on)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3];

	assert_int_equal(syscall(SYS_capget, &header, data), 0);
	if (on)
		data[0].effective |= 1u << CAP_NET_ADMIN;
	else
		data[0].effective &= ~(1u << CAP_NET_ADMIN);
	assert_int_equal(syscall(SYS_capset, &header, data), 0);
}

static void without_cap_net_admin_it_is_refused(void **state)
{
	struct bench *bench = *state;
	enum nb_outcome outcome;
	int r;

	set_net_admin(false);
	r = steer(bench, 0, &outcome);
	set_net_admin(true);
	assert_int_equal(r, 0);
	assert_int_equal(outcome, NB_OUTCOME_REFUSED);
	assert_int_equal(shown(bench), 0);
	assert_int_equal(nb_applier_count(bench->applier), 0);
}

/* One page, and that is taken. */
static void fill_run(void)
{
	g_autofree char *page = g_strnfill(4096, 'x');

	assert_int_equal(mount("tmpfs", "/run", "tmpfs", 0, "size=4k,nr_inodes=32,mode=0755"), 0);
	assert_true(g_file_set_contents("/run/full", page, 4096, NULL));
}

static void nothing_is_written_when_run_is_full(void **state)
{
	struct bench *bench = *state;
	enum nb_outcome outcome;
	int r;

	fill_run();
	r = steer(bench, 0, &outcome);
	assert_int_equal(umount2("/run", MNT_DETACH), 0);
	assert_int_equal(r, -ENOSPC);
	assert_int_equal(outcome, NB_OUTCOME_UNSAFE);
	assert_int_equal(shown(bench), 0);
	assert_int_equal(nb_applier_count(bench->applier), 0);
	assert_steered(bench, 0);
}

int main(void)
{
#define WITH_BENCH(test) cmocka_unit_test_setup_teardown(test, bench_setup, bench_teardown)
	const struct CMUnitTest tests[] = {
		WITH_BENCH(a_mask_is_set_owned_and_put_back),
		WITH_BENCH(the_next_run_puts_back_what_this_one_left),
		WITH_BENCH(what_someone_else_wrote_stays),
		WITH_BENCH(a_device_that_vanished_is_gone),
		WITH_BENCH(another_device_of_the_same_name_is_left_alone),
		WITH_BENCH(a_cpu_that_the_machine_lacks_is_stale),
		WITH_BENCH(without_cap_net_admin_it_is_refused),
		WITH_BENCH(nothing_is_written_when_run_is_full),
	};

	if (!enter_namespace() || !enter_private_mounts())
		return NB_TEST_SKIPPED;
	return cmocka_run_group_tests(tests, NULL, NULL);
}

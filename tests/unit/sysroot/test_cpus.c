/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/cpumask_text.h"
#include "support/support.h"
#include "sysroot/cpus.h"

#include <errno.h>
#include <sched.h>
#include <unistd.h>

struct fixture {
	char *dir;
	struct nb_sysroot *root;
};

static int setup(void **state)
{
	struct fixture *f = g_new0(struct fixture, 1);

	f->dir = nb_tmp_make();
	assert_int_equal(nb_sysroot_open(f->dir, &f->root), 0);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	nb_sysroot_free(f->root);
	nb_tmp_remove(f->dir);
	g_free(f);
	return 0;
}

static void a_set_is_read_from_a_list_or_a_mask(void **state)
{
	struct fixture *f = *state;
	struct nb_cpumask list, mask;

	nb_tmp_write(f->dir, "online", "0,33-34\n");
	nb_tmp_write(f->dir, "smp_affinity", "00000006,00000001\n");
	assert_int_equal(nb_sysroot_read_cpulist(f->root, "online", &list), 0);
	assert_int_equal(nb_sysroot_read_cpumask(f->root, "smp_affinity", &mask), 0);
	assert_true(nb_cpumask_equal(&list, &mask));
	assert_int_equal(nb_cpumask_count(&list), 3);
}

static void what_is_no_set_leaves_the_set_alone(void **state)
{
	struct fixture *f = *state;
	struct nb_cpumask cpus = {.words = {5}};

	nb_tmp_write(f->dir, "bad", "0-x\n");
	assert_int_equal(nb_sysroot_read_cpulist(f->root, "bad", &cpus), -EBADMSG);
	assert_int_equal(nb_sysroot_read_cpumask(f->root, "bad", &cpus), -EBADMSG);
	assert_int_equal(nb_sysroot_read_cpumask(f->root, "gone", &cpus), -ENOENT);
	assert_int_equal(cpus.words[0], 5);
}

static void a_set_is_written_as_a_mask(void **state)
{
	struct fixture *f = *state;
	struct nb_cpumask cpus = {.words = {UINT64_C(1) << 32 | 2}};
	g_autofree char *text = NULL;

	nb_tmp_write(f->dir, "rps_cpus", "");
	assert_int_equal(nb_sysroot_write_cpumask(f->root, "rps_cpus", &cpus), 0);
	text = nb_tmp_read(f->dir, "rps_cpus");
	assert_string_equal(text, "00000001,00000002");
	assert_int_equal(nb_sysroot_write_cpumask(f->root, "gone", &cpus), -ENOENT);
}

static void no_task_of_a_captured_machine_is_bound(void **state)
{
	struct fixture *f = *state;
	const struct nb_cpumask cpus = {.words = {1}};

	/* No pid of a host, should the claim be wrong (include/linux/threads.h PID_MAX_LIMIT). */
	assert_int_equal(nb_sysroot_set_affinity(f->root, INT32_MAX, &cpus), -EOPNOTSUPP);
	assert_int_equal(nb_sysroot_set_affinity(f->root, 0, &cpus), -ESRCH);
}

/* This very one, to what it has already. */
static void a_task_of_the_host_is_bound_by_its_pid(void **state)
{
	g_autoptr(nb_sysroot) host = NULL;
	struct nb_cpumask before = {}, none = {};
	cpu_set_t set;

	(void)state;
	assert_int_equal(nb_sysroot_open(NULL, &host), 0);
	assert_int_equal(sched_getaffinity(0, sizeof(set), &set), 0);
	for (unsigned cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &set))
			nb_cpumask_add(&before, cpu);
	assert_int_equal(nb_sysroot_set_affinity(host, (uint32_t)getpid(), &before), 0);
	assert_int_equal(nb_sysroot_set_affinity(host, (uint32_t)getpid(), &none), -EINVAL);
	assert_int_equal(nb_sysroot_set_affinity(host, 0, &before), -ESRCH);
	assert_int_equal(nb_sysroot_set_affinity(host, INT32_MAX, &before), -ESRCH);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_set_is_read_from_a_list_or_a_mask, setup,
						teardown),
		cmocka_unit_test_setup_teardown(what_is_no_set_leaves_the_set_alone, setup,
						teardown),
		cmocka_unit_test_setup_teardown(a_set_is_written_as_a_mask, setup, teardown),
		cmocka_unit_test_setup_teardown(no_task_of_a_captured_machine_is_bound, setup,
						teardown),
		cmocka_unit_test(a_task_of_the_host_is_bound_by_its_pid),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

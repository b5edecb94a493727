/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "nicbalance/units.h"
#include "sample/cpu_files.h"
#include "unit/sample/machine.h"

#include <errno.h>

static void each_file_fills_its_own_counters(void **state)
{
	char *dir = nb_machine("holes");
	g_autoptr(nb_sysroot) root = nb_machine_open(dir);
	struct nb_cpu_counters cpus[] = {{.id = 0}, {.id = 1}, {.id = 3},
					 {.id = 4}, {.id = 6}, {.id = 7}};
	struct nb_cpu_files files;

	(void)state;
	assert_int_equal(nb_cpu_files_open(&files, root), 0);
	assert_int_equal(nb_cpu_files_read_softnet(&files, cpus, 6), 0);
	assert_int_equal(cpus[2].dropped, 5);
	assert_int_equal(cpus[2].net_rx, 0);
	assert_int_equal(nb_cpu_files_read_softirqs(&files, cpus, 6), 0);
	assert_int_equal(cpus[2].net_rx, 3007);
	assert_int_equal(cpus[2].steal_nsec, 0);
	assert_int_equal(nb_cpu_files_read_times(&files, cpus, 6), 0);
	assert_int_equal(cpus[2].steal_nsec, 40 * NB_NSEC_PER_SEC / 1000);
	nb_cpu_files_close(&files);
	nb_tmp_remove(dir);
}

static void a_captured_file_may_be_replaced(void **state)
{
	char *dir = nb_machine("holes");
	g_autoptr(nb_sysroot) root = nb_machine_open(dir);
	struct nb_cpu_counters cpus[] = {{.id = 0}, {.id = 1}, {.id = 3},
					 {.id = 4}, {.id = 6}, {.id = 7}};
	struct nb_cpu_files files;

	(void)state;
	assert_int_equal(nb_cpu_files_open(&files, root), 0);
	nb_tmp_write(dir, "proc/stat", "garbage\n");
	assert_int_equal(nb_cpu_files_read_times(&files, cpus, 6), -EBADMSG);
	nb_cpu_files_close(&files);
	nb_cpu_files_close(&files);
	nb_tmp_remove(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_file_fills_its_own_counters),
		cmocka_unit_test(a_captured_file_may_be_replaced),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

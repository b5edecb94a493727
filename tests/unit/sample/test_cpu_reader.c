/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "nicbalance/units.h"
#include "sample/cpu_reader.h"
#include "unit/sample/machine.h"

#include <errno.h>

struct fixture {
	char *dir;
	struct nb_sysroot *root;
	struct nb_topology topology;
	struct nb_cpu_counters cpus[6];
	struct nb_cpu_reader reader;
};

static int setup(void **state)
{
	struct fixture *f = g_new0(struct fixture, 1);

	f->dir = nb_machine("holes");
	f->root = nb_machine_open(f->dir);
	f->topology.n_cpus = 6;
	for (unsigned i = 0; i < 6; i++)
		f->cpus[i].id = (const unsigned[]){0, 1, 3, 4, 6, 7}[i];
	assert_int_equal(nb_cpu_reader_open(&f->reader, f->root), 0);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	nb_cpu_reader_close(&f->reader);
	nb_cpu_reader_close(&f->reader);
	nb_sysroot_free(f->root);
	nb_tmp_remove(f->dir);
	g_free(f);
	return 0;
}

static void counters_come_from_three_files_and_times_from_one(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(nb_cpu_reader_times(&f->reader, &f->topology, f->cpus), 0);
	assert_int_equal(f->cpus[2].steal_nsec, 40 * NB_NSEC_PER_SEC / 1000);
	assert_int_equal(f->cpus[2].dropped, 0);
	assert_int_equal(f->cpus[2].net_rx, 0);
	assert_int_equal(nb_cpu_reader_counters(&f->reader, &f->topology, f->cpus), 0);
	assert_int_equal(f->cpus[2].dropped, 5);
	assert_int_equal(f->cpus[2].net_rx, 3007);
	assert_int_equal(f->cpus[2].steal_nsec, 40 * NB_NSEC_PER_SEC / 1000);
}

static void a_captured_file_may_be_replaced(void **state)
{
	struct fixture *f = *state;

	nb_tmp_write(f->dir, "proc/net/softnet_stat", "garbage\n");
	assert_int_equal(nb_cpu_reader_times(&f->reader, &f->topology, f->cpus), 0);
	assert_int_equal(nb_cpu_reader_counters(&f->reader, &f->topology, f->cpus), -EBADMSG);
	nb_tmp_write(f->dir, "proc/stat", "garbage\n");
	assert_int_equal(nb_cpu_reader_times(&f->reader, &f->topology, f->cpus), -EBADMSG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(counters_come_from_three_files_and_times_from_one,
						setup, teardown),
		cmocka_unit_test_setup_teardown(a_captured_file_may_be_replaced, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

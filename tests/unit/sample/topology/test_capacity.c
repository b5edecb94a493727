/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sample/topology/capacity.h"

#include "support/support.h"

#define N_CPUS 6u

struct fixture {
	char *dir;
	struct nb_cpu cpus[N_CPUS];
	struct nb_topology topology;
};

static int set_up(void **state)
{
	struct fixture *f = g_new0(struct fixture, 1);

	f->dir = nb_tmp_make();
	for (unsigned i = 0; i < N_CPUS; i++)
		f->cpus[i].id = i + 2;
	f->topology = (struct nb_topology){.cpus = f->cpus, .n_cpus = N_CPUS};
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	nb_tmp_remove(f->dir);
	g_free(f);
	return 0;
}

static void write_one(struct fixture *f, unsigned i, const char *file, const char *text)
{
	g_autofree char *path =
		g_strdup_printf("sys/devices/system/cpu/cpu%u/%s", f->cpus[i].id, file);

	nb_tmp_write(f->dir, path, text);
}

static void write_all(struct fixture *f, const char *file, const unsigned values[N_CPUS])
{
	for (unsigned i = 0; i < N_CPUS; i++) {
		g_autofree char *text = g_strdup_printf("%u\n", values[i]);

		write_one(f, i, file, text);
	}
}

static void assert_capacities(struct fixture *f, const uint32_t expected[N_CPUS])
{
	g_autoptr(nb_sysroot) root = NULL;

	assert_int_equal(nb_sysroot_open(f->dir, &root), 0);
	nb_capacity_read(root, &f->topology);
	for (unsigned i = 0; i < N_CPUS; i++)
		assert_int_equal(f->cpus[i].capacity, expected[i]);
}

static const uint32_t equal[N_CPUS] = {10000, 10000, 10000, 10000, 10000, 10000};

static void without_a_file_all_are_equal(void **state)
{
	assert_capacities(*state, equal);
}

/* Three kinds, as in phones; the kernel's numbers come first. */
static void what_the_scheduler_goes_by_counts(void **state)
{
	write_all(*state, "cpufreq/cpuinfo_max_freq",
		  (const unsigned[]){2000, 2000, 2000, 1000, 1000, 1000});
	write_all(*state, "cpu_capacity", (const unsigned[]){160, 160, 498, 498, 1024, 1024});
	assert_capacities(*state, (const uint32_t[]){1562, 1562, 4863, 4863, 10000, 10000});
}

/* A CPU that favoured ones surpass is of their kind; a kind counts as its largest. */
static void favoured_cores_are_no_kind_of_their_own(void **state)
{
	write_all(*state, "cpu_capacity", (const unsigned[]){1024, 1009, 931, 600, 590, 580});
	assert_capacities(*state, (const uint32_t[]){10000, 10000, 10000, 5859, 5859, 5859});
	write_all(*state, "cpu_capacity", (const unsigned[]){1024, 1009, 930, 600, 590, 545});
	assert_capacities(*state, (const uint32_t[]){10000, 10000, 9082, 5859, 5859, 5322});
}

static void frequencies_tell_kinds_where_the_kernel_does_not(void **state)
{
	static const unsigned hybrid[] = {5200000, 5100000, 5100000, 3900000, 3900000, 3900000};
	static const unsigned favoured[] = {6000000, 5600000, 5600000, 5600000, 5600000, 4800000};

	write_all(*state, "cpufreq/cpuinfo_max_freq", hybrid);
	assert_capacities(*state, (const uint32_t[]){10000, 10000, 10000, 7500, 7500, 7500});
	/* All are of one capacity, says the kernel of a hybrid with hyper-threading. */
	write_all(*state, "cpu_capacity", (const unsigned[]){1024, 1024, 1024, 1024, 1024, 1024});
	assert_capacities(*state, (const uint32_t[]){10000, 10000, 10000, 7500, 7500, 7500});
	write_all(*state, "cpufreq/cpuinfo_max_freq", favoured);
	assert_capacities(*state, equal);
}

static void what_makes_no_sense_of_one_cpu_counts_for_none(void **state)
{
	static const char *const nonsense[] = {"0\n", "1025\n", "", "-1\n", "many\n"};

	write_all(*state, "cpu_capacity", (const unsigned[]){1024, 1024, 500, 500, 500, 500});
	for (size_t i = 0; i < G_N_ELEMENTS(nonsense); i++) {
		write_one(*state, 5, "cpu_capacity", nonsense[i]);
		assert_capacities(*state, equal);
	}
	write_one(*state, 5, "cpu_capacity", "1\n");
	assert_capacities(*state,
			  (const uint32_t[]){10000, 10000, 4882, 4882, 4882, NB_CAPACITY_LEAST});
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(without_a_file_all_are_equal, set_up, tear_down),
		cmocka_unit_test_setup_teardown(what_the_scheduler_goes_by_counts, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(favoured_cores_are_no_kind_of_their_own, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(frequencies_tell_kinds_where_the_kernel_does_not,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(what_makes_no_sense_of_one_cpu_counts_for_none,
						set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

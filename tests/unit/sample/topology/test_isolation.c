/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/cpumask_text.h"
#include "sample/topology/isolation.h"
#include "support/support.h"

#include <errno.h>

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

static void assert_set(const struct nb_cpumask *mask, const char *list)
{
	g_autofree char *text = nb_cpumask_format_list(mask);

	assert_string_equal(text, list);
}

static void assert_cmdline(const char *cmdline, const char *list)
{
	struct nb_cpumask mask;

	nb_isolation_parse_cmdline(cmdline, 16, &mask);
	assert_set(&mask, list);
}

static void only_the_flag_managed_irq_isolates_from_interrupts(void **state)
{
	(void)state;
	assert_cmdline("quiet isolcpus=managed_irq,2-3 ro\n", "2-3");
	assert_cmdline("isolcpus=domain,managed_irq,nohz,4,6\n", "4,6");
	assert_cmdline("isolcpus=managed_irq,8-N", "8-15");
	assert_cmdline("isolcpus=2-3\n", "");
	assert_cmdline("isolcpus=domain,2-3\n", "");
	assert_cmdline("isolcpus=managed,2-3\n", "");
	assert_cmdline("isolcpus=managed_irq,\n", "");
	assert_cmdline("isolcpus=managed_irq,x\n", "");
	assert_cmdline("isolcpus=\n", "");
	assert_cmdline("", "");
}

static void what_follows_two_dashes_is_for_init(void **state)
{
	(void)state;
	assert_cmdline("isolcpus=managed_irq,1 -- isolcpus=managed_irq,2", "1");
	assert_cmdline("xisolcpus=managed_irq,1 isolcpus=managed_irq,3\tisolcpus=managed_irq,4",
		       "3-4");
}

static void isolated_is_the_union_of_all_sources(void **state)
{
	struct fixture *f = *state;
	struct nb_topology topology = {.n_possible = 32};

	nb_tmp_write(f->dir, "sys/devices/system/cpu/isolated", "1-2\n");
	nb_tmp_write(f->dir, "sys/devices/system/cpu/nohz_full", "2-3\n");
	nb_tmp_write(f->dir, "proc/cmdline", "isolcpus=managed_irq,5\n");
	nb_tmp_write(f->dir, "sys/fs/cgroup/cpuset.cpus.isolated", "8-9\n");
	assert_int_equal(nb_isolation_read(f->root, &topology), 0);
	assert_set(&topology.isolated_by[NB_ISOLATION_DOMAIN], "1-2");
	assert_set(&topology.isolated_by[NB_ISOLATION_NOHZ_FULL], "2-3");
	assert_set(&topology.isolated_by[NB_ISOLATION_MANAGED_IRQ], "5");
	assert_set(&topology.isolated_by[NB_ISOLATION_CPUSET], "8-9");
	assert_set(&topology.isolated, "1-3,5,8-9");
}

static void absent_sources_isolate_nothing(void **state)
{
	struct fixture *f = *state;
	struct nb_topology topology = {.n_possible = 32};

	assert_int_equal(nb_isolation_read(f->root, &topology), 0);
	assert_set(&topology.isolated, "");
	/* Without nohz_full= before 7.2. */
	nb_tmp_write(f->dir, "sys/devices/system/cpu/nohz_full", "(null)\n");
	nb_tmp_write(f->dir, "sys/devices/system/cpu/isolated", "\n");
	assert_int_equal(nb_isolation_read(f->root, &topology), 0);
	assert_set(&topology.isolated, "");
}

static void make_cgroup(struct fixture *f, const char *name, const char *partition,
			const char *cpus)
{
	g_autofree char *a = g_strdup_printf("sys/fs/cgroup/%s/cpuset.cpus.partition", name);
	g_autofree char *b = g_strdup_printf("sys/fs/cgroup/%s/cpuset.cpus.effective", name);

	nb_tmp_write(f->dir, a, partition);
	nb_tmp_write(f->dir, b, cpus);
}

static void older_kernels_are_asked_cgroup_by_cgroup(void **state)
{
	struct fixture *f = *state;
	struct nb_topology topology = {.n_possible = 32};

	make_cgroup(f, "db", "isolated\n", "4-5\n");
	make_cgroup(f, "db/inner", "member\n", "4\n");
	make_cgroup(f, "parts", "root\n", "10-15\n");
	make_cgroup(f, "parts/fast", "isolated\n", "14\n");
	make_cgroup(f, "broken", "isolated invalid (Cpu list in cpuset.cpus not exclusive)\n",
		    "20\n");
	make_cgroup(f, "usual", "member\n", "0-31\n");
	assert_int_equal(nb_isolation_read(f->root, &topology), 0);
	assert_set(&topology.isolated_by[NB_ISOLATION_CPUSET], "4-5,14");
}

static void partitions_are_not_followed_for_ever(void **state)
{
	struct fixture *f = *state;
	struct nb_topology topology = {.n_possible = 32};
	g_autoptr(GString) name = g_string_new("p");

	for (int depth = 0; depth < 40; depth++) {
		make_cgroup(f, name->str, depth == 39 ? "isolated\n" : "root\n", "3\n");
		g_string_append(name, "/p");
	}
	assert_int_equal(nb_isolation_read(f->root, &topology), 0);
	assert_set(&topology.isolated, "");
}

/* Whatever cannot be understood might isolate a CPU. */
static void a_source_that_cannot_be_read_is_a_failure(void **state)
{
	static const char *const paths[] = {
		"sys/devices/system/cpu/isolated",
		"sys/devices/system/cpu/nohz_full",
		"sys/fs/cgroup/cpuset.cpus.isolated",
	};
	struct fixture *f = *state;
	struct nb_topology topology = {.n_possible = 32};

	for (unsigned i = 0; i < G_N_ELEMENTS(paths); i++) {
		nb_tmp_write(f->dir, paths[i], "1-x\n");
		assert_int_equal(nb_isolation_read(f->root, &topology), -EBADMSG);
		nb_tmp_write(f->dir, paths[i], "\n");
		assert_int_equal(nb_isolation_read(f->root, &topology), 0);
	}
	nb_tmp_write(f->dir, "proc/cmdline/directory", "");
	assert_int_equal(nb_isolation_read(f->root, &topology), -EISDIR);
}

static void a_partition_that_cannot_be_read_is_a_failure(void **state)
{
	struct fixture *f = *state;
	struct nb_topology topology = {.n_possible = 32};

	make_cgroup(f, "db", "isolated\n", "all\n");
	assert_int_equal(nb_isolation_read(f->root, &topology), -EBADMSG);
}

int main(void)
{
#define claim(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_the_flag_managed_irq_isolates_from_interrupts),
		cmocka_unit_test(what_follows_two_dashes_is_for_init),
		claim(isolated_is_the_union_of_all_sources),
		claim(absent_sources_isolate_nothing),
		claim(a_source_that_cannot_be_read_is_a_failure),
		claim(a_partition_that_cannot_be_read_is_a_failure),
		claim(older_kernels_are_asked_cgroup_by_cgroup),
		claim(partitions_are_not_followed_for_ever),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

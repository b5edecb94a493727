/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/cpumask_text.h"
#include "sample/topology/topology.h"
#include "unit/sample/machine.h"

#include <errno.h>

static void assert_set(const struct nb_cpumask *mask, const char *list)
{
	g_autofree char *text = nb_cpumask_format_list(mask);

	assert_string_equal(text, list);
}

static void siblings_caches_and_nodes_are_told_by_who_shares_them(void **state)
{
	char *dir = nb_machine("--cpus", "16", "--nodes", "2", "--smt", "2", "--llcs", "2",
			       "--isolated", "6-7", "--nohz-full", "7", "--cpuset", "3",
			       "--cmdline", "isolcpus=managed_irq,5");
	g_autoptr(nb_sysroot) root = nb_machine_open(dir);
	struct nb_topology topology;
	struct nb_cpumask possible;

	(void)state;
	assert_int_equal(nb_topology_read(root, &topology, &possible), 0);
	assert_int_equal(topology.n_possible, 16);
	assert_int_equal(topology.n_cpus, 16);
	for (unsigned i = 0; i < topology.n_cpus; i++) {
		const struct nb_cpu *cpu = &topology.cpus[i];

		assert_int_equal(cpu->id, i);
		assert_int_equal(cpu->core, i % 8);
		assert_int_equal(cpu->node, i % 8 / 4);
		assert_int_equal(cpu->llc, i % 8 / 2 * 2);
	}
	assert_set(&topology.isolated_by[NB_ISOLATION_DOMAIN], "6-7");
	assert_set(&topology.isolated, "3,5-7");
	g_free(topology.cpus);
	nb_tmp_remove(dir);
}

static void offline_cpus_are_possible_and_no_more(void **state)
{
	char *dir = nb_machine("holes");
	g_autoptr(nb_sysroot) root = nb_machine_open(dir);
	static const unsigned ids[] = {0, 1, 3, 4, 6, 7};
	struct nb_topology topology;
	struct nb_cpumask possible;

	(void)state;
	assert_int_equal(nb_topology_read(root, &topology, &possible), 0);
	assert_int_equal(topology.n_possible, 8);
	assert_set(&topology.online, "0-1,3-4,6-7");
	assert_set(&possible, "0-7");
	assert_set(&topology.isolated, "");
	assert_int_equal(topology.n_cpus, G_N_ELEMENTS(ids));
	for (unsigned i = 0; i < topology.n_cpus; i++) {
		assert_int_equal(topology.cpus[i].id, ids[i]);
		assert_int_equal(topology.cpus[i].core, ids[i]);
		assert_int_equal(topology.cpus[i].llc, 0);
		assert_int_equal(topology.cpus[i].node, 0);
	}
	g_free(topology.cpus);
	nb_tmp_remove(dir);
}

static void a_bare_guest_is_one_cache_and_no_node(void **state)
{
	char *dir = nb_tmp_make();
	g_autoptr(nb_sysroot) root = nb_machine_open(dir);
	struct nb_topology topology;
	struct nb_cpumask possible;

	(void)state;
	nb_tmp_write(dir, "sys/devices/system/cpu/online", "0-3\n");
	assert_int_equal(nb_topology_read(root, &topology, &possible), 0);
	assert_set(&possible, "0-3");
	for (unsigned i = 0; i < 4; i++) {
		assert_int_equal(topology.cpus[i].core, i);
		assert_int_equal(topology.cpus[i].llc, 0);
		assert_int_equal(topology.cpus[i].node, NB_NODE_NONE);
	}
	g_free(topology.cpus);

	/* The package stands in for the cache. */
	for (unsigned i = 0; i < 4; i++) {
		g_autofree char *path = g_strdup_printf(
			"sys/devices/system/cpu/cpu%u/topology/core_siblings_list", i);

		nb_tmp_write(dir, path, i < 2 ? "0-1\n" : "2-3\n");
	}
	assert_int_equal(nb_topology_read(root, &topology, &possible), 0);
	assert_int_equal(topology.cpus[1].llc, 0);
	assert_int_equal(topology.cpus[3].llc, 2);
	g_free(topology.cpus);
	nb_tmp_remove(dir);
}

static void without_the_list_of_cpus_there_is_no_topology(void **state)
{
	char *dir = nb_tmp_make();
	g_autoptr(nb_sysroot) root = nb_machine_open(dir);
	struct nb_topology topology;
	struct nb_cpumask possible;

	(void)state;
	assert_int_equal(nb_topology_read(root, &topology, &possible), -ENOENT);
	nb_tmp_write(dir, "sys/devices/system/cpu/online", "0-\n");
	assert_int_equal(nb_topology_read(root, &topology, &possible), -EBADMSG);
	nb_tmp_write(dir, "sys/devices/system/cpu/online", "\n");
	assert_int_equal(nb_topology_read(root, &topology, &possible), -EBADMSG);
	nb_tmp_remove(dir);
}

static void a_node_without_cpus_is_served_by_the_nearest(void **state)
{
	char *dir = nb_tmp_make();
	g_autoptr(nb_sysroot) root = nb_machine_open(dir);
	struct nb_topology topology;
	struct nb_cpumask possible;

	(void)state;
	nb_tmp_write(dir, "sys/devices/system/cpu/online", "0-3\n");
	nb_tmp_write(dir, "sys/devices/system/node/node0/cpulist", "0-1\n");
	nb_tmp_write(dir, "sys/devices/system/node/node1/cpulist", "2-3\n");
	nb_tmp_write(dir, "sys/devices/system/node/node4/cpulist", "\n");
	nb_tmp_write(dir, "sys/devices/system/node/node4/distance", "28 14 10\n");
	assert_int_equal(nb_topology_read(root, &topology, &possible), 0);
	assert_int_equal(topology.cpus[2].node, 1);
	assert_int_equal(nb_topology_nearest_node(root, &topology, 0), 0);
	assert_int_equal(nb_topology_nearest_node(root, &topology, 1), 1);
	assert_int_equal(nb_topology_nearest_node(root, &topology, 4), 1);
	assert_int_equal(nb_topology_nearest_node(root, &topology, 9), NB_NODE_NONE);
	assert_int_equal(nb_topology_nearest_node(root, &topology, -1), NB_NODE_NONE);
	g_free(topology.cpus);
	nb_tmp_remove(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(siblings_caches_and_nodes_are_told_by_who_shares_them),
		cmocka_unit_test(offline_cpus_are_possible_and_no_more),
		cmocka_unit_test(a_bare_guest_is_one_cache_and_no_node),
		cmocka_unit_test(without_the_list_of_cpus_there_is_no_topology),
		cmocka_unit_test(a_node_without_cpus_is_served_by_the_nearest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

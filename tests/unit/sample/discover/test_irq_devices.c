/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sample/discover/irq_devices.h"
#include "sample/topology/topology.h"
#include "unit/sample/machine.h"

/* Two nodes; the disk of node 1 is nvme1, interrupts 24 to 26. */
struct fixture {
	char *dir;
	struct nb_sysroot *root;
	struct nb_topology topology;
	struct nb_irq_devices devices;
};

static int set_up(void **state)
{
	struct fixture *f = g_new0(struct fixture, 1);
	struct nb_cpumask possible;

	f->dir = nb_machine("--nodes", "2", "--disk", "2:1");
	f->root = nb_machine_open(f->dir);
	assert_int_equal(nb_topology_read(f->root, &f->topology, &possible), 0);
	nb_irq_devices_init(&f->devices, f->root, &f->topology);
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	nb_irq_devices_clear(&f->devices);
	g_free(f->topology.cpus);
	nb_sysroot_free(f->root);
	nb_tmp_remove(f->dir);
	g_free(f);
	return 0;
}

static struct nb_device_irq find(struct fixture *f, uint32_t irq)
{
	struct nb_device_irq other = {.irq = irq};

	nb_irq_devices_find(&f->devices, &other);
	return other;
}

static void a_vector_is_of_the_function_that_lists_it(void **state)
{
	for (uint32_t irq = 24; irq <= 26; irq++) {
		struct nb_device_irq found = find(*state, irq);

		assert_string_equal(found.device, "0001:01:00.0");
		assert_int_equal(found.node, 1);
	}
}

static void a_function_without_vectors_has_its_line(void **state)
{
	struct fixture *f = *state;
	struct nb_device_irq found;

	nb_tmp_write(f->dir, "sys/bus/pci/devices/0000:00:1f.2/irq", "19\n");
	nb_tmp_write(f->dir, "sys/bus/pci/devices/0000:00:1f.2/numa_node", "0\n");
	found = find(f, 19);
	assert_string_equal(found.device, "0000:00:1f.2");
	assert_int_equal(found.node, 0);
}

static void what_is_on_no_bus_has_the_node_of_its_descriptor(void **state)
{
	struct fixture *f = *state;
	struct nb_device_irq found;

	nb_tmp_write(f->dir, "proc/irq/70/node", "1\n");
	found = find(f, 70);
	assert_string_equal(found.device, "");
	assert_int_equal(found.node, 1);
}

static void a_node_that_is_not_told_is_none(void **state)
{
	struct fixture *f = *state;

	nb_tmp_write(f->dir, "proc/irq/70/node", "-1\n");
	nb_tmp_write(f->dir, "sys/bus/pci/devices/0001:01:00.0/numa_node", "-1\n");
	assert_int_equal(find(f, 70).node, NB_NODE_NONE);
	assert_int_equal(find(f, 71).node, NB_NODE_NONE);
	assert_int_equal(find(f, 25).node, NB_NODE_NONE);
}

static void a_function_of_the_network_class_is_foreign(void **state)
{
	struct fixture *f = *state;

	assert_false(find(f, 24).foreign);
	nb_tmp_write(f->dir, "sys/bus/pci/devices/0001:01:00.0/class", "0x020700\n");
	assert_true(find(f, 24).foreign);
	nb_tmp_write(f->dir, "sys/bus/pci/devices/0001:01:00.0/class", "0x0c0330\n");
	assert_false(find(f, 24).foreign);
	assert_false(find(f, 70).foreign);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_vector_is_of_the_function_that_lists_it, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(a_function_without_vectors_has_its_line, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(what_is_on_no_bus_has_the_node_of_its_descriptor,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_node_that_is_not_told_is_none, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_function_of_the_network_class_is_foreign, set_up,
						tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

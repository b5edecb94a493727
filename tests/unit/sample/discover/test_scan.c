/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sample/discover/scan.h"
#include "unit/sample/machine.h"

#include <errno.h>
#include <unistd.h>

static struct nb_scan *scan(const char *dir, const struct nb_device_rules *rules)
{
	g_autoptr(nb_sysroot) root = nb_machine_open(dir);
	struct nb_scan *scan = NULL;

	assert_int_equal(nb_scan_new(root, NULL, rules, NULL, 5, &scan), 0);
	assert_int_equal(scan->machine.generation, 5);
	return scan;
}

static void nics_are_told_with_their_queues_in_order(void **state)
{
	char *dir =
		nb_machine("--nodes", "2", "--nic", "eth0:ice:4:0", "--nic", "eth1:virtio_net:2:1");
	g_autoptr(nb_scan) got = scan(dir, NULL);
	const struct nb_machine *machine = &got->machine;

	(void)state;
	assert_int_equal(machine->n_nics, 2);
	assert_string_equal(machine->nics[0].driver, "ice");
	assert_string_equal(machine->nics[1].driver, "virtio_net");
	assert_int_equal(machine->n_queues, 6);
	for (unsigned i = 0; i < 6; i++) {
		const struct nb_queue *queue = &machine->queues[i];

		assert_int_equal(queue->key.ifindex, i < 4 ? 2 : 3);
		assert_int_equal(queue->key.index, i % 4);
		assert_int_equal(queue->n_irqs, i < 4 ? 1 : 2);
		assert_true(queue->has_rx && queue->has_tx);
	}
	assert_int_equal(machine->queues[3].irqs[0], 28);
	assert_int_equal(machine->queues[5].irqs[0], 32);
	assert_int_equal(machine->queues[5].irqs[1], 33);
	nb_tmp_remove(dir);
}

static void write_netdev(const char *dir, const char *name, const char *ifindex, const char *type)
{
	static const char *const files[] = {"ifindex", "type", "flags"};
	const char *const values[] = {ifindex, type, "0x1003\n"};

	for (unsigned i = 0; i < G_N_ELEMENTS(files); i++) {
		g_autofree char *path = g_strdup_printf("sys/class/net/%s/%s", name, files[i]);

		nb_tmp_write(dir, path, values[i]);
	}
}

static void devices_out_of_scope_are_kept_with_the_reason(void **state)
{
	char *dir = nb_machine("--nic", "eth5:igb:2:-1", "--nic", "eth6:igb:2:-1");
	struct nb_device_rule rule = {.match = (char *)"eth6", .ignore = true};
	struct nb_device_rules rules = {.rules = &rule, .n_rules = 1};
	g_autoptr(nb_scan) got = NULL;

	(void)state;
	write_netdev(dir, "lo", "1\n", "772\n");
	write_netdev(dir, "dummy0", "9\n", "1\n");
	nb_tmp_write(dir, "sys/class/net/bonding_masters", "\n");
	got = scan(dir, &rules);
	assert_int_equal(got->machine.n_nics, 3);
	assert_string_equal(got->machine.nics[0].name, "eth5");
	assert_int_equal(got->machine.nics[0].scope, NB_SCOPE_IN);
	assert_string_equal(got->machine.nics[1].name, "eth6");
	assert_int_equal(got->machine.nics[1].scope, NB_SCOPE_IGNORED);
	assert_int_equal(got->machine.nics[2].scope, NB_SCOPE_VIRTUAL);
	assert_int_equal(got->machine.n_queues, 2);
	assert_int_equal(got->machine.queues[0].key.ifindex, 2);
	nb_tmp_remove(dir);
}

static void devices_that_take_packets_out_of_others_are_listed(void **state)
{
	char *dir = nb_machine("--nic", "eth0:ice:4:0");
	g_autoptr(nb_scan) got = NULL;

	(void)state;
	write_netdev(dir, "gre1", "20\n", "778\n");
	write_netdev(dir, "veth1", "21\n", "1\n");
	write_netdev(dir, "vx1", "22\n", "1\n");
	nb_tmp_write(dir, "sys/class/net/vx1/uevent", "DEVTYPE=vxlan\n");
	write_netdev(dir, "tap1", "23\n", "1\n");
	nb_tmp_write(dir, "sys/class/net/tap1/iflink", "0\n");
	got = scan(dir, NULL);
	assert_int_equal(got->tunnels->len, 3);
	assert_int_equal(g_array_index(got->tunnels, int, 0), 20);
	assert_int_equal(g_array_index(got->tunnels, int, 1), 22);
	assert_int_equal(g_array_index(got->tunnels, int, 2), 23);
	nb_tmp_remove(dir);
}

static void a_device_without_hardware_has_a_queue_if_it_is_named(void **state)
{
	char *dir = nb_machine("--nic", "eth0:ice:4:0");
	const struct nb_virtual_slots slots = {.ifindexes = {20, 0, 1, 22, 4711}};
	g_autoptr(nb_sysroot) root = NULL;
	g_autoptr(nb_scan) got = NULL;

	(void)state;
	write_netdev(dir, "wg0", "1\n", "65534\n");
	write_netdev(dir, "veth1", "20\n", "1\n");
	write_netdev(dir, "veth2", "21\n", "1\n");
	write_netdev(dir, "veth3", "22\n", "1\n");
	nb_tmp_write(dir, "sys/class/net/wg0/queues/rx-0/rps_cpus", "00\n");
	nb_tmp_write(dir, "sys/class/net/veth1/queues/rx-0/rps_cpus", "00\n");
	nb_tmp_write(dir, "sys/class/net/veth3/queues/rx-0/rps_cpus", "00\n");
	nb_tmp_write(dir, "sys/class/net/veth3/queues/rx-1/rps_cpus", "00\n");
	root = nb_machine_open(dir);
	assert_int_equal(nb_scan_new(root, NULL, NULL, &slots, 1, &got), 0);
	assert_int_equal(got->machine.n_queues, 6);
	assert_int_equal(got->machine.queues[0].key.ifindex, 1);
	assert_int_equal(got->machine.queues[1].key.ifindex, 2);
	assert_int_equal(got->machine.queues[5].key.ifindex, 20);
	assert_int_equal(got->machine.queues[5].n_irqs, 0);
	assert_true(got->machine.queues[5].has_rx && !got->machine.queues[5].has_tx);
	assert_int_equal(got->machine.nics[0].scope, NB_SCOPE_STEERED);
	assert_int_equal(got->machine.nics[2].scope, NB_SCOPE_STEERED);
	assert_int_equal(got->machine.nics[3].scope, NB_SCOPE_VIRTUAL);
	assert_int_equal(got->machine.nics[4].scope, NB_SCOPE_VIRTUAL);
	assert_int_equal(got->virtuals.ifindexes[0], 20);
	assert_int_equal(got->virtuals.ifindexes[2], 1);
	assert_int_equal(got->virtuals.ifindexes[3], 0);
	assert_int_equal(got->virtuals.ifindexes[4], 0);
	assert_int_equal(got->n_packets, 1);
	assert_int_equal(got->packets[0].rx_queues[0], 1);
	nb_tmp_remove(dir);
}

static void a_nic_is_told_its_tunnel(void **state)
{
	char *dir = nb_machine("--nic", "eth5:igb:2:-1", "--nic", "eth6:igb:2:-1");
	g_autoptr(nb_scan) got = NULL;

	(void)state;
	write_netdev(dir, "gre1", "9\n", "778\n");
	nb_tmp_write(dir, "sys/class/net/gre1/iflink", "3\n");
	got = scan(dir, NULL);
	assert_string_equal(got->machine.nics[0].tunnel, "");
	assert_string_equal(got->machine.nics[1].tunnel, "gre1");
	assert_string_equal(got->machine.nics[2].tunnel, "");
	nb_tmp_remove(dir);
}

static void a_nic_on_a_node_that_is_unknown_may_use_all(void **state)
{
	char *dir = nb_machine("--nodes", "2", "--nic", "eth0:igb:2:1");
	g_autoptr(nb_scan) got = NULL;

	(void)state;
	nb_tmp_write(dir, "sys/devices/pci0000:00/0000:21:00.0/numa_node", "7\n");
	got = scan(dir, NULL);
	assert_int_equal(got->machine.nics[0].node, NB_NODE_NONE);
	nb_tmp_remove(dir);
}

static void a_host_without_nics_is_a_host(void **state)
{
	char *dir = nb_machine("--nvme", "2");
	g_autoptr(nb_scan) got = scan(dir, NULL);

	(void)state;
	assert_int_equal(got->machine.n_nics, 0);
	assert_int_equal(got->machine.n_queues, 0);
	assert_int_equal(got->machine.topology.n_cpus, 4);
	nb_tmp_remove(dir);
}

static void what_cannot_be_read_fails_whole(void **state)
{
	char *dir = nb_machine("--nvme", "2");
	g_autoptr(nb_sysroot) root = nb_machine_open(dir);
	g_autofree char *net = g_build_filename(dir, "sys/class/net", NULL);
	struct nb_scan *got = NULL;

	(void)state;
	assert_int_equal(rmdir(net), 0);
	assert_int_equal(nb_scan_new(root, NULL, NULL, NULL, 1, &got), -ENOENT);
	assert_null(got);
	nb_tmp_remove(dir);
}

static void the_real_host_can_be_read(void **state)
{
	g_autoptr(nb_sysroot) root = nb_machine_open(NULL);
	g_autoptr(nb_scan) got = NULL;

	(void)state;
	assert_int_equal(nb_scan_new(root, NULL, NULL, NULL, 1, &got), 0);
	assert_true(got->machine.topology.n_cpus > 0);
	for (unsigned i = 0; i < got->machine.n_queues; i++)
		assert_true(got->machine.queues[i].n_irqs > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nics_are_told_with_their_queues_in_order),
		cmocka_unit_test(devices_out_of_scope_are_kept_with_the_reason),
		cmocka_unit_test(devices_that_take_packets_out_of_others_are_listed),
		cmocka_unit_test(a_device_without_hardware_has_a_queue_if_it_is_named),
		cmocka_unit_test(a_nic_is_told_its_tunnel),
		cmocka_unit_test(a_nic_on_a_node_that_is_unknown_may_use_all),
		cmocka_unit_test(a_host_without_nics_is_a_host),
		cmocka_unit_test(what_cannot_be_read_fails_whole),
		cmocka_unit_test(the_real_host_can_be_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

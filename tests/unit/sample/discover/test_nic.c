/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "nicbalance/topology.h"
#include "sample/discover/nic.h"
#include "unit/sample/machine.h"

#include <errno.h>
#include <unistd.h>

static void make_link(const char *dir, const char *target, const char *path)
{
	g_autofree char *full = g_build_filename(dir, path, NULL);

	assert_int_equal(symlink(target, full), 0);
}

static void make_netdev(const char *dir, const char *name, const char *ifindex, const char *flags)
{
	static const char *const files[] = {"ifindex", "flags", "type"};
	const char *const values[] = {ifindex, flags, "1\n"};

	for (unsigned i = 0; i < G_N_ELEMENTS(files); i++) {
		g_autofree char *path = g_strdup_printf("sys/class/net/%s/%s", name, files[i]);

		nb_tmp_write(dir, path, values[i]);
	}
}

static void read_facts(const char *dir, const char *name, struct nb_nic_facts *ret)
{
	g_autoptr(nb_sysroot) root = nb_machine_open(dir);

	assert_int_equal(nb_nic_facts_read(root, name, ret), 0);
}

static enum nb_scope scope_of(const char *dir, const char *name)
{
	struct nb_nic_facts facts;

	read_facts(dir, name, &facts);
	nb_nic_facts_clear(&facts);
	return facts.nic.scope;
}

static void a_pci_device_tells_all_of_itself(void **state)
{
	char *dir = nb_machine("holes");
	struct nb_nic_facts facts;

	(void)state;
	read_facts(dir, "lab0", &facts);
	assert_string_equal(facts.nic.name, "lab0");
	assert_string_equal(facts.nic.driver, "igb");
	assert_string_equal(facts.device, "0000:21:00.0");
	assert_string_equal(facts.pci, "0000:21:00.0");
	assert_int_equal(facts.nic.ifindex, 2);
	assert_int_equal(facts.nic.node, NB_NODE_NONE);
	assert_int_equal(facts.nic.master, 0);
	assert_int_equal(facts.nic.scope, NB_SCOPE_IN);
	assert_int_equal(facts.nic.n_rx, 4);
	assert_int_equal(facts.nic.n_tx, 4);
	assert_false(facts.loopback);
	assert_int_equal(facts.own_irqs->len, 5);
	for (unsigned i = 0; i < 5; i++)
		assert_int_equal(g_array_index(facts.own_irqs, uint32_t, i), 24 + i);
	nb_nic_facts_clear(&facts);
	nb_tmp_remove(dir);
}

static bool defers(const char *dir, const char *polls, const char *timeout_nsec)
{
	struct nb_nic_facts facts;

	nb_tmp_write(dir, "sys/class/net/lab0/napi_defer_hard_irqs", polls);
	nb_tmp_write(dir, "sys/class/net/lab0/gro_flush_timeout", timeout_nsec);
	read_facts(dir, "lab0", &facts);
	nb_nic_facts_clear(&facts);
	return facts.defers;
}

static void interrupts_are_deferred_if_both_values_are_set(void **state)
{
	char *dir = nb_machine("holes");
	struct nb_nic_facts facts;

	(void)state;
	read_facts(dir, "lab0", &facts);
	assert_false(facts.defers);
	nb_nic_facts_clear(&facts);
	assert_false(defers(dir, "0\n", "0\n"));
	assert_false(defers(dir, "2\n", "0\n"));
	assert_false(defers(dir, "0\n", "20000\n"));
	assert_true(defers(dir, "2\n", "20000\n"));
	nb_tmp_remove(dir);
}

static void a_virtio_device_finds_them_one_step_up(void **state)
{
	char *dir = nb_machine("--cpus", "4", "--nodes", "2", "--nic", "eth0:virtio_net:2:1");
	struct nb_nic_facts facts;

	(void)state;
	read_facts(dir, "eth0", &facts);
	assert_string_equal(facts.nic.driver, "virtio_net");
	assert_string_equal(facts.device, "virtio2");
	assert_string_equal(facts.pci, "0000:21:00.0");
	assert_int_equal(facts.nic.node, 1);
	assert_int_equal(facts.own_irqs->len, 5);
	nb_nic_facts_clear(&facts);
	nb_tmp_remove(dir);
}

/* What it says is the node of the CPU that its first channel is on. */
static void on_the_vmbus_a_device_has_no_node(void **state)
{
	char *dir = nb_tmp_make();
	struct nb_nic_facts facts;

	(void)state;
	nb_tmp_unpack(dir, "hv_netvsc");
	read_facts(dir, "eth0", &facts);
	assert_true(facts.vmbus);
	assert_int_equal(facts.nic.node, NB_NODE_NONE);
	nb_nic_facts_clear(&facts);
	read_facts(dir, "enP41441s1", &facts);
	assert_false(facts.vmbus);
	assert_int_equal(facts.nic.node, 0);
	nb_nic_facts_clear(&facts);
	nb_tmp_remove(dir);
}

static void only_the_address_of_a_function_is_taken_for_one(void **state)
{
	static const struct {
		const char *device;
		bool is_address;
	} cases[] = {
		{"0000:21:00.0", true}, {"10000:e1:1f.7", true},  {"0000:21:00.", false},
		{"0000:21:00", false},  {"0000:21:00.0x", false}, {"0000:21:00.0.1", false},
		{"0000::00.0", false},  {":21:00.0", false},      {"0000.21.00.0", false},
		{"virtio2", false},     {"1-1:1.0", false},       {"mlx5_core.sf.2", false},
	};

	(void)state;
	for (unsigned i = 0; i < G_N_ELEMENTS(cases); i++) {
		char *dir = nb_tmp_make();
		g_autofree char *target = g_strdup_printf("../../../devices/%s", cases[i].device);
		g_autofree char *file =
			g_strdup_printf("sys/devices/%s/numa_node", cases[i].device);
		struct nb_nic_facts facts;

		make_netdev(dir, "eth0", "2\n", "0x1003\n");
		nb_tmp_write(dir, file, "0\n");
		make_link(dir, target, "sys/class/net/eth0/device");
		read_facts(dir, "eth0", &facts);
		assert_string_equal(facts.device, cases[i].device);
		assert_string_equal(facts.pci, cases[i].is_address ? cases[i].device : "");
		nb_nic_facts_clear(&facts);
		nb_tmp_remove(dir);
	}
}

/* What lies above a function without MSI is a port, and its vectors are its own. */
static void the_vectors_of_a_port_are_not_the_networks(void **state)
{
	char *dir = nb_tmp_make();
	struct nb_nic_facts facts;

	(void)state;
	make_netdev(dir, "eth0", "2\n", "0x1003\n");
	nb_tmp_write(dir, "sys/devices/port/msi_irqs/24", "msi\n");
	nb_tmp_write(dir, "sys/devices/port/0000:01:00.0/numa_node", "0\n");
	make_link(dir, "../../../devices/port/0000:01:00.0", "sys/class/net/eth0/device");
	read_facts(dir, "eth0", &facts);
	/* Of an unknown bus the search goes on upwards. */
	assert_int_equal(facts.own_irqs->len, 1);
	nb_nic_facts_clear(&facts);

	make_link(dir, "../../../bus/pci", "sys/devices/port/0000:01:00.0/subsystem");
	read_facts(dir, "eth0", &facts);
	assert_int_equal(facts.own_irqs->len, 0);
	assert_int_equal(facts.nic.node, 0);
	nb_nic_facts_clear(&facts);
	nb_tmp_remove(dir);
}

/* They are its controller's, and so of its other devices, too. */
static void a_usb_device_has_no_vectors_of_its_own(void **state)
{
	char *dir = nb_tmp_make();
	struct nb_nic_facts facts;

	(void)state;
	make_netdev(dir, "eth0", "2\n", "0x1003\n");
	nb_tmp_write(dir, "sys/devices/0000:00:14.0/msi_irqs/24", "msi\n");
	nb_tmp_write(dir, "sys/devices/0000:00:14.0/usb1/1-1/1-1:1.0/bInterfaceNumber", "00\n");
	make_link(dir, "../../../devices/0000:00:14.0/usb1/1-1/1-1:1.0",
		  "sys/class/net/eth0/device");
	make_link(dir, "../../../../../bus/usb",
		  "sys/devices/0000:00:14.0/usb1/1-1/1-1:1.0/subsystem");
	read_facts(dir, "eth0", &facts);
	assert_int_equal(facts.own_irqs->len, 0);
	nb_nic_facts_clear(&facts);
	nb_tmp_remove(dir);
}

static void scope_says_why_not(void **state)
{
	char *dir = nb_machine("holes");

	(void)state;
	make_netdev(dir, "dummy0", "10\n", "0x1003\n");
	assert_int_equal(scope_of(dir, "dummy0"), NB_SCOPE_VIRTUAL);
	make_netdev(dir, "br0", "11\n", "0x1003\n");
	nb_tmp_write(dir, "sys/class/net/br0/bridge/stp_state", "0\n");
	assert_int_equal(scope_of(dir, "br0"), NB_SCOPE_STACKED);
	make_netdev(dir, "bond0", "12\n", "0x1003\n");
	nb_tmp_write(dir, "sys/class/net/bond0/bonding/mode", "802.3ad 4\n");
	assert_int_equal(scope_of(dir, "bond0"), NB_SCOPE_STACKED);
	make_netdev(dir, "lab0.7", "13\n", "0x1003\n");
	nb_tmp_write(dir, "sys/class/net/lab0.7/uevent", "DEVTYPE=vlan\nINTERFACE=lab0.7\n");
	assert_int_equal(scope_of(dir, "lab0.7"), NB_SCOPE_STACKED);
	make_netdev(dir, "team0", "14\n", "0x1003\n");
	make_link(dir, "../lab0", "sys/class/net/team0/lower_lab0");
	assert_int_equal(scope_of(dir, "team0"), NB_SCOPE_STACKED);
	nb_tmp_write(dir, "sys/class/net/lab0/flags", "0x1002\n");
	assert_int_equal(scope_of(dir, "lab0"), NB_SCOPE_DOWN);
	nb_tmp_remove(dir);
}

static bool is_tunnel(const char *dir, const char *type, const char *flags)
{
	struct nb_nic_facts facts;
	bool tunnel;

	make_netdev(dir, "x0", "20\n", flags);
	nb_tmp_write(dir, "sys/class/net/x0/type", type);
	read_facts(dir, "x0", &facts);
	tunnel = facts.tunnel;
	nb_nic_facts_clear(&facts);
	return tunnel;
}

static void tunnels_are_known_by_their_type(void **state)
{
	static const char *const types[] = {"512\n", "768\n", "769\n", "776\n", "778\n", "823\n"};
	char *dir = nb_machine("holes");

	(void)state;
	for (unsigned i = 0; i < G_N_ELEMENTS(types); i++) {
		assert_true(is_tunnel(dir, types[i], "0x91\n"));
		assert_false(is_tunnel(dir, types[i], "0x90\n"));
	}
	assert_false(is_tunnel(dir, "1\n", "0x91\n"));
	assert_false(is_tunnel(dir, "65534\n", "0x91\n"));
	nb_tmp_remove(dir);
}

static bool is_overlay(const char *dir, const char *type, const char *uevent, const char *flags)
{
	struct nb_nic_facts facts;
	bool overlay;

	make_netdev(dir, "x0", "20\n", flags);
	nb_tmp_write(dir, "sys/class/net/x0/type", type);
	nb_tmp_write(dir, "sys/class/net/x0/uevent", uevent);
	read_facts(dir, "x0", &facts);
	overlay = facts.overlay;
	assert_false(facts.tunnel);
	nb_nic_facts_clear(&facts);
	return overlay;
}

/* gretap and ERSPAN, as far as they are bound to no device. */
static void a_tunnel_of_ethernet_has_no_link(void **state)
{
	char *dir = nb_machine("holes");

	(void)state;
	nb_tmp_write(dir, "sys/class/net/x0/iflink", "0\n");
	assert_true(is_tunnel(dir, "1\n", "0x1003\n"));
	assert_false(is_tunnel(dir, "1\n", "0x1002\n"));
	assert_false(is_tunnel(dir, "65534\n", "0x1003\n"));
	assert_true(is_overlay(dir, "1\n", "DEVTYPE=vxlan\n", "0x1003\n"));
	nb_tmp_write(dir, "sys/class/net/x0/uevent", "INTERFACE=x0\n");
	nb_tmp_write(dir, "sys/class/net/x0/iflink", "20\n");
	assert_false(is_tunnel(dir, "1\n", "0x1003\n"));
	nb_tmp_write(dir, "sys/class/net/x0/iflink", "2\n");
	assert_false(is_tunnel(dir, "1\n", "0x1003\n"));
	nb_tmp_remove(dir);
}

static void overlays_say_what_they_are(void **state)
{
	char *dir = nb_machine("holes");

	(void)state;
	assert_true(is_overlay(dir, "1\n", "DEVTYPE=vxlan\nINTERFACE=x0\n", "0x1003\n"));
	assert_true(is_overlay(dir, "1\n", "DEVTYPE=geneve\nINTERFACE=x0\n", "0x1003\n"));
	assert_true(is_overlay(dir, "1\n", "DEVTYPE=macsec\nINTERFACE=x0\n", "0x1003\n"));
	assert_true(is_overlay(dir, "65534\n", "DEVTYPE=bareudp\nINTERFACE=x0\n", "0x1091\n"));
	assert_true(is_overlay(dir, "65534\n", "DEVTYPE=amt\nINTERFACE=x0\n", "0x1091\n"));
	assert_false(is_overlay(dir, "65534\n", "DEVTYPE=wireguard\nINTERFACE=x0\n", "0x1091\n"));
	assert_false(is_overlay(dir, "1\n", "DEVTYPE=vxlan\nINTERFACE=x0\n", "0x1002\n"));
	assert_false(is_overlay(dir, "1\n", "DEVTYPE=wlan\nINTERFACE=x0\n", "0x1003\n"));
	assert_false(is_overlay(dir, "1\n", "INTERFACE=x0\n", "0x1003\n"));
	nb_tmp_remove(dir);
}

static void the_master_is_known_by_its_ifindex(void **state)
{
	char *dir = nb_machine("holes");
	struct nb_nic_facts facts;

	(void)state;
	make_netdev(dir, "bond0", "12\n", "0x1003\n");
	make_link(dir, "/sys/class/net/bond0", "sys/class/net/lab0/master");
	read_facts(dir, "lab0", &facts);
	assert_int_equal(facts.nic.master, 12);
	nb_nic_facts_clear(&facts);
	nb_tmp_remove(dir);
}

static void loopback_is_told_by_its_type(void **state)
{
	char *dir = nb_tmp_make();
	struct nb_nic_facts facts;

	(void)state;
	make_netdev(dir, "lo", "1\n", "0x9\n");
	nb_tmp_write(dir, "sys/class/net/lo/type", "772\n");
	read_facts(dir, "lo", &facts);
	assert_true(facts.loopback);
	nb_nic_facts_clear(&facts);
	nb_tmp_remove(dir);
}

static void what_vanishes_or_is_no_device_is_absent(void **state)
{
	char *dir = nb_tmp_make();
	g_autoptr(nb_sysroot) root = nb_machine_open(dir);
	struct nb_nic_facts facts;

	(void)state;
	assert_int_equal(nb_nic_facts_read(root, "eth0", &facts), -ENOENT);
	/* A plain file of the bonding module. */
	nb_tmp_write(dir, "sys/class/net/bonding_masters", "bond0\n");
	assert_int_equal(nb_nic_facts_read(root, "bonding_masters", &facts), -ENOENT);
	make_netdev(dir, "eth0", "2\n", "0x1003\n");
	nb_tmp_write(dir, "sys/class/net/eth0/flags", "none\n");
	assert_int_equal(nb_nic_facts_read(root, "eth0", &facts), -ENOENT);
	assert_int_equal(nb_nic_facts_read(root, "longer-than-a-name-can-be", &facts), -EINVAL);
	nb_tmp_remove(dir);
}

static void assert_mac(const char *dir, const char *expected)
{
	struct nb_nic_facts facts;

	read_facts(dir, "lab0", &facts);
	assert_string_equal(facts.mac, expected);
	nb_nic_facts_clear(&facts);
}

static void a_port_of_a_bond_keeps_its_own_address(void **state)
{
	char *dir = nb_machine("holes");

	(void)state;
	assert_mac(dir, "");
	nb_tmp_write(dir, "sys/class/net/lab0/address", "52:54:00:00:00:01\n");
	assert_mac(dir, "52:54:00:00:00:01");
	nb_tmp_write(dir, "sys/class/net/lab0/bonding_slave/perm_hwaddr", "52:54:00:00:00:02\n");
	assert_mac(dir, "52:54:00:00:00:02");
	nb_tmp_remove(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_pci_device_tells_all_of_itself),
		cmocka_unit_test(on_the_vmbus_a_device_has_no_node),
		cmocka_unit_test(only_the_address_of_a_function_is_taken_for_one),
		cmocka_unit_test(interrupts_are_deferred_if_both_values_are_set),
		cmocka_unit_test(a_virtio_device_finds_them_one_step_up),
		cmocka_unit_test(the_vectors_of_a_port_are_not_the_networks),
		cmocka_unit_test(a_usb_device_has_no_vectors_of_its_own),
		cmocka_unit_test(scope_says_why_not),
		cmocka_unit_test(tunnels_are_known_by_their_type),
		cmocka_unit_test(a_tunnel_of_ethernet_has_no_link),
		cmocka_unit_test(overlays_say_what_they_are),
		cmocka_unit_test(the_master_is_known_by_its_ifindex),
		cmocka_unit_test(loopback_is_told_by_its_type),
		cmocka_unit_test(what_vanishes_or_is_no_device_is_absent),
		cmocka_unit_test(a_port_of_a_bond_keeps_its_own_address),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

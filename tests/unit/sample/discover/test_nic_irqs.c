/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sample/discover/nic_irqs.h"
#include "unit/sample/machine.h"

#include <errno.h>
#include <stdio.h>

/* What netlink would say: stands in for the one of src/netlink. */
static GArray *told;

int nb_netlink_get_queues(struct nb_netlink *netlink, int ifindex, GArray *queues)
{
	assert_non_null(netlink);
	assert_int_equal(ifindex, 2);
	if (!told)
		return -EOPNOTSUPP;
	g_array_append_vals(queues, told->data, told->len);
	return 0;
}

/* One device of a machine, and what is found for it. */
struct found {
	struct nb_nic nic;
	unsigned rx[8];
	unsigned tx[8];
	bool rx_defers[8];
	uint32_t rx_threads[8];
	enum nb_threading rx_threading[8];
};

static struct found find(const char *dir, const char *name, struct nb_netlink *netlink,
			 const struct nb_device_rules *rules, GHashTable *taken)
{
	g_autoptr(nb_sysroot) root = nb_machine_open(dir);
	g_autoptr(nb_handlers) handlers = NULL;
	g_auto(GStrv) ifnames = NULL;
	struct found found = {0};
	struct nb_nic_facts facts;
	struct nb_queue_map map;

	assert_int_equal(nb_handlers_open(root, &handlers), 0);
	assert_int_equal(nb_sysroot_list(root, "sys/class/net", &ifnames), 0);
	assert_int_equal(nb_nic_facts_read(root, name, &facts), 0);
	nb_queue_map_init(&map, facts.nic.n_rx, facts.nic.n_tx);
	nb_nic_irqs_find(
		&(struct nb_nic_irqs_context){root, netlink, handlers, rules, ifnames, taken},
		&facts, &map);
	found.nic = facts.nic;
	for (unsigned i = 0; i < MIN(map.n_rx, 8); i++)
		found.rx[i] = map.rx[i];
	for (unsigned i = 0; i < MIN(map.n_rx, 8); i++)
		found.rx_defers[i] = map.rx_defers[i];
	for (unsigned i = 0; i < MIN(map.n_rx, 8); i++)
		found.rx_threads[i] = map.rx_threads[i];
	for (unsigned i = 0; i < MIN(map.n_rx, 8); i++)
		found.rx_threading[i] = map.rx_threading[i];
	for (unsigned i = 0; i < MIN(map.n_tx, 8); i++)
		found.tx[i] = map.tx[i];
	nb_queue_map_clear(&map);
	nb_nic_facts_clear(&facts);
	return found;
}

static struct found find_alone(const char *dir, const char *name)
{
	g_autoptr(GHashTable) taken = g_hash_table_new(NULL, NULL);

	return find(dir, name, NULL, NULL, taken);
}

static void igb_queues_stand_beside_the_link(void **state)
{
	char *dir = nb_machine("holes");
	struct found found = find_alone(dir, "lab0");

	(void)state;
	assert_int_equal(found.nic.scope, NB_SCOPE_IN);
	assert_int_equal(found.nic.mapping, NB_MAPPING_NAMES);
	assert_int_equal(found.nic.n_slow_path, 1);
	for (unsigned i = 0; i < 4; i++) {
		assert_int_equal(found.rx[i], 25 + i);
		assert_int_equal(found.tx[i], 25 + i);
	}
	nb_tmp_remove(dir);
}

static void virtio_has_two_for_each_pair(void **state)
{
	char *dir = nb_machine("--nic", "eth0:virtio_net:4:-1");
	struct found found = find_alone(dir, "eth0");

	(void)state;
	assert_int_equal(found.nic.scope, NB_SCOPE_IN);
	assert_int_equal(found.nic.n_slow_path, 1);
	for (unsigned i = 0; i < 4; i++) {
		assert_int_equal(found.rx[i], 25 + 2 * i);
		assert_int_equal(found.tx[i], 26 + 2 * i);
	}
	nb_tmp_remove(dir);
}

static void a_name_from_before_a_rename_is_known_by_the_bus(void **state)
{
	char *dir = nb_machine("holes");
	struct found found;

	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		g_autofree char *path = g_strdup_printf("sys/kernel/irq/%u/actions", 25 + i);
		g_autofree char *name = g_strdup_printf("eth9-TxRx-%u\n", i);

		nb_tmp_write(dir, path, name);
	}
	found = find_alone(dir, "lab0");
	assert_int_equal(found.nic.mapping, NB_MAPPING_NAMES);
	assert_int_equal(found.rx[3], 28);
	nb_tmp_remove(dir);
}

static void without_a_list_of_the_bus_the_name_must_be_exact(void **state)
{
	char *dir = nb_machine("holes");
	g_autofree char *irqs =
		g_build_filename(dir, "sys/devices/pci0000:00/0000:21:00.0/msi_irqs", NULL);
	g_autofree char *aside = g_build_filename(dir, "sys/aside", NULL);
	struct found found;

	(void)state;
	assert_int_equal(rename(irqs, aside), 0);
	found = find_alone(dir, "lab0");
	assert_int_equal(found.rx[0], 25);

	nb_tmp_write(dir, "sys/kernel/irq/25/actions", "eth9-TxRx-0\n");
	found = find_alone(dir, "lab0");
	assert_int_equal(found.rx[0], 0);
	assert_int_equal(found.rx[1], 26);
	nb_tmp_remove(dir);
}

static void an_interrupt_without_its_directory_was_never_requested(void **state)
{
	char *dir = nb_machine("holes");
	g_autofree char *irq = g_build_filename(dir, "proc/irq/26", NULL);
	g_autofree char *aside = g_build_filename(dir, "proc/aside", NULL);
	struct found found;

	(void)state;
	assert_int_equal(rename(irq, aside), 0);
	found = find_alone(dir, "lab0");
	assert_int_equal(found.rx[0], 25);
	assert_int_equal(found.rx[1], 0);
	nb_tmp_remove(dir);
}

static void an_interrupt_serves_one_device_alone(void **state)
{
	char *dir = nb_machine("holes");
	g_autoptr(GHashTable) taken = g_hash_table_new(NULL, NULL);
	struct found found;

	(void)state;
	found = find(dir, "lab0", NULL, NULL, taken);
	assert_int_equal(found.nic.scope, NB_SCOPE_IN);
	assert_int_equal(g_hash_table_size(taken), 4);
	/* Else the link's vector would look like the only one of the second device. */
	g_hash_table_add(taken, GUINT_TO_POINTER(24));
	found = find(dir, "lab0", NULL, NULL, taken);
	assert_int_equal(found.nic.scope, NB_SCOPE_NO_INTERRUPTS);
	assert_int_equal(found.nic.mapping, NB_MAPPING_NONE);
	nb_tmp_remove(dir);
}

static void tell(enum nb_queue_direction direction, unsigned index, uint32_t irq)
{
	struct nb_netlink_queue queue = {direction, index, 1000 + index, irq, NB_DEFERRAL_UNKNOWN};

	g_array_append_val(told, queue);
}

static void netlink_comes_first_when_it_knows_every_receive_queue(void **state)
{
	char *dir = nb_machine("holes");
	struct nb_netlink *netlink = (struct nb_netlink *)dir; /* never looked into */
	g_autoptr(GHashTable) taken = g_hash_table_new(NULL, NULL);
	struct found found;

	(void)state;
	told = g_array_new(FALSE, FALSE, sizeof(struct nb_netlink_queue));
	for (unsigned i = 0; i < 4; i++) {
		tell(NB_QUEUE_RX, i, 28 - i);
		tell(NB_QUEUE_TX, i, 28 - i);
	}
	found = find(dir, "lab0", netlink, NULL, taken);
	assert_int_equal(found.nic.mapping, NB_MAPPING_NETLINK);
	assert_int_equal(found.nic.scope, NB_SCOPE_IN);
	assert_int_equal(found.rx[0], 28);
	assert_int_equal(found.tx[3], 25);
	g_clear_pointer(&told, g_array_unref);
	nb_tmp_remove(dir);
}

/* Since 6.13 a NAPI may be set apart from its device. */
static void what_a_napi_says_of_its_deferral_counts_more_than_what_its_device_does(void **state)
{
	char *dir = nb_machine("holes");
	struct nb_netlink *netlink = (struct nb_netlink *)dir;
	g_autoptr(GHashTable) taken = g_hash_table_new(NULL, NULL);
	struct nb_netlink_queue on = {.index = 1,
				      .deferral = NB_DEFERRAL_ON,
				      .thread = 901,
				      .threading = NB_THREADING_ON};
	struct nb_netlink_queue off = {.index = 2, .deferral = NB_DEFERRAL_OFF};
	struct found found;

	(void)state;
	told = g_array_new(FALSE, FALSE, sizeof(struct nb_netlink_queue));
	tell(NB_QUEUE_RX, 0, 0);
	g_array_append_val(told, on);
	g_array_append_val(told, off);
	found = find(dir, "lab0", netlink, NULL, taken);
	assert_memory_equal(found.rx_defers, ((bool[]){false, true, false}), 3);
	assert_int_equal(found.rx_threads[0], 0);
	assert_int_equal(found.rx_threads[1], 901);
	assert_int_equal(found.rx_threading[0], NB_THREADING_UNKNOWN);
	assert_int_equal(found.rx_threading[1], NB_THREADING_ON);

	nb_tmp_write(dir, "sys/class/net/lab0/napi_defer_hard_irqs", "2\n");
	nb_tmp_write(dir, "sys/class/net/lab0/gro_flush_timeout", "20000\n");
	g_hash_table_remove_all(taken);
	found = find(dir, "lab0", netlink, NULL, taken);
	assert_memory_equal(found.rx_defers, ((bool[]){true, true, false}), 3);
	g_clear_pointer(&told, g_array_unref);
	nb_tmp_remove(dir);
}

static void netlink_that_knows_some_is_not_mixed_with_names(void **state)
{
	char *dir = nb_machine("holes");
	struct nb_netlink *netlink = (struct nb_netlink *)dir;
	g_autoptr(GHashTable) taken = g_hash_table_new(NULL, NULL);
	struct found found;

	(void)state;
	told = g_array_new(FALSE, FALSE, sizeof(struct nb_netlink_queue));
	tell(NB_QUEUE_RX, 0, 28);
	tell(NB_QUEUE_RX, 1, 0);
	tell(NB_QUEUE_TX, 0, 27);
	found = find(dir, "lab0", netlink, NULL, taken);
	assert_int_equal(found.nic.mapping, NB_MAPPING_NAMES);
	assert_int_equal(found.rx[0], 25);
	assert_int_equal(found.tx[0], 25);
	g_clear_pointer(&told, g_array_unref);

	g_hash_table_remove_all(taken);
	found = find(dir, "lab0", netlink, NULL, taken);
	assert_int_equal(found.nic.mapping, NB_MAPPING_NAMES);
	nb_tmp_remove(dir);
}

/* The device of an unknown driver, with handlers that do not carry its name. */
static char *make_unknown(const char *handler_format)
{
	char *dir = nb_machine("holes");

	for (unsigned i = 0; i < 5; i++) {
		g_autofree char *path = g_strdup_printf("sys/kernel/irq/%u/actions", 24 + i);
		g_autofree char *name = g_strdup_printf("%s %u\n", handler_format, 4 - i);

		nb_tmp_write(dir, path, name);
	}
	return dir;
}

static void a_rule_names_the_handlers_no_table_knows(void **state)
{
	char *dir = make_unknown("Some engine");
	g_autoptr(GHashTable) taken = g_hash_table_new(NULL, NULL);
	struct nb_device_rule rule = {.match = (char *)"lab*", .interrupts = (char *)"*engine *"};
	struct nb_device_rules rules = {.rules = &rule, .n_rules = 1};
	struct found found;

	(void)state;
	assert_int_equal(find_alone(dir, "lab0").nic.scope, NB_SCOPE_NO_INTERRUPTS);
	found = find(dir, "lab0", NULL, &rules, taken);
	assert_int_equal(found.nic.mapping, NB_MAPPING_CONFIG);
	assert_int_equal(found.nic.scope, NB_SCOPE_IN);
	for (unsigned i = 0; i < 4; i++)
		assert_int_equal(found.rx[i], 24 + i);
	rule.interrupts = (char *)"nothing";
	g_hash_table_remove_all(taken);
	assert_int_equal(find(dir, "lab0", NULL, &rules, taken).nic.scope, NB_SCOPE_NO_INTERRUPTS);
	nb_tmp_remove(dir);
}

static void a_rule_cannot_unbind_portals(void **state)
{
	char *dir = make_unknown("QMan portal");
	g_autoptr(GHashTable) taken = g_hash_table_new(NULL, NULL);
	struct nb_device_rule rule = {.match = (char *)"lab*", .interrupts = (char *)"QMan*"};
	struct nb_device_rules rules = {.rules = &rule, .n_rules = 1};
	struct found found = find(dir, "lab0", NULL, &rules, taken);

	(void)state;
	assert_int_equal(found.nic.scope, NB_SCOPE_FIXED);
	assert_int_equal(found.nic.mapping, NB_MAPPING_NONE);
	assert_int_equal(g_hash_table_size(taken), 0);
	nb_tmp_remove(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(igb_queues_stand_beside_the_link),
		cmocka_unit_test(virtio_has_two_for_each_pair),
		cmocka_unit_test(a_name_from_before_a_rename_is_known_by_the_bus),
		cmocka_unit_test(without_a_list_of_the_bus_the_name_must_be_exact),
		cmocka_unit_test(an_interrupt_without_its_directory_was_never_requested),
		cmocka_unit_test(an_interrupt_serves_one_device_alone),
		cmocka_unit_test(netlink_comes_first_when_it_knows_every_receive_queue),
		cmocka_unit_test(
			what_a_napi_says_of_its_deferral_counts_more_than_what_its_device_does),
		cmocka_unit_test(netlink_that_knows_some_is_not_mixed_with_names),
		cmocka_unit_test(a_rule_names_the_handlers_no_table_knows),
		cmocka_unit_test(a_rule_cannot_unbind_portals),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

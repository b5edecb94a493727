/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sample/discover/pools.h"

#include "base/cpumask_text.h"
#include "base/pools.h"
#include "nicbalance/topology.h"
#include "sample/discover/scan.h"
#include "unit/sample/machine.h"

static struct nb_cpumask cpus(const char *list)
{
	struct nb_cpumask mask;

	assert_int_equal(nb_cpumask_parse_list(list, strlen(list), &mask), 0);
	return mask;
}

/* eth0: 24 misc, 25 to 27 its queues; eth1: 28 config, 29 to 32 the two pairs of its queues. */
static struct nb_scan *scan(const struct nb_device_rules *rules)
{
	char *dir = nb_machine("--cpus", "8", "--nodes", "2", "--nic", "eth0:ice:3:0", "--nic",
			       "eth1:virtio_net:2:1");
	g_autoptr(nb_sysroot) root = nb_machine_open(dir);
	struct nb_scan *scan = NULL;

	assert_int_equal(nb_scan_new(root, NULL, rules, NULL, 1, &scan), 0);
	nb_tmp_remove(dir);
	return scan;
}

static void assert_pool(const struct nb_scan *scan, unsigned i, int ifindex, unsigned index,
			const char *list)
{
	const struct nb_pool *pool = &scan->machine.pools.rows[i];
	g_autofree char *text = nb_cpumask_format_list(&pool->cpus);

	assert_true(i < scan->machine.pools.n);
	assert_int_equal(pool->key.ifindex, ifindex);
	assert_int_equal(pool->key.index, index);
	assert_int_equal(pool->rule, NB_RULE_CONFIGURED);
	assert_false(pool->exclusive);
	assert_string_equal(text, list);
}

static void pools_come_from_the_first_section_that_matches(void **state)
{
	struct nb_device_rule list[] = {
		{.match = (char *)"driver:virtio_net",
		 .node = NB_NODE_NONE,
		 .spill = true,
		 .cpus = cpus("4-5")},
		{.match = (char *)"eth*", .node = 1, .cpus = cpus("0-1")},
	};
	struct nb_interrupt_rule interrupts[] = {
		{.match = (char *)"ice-eth0-TxRx-1", .cpus = cpus("1")},
		{.match = (char *)"virtio3-*", .cpus = cpus("5")},
	};
	const struct nb_device_rules rules = {
		.rules = list,
		.n_rules = G_N_ELEMENTS(list),
		.interrupts = {interrupts, G_N_ELEMENTS(interrupts)},
	};
	g_autoptr(nb_scan) got = scan(&rules);

	(void)state;
	assert_int_equal(got->machine.nics[0].node, 1);
	assert_int_equal(got->machine.nics[1].node, NB_NODE_NONE);
	assert_false(got->machine.nics[0].spill);
	assert_true(got->machine.nics[1].spill);
	assert_int_equal(got->machine.pools.n, 5);
	assert_pool(got, 0, 2, 1, "1");
	assert_pool(got, 1, 2, NB_EVERY_QUEUE, "0-1");
	/* Once for both interrupts of a queue. */
	assert_pool(got, 2, 3, 0, "5");
	assert_pool(got, 3, 3, 1, "5");
	assert_pool(got, 4, 3, NB_EVERY_QUEUE, "4-5");
	for (unsigned i = 0; i < got->machine.n_queues; i++)
		assert_false(got->machine.queues[i].ignored);
}

static void a_section_without_cpus_limits_nothing(void **state)
{
	struct nb_device_rule rule = {.match = (char *)"*", .node = NB_NODE_UNSET};
	struct nb_interrupt_rule interrupt = {.match = (char *)"*"};
	const struct nb_device_rules rules = {
		.rules = &rule, .n_rules = 1, .interrupts = {&interrupt, 1}};
	g_autoptr(nb_scan) got = scan(&rules);

	(void)state;
	assert_int_equal(got->machine.pools.n, 0);
	assert_int_equal(got->machine.nics[0].node, 0);
	assert_int_equal(got->machine.nics[1].node, 1);
}

/* One of its interrupts is enough. */
static void a_queue_with_an_ignored_interrupt_is_marked(void **state)
{
	struct nb_interrupt_rule interrupts[] = {
		{.match = (char *)"26", .ignore = true},
		{.match = (char *)"virtio3-output.1", .ignore = true},
	};
	const struct nb_device_rules rules = {.interrupts = {interrupts, G_N_ELEMENTS(interrupts)}};
	g_autoptr(nb_scan) got = scan(&rules);
	static const bool expected[] = {false, true, false, false, true};

	(void)state;
	assert_int_equal(got->machine.n_queues, G_N_ELEMENTS(expected));
	for (unsigned i = 0; i < G_N_ELEMENTS(expected); i++)
		assert_int_equal(got->machine.queues[i].ignored, expected[i]);
	assert_int_equal(got->machine.pools.n, 0);
}

static struct nb_scan *scan_with_link(const char *value, const struct nb_device_rules *rules)
{
	char *dir = nb_machine("--cpus", "8", "--nic", "eth0:ice:3:-1");
	g_autofree char *text = g_strdup_printf("[Link]\nIRQAffinity=%s\n"
						"ReceivePacketSteeringCPUMask=6-7\n",
						value);
	g_autoptr(nb_sysroot) root = nb_machine_open(dir);
	struct nb_scan *scan = NULL;

	nb_tmp_write(dir, "run/udev/data/n2", "E:ID_NET_LINK_FILE=/etc/systemd/network/10.link\n");
	nb_tmp_write(dir, "etc/systemd/network/10.link", text);
	assert_int_equal(nb_scan_new(root, NULL, rules, NULL, 1, &scan), 0);
	nb_tmp_remove(dir);
	return scan;
}

static void a_link_file_counts_where_no_section_names_cpus(void **state)
{
	struct nb_device_rule rule = {.match = (char *)"eth0", .node = NB_NODE_UNSET};
	const struct nb_device_rules rules = {.rules = &rule, .n_rules = 1};
	g_autoptr(nb_scan) alone = scan_with_link("4-5", NULL);
	g_autoptr(nb_scan) beside = scan_with_link("4-5", &rules);
	g_autoptr(nb_scan) below = NULL;

	(void)state;
	assert_int_equal(alone->machine.pools.n, 1);
	assert_int_equal(alone->machine.pools.rows[0].rule, NB_RULE_LINK);
	assert_int_equal(alone->machine.pools.rows[0].key.index, NB_EVERY_QUEUE);
	assert_int_equal(nb_cpumask_count(&alone->machine.pools.rows[0].cpus), 2);
	assert_int_equal(alone->machine.rps_pools.n, 1);
	assert_int_equal(alone->machine.rps_pools.rows[0].key.index, NB_EVERY_QUEUE);
	assert_int_equal(nb_cpumask_count(&alone->machine.rps_pools.rows[0].cpus), 2);
	assert_int_equal(alone->faults->len, 0);
	assert_int_equal(beside->machine.pools.n, 1);
	rule.cpus = cpus("1");
	below = scan_with_link("4-5", &rules);
	assert_int_equal(below->machine.pools.n, 1);
	assert_int_equal(below->machine.rps_pools.n, 0);
	assert_pool(below, 0, 2, NB_EVERY_QUEUE, "1");
}

static void a_broken_link_file_is_told_and_limits_nothing(void **state)
{
	g_autoptr(nb_scan) got = scan_with_link("near", NULL);

	(void)state;
	assert_int_equal(got->machine.pools.n, 0);
	assert_int_equal(got->faults->len, 1);
	assert_non_null(strstr(g_ptr_array_index(got->faults, 0), "10.link:2: IRQAffinity=near"));
}

static void device_interrupts_stand_in_front_and_go_alone(void **state)
{
	struct nb_interrupt_rule list[] = {
		{.match = (char *)"40", .cpus = cpus("2")},
		{.match = (char *)"41", .ignore = true},
		{.match = (char *)"39", .cpus = cpus("3")},
	};
	const struct nb_device_rules rules = {.interrupts = {list, G_N_ELEMENTS(list)}};
	struct nb_scan got = {};
	struct nb_pools *pools = &got.machine.pools;
	const struct nb_nic_facts nic = {.nic = {.ifindex = 2, .name = "eth0"}};
	struct nb_device_rule device = {.match = (char *)"eth0", .cpus = cpus("7")};
	const struct nb_device_rules devices = {.rules = &device, .n_rules = 1};

	(void)state;
	nb_pools_add_nic(pools, &devices, &nic, NULL, NULL, 0);
	assert_true(
		nb_pools_add_device_irq(pools, &rules, &(struct nb_interrupt_facts){40, NULL, ""}));
	assert_false(
		nb_pools_add_device_irq(pools, &rules, &(struct nb_interrupt_facts){41, NULL, ""}));
	assert_true(
		nb_pools_add_device_irq(pools, &rules, &(struct nb_interrupt_facts){39, NULL, ""}));
	assert_true(
		nb_pools_add_device_irq(pools, &rules, &(struct nb_interrupt_facts){42, NULL, ""}));
	nb_pools_sort(pools);
	assert_int_equal(pools->n, 3);
	assert_pool(&got, 0, 0, 39, "3");
	assert_pool(&got, 1, 0, 40, "2");
	assert_pool(&got, 2, 2, NB_EVERY_QUEUE, "7");
	nb_pools_forget_device_irqs(pools);
	assert_int_equal(pools->n, 1);
	assert_pool(&got, 0, 2, NB_EVERY_QUEUE, "7");
	nb_pools_clear(pools);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pools_come_from_the_first_section_that_matches),
		cmocka_unit_test(a_section_without_cpus_limits_nothing),
		cmocka_unit_test(a_queue_with_an_ignored_interrupt_is_marked),
		cmocka_unit_test(a_link_file_counts_where_no_section_names_cpus),
		cmocka_unit_test(a_broken_link_file_is_told_and_limits_nothing),
		cmocka_unit_test(device_interrupts_stand_in_front_and_go_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sample/discover/device_rules.h"
#include "support/support.h"

#include <string.h>

/* A port of a bond. */
static const struct nb_nic_facts eth2 = {
	.nic = {.ifindex = 2, .name = "eth2", .driver = "ixgbe"},
	.pci = "0000:3b:00.1",
	.mac = "52:54:00:AB:cd:01",
};
static const struct nb_nic_facts usb0 = {.nic = {.ifindex = 3, .name = "usb0", .driver = "r8152"}};

static bool matches(const char *match, const struct nb_nic_facts *facts)
{
	struct nb_device_rule rule = {.match = (char *)match};
	struct nb_device_rules rules = {.rules = &rule, .n_rules = 1};

	return nb_device_rules_find(&rules, facts) == &rule;
}

static void the_first_rule_that_matches_counts(void **state)
{
	struct nb_device_rule list[] = {
		{.match = (char *)"eth[0-3]", .ignore = true},
		{.match = (char *)"[eu]*", .ignore = false},
	};
	struct nb_device_rules rules = {.rules = list, .n_rules = G_N_ELEMENTS(list)};

	(void)state;
	assert_ptr_equal(nb_device_rules_find(&rules, &eth2), &list[0]);
	assert_ptr_equal(nb_device_rules_find(&rules, &usb0), &list[1]);
	rules.n_rules = 1;
	assert_null(nb_device_rules_find(&rules, &usb0));
	assert_null(nb_device_rules_find(NULL, &eth2));
}

static void a_device_is_known_by_name_driver_bus_and_address(void **state)
{
	(void)state;
	assert_true(matches("eth[[:digit:]]", &eth2));
	assert_false(matches("ixgbe", &eth2));
	assert_true(matches("driver:ix*", &eth2));
	assert_false(matches("driver:eth2", &eth2));
	assert_true(matches("pci:0000:3B:00.*", &eth2));
	assert_false(matches("pci:0000:3c:00.*", &eth2));
	assert_true(matches("mac:52:54:00:ab:CD:01", &eth2));
	assert_true(matches("mac:52:54:*", &eth2));
	assert_false(matches("mac:52:54:00:ab:cd:02", &eth2));
}

static void what_is_not_behind_pci_is_no_pci_device(void **state)
{
	(void)state;
	assert_true(matches("pci:*", &eth2));
	assert_false(matches("pci:*", &usb0));
}

static bool interrupt_matches(const char *match, const struct nb_interrupt_facts *facts)
{
	struct nb_interrupt_rule rule = {.match = (char *)match};
	struct nb_device_rules rules = {.interrupts = {&rule, 1}};

	return nb_interrupt_rules_find(&rules, facts) == &rule;
}

static void an_interrupt_is_known_by_number_handler_and_driver(void **state)
{
	char *const handlers[] = {(char *)"uhci_hcd:usb1", (char *)"nvme0q3", NULL};
	const struct nb_interrupt_facts shared = {35, handlers, "nvme"};
	const struct nb_interrupt_facts unknown = {36, NULL, ""};

	(void)state;
	assert_true(interrupt_matches("35", &shared));
	assert_false(interrupt_matches("3", &shared));
	assert_false(interrupt_matches("35", &unknown));
	assert_true(interrupt_matches("nvme0q*", &shared));
	assert_true(interrupt_matches("uhci_hcd:*", &shared));
	assert_false(interrupt_matches("nvme", &shared));
	assert_true(interrupt_matches("driver:nv*", &shared));
	assert_false(interrupt_matches("driver:nv*", &unknown));
	assert_false(interrupt_matches("*", &unknown));
}

/* Whoever writes a section of ours may know better. */
static void our_own_sections_come_before_irqbalance(void **state)
{
	struct nb_interrupt_rule own = {.match = (char *)"35"}, ban = {.match = (char *)"3[56]"};
	const struct nb_interrupt_rules irqbalance = {&ban, 1};
	struct nb_device_rules rules = {.interrupts = {&own, 1}};
	char *const handlers[] = {(char *)"35", NULL};
	const struct nb_interrupt_facts facts = {35, handlers, ""}, other = {36, NULL, ""};

	(void)state;
	assert_true(nb_interrupt_rules_exist(&rules));
	rules.irqbalance = &irqbalance;
	assert_ptr_equal(nb_interrupt_rules_find(&rules, &facts), &own);
	rules.interrupts.n_rules = 0;
	assert_true(nb_interrupt_rules_exist(&rules));
	assert_ptr_equal(nb_interrupt_rules_find(&rules, &facts), &ban);
	assert_null(nb_interrupt_rules_find(&rules, &other));
	rules.irqbalance = NULL;
	assert_false(nb_interrupt_rules_exist(&rules));
	assert_false(nb_interrupt_rules_exist(NULL));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_first_rule_that_matches_counts),
		cmocka_unit_test(a_device_is_known_by_name_driver_bus_and_address),
		cmocka_unit_test(what_is_not_behind_pci_is_no_pci_device),
		cmocka_unit_test(an_interrupt_is_known_by_number_handler_and_driver),
		cmocka_unit_test(our_own_sections_come_before_irqbalance),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

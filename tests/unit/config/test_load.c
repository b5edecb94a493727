/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config/config.h"
#include "config/settings.h"
#include "fixture.h"
#include "nicbalance/topology.h"

#include <errno.h>
#include <string.h>

#define MAIN "etc/nicbalance/nicbalance.conf"
#define DROPIN(name) "etc/nicbalance/nicbalance.conf.d/" name

static struct nb_config *load(struct machine *machine, const char *file)
{
	struct nb_config *config = NULL;
	char *error = NULL;

	if (nb_config_load(machine->root, file, &config, &error) < 0)
		fail_msg("%s", error);
	assert_null(error);
	return config;
}

static void assert_refused(struct machine *machine, int result, const char *expected)
{
	struct nb_config *config = NULL;
	g_autofree char *error = NULL;

	assert_int_equal(nb_config_load(machine->root, NULL, &config, &error), result);
	assert_null(config);
	assert_string_equal(error, expected);
}

static unsigned row(const char *section, const char *key)
{
	int found = nb_settings_find(section, key);

	assert_true(found >= 0);
	return (unsigned)found;
}

static const char *origin(const struct nb_config *config, const char *section, const char *key)
{
	return g_ptr_array_index(config->origins, row(section, key));
}

static void stays_at_the_defaults_without_files(void **state)
{
	g_autoptr(nb_config) config = load(*state, NULL);

	for (unsigned i = 0; i < nb_config_n_settings(); i++)
		assert_null(g_ptr_array_index(config->origins, i));
	assert_int_equal(config->policy.hot, 7000);
	assert_int_equal(config->interval_nsec, NB_NSEC_PER_SEC);
	assert_int_equal(config->devices.n_rules, 0);
}

static void says_where_each_value_comes_from(void **state)
{
	struct machine *machine = *state;
	g_autoptr(nb_config) config = NULL;

	nb_tmp_write(machine->dir, MAIN, "# mine\n[Balance]\nHot=60%\nGap=10%\n");
	nb_tmp_write(machine->dir, DROPIN("10-gap.conf"), "[Balance]\nGap=20%\n");
	config = load(machine, NULL);
	assert_int_equal(config->policy.hot, 6000);
	assert_int_equal(config->policy.gap, 2000);
	assert_string_equal(origin(config, "Balance", "Hot"), "/" MAIN ":3");
	assert_string_equal(origin(config, "Balance", "Gap"), "/" DROPIN("10-gap.conf") ":2");
	assert_null(origin(config, "Balance", "Panic"));
}

static void reads_only_the_first_main_file(void **state)
{
	struct machine *machine = *state;
	g_autoptr(nb_config) config = NULL;

	nb_tmp_write(machine->dir, "usr/lib/nicbalance/nicbalance.conf",
		     "[Balance]\nHot=50%\nGap=30%\n");
	nb_tmp_write(machine->dir, "run/nicbalance/nicbalance.conf", "[Balance]\nHot=60%\n");
	config = load(machine, NULL);
	assert_int_equal(config->policy.hot, 6000);
	assert_int_equal(config->policy.gap, 400);
}

static void takes_a_named_file_in_place_of_the_main_file(void **state)
{
	struct machine *machine = *state;
	g_autoptr(nb_config) config = NULL;

	nb_tmp_write(machine->dir, MAIN, "[Balance]\nHot=50%\n");
	nb_tmp_write(machine->dir, "srv/own.conf", "[Balance]\nGap=30%\n");
	nb_tmp_write(machine->dir, DROPIN("a.conf"), "[RPS]\nEnabled=no\n");
	config = load(machine, "/srv/own.conf");
	assert_int_equal(config->policy.hot, 7000);
	assert_int_equal(config->policy.gap, 3000);
	assert_false(config->policy.rps);
	assert_string_equal(origin(config, "Balance", "Gap"), "/srv/own.conf:2");
}

static void refuses_a_named_file_that_is_missing(void **state)
{
	struct machine *machine = *state;
	struct nb_config *config = NULL;
	g_autofree char *error = NULL;

	assert_int_equal(nb_config_load(machine->root, "/srv/own.conf", &config, &error), -ENOENT);
	assert_null(config);
	assert_string_equal(error,
			    "/srv/own.conf: does not exist; create it, or name another file");
}

static void looks_for_a_named_file_from_the_working_directory(void **state)
{
	struct machine *machine = *state;
	g_autofree char *expected = g_strconcat(machine->dir, "/own.conf:1: ", NULL);
	g_autofree char *before = g_get_current_dir();
	g_autoptr(nb_sysroot) host = NULL;
	g_autofree char *error = NULL;
	struct nb_config *config = NULL;

	nb_tmp_write(machine->dir, "own.conf", "nonsense\n");
	assert_int_equal(nb_sysroot_open(NULL, &host), 0);
	assert_int_equal(chdir(machine->dir), 0);
	assert_int_equal(nb_config_load(host, "own.conf", &config, &error), -EINVAL);
	assert_int_equal(chdir(before), 0);
	assert_true(g_str_has_prefix(error, expected));
}

static void lets_the_last_assignment_win(void **state)
{
	struct machine *machine = *state;
	g_autoptr(nb_config) config = NULL;

	nb_tmp_write(machine->dir, MAIN,
		     "[Balance]\nHot=60%\nHot=50%\n[RPS]\n[Balance]\nHot=40%\n");
	config = load(machine, NULL);
	assert_int_equal(config->policy.hot, 4000);
	assert_string_equal(origin(config, "Balance", "Hot"), "/" MAIN ":6");
}

static void goes_back_to_the_default_for_an_empty_value(void **state)
{
	struct machine *machine = *state;
	g_autoptr(nb_config) config = NULL;

	nb_tmp_write(machine->dir, MAIN, "[Balance]\nHot=60%\nBannedCPUs=0-3\n");
	nb_tmp_write(machine->dir, DROPIN("a.conf"), "[Balance]\nHot=\nBannedCPUs=\n");
	config = load(machine, NULL);
	assert_int_equal(config->policy.hot, 7000);
	assert_true(nb_cpumask_empty(&config->policy.banned));
	assert_null(origin(config, "Balance", "Hot"));
}

static void keeps_device_sections_in_order(void **state)
{
	struct machine *machine = *state;
	g_autoptr(nb_config) config = NULL;
	g_autofree char *ignored = NULL;

	nb_tmp_write(machine->dir, MAIN,
		     "[Device fm1*]\nInterrupts=QMan portal *\n[Device eth[0-3]]\nIgnore=yes\n");
	nb_tmp_write(machine->dir, DROPIN("a.conf"), "[Device fm1*]\nIgnore=yes\n[Device *]\n");
	config = load(machine, NULL);
	assert_int_equal(config->devices.n_rules, 3);
	assert_string_equal(config->devices.rules[0].match, "fm1*");
	assert_true(config->devices.rules[0].ignore);
	assert_string_equal(config->devices.rules[0].interrupts, "QMan portal *");
	assert_string_equal(config->devices.rules[1].match, "eth[0-3]");
	assert_true(config->devices.rules[1].ignore);
	assert_string_equal(config->devices.rules[2].match, "*");
	assert_false(config->devices.rules[2].ignore);

	ignored = nb_config_value(config, row("Device", "Ignore"));
	assert_string_equal(ignored, "fm1*: yes, eth[0-3]: yes");
	assert_string_equal(origin(config, "Device", "Ignore"), "/" DROPIN("a.conf") ":2");
}

static void reads_pools_of_devices_and_interrupts(void **state)
{
	struct machine *machine = *state;
	const struct nb_interrupt_rules *interrupts;
	g_autoptr(nb_config) config = NULL;
	g_autofree char *cpus = NULL;

	nb_tmp_write(machine->dir, MAIN,
		     "[Device driver:ixgbe]\nCPUs=4-5\nNode=any\n[Device eth[[:digit:]]]\nCPUs=1\n"
		     "[Interrupt nvme0q*]\nCPUs=6\n[Interrupt 35]\nIgnore=yes\n");
	config = load(machine, NULL);
	assert_int_equal(config->devices.n_rules, 2);
	assert_int_equal(config->devices.rules[0].node, NB_NODE_NONE);
	assert_int_equal(config->devices.rules[1].node, NB_NODE_UNSET);
	cpus = nb_config_value(config, row("Device", "CPUs"));
	assert_string_equal(cpus, "driver:ixgbe: 4-5, eth[[:digit:]]: 1");
	interrupts = &config->devices.interrupts;
	assert_int_equal(interrupts->n_rules, 2);
	assert_string_equal(interrupts->rules[0].match, "nvme0q*");
	assert_true(nb_cpumask_has(&interrupts->rules[0].cpus, 6));
	assert_false(interrupts->rules[0].ignore);
	assert_true(interrupts->rules[1].ignore);
}

static void refuses_what_no_interface_can_match(void **state)
{
	struct machine *machine = *state;

	nb_tmp_write(machine->dir, MAIN,
		     "[Device dirver:igb]\nCPUs=1\n[Device pci:]\n[Interrupt]\nCPUs=1\n"
		     "[Device eth0]\nCPUs=all\nNode=near\n");
	assert_refused(machine, -EINVAL,
		       "/" MAIN ":1: dirver:igb names no interface; write a glob over names, or "
		       "one behind driver:, pci: or mac:\n"
		       "/" MAIN ":3: pci: names no interface; write a glob over names, or "
		       "one behind driver:, pci: or mac:\n"
		       "/" MAIN ":4: section [Interrupt] lacks an argument; write a number, or "
		       "a glob such as [Interrupt nvme*]\n"
		       "/" MAIN ":7: CPUs=all is not a list of CPUs; write CPU numbers and ranges "
		       "such as CPUs=0-3,8\n"
		       "/" MAIN ":8: Node=near is not a NUMA node; write a number, or any, such as "
		       "Node=0");
}

static void refuses_globs_that_match_nothing_anybody_meant(void **state)
{
	struct machine *machine = *state;

	nb_tmp_write(machine->dir, MAIN,
		     "[Device eth[0-9]\nCPUs=1\n[Device eth0 eth1]\n[Device driver:]\n"
		     "[Interrupt driver:]\nCPUs=1\n[Interrupt nvme[0-9]\n"
		     "[Device eth0]\nInterrupts=foo* # bar\n"
		     "[Device driver: igb]\n[Interrupt driver: igb]\n[Device \"eth1\"]\n");
	assert_refused(
		machine, -EINVAL,
		"/" MAIN ":1: eth[0-9 in section [Device eth[0-9] is not a glob: a [ is not "
		"closed; close it with ], or write \\[ for the character\n"
		"/" MAIN ":3: eth0 eth1 names no interface; write a glob over names, or "
		"one behind driver:, pci: or mac:\n"
		"/" MAIN ":4: driver: names no interface; write a glob over names, or "
		"one behind driver:, pci: or mac:\n"
		"/" MAIN ":5: driver: names no interrupt; write a glob over drivers right "
		"behind the colon\n"
		"/" MAIN ":7: nvme[0-9 in section [Interrupt nvme[0-9] is not a glob: a [ is "
		"not closed; close it with ], or write \\[ for the character\n"
		"/" MAIN ":9: Interrupts=foo* # bar is not a glob: a comment cannot follow a "
		"value; write it on a line of its own, or \\# and \\; for the characters\n"
		"/" MAIN ":10: driver: igb names no interface; write a glob over names, or "
		"one behind driver:, pci: or mac:\n"
		"/" MAIN ":11: driver: igb names no interrupt; write a glob over drivers "
		"right behind the colon\n"
		"/" MAIN ":12: \"eth1\" in section [Device \"eth1\"] is not a glob: quotes "
		"would be part of the name; leave them out");
}

static void an_empty_file_or_a_link_to_dev_null_only_hides(void **state)
{
	struct machine *machine = *state;
	g_autoptr(nb_config) config = NULL;

	nb_tmp_write(machine->dir, "usr/lib/nicbalance/nicbalance.conf", "[Balance]\nHot=50%\n");
	nb_tmp_write(machine->dir, "usr/lib/nicbalance/nicbalance.conf.d/a.conf",
		     "[Balance]\nGap=30%\n");
	nb_tmp_write(machine->dir, "usr/lib/nicbalance/nicbalance.conf.d/b.conf",
		     "[Balance]\nPanic=95%\n");
	make_link(machine, MAIN, "/dev/null");
	make_link(machine, DROPIN("a.conf"), "/dev/null");
	nb_tmp_write(machine->dir, DROPIN("b.conf"), "");
	config = load(machine, NULL);
	assert_int_equal(config->policy.hot, 7000);
	assert_int_equal(config->policy.gap, 400);
	assert_int_equal(config->policy.panic, 9000);
}

static void reports_all_faults_of_all_files(void **state)
{
	struct machine *machine = *state;

	nb_tmp_write(machine->dir, MAIN,
		     "Mode=observe\n[Balance]\nHot=140%\nGapp=3%\n[Balanse]\nWhat=ever\n"
		     "[Daemon]\nHot=3\nnonsense\n");
	nb_tmp_write(machine->dir, DROPIN("a.conf"),
		     "[Device]\nIgnore=yes\n[RPS eth0]\nEnabled=perhaps\n");
	make_dir(machine, DROPIN("b.conf"));
	nb_tmp_write(machine->dir, DROPIN("c.conf"), "[Daemon]\nCompleteSampleSec=900ms\n");
	assert_refused(
		machine, -EINVAL,
		"/" MAIN ":1: the assignment stands before the first section; "
		"write its section above it, as [Name]\n"
		"/" MAIN ":3: Hot=140% is not between 10% and 100%; "
		"write a share of one CPU such as Hot=70%\n"
		"/" MAIN ":4: unknown key Gapp= in section [Balance]; did you mean Gap=?\n"
		"/" MAIN ":5: unknown section [Balanse]; did you mean [Balance]?\n"
		"/" MAIN ":8: unknown key Hot= in section [Daemon]; "
		"did you mean Hot= in section [Balance]?\n"
		"/" MAIN ":9: the line is neither a section nor an assignment; "
		"write Key=Value, or # in front of a comment\n"
		"/" DROPIN(
			"a.conf") ":1: section [Device] lacks an argument; "
				  "write a glob such as [Device eth*]\n"
				  "/" DROPIN(
					  "a.conf") ":3: section [RPS eth0] takes no argument; write [RPS]\n"
						    "/" DROPIN(
							    "a.conf") ":4: Enabled=perhaps is not a boolean; "
								      "write yes or no such as Enabled=yes\n"
								      "/" DROPIN(
									      "b.conf") ": is a directory; "
											"replace it by a file, or remove it\n"
											"/" DROPIN(
												"c.conf") ":2: CompleteSampleSec=900ms is below IntervalSec=1s "
													  "(the default); raise CompleteSampleSec= or lower IntervalSec=");
}

static void does_not_compare_with_a_value_that_is_wrong_itself(void **state)
{
	struct machine *machine = *state;

	nb_tmp_write(machine->dir, MAIN, "[Balance]\nHot=40\nPanic=60%\n");
	assert_refused(machine, -EINVAL,
		       "/" MAIN ":2: Hot=40 is not a share; "
		       "write a share of one CPU such as Hot=70%");
}

static void still_refuses_a_fault_that_a_later_line_puts_right(void **state)
{
	struct machine *machine = *state;

	nb_tmp_write(machine->dir, MAIN, "[Balance]\nHot=40\nHot=40%\nPanic=30%\n");
	assert_refused(machine, -EINVAL,
		       "/" MAIN ":2: Hot=40 is not a share; "
		       "write a share of one CPU such as Hot=70%\n"
		       "/" MAIN ":4: Panic=30% is not above Hot=40% (/" MAIN ":3); "
		       "raise Panic= or lower Hot=");
}

static void answers_with_the_errno_of_a_file_that_cannot_be_read(void **state)
{
	struct machine *machine = *state;

	make_dir(machine, MAIN);
	assert_refused(machine, -EISDIR,
		       "/" MAIN ": is a directory; replace it by a file, or remove it");
}

static void refuses_a_file_in_place_of_the_directory_of_dropins(void **state)
{
	struct machine *machine = *state;

	nb_tmp_write(machine->dir, MAIN ".d", "[Balance]\nHot=60%\n");
	assert_refused(machine, -ENOTDIR,
		       "/" MAIN ".d: cannot be read: "
		       "there is a file in place of a directory; remove that file");
}

static void does_not_hide_an_unreadable_main_file_by_a_lesser_one(void **state)
{
	struct machine *machine = *state;

	make_link(machine, MAIN, "gone.conf");
	nb_tmp_write(machine->dir, "usr/lib/nicbalance/nicbalance.conf", "[Balance]\nHot=50%\n");
	assert_refused(machine, -ENOLINK,
		       "/" MAIN ": is a link to a file that does not exist; "
		       "create that file, or remove the link");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		MACHINE_TEST(stays_at_the_defaults_without_files),
		MACHINE_TEST(says_where_each_value_comes_from),
		MACHINE_TEST(reads_only_the_first_main_file),
		MACHINE_TEST(takes_a_named_file_in_place_of_the_main_file),
		MACHINE_TEST(refuses_a_named_file_that_is_missing),
		MACHINE_TEST(looks_for_a_named_file_from_the_working_directory),
		MACHINE_TEST(lets_the_last_assignment_win),
		MACHINE_TEST(goes_back_to_the_default_for_an_empty_value),
		MACHINE_TEST(keeps_device_sections_in_order),
		MACHINE_TEST(reads_pools_of_devices_and_interrupts),
		MACHINE_TEST(refuses_what_no_interface_can_match),
		MACHINE_TEST(refuses_globs_that_match_nothing_anybody_meant),
		MACHINE_TEST(an_empty_file_or_a_link_to_dev_null_only_hides),
		MACHINE_TEST(reports_all_faults_of_all_files),
		MACHINE_TEST(does_not_compare_with_a_value_that_is_wrong_itself),
		MACHINE_TEST(still_refuses_a_fault_that_a_later_line_puts_right),
		MACHINE_TEST(answers_with_the_errno_of_a_file_that_cannot_be_read),
		MACHINE_TEST(refuses_a_file_in_place_of_the_directory_of_dropins),
		MACHINE_TEST(does_not_hide_an_unreadable_main_file_by_a_lesser_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

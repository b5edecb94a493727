/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who wrote which setting, as an operator sees it. */
#include "bus/canned.h"
#include "cli/run.h"

static void assert_printed(const char *arguments, const char *name)
{
	struct run run;

	run_against(NULL, arguments, &run);
	assert_string_equal(run.err, "");
	assert_int_equal(run.status, 0);
	assert_golden(&run, name);
	run_clear(&run);
}

static void settings_are_listed_with_who_wrote_them(void **state)
{
	(void)state;
	assert_printed("owners", "owners");
	assert_printed("owners eth0", "owners-nic");
	assert_printed("owners eth0 --noheadings -o queue,irq,who", "owners-columns");
}

static void for_programs_each_queue_has_its_row(void **state)
{
	(void)state;
	assert_printed("owners --json", "owners-json");
}

static void assert_fails(const char *arguments, int status, const char *err)
{
	struct run run;

	run_against(NULL, arguments, &run);
	assert_string_equal(run.out, "");
	assert_string_equal(run.err, err);
	assert_int_equal(run.status, status);
	run_clear(&run);
}

static void an_interface_that_is_not_balanced_is_an_error(void **state)
{
	(void)state;
	assert_fails("owners eth7", 1, "nicbalancectl: no interface eth7 is balanced\n");
	assert_fails(
		"owners eth0 eth1", 2,
		"nicbalancectl: too many arguments; write: nicbalancectl owners [NIC]\nTry: nicbalancectl --help\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(settings_are_listed_with_who_wrote_them),
		cmocka_unit_test(for_programs_each_queue_has_its_row),
		cmocka_unit_test(an_interface_that_is_not_balanced_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

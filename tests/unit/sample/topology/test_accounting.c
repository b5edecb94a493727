/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sample/topology/accounting.h"
#include "support/support.h"

static void the_option_is_read_as_a_whole_line(void **state)
{
	(void)state;
	assert_int_equal(nb_accounting_parse_config("CONFIG_A=y\nCONFIG_IRQ_TIME_ACCOUNTING=y\n"),
			 NB_ACCOUNTING_PRECISE);
	assert_int_equal(nb_accounting_parse_config("CONFIG_IRQ_TIME_ACCOUNTING=y\n"),
			 NB_ACCOUNTING_PRECISE);
	assert_int_equal(nb_accounting_parse_config("# CONFIG_IRQ_TIME_ACCOUNTING is not set\n"),
			 NB_ACCOUNTING_TICK);
	assert_int_equal(nb_accounting_parse_config("CONFIG_HAVE_IRQ_TIME_ACCOUNTING=y\n"),
			 NB_ACCOUNTING_UNKNOWN);
	assert_int_equal(nb_accounting_parse_config(""), NB_ACCOUNTING_UNKNOWN);
}

static void the_configuration_is_that_of_the_running_kernel(void **state)
{
	char *dir = nb_tmp_make();
	g_autoptr(nb_sysroot) root = NULL;

	(void)state;
	assert_int_equal(nb_sysroot_open(dir, &root), 0);
	assert_int_equal(nb_accounting_read(root), NB_ACCOUNTING_UNKNOWN);
	nb_tmp_write(dir, "proc/sys/kernel/osrelease", "6.1.0-13-amd64\n");
	nb_tmp_write(dir, "boot/config-6.1.0-9-amd64", "CONFIG_IRQ_TIME_ACCOUNTING=y\n");
	assert_int_equal(nb_accounting_read(root), NB_ACCOUNTING_UNKNOWN);
	nb_tmp_write(dir, "boot/config-6.1.0-13-amd64",
		     "# CONFIG_IRQ_TIME_ACCOUNTING is not set\n");
	assert_int_equal(nb_accounting_read(root), NB_ACCOUNTING_TICK);
	nb_tmp_remove(dir);
}

static void pressure_of_interrupts_needs_the_option(void **state)
{
	char *dir = nb_tmp_make();
	g_autoptr(nb_sysroot) root = NULL;

	(void)state;
	assert_int_equal(nb_sysroot_open(dir, &root), 0);
	nb_tmp_write(dir, "proc/sys/kernel/osrelease", "5.19.0\n");
	nb_tmp_write(dir, "proc/pressure/cpu", "some avg10=0.00\n");
	assert_int_equal(nb_accounting_read(root), NB_ACCOUNTING_UNKNOWN);
	nb_tmp_write(dir, "proc/sys/kernel/osrelease", "6.1.0-13-amd64\n");
	assert_int_equal(nb_accounting_read(root), NB_ACCOUNTING_TICK);
	nb_tmp_write(dir, "proc/pressure/irq", "full avg10=0.00\n");
	assert_int_equal(nb_accounting_read(root), NB_ACCOUNTING_PRECISE);
	nb_tmp_remove(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_option_is_read_as_a_whole_line),
		cmocka_unit_test(the_configuration_is_that_of_the_running_kernel),
		cmocka_unit_test(pressure_of_interrupts_needs_the_option),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sample/discover/handlers.h"
#include "unit/sample/machine.h"

#include <errno.h>
#include <stdio.h>

/* "1=i8042 16=eth0+other ". */
static void assert_handlers(const char *dir, const char *expected)
{
	g_autoptr(nb_sysroot) root = nb_machine_open(dir);
	g_autoptr(nb_handlers) handlers = NULL;
	g_autoptr(GString) text = g_string_new(NULL);

	const GArray *all;

	assert_int_equal(nb_handlers_open(root, &handlers), 0);
	all = nb_handlers_all(handlers);
	for (unsigned i = 0; i < all->len; i++) {
		const struct nb_handler *handler = &g_array_index(all, struct nb_handler, i);
		g_autofree char *names = g_strjoinv("+", handler->names);
		g_auto(GStrv) alone = nb_handlers_of(handlers, handler->irq);

		assert_true(g_strv_equal((const char *const *)handler->names,
					 (const char *const *)alone));
		g_string_append_printf(text, "%u=%s ", handler->irq, names);
	}
	assert_null(nb_handlers_of(handlers, 9999));
	assert_string_equal(text->str, expected);
}

static void names_come_from_sysfs(void **state)
{
	char *dir = nb_tmp_make();

	(void)state;
	nb_tmp_write(dir, "sys/kernel/irq/100/actions", "eth0-TxRx-0\n");
	nb_tmp_write(dir, "sys/kernel/irq/16/actions", "uhci_hcd:usb1,QMan portal 3\n");
	nb_tmp_write(dir, "sys/kernel/irq/17/actions", "\n");
	nb_tmp_write(dir, "sys/kernel/irq/18/chip_name", "none\n");
	nb_tmp_write(dir, "proc/interrupts", "CPU0\n 5: 1 PCI-MSI 1-edge  ignored\n");
	assert_handlers(dir, "16=uhci_hcd:usb1+QMan portal 3 100=eth0-TxRx-0 ");
	nb_tmp_remove(dir);
}

static void or_from_the_interrupts_file(void **state)
{
	char *dir = nb_tmp_make();

	(void)state;
	nb_tmp_write(dir, "proc/interrupts",
		     "CPU0 CPU1\n"
		     "  16: 1 0 IO-APIC 16-fasteoi   uhci_hcd:usb1, eth1\n"
		     " 120: 1 0 Hyper-V PCIe MSI 5-edge      mlx5_comp0@pci:0000:3b:00.0\n"
		     " LOC: 1 1 Local timer interrupts\n");
	assert_handlers(dir, "16=uhci_hcd:usb1+eth1 120=mlx5_comp0@pci:0000:3b:00.0 ");
	nb_tmp_remove(dir);
}

static void or_from_the_directories_of_the_handlers(void **state)
{
	char *dir = nb_tmp_make();

	(void)state;
	nb_tmp_write(dir, "proc/irq/9/eth0/.keep", "");
	nb_tmp_write(dir, "proc/irq/9/smp_affinity", "1\n");
	nb_tmp_write(dir, "proc/irq/30/eth0-rx-0/.keep", "");
	nb_tmp_write(dir, "proc/irq/default_smp_affinity", "1\n");
	assert_handlers(dir, "9=eth0 30=eth0-rx-0 ");
	nb_tmp_remove(dir);
}

static void all_sources_tell_the_same(void **state)
{
	char *dir = nb_machine("holes");
	g_autofree char *sysfs = g_build_filename(dir, "sys/kernel/irq", NULL);
	g_autofree char *aside = g_build_filename(dir, "sys/kernel/aside", NULL);
	static const char expected[] =
		"24=lab0 25=lab0-TxRx-0 26=lab0-TxRx-1 27=lab0-TxRx-2 28=lab0-TxRx-3 ";

	(void)state;
	assert_handlers(dir, expected);
	assert_int_equal(rename(sysfs, aside), 0);
	assert_handlers(dir, expected);
	nb_tmp_write(dir, "proc/interrupts", "cut");
	assert_handlers(dir, expected);
	nb_tmp_remove(dir);
}

static void one_is_read_without_the_others(void **state)
{
	char *dir = nb_tmp_make();
	g_autoptr(nb_sysroot) root = nb_machine_open(dir);
	g_autoptr(nb_handlers) handlers = NULL;
	g_auto(GStrv) names = NULL;

	(void)state;
	nb_tmp_write(dir, "sys/kernel/irq/16/actions", "eth1, other\n");
	nb_tmp_write(dir, "sys/kernel/irq/17/actions", "\n");
	assert_int_equal(nb_handlers_open(root, &handlers), 0);
	names = nb_handlers_of(handlers, 16);
	assert_string_equal(names[0], "eth1");
	assert_string_equal(names[1], "other");
	assert_null(names[2]);
	assert_null(nb_handlers_of(handlers, 17));
	assert_null(handlers->all);
	nb_tmp_remove(dir);
}

/* No kernel is like that, but a container may be. */
static void an_empty_sysfs_leads_to_the_interrupts_file(void **state)
{
	char *dir = nb_tmp_make();

	(void)state;
	nb_tmp_write(dir, "sys/kernel/irq/16/actions", "\n");
	nb_tmp_write(dir, "proc/interrupts", "CPU0\n 5: 1 PCI-MSI 1-edge  eth0\n");
	{
		g_autoptr(nb_sysroot) root = nb_machine_open(dir);
		g_autoptr(nb_handlers) handlers = NULL;

		assert_int_equal(nb_handlers_open(root, &handlers), 0);
		assert_int_equal(nb_handlers_all(handlers)->len, 1);
	}
	nb_tmp_remove(dir);
}

static void no_source_is_a_failure(void **state)
{
	char *dir = nb_tmp_make();
	g_autoptr(nb_sysroot) root = nb_machine_open(dir);
	g_autoptr(nb_handlers) handlers = NULL;

	(void)state;
	assert_int_equal(nb_handlers_open(root, &handlers), -ENOENT);
	assert_null(handlers);
	nb_tmp_remove(dir);
}

static void names_that_are_too_many_are_cut(void **state)
{
	char *few[] = {(char *)"ahci", (char *)"ehci", NULL};
	char *many[] = {(char *)"a-handler-with-a-long-name", (char *)"and-another", NULL};
	char text[NB_HANDLERS_MAX];

	(void)state;
	nb_handlers_join(few, text);
	assert_string_equal(text, "ahci,ehci");
	nb_handlers_join(many, text);
	assert_string_equal(text, "a-handler-with-a-long-name,and-");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_come_from_sysfs),
		cmocka_unit_test(or_from_the_interrupts_file),
		cmocka_unit_test(or_from_the_directories_of_the_handlers),
		cmocka_unit_test(all_sources_tell_the_same),
		cmocka_unit_test(one_is_read_without_the_others),
		cmocka_unit_test(an_empty_sysfs_leads_to_the_interrupts_file),
		cmocka_unit_test(names_that_are_too_many_are_cut),
		cmocka_unit_test(no_source_is_a_failure),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config/irqbalance.h"

#include "base/cpumask_text.h"
#include "config/draft.h"
#include "fixture.h"

#include <errno.h>
#include <string.h>

#define DEBIAN "etc/default/irqbalance"
#define REDHAT "etc/sysconfig/irqbalance"
#define UNIT "systemd/system/irqbalance.service"

static int interpret(const char *text, struct nb_irqbalance **ret, char **ret_error)
{
	g_auto(nb_irqbalance_variables) variables = {};

	nb_irqbalance_variables_add_file(&variables, "/file", text, strlen(text));
	return nb_irqbalance_interpret(&variables, ret, ret_error);
}

static struct nb_irqbalance *parse(const char *text)
{
	struct nb_irqbalance *irqbalance = NULL;
	char *error = NULL;

	if (interpret(text, &irqbalance, &error) < 0)
		fail_msg("%s", error);
	return irqbalance;
}

static void assert_banned(const char *text, const char *list, const char *origin)
{
	g_autoptr(nb_irqbalance) irqbalance = parse(text);
	g_autofree char *got = nb_cpumask_format_list(&irqbalance->banned);

	assert_string_equal(got, list);
	if (origin)
		assert_string_equal(irqbalance->origin, origin);
	else
		assert_null(irqbalance->origin);
}

static void assert_interrupts(const char *text, const char *expected)
{
	g_autoptr(nb_irqbalance) irqbalance = parse(text);
	g_autoptr(GString) got = g_string_new(NULL);

	for (unsigned i = 0; i < irqbalance->interrupts.n_rules; i++) {
		assert_true(irqbalance->interrupts.rules[i].ignore);
		g_string_append_printf(got, "%s%s", i > 0 ? " " : "",
				       irqbalance->interrupts.rules[i].match);
	}
	assert_string_equal(got->str, expected);
}

static void assert_refused(const char *text, const char *expected)
{
	struct nb_irqbalance *irqbalance = NULL;
	g_autofree char *error = NULL;

	assert_int_equal(interpret(text, &irqbalance, &error), -EINVAL);
	assert_null(irqbalance);
	assert_string_equal(error, expected);
}

static void cpus_are_banned_by_a_list_or_by_a_mask(void **state)
{
	(void)state;
	assert_banned("IRQBALANCE_BANNED_CPULIST=0,4-7\n", "0,4-7", "/file:1");
	assert_banned("\n IRQBALANCE_BANNED_CPULIST=\"2-3\"", "2-3", "/file:2");
	assert_banned("IRQBALANCE_BANNED_CPUS='0000000f,80000000'\n", "31-35", "/file:1");
	assert_banned("IRQBALANCE_BANNED_CPUS=0xC0\n", "6-7", "/file:1");
	assert_banned("#IRQBALANCE_BANNED_CPULIST=1\n; IRQBALANCE_BANNED_CPUS=2\nENABLED=1\n", "",
		      NULL);
}

/* As irqbalance has it. */
static void the_mask_counts_more_than_the_list_and_the_last_line_most(void **state)
{
	(void)state;
	assert_banned("IRQBALANCE_BANNED_CPUS=1\nIRQBALANCE_BANNED_CPULIST=4\n", "0", "/file:1");
	assert_banned("IRQBALANCE_BANNED_CPUS=\nIRQBALANCE_BANNED_CPULIST=4\n", "4", "/file:2");
	assert_banned("IRQBALANCE_BANNED_CPULIST=4\nIRQBALANCE_BANNED_CPULIST=5\n", "5", "/file:2");
	assert_banned("IRQBALANCE_BANNED_CPULIST=4\nIRQBALANCE_BANNED_CPULIST=-\n", "", "/file:2");
}

static void interrupts_and_drivers_are_banned_by_arguments(void **state)
{
	(void)state;
	assert_interrupts("IRQBALANCE_ARGS=\"--banirq=35 --banmod=e1000\"", "35 driver:*e1000*");
	assert_interrupts("IRQBALANCE_ARGS=--banirq 35 -i36 -i 37 -m nvme -mahci --banmod usb",
			  "35 36 37 driver:*nvme* driver:*ahci* driver:*usb*");
	assert_interrupts(
		"IRQBALANCE_ARGS=\"--policyscript=/a -t 10 \\\n --banirq=35\"\nX=--banirq=36",
		"35");
	assert_interrupts("IRQBALANCE_ARGS=", "");
}

static void what_is_no_value_is_refused_with_its_line(void **state)
{
	(void)state;
	assert_refused("\nIRQBALANCE_BANNED_CPULIST=all\n",
		       "/file:2: IRQBALANCE_BANNED_CPULIST=all is not a list of CPUs; "
		       "write CPU numbers and ranges such as 0-3,8");
	assert_refused("IRQBALANCE_BANNED_CPUS=0-3\n",
		       "/file:1: IRQBALANCE_BANNED_CPUS=0-3 is not a mask of CPUs; "
		       "write groups of eight hex digits such as 0000000f,00000000");
	assert_refused("IRQBALANCE_ARGS=\\\n--banirq=eth0",
		       "/file:1: IRQBALANCE_ARGS=--banirq=eth0 bans no interrupt; "
		       "write its number such as --banirq=35");
}

static void arguments_of_the_command_are_refused_by_its_name(void **state)
{
	static const char unit[] = "[Service]\nExecStart=/usr/sbin/irqbalance -i eth0\n";
	g_auto(nb_irqbalance_variables) variables = {};
	struct nb_irqbalance *irqbalance = NULL;
	g_autofree char *error = NULL;

	(void)state;
	nb_irqbalance_variables_add_unit(&variables, "/unit", unit, strlen(unit));
	assert_int_equal(nb_irqbalance_interpret(&variables, &irqbalance, &error), -EINVAL);
	assert_string_equal(error, "/unit:2: ExecStart=-i bans no interrupt; "
				   "write its number such as --banirq=35");
}

static struct nb_irqbalance *read_host(struct machine *machine)
{
	struct nb_irqbalance *irqbalance = NULL;
	char *error = NULL;

	if (nb_irqbalance_read(machine->root, &irqbalance, &error) < 0)
		fail_msg("%s", error);
	return irqbalance;
}

static void the_second_file_replaces_what_the_first_assigns(void **state)
{
	struct machine *machine = *state;
	g_autoptr(nb_irqbalance) none = read_host(machine);
	g_autoptr(nb_irqbalance) both = NULL;
	g_autofree char *list = NULL;

	assert_true(nb_irqbalance_is_empty(none));
	nb_tmp_write(machine->dir, DEBIAN,
		     "IRQBALANCE_BANNED_CPULIST=1\nIRQBALANCE_ARGS=--banirq=9\n");
	nb_tmp_write(machine->dir, REDHAT, "IRQBALANCE_BANNED_CPULIST=2\n");
	both = read_host(machine);
	list = nb_cpumask_format_list(&both->banned);
	assert_string_equal(list, "2");
	assert_string_equal(both->origin, "/" REDHAT ":1");
	assert_int_equal(both->interrupts.n_rules, 1);
	assert_false(nb_irqbalance_is_empty(both));
}

static void assert_host(struct machine *machine, const char *banned, const char *origin,
			unsigned n_interrupts)
{
	g_autoptr(nb_irqbalance) irqbalance = read_host(machine);
	g_autofree char *list = nb_cpumask_format_list(&irqbalance->banned);

	assert_string_equal(list, banned);
	assert_string_equal(irqbalance->origin ? irqbalance->origin : "", origin);
	assert_int_equal(irqbalance->interrupts.n_rules, n_interrupts);
}

/* Environment files replace it, whichever unit names them. */
static void the_unit_and_its_dropins_say_it_too(void **state)
{
	struct machine *machine = *state;

	nb_tmp_write(machine->dir, "usr/lib/" UNIT,
		     "[Service]\nExecStart=/usr/sbin/irqbalance -i 9 $IRQBALANCE_ARGS\n"
		     "Environment=IRQBALANCE_BANNED_CPULIST=1\n");
	assert_host(machine, "1", "/usr/lib/" UNIT ":3", 1);
	nb_tmp_write(machine->dir, "run/" UNIT ".d/b.conf",
		     "[Service]\nEnvironment=IRQBALANCE_BANNED_CPULIST=2 IRQBALANCE_ARGS=-i10\n"
		     "EnvironmentFile=-/opt/irqbalance\nEnvironmentFile=/" DEBIAN "\n");
	assert_host(machine, "2", "/run/" UNIT ".d/b.conf:2", 2);
	nb_tmp_write(machine->dir, "etc/" UNIT ".d/a.conf",
		     "[Service]\nEnvironment=IRQBALANCE_BANNED_CPULIST=3\nExecStart=\n");
	assert_host(machine, "2", "/run/" UNIT ".d/b.conf:2", 1);
	nb_tmp_write(machine->dir, "etc/" UNIT, "[Service]\n");
	nb_tmp_write(machine->dir, "etc/" UNIT ".d/b.conf", "");
	assert_host(machine, "3", "/etc/" UNIT ".d/a.conf:2", 0);
	assert_int_equal(nb_sysroot_unlink(machine->root, "etc/" UNIT ".d/b.conf"), 0);
	nb_tmp_write(machine->dir, DEBIAN, "IRQBALANCE_BANNED_CPULIST=4\n");
	assert_host(machine, "4", "/" DEBIAN ":1", 1);
	nb_tmp_write(machine->dir, "opt/irqbalance", "IRQBALANCE_BANNED_CPULIST=5\n");
	assert_host(machine, "5", "/opt/irqbalance:1", 1);
}

/* Until one of the files is written, or comes, or goes. */
static void what_was_read_is_current_for_a_time(void **state)
{
	static const char *const paths[] = {
		DEBIAN, REDHAT, "etc/" UNIT, "run/" UNIT ".d/b.conf", "etc/" UNIT ".d/a.conf",
	};
	struct machine *machine = *state;
	g_autoptr(nb_irqbalance) none = parse("");

	for (unsigned i = 0; i < G_N_ELEMENTS(paths); i++) {
		g_autoptr(nb_irqbalance) without = read_host(machine);
		g_autoptr(nb_irqbalance) with = NULL;

		assert_true(nb_irqbalance_is_current(without, machine->root));
		nb_tmp_write(machine->dir, paths[i], "[Service]\n");
		assert_false(nb_irqbalance_is_current(without, machine->root));
		with = read_host(machine);
		assert_true(nb_irqbalance_is_current(with, machine->root));
		nb_tmp_write(machine->dir, paths[i], "[Service]\nEnvironment=A=1\n");
		assert_false(nb_irqbalance_is_current(with, machine->root));
	}
	assert_true(nb_irqbalance_is_current(none, machine->root));
}

static void a_file_that_cannot_be_read_is_named(void **state)
{
	struct machine *machine = *state;
	struct nb_irqbalance *irqbalance = NULL;
	g_autofree char *error = NULL;

	make_dir(machine, REDHAT);
	assert_int_equal(nb_irqbalance_read(machine->root, &irqbalance, &error), -EISDIR);
	assert_null(irqbalance);
	assert_string_equal(error,
			    "/" REDHAT ": is a directory; replace it by a file, or remove it");
}

static void so_is_a_directory_of_dropins_that_is_none(void **state)
{
	struct machine *machine = *state;
	struct nb_irqbalance *irqbalance = NULL;
	g_autofree char *error = NULL;

	nb_tmp_write(machine->dir, "run/" UNIT ".d", "");
	assert_int_equal(nb_irqbalance_read(machine->root, &irqbalance, &error), -ENOTDIR);
	assert_null(irqbalance);
	assert_true(g_str_has_prefix(error, "/run/" UNIT ".d: "));
}

static const char *origin_of(const struct nb_config *config)
{
	return g_ptr_array_index(config->origins,
				 (unsigned)nb_config_find("Balance", "BannedCPUs"));
}

static void replaces_what_it_said_before_and_nothing_of_ours(void **state)
{
	g_autoptr(nb_config) config = nb_config_new_default();
	g_autoptr(nb_irqbalance) first = parse("IRQBALANCE_BANNED_CPULIST=1\n");
	g_autoptr(nb_irqbalance) none = parse("");

	(void)state;
	nb_irqbalance_apply(first, config);
	assert_true(nb_cpumask_has(&config->policy.banned, 1));
	assert_string_equal(origin_of(config), "/file:1");
	assert_ptr_equal(config->devices.irqbalance, &first->interrupts);
	nb_irqbalance_apply(none, config);
	assert_true(nb_cpumask_empty(&config->policy.banned));
	assert_null(origin_of(config));

	nb_cpumask_add(&config->policy.banned, 7);
	config->origins->pdata[nb_config_find("Balance", "BannedCPUs")] = g_strdup("/ours:1");
	nb_irqbalance_apply(first, config);
	assert_int_equal(nb_cpumask_only(&config->policy.banned), 7);
	assert_string_equal(origin_of(config), "/ours:1");
	assert_ptr_equal(config->devices.irqbalance, &first->interrupts);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(cpus_are_banned_by_a_list_or_by_a_mask),
		cmocka_unit_test(the_mask_counts_more_than_the_list_and_the_last_line_most),
		cmocka_unit_test(interrupts_and_drivers_are_banned_by_arguments),
		cmocka_unit_test(what_is_no_value_is_refused_with_its_line),
		cmocka_unit_test(arguments_of_the_command_are_refused_by_its_name),
		MACHINE_TEST(the_second_file_replaces_what_the_first_assigns),
		MACHINE_TEST(the_unit_and_its_dropins_say_it_too),
		MACHINE_TEST(what_was_read_is_current_for_a_time),
		MACHINE_TEST(a_file_that_cannot_be_read_is_named),
		MACHINE_TEST(so_is_a_directory_of_dropins_that_is_none),
		cmocka_unit_test(replaces_what_it_said_before_and_nothing_of_ours),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

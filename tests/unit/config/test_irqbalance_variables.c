/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config/irqbalance_variables.h"

#include "support/support.h"

#include <string.h>

static void add_unit(struct nb_irqbalance_variables *variables, const char *text)
{
	nb_irqbalance_variables_add_unit(variables, "/unit", text, strlen(text));
}

static void add_file(struct nb_irqbalance_variables *variables, const char *text)
{
	nb_irqbalance_variables_add_file(variables, "/file", text, strlen(text));
}

/* text NULL: none is assigned. */
static void assert_value(const struct nb_irqbalance_variables *variables,
			 enum nb_irqbalance_variable variable, const char *text, const char *origin)
{
	const struct nb_irqbalance_value *value = &variables->values[variable];

	if (!text) {
		assert_null(value->text);
		assert_null(value->origin);
		return;
	}
	assert_non_null(value->text);
	assert_string_equal(value->text, text);
	assert_string_equal(value->origin, origin);
}

static void assert_files(const struct nb_irqbalance_variables *variables, const char *expected)
{
	g_autoptr(GString) got = g_string_new(NULL);

	for (unsigned i = 0; variables->files && i < variables->files->len; i++)
		g_string_append_printf(got, "%s ", (char *)variables->files->pdata[i]);
	assert_string_equal(got->str, expected);
}

static void a_file_assigns_line_by_line(void **state)
{
	g_auto(nb_irqbalance_variables) variables = {};

	(void)state;
	add_file(&variables, "# IRQBALANCE_ARGS=1\n  IRQBALANCE_BANNED_CPUS = ' f '\nOTHER=1\n"
			     "IRQBALANCE_ARGS=\"a \\\n b\"\nExecStart=x\n"
			     "IRQBALANCE_BANNED_CPULIST=1\nIRQBALANCE_BANNED_CPULIST=2\n");
	assert_value(&variables, NB_IRQBALANCE_MASK, "f", "/file:2");
	assert_value(&variables, NB_IRQBALANCE_ARGUMENTS, "a   b", "/file:4");
	assert_value(&variables, NB_IRQBALANCE_LIST, "2", "/file:8");
	assert_value(&variables, NB_IRQBALANCE_COMMAND, NULL, NULL);
}

static void a_unit_assigns_words_in_its_section(void **state)
{
	g_auto(nb_irqbalance_variables) variables = {};

	(void)state;
	add_unit(&variables,
		 "Environment=IRQBALANCE_ARGS=0\n[Unit]\nEnvironment=IRQBALANCE_ARGS=1\n"
		 " [Service] \nEnvironment = \"IRQBALANCE_ARGS=-i 3\" OTHER \\\n"
		 "  'IRQBALANCE_BANNED_CPULIST=4-5'\nExecStart=/usr/sbin/irqbalance -m x\n"
		 "[Install]\nEnvironment=IRQBALANCE_ARGS=2\nExecStart=y\n");
	assert_value(&variables, NB_IRQBALANCE_ARGUMENTS, "-i 3", "/unit:5");
	assert_value(&variables, NB_IRQBALANCE_LIST, "4-5", "/unit:5");
	assert_value(&variables, NB_IRQBALANCE_COMMAND, "/usr/sbin/irqbalance -m x", "/unit:7");
	assert_value(&variables, NB_IRQBALANCE_MASK, NULL, NULL);
}

static void an_empty_value_takes_back_what_was_before(void **state)
{
	g_auto(nb_irqbalance_variables) variables = {};

	(void)state;
	add_unit(&variables, "[Service]\nEnvironment=IRQBALANCE_ARGS=1\nExecStart=a\n"
			     "EnvironmentFile=/a\n");
	add_unit(&variables, "[Service]\nEnvironment=\nEnvironmentFile=\nEnvironmentFile=/b\n");
	assert_value(&variables, NB_IRQBALANCE_ARGUMENTS, NULL, NULL);
	assert_value(&variables, NB_IRQBALANCE_COMMAND, "a", "/unit:3");
	assert_files(&variables, "/b ");
	add_unit(&variables, "[Service]\nExecStart=\nExecStart=b\n");
	assert_value(&variables, NB_IRQBALANCE_COMMAND, "b", "/unit:3");
}

static void files_are_named_by_plain_paths(void **state)
{
	g_auto(nb_irqbalance_variables) variables = {};

	(void)state;
	add_unit(&variables,
		 "[Service]\nEnvironmentFile=-/a\nEnvironmentFile=b\nEnvironmentFile=/c*\n"
		 "EnvironmentFile=/%n\nEnvironmentFile= /d\n");
	assert_files(&variables, "/a /d ");
}

static void what_is_not_understood_is_passed_over(void **state)
{
	g_auto(nb_irqbalance_variables) variables = {};

	(void)state;
	add_unit(&variables, "[Service]\nEnvironment=IRQBALANCE_ARGS=1\n"
			     "Environment=\"IRQBALANCE_ARGS=2\nEnvironment\n=\n[\n");
	assert_value(&variables, NB_IRQBALANCE_ARGUMENTS, "1", "/unit:2");
	assert_files(&variables, "");
}

static void variables_have_names(void **state)
{
	(void)state;
	assert_string_equal(nb_irqbalance_variable_name(NB_IRQBALANCE_MASK),
			    "IRQBALANCE_BANNED_CPUS");
	assert_string_equal(nb_irqbalance_variable_name(NB_IRQBALANCE_COMMAND), "ExecStart");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_file_assigns_line_by_line),
		cmocka_unit_test(a_unit_assigns_words_in_its_section),
		cmocka_unit_test(an_empty_value_takes_back_what_was_before),
		cmocka_unit_test(files_are_named_by_plain_paths),
		cmocka_unit_test(what_is_not_understood_is_passed_over),
		cmocka_unit_test(variables_have_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

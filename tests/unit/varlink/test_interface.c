/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "varlink/internal.h"

#include "support/support.h"

#include <string.h>

#define FILE_OF_IT NB_SOURCE_DIR "/src/varlink/" NB_VARLINK_INTERFACE ".varlink"
#define COLUMNS 100

/* The file begins with a line on its licence. NB_GOLDEN_WRITE=1 writes it anew. */
static void the_file_says_what_introspection_does(void **state)
{
	static const char licence[] = "# SPDX-License-Identifier: GPL-2.0-or-later\n";
	g_autofree char *expected = NULL, *text = NULL;
	char *told = NULL;

	(void)state;
	assert_true(sd_varlink_idl_format_full(&vl_interface_constraints, 0, COLUMNS, &told) >= 0);
	expected = g_strconcat(licence, told, NULL);
	free(told);
	if (g_getenv("NB_GOLDEN_WRITE"))
		assert_true(g_file_set_contents(FILE_OF_IT, expected, -1, NULL));
	assert_true(g_file_get_contents(FILE_OF_IT, &text, NULL, NULL));
	assert_string_equal(text, expected);
}

/* libsystemd refuses one that is inconsistent in itself. */
static void a_server_takes_the_interface(void **state)
{
	g_autoptr(sd_varlink_server) server = NULL;

	(void)state;
	assert_true(sd_varlink_server_new(&server, 0) >= 0);
	assert_true(sd_varlink_server_add_interface(server, &vl_interface_constraints) >= 0);
	assert_true(nb_varlink_bind(server) >= 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_file_says_what_introspection_does),
		cmocka_unit_test(a_server_takes_the_interface),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

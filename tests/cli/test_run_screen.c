/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What only a terminal gets: colour, bars, and tables that fit. */
#include "cli/run.h"

#include <string.h>

static void on_screen(const char *environment, unsigned columns, struct run *ret)
{
	struct server server;

	server_start(&server, NULL);
	run_ctl_on_screen(server.socket, environment, columns, ret);
	server_stop(&server);
	assert_int_equal(ret->status, 0);
}

static char *without_colour(const char *out)
{
	g_autoptr(GRegex) regex = g_regex_new("\\033\\[[0-9;]*m|\\r", 0, 0, NULL);

	return g_regex_replace_literal(regex, out, -1, 0, "", 0, NULL);
}

static void no_line_of_a_table_is_wider_than_the_terminal(void **state)
{
	static const unsigned widths[] = {90, 100, 132, 250};

	(void)state;
	for (unsigned i = 0; i < G_N_ELEMENTS(widths); i++) {
		g_autofree char *text = NULL;
		g_auto(GStrv) lines = NULL;
		struct run run;

		on_screen("", widths[i], &run);
		text = without_colour(run.out);
		lines = g_strsplit(text, "\n", -1);
		for (unsigned j = 0; lines[j]; j++)
			assert_true(g_utf8_strlen(lines[j], -1) <= widths[i]);
		run_clear(&run);
	}
}

static void sentences_break_between_words(void **state)
{
	struct run run;

	(void)state;
	on_screen("", 100, &run);
	assert_non_null(strstr(run.out, "too many queues of its"));
	assert_null(strstr(run.out, "too many queues of its device were"));
	run_clear(&run);
}

static void a_hot_cpu_is_red_and_a_warm_one_yellow(void **state)
{
	struct run run;

	(void)state;
	on_screen("", 120, &run);
	assert_non_null(strstr(run.out, "\033[31m    93\033[0m █████████·"));
	assert_non_null(strstr(run.out, "\033[1;33m    61\033[0m ▒▒▒▒▒▒····"));
	run_clear(&run);
}

static void no_color_takes_the_colour_alone(void **state)
{
	struct run run;

	(void)state;
	on_screen("NO_COLOR=1", 120, &run);
	assert_null(strchr(run.out, '\033'));
	assert_non_null(strstr(run.out, "    93 █████████·"));
	run_clear(&run);
}

static void a_dumb_terminal_gets_no_colour(void **state)
{
	struct run run;

	(void)state;
	on_screen("TERM=dumb", 120, &run);
	assert_null(strchr(run.out, '\033'));
	run_clear(&run);
}

static void outside_utf_8_all_is_ascii(void **state)
{
	struct run run;

	(void)state;
	on_screen("LC_ALL=C", 200, &run);
	assert_true(g_str_is_ascii(run.out));
	assert_non_null(strstr(run.out, "CPU 1 -> CPU 0"));
	run_clear(&run);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_line_of_a_table_is_wider_than_the_terminal),
		cmocka_unit_test(sentences_break_between_words),
		cmocka_unit_test(a_hot_cpu_is_red_and_a_warm_one_yellow),
		cmocka_unit_test(no_color_takes_the_colour_alone),
		cmocka_unit_test(a_dumb_terminal_gets_no_colour),
		cmocka_unit_test(outside_utf_8_all_is_ascii),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

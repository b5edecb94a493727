/* SPDX-License-Identifier: GPL-2.0-or-later */
/* That a parser takes the JSON, and finds numbers, booleans and arrays in it. */
#include "cli/run.h"

#include <string.h>
#include <sys/wait.h>

/* Lines that jq's filter must make of the output of nicbalancectl. */
static void assert_filtered(const char *arguments, const char *filter, const char *lines)
{
	const char *argv[] = {"jq", "-c", filter, NULL, NULL};
	g_autofree char *jq = g_find_program_in_path("jq");
	g_autofree char *out = NULL, *path = NULL, *dir = NULL;
	struct run run;
	int status;

	if (!jq)
		nb_skip("no jq");
	run_against(NULL, arguments, &run);
	dir = nb_tmp_make();
	nb_tmp_write(dir, "out", run.out);
	path = g_build_filename(dir, "out", NULL);
	argv[3] = path;
	assert_true(g_spawn_sync(NULL, (char **)argv, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, &out,
				 NULL, &status, NULL));
	nb_tmp_remove(g_steal_pointer(&dir));
	run_clear(&run);
	assert_int_equal(status, 0);
	assert_string_equal(out, lines);
}

static void status_is_the_whole_document(void **state)
{
	(void)state;
	assert_filtered(
		"status --json", "to_entries | map(\"\\(.key) \\(.value | type)\")",
		"[\"version number\",\"daemon object\",\"nics array\",\"queues array\","
		"\"cpus array\",\"moves array\",\"excluded array\",\"intrusions array\",\"claims array\",\"plan object\","
		"\"config array\",\"delays array\"]\n");
}

static void numbers_and_booleans_are_no_strings(void **state)
{
	(void)state;
	assert_filtered("status --json",
			".queues[1] | [.\"time-percent\" == 42, .\"has-tx\", .irqs, "
			".\"rx-packets-per-second\", .note]",
			"[true,true,[41,42],750000,[\"yielded\"]]\n");
}

static void what_is_unknown_is_null(void **state)
{
	(void)state;
	assert_filtered("status --json",
			"[.queues[3].cpu, .nics[0].node, .moves[1].\"measured-percent\"]",
			"[null,null,null]\n");
}

static void other_commands_print_their_part(void **state)
{
	(void)state;
	assert_filtered("plan --json", "keys", "[\"plan\",\"version\"]\n");
	assert_filtered(
		"plan --json -o kind", ".plan.changes | map(.kind)",
		"[\"queue\",\"rps\",\"device-irq\",\"rss\",\"threaded\",\"xps\",\"thread\",\"rfs\",\"udp-hash\",\"channels\"]\n");
	assert_filtered("config --json", "[.config[] | select(.key == \"Hot\") | .value]",
			"[\"70%\"]\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(status_is_the_whole_document),
		cmocka_unit_test(numbers_and_booleans_are_no_strings),
		cmocka_unit_test(what_is_unknown_is_null),
		cmocka_unit_test(other_commands_print_their_part),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

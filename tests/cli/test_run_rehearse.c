/* SPDX-License-Identifier: GPL-2.0-or-later */
/* simulate, replay and report: what they print and draw, and how they fail. None asks a daemon. */
#include "cli/run.h"

#include <string.h>

#define SCENARIO NB_SOURCE_DIR "/tests/cli/collapsed.scenario"
#define ONE_CHANNEL NB_SOURCE_DIR "/tests/cli/one-channel.scenario"
#define TRACE NB_SOURCE_DIR "/tests/cli/collapsed.trace"
#define OTHERS NB_SOURCE_DIR "/tests/cli/device-irqs.trace"
#define CONFIG " --config " NB_SOURCE_DIR "/tests/cli/shares.conf"

static void run_well(const char *arguments, struct run *ret)
{
	run_ctl("/nonexistent", arguments, ret);
	assert_string_equal(ret->err, "");
	assert_int_equal(ret->status, 0);
}

static void assert_output(const char *arguments, const char *name)
{
	struct run run;

	run_well(arguments, &run);
	assert_golden(&run, name);
	run_clear(&run);
}

static void assert_fails(const char *arguments, int status, const char *err)
{
	struct run run;

	run_ctl("/nonexistent", arguments, &run);
	assert_string_equal(run.out, "");
	if (!strstr(run.err, err))
		fail_msg("\"%s\" does not hold \"%s\"", run.err, err);
	assert_int_equal(run.status, status);
	run_clear(&run);
}

static void simulate_shows_both_runs_and_every_move(void **state)
{
	(void)state;
	assert_output("simulate " SCENARIO CONFIG, "simulate");
	assert_output("simulate --json " SCENARIO CONFIG, "simulate-json");
	assert_output("simulate --noheadings -o time,queue,to " SCENARIO CONFIG,
		      "simulate-columns");
}

static void simulate_says_what_an_administrator_could_change(void **state)
{
	(void)state;
	assert_output("simulate " ONE_CHANNEL CONFIG, "simulate-advice");
	assert_output("simulate --json " ONE_CHANNEL CONFIG, "simulate-advice-json");
}

static void replay_shows_what_was_and_what_would_have_been(void **state)
{
	(void)state;
	assert_output("replay " TRACE CONFIG, "replay");
	assert_output("replay --json " TRACE CONFIG, "replay-json");
}

static void replay_shows_what_happened_to_interrupts_of_other_devices(void **state)
{
	(void)state;
	assert_output("replay " OTHERS CONFIG, "replay-device-irqs");
	assert_output("replay --json " OTHERS CONFIG, "replay-device-irqs-json");
}

/* expected: a line for each move. */
static void assert_moves(const char *command, const char *config, const char *expected)
{
	char *dir = nb_tmp_make();
	g_autofree char *arguments =
		g_strdup_printf("%s --noheadings --config %s/a.conf", command, dir);
	struct run run;

	nb_tmp_write(dir, "a.conf", config);
	run_well(arguments, &run);
	assert_string_equal(run.out, expected);
	run_clear(&run);
	nb_tmp_remove(dir);
}

static void a_configuration_changes_what_would_have_been(void **state)
{
	(void)state;
	assert_moves("replay -o queue,to " TRACE, "", "    2  1\n    3  2\n    0  3\n");
	assert_moves("replay -o queue,to " TRACE, "[Balance]\nBannedCPUs=2\n",
		     "    2  1\n    3  3\n");
	assert_moves("replay -o queue,to " TRACE, "[Balance]\nBannedCPUs=0-3\n", "");
}

/* The first section that names it counts, and none but by its name; what it does not say is as in
 * the scenario. */
static void sections_of_devices_say_what_becomes_of_a_simulated_nic(void **state)
{
	static const char command[] = "simulate -o nic,kind,setting " ONE_CHANNEL;

	(void)state;
	assert_moves(command,
		     "[RPS]\nEnabled=no\n[RSS]\nEnabled=no\n[Balance]\nHot=85%\n"
		     "[Device driver:*]\nChannels=3\n[Device eth0]\nChannels=2\n"
		     "[Device eth*]\nChannels=max\nUdpHash=sdfn\n",
		     "eth0 channels 2\neth1 udp-hash addresses and ports\n");
	assert_moves("simulate -o nic,kind,setting " NB_SOURCE_DIR
		     "/conf/scenarios/one-channel.scenario",
		     "[Device eth0]\nSpill=yes\n", "eth0 channels 8\n");
}

static unsigned count(const char *page, const char *word)
{
	g_auto(GStrv) parts = g_strsplit(page, word, -1);

	return g_strv_length(parts) - 1;
}

static void assert_page(const char *page)
{
	assert_true(g_str_has_prefix(page, "<!DOCTYPE html>\n"));
	assert_true(g_str_has_suffix(page, "</html>\n"));
	/* Nothing is fetched, and nothing runs. */
	assert_null(strstr(page, "http"));
	assert_null(strstr(page, "url("));
	assert_null(strstr(page, "@import"));
	assert_null(strstr(page, "src="));
	assert_null(strstr(page, "<script"));
	/* Two maps, the line above them, and the moves. */
	assert_int_equal(count(page, "<svg"), 3);
	assert_non_null(strstr(page, "<tr id=\""));
}

static void report_is_one_page_that_needs_nothing_else(void **state)
{
	struct run run;

	(void)state;
	run_well("report " TRACE CONFIG, &run);
	assert_page(run.out);
	assert_golden(&run, "report");
	run_clear(&run);
}

static void report_tells_interrupts_of_other_devices_from_queues(void **state)
{
	struct run run;

	(void)state;
	run_well("report " OTHERS CONFIG, &run);
	assert_page(run.out);
	assert_golden(&run, "report-device-irqs");
	/* In the moves of both runs; and on both maps, where an interrupt went. */
	assert_int_equal(count(run.out, "<td colspan=\"2\">IRQ 41</td>"), 4);
	assert_int_equal(count(run.out, "<td colspan=\"2\">IRQ 42</td>"), 4);
	assert_int_equal(count(run.out, "too many device (non-NIC) interrupts"), 4);
	assert_int_equal(count(run.out, "changed by another program"), 2);
	assert_int_equal(count(run.out, ": IRQ 41: CPU 0 → CPU 2</title>"), 2);
	run_clear(&run);
}

static void report_tells_settings_and_advice(void **state)
{
	char *dir = nb_tmp_make();
	g_autofree char *arguments = g_strdup_printf(
		"simulate %s --config %s/a.conf --report %s/a.html", ONE_CHANNEL, dir, dir);
	g_autofree char *path = g_build_filename(dir, "a.html", NULL), *page = NULL;
	struct run run;

	(void)state;
	nb_tmp_write(dir, "a.conf", "[Device eth0]\nChannels=max\n");
	run_well(arguments, &run);
	assert_true(g_file_get_contents(path, &page, NULL, NULL));
	assert_non_null(strstr(page, "<td colspan=\"4\">eth0: channels 1 → 4</td>"));
	assert_non_null(strstr(page, "<li>eth1: UDP is not hashed by ports: ethtool -N eth1"));
	assert_int_equal(count(page, "<li>"), 1);
	run_clear(&run);
	nb_tmp_remove(dir);
}

static void what_comes_from_a_file_cannot_become_markup(void **state)
{
	char *dir = nb_tmp_make();
	g_autofree char *arguments =
		g_strdup_printf("simulate " SCENARIO CONFIG " --report %s/a.html", dir);
	g_autofree char *page = NULL;
	struct run run;

	(void)state;
	run_well(arguments, &run);
	page = nb_tmp_read(dir, "a.html");
	assert_page(page);
	assert_null(strstr(page, "<nothing>"));
	assert_non_null(strstr(page, "All on CPU 0 &amp; &lt;nothing&gt; elsewhere"));
	run_clear(&run);
	nb_tmp_remove(dir);
}

static void report_writes_the_file_it_is_told(void **state)
{
	char *dir = nb_tmp_make();
	g_autofree char *arguments =
		g_strdup_printf("report " TRACE CONFIG " --file %s/a.html", dir);
	g_autofree char *page = NULL;
	struct run run;

	(void)state;
	run_well(arguments, &run);
	assert_string_equal(run.out, "");
	page = nb_tmp_read(dir, "a.html");
	assert_page(page);
	run_clear(&run);
	nb_tmp_remove(dir);
}

static void a_wrong_command_line_is_2(void **state)
{
	(void)state;
	assert_fails("simulate", 2, "simulate of what? Write: nicbalancectl simulate SCENARIO");
	assert_fails("report a b", 2, "too many arguments; write: nicbalancectl report TRACE");
	assert_fails("report --json " TRACE, 2, "prints no table");
	assert_fails("report --report a.html " TRACE, 2, "--report is for simulate and replay");
	assert_fails("status --report a.html", 2, "--report is for simulate and replay");
	assert_fails("status" CONFIG, 2, "--config is for simulate, replay and report");
	assert_fails("replay -o colour " TRACE, 2, "no column \"colour\"");
}

static void a_fault_in_a_file_is_1_and_says_where(void **state)
{
	(void)state;
	assert_fails("simulate /nonexistent", 1, "/nonexistent");
	assert_fails("simulate " TRACE, 1, TRACE ":1: ");
	assert_fails("replay " SCENARIO, 1, SCENARIO ":1: ");
	assert_fails("replay " TRACE " --config /nonexistent.conf", 1, "/nonexistent.conf: ");
	assert_fails("replay " TRACE " --config " SCENARIO, 1, SCENARIO ":2: ");
	assert_fails("report " TRACE CONFIG " --file /nonexistent/a.html", 1,
		     "/nonexistent/a.html");
}

static void an_empty_trace_is_no_success(void **state)
{
	char *dir = nb_tmp_make();
	g_autofree char *arguments = g_strdup_printf("replay %s/a.trace", dir);

	(void)state;
	nb_tmp_write(dir, "a.trace", "nicbalance-trace 2\n");
	assert_fails(arguments, 1, "nothing is recorded in it");
	nb_tmp_remove(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(simulate_shows_both_runs_and_every_move),
		cmocka_unit_test(simulate_says_what_an_administrator_could_change),
		cmocka_unit_test(replay_shows_what_was_and_what_would_have_been),
		cmocka_unit_test(replay_shows_what_happened_to_interrupts_of_other_devices),
		cmocka_unit_test(a_configuration_changes_what_would_have_been),
		cmocka_unit_test(sections_of_devices_say_what_becomes_of_a_simulated_nic),
		cmocka_unit_test(report_tells_settings_and_advice),
		cmocka_unit_test(report_is_one_page_that_needs_nothing_else),
		cmocka_unit_test(report_tells_interrupts_of_other_devices_from_queues),
		cmocka_unit_test(what_comes_from_a_file_cannot_become_markup),
		cmocka_unit_test(report_writes_the_file_it_is_told),
		cmocka_unit_test(a_wrong_command_line_is_2),
		cmocka_unit_test(a_fault_in_a_file_is_1_and_says_where),
		cmocka_unit_test(an_empty_trace_is_no_success),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Exit statuses, and what is said on stderr with them. */
#include "bus/canned.h"
#include "cli/run.h"
#include "nicbalance/interface.h"

#include <string.h>
#include <unistd.h>

static const char *const failing[] = {"--fail", NULL};
static const char *const on_system[] = {"--system", NULL};

static void need_root(void)
{
	if (geteuid() != 0)
		nb_skip("only root may change anything");
}

static void assert_says(const struct run *run, int status, const char *err)
{
	assert_string_equal(run->out, "");
	if (!strstr(run->err, err))
		fail_msg("\"%s\" does not hold \"%s\"", run->err, err);
	assert_int_equal(run->status, status);
}

static void assert_usage(const char *arguments, const char *err)
{
	struct run run;

	run_ctl("/nonexistent", arguments, &run);
	assert_says(&run, 2, err);
	run_clear(&run);
}

static void a_wrong_command_line_is_2_and_asks_nobody(void **state)
{
	(void)state;
	assert_usage("frobnicate", "there is no command \"frobnicate\"");
	assert_usage("status plan", "one command at a time");
	assert_usage("simulate a b", "too many arguments; write: nicbalancectl simulate SCENARIO");
	assert_usage("--frobnicate", "--frobnicate");
	assert_usage("status -o NIC,COLOUR", "no column \"COLOUR\"; there are NIC, IFINDEX, QUEUE");
	assert_usage("config -o ,", "no column \"\"; there are SECTION, KEY");
	assert_usage("pause --json", "prints no table");
	assert_usage("latency --seconds 0", "--seconds takes a number from 1 to 3600");
	assert_usage("latency --seconds=-1", "--seconds takes a number from 1 to 3600");
	assert_usage("latency --seconds 3601", "--seconds takes a number from 1 to 3600");
	assert_usage("latency --seconds soon", "soon");
	assert_usage("restore -o nic", "prints no table");
	assert_usage("record -o trace", "prints no table; --file names the file to write");
	assert_usage("status --file trace", "--file is for record and report");
	assert_usage("status --seconds 5", "--seconds is for latency and record");
	assert_usage("plan --all", "--all is for status");
}

static void nobody_behind_the_socket_is_3(void **state)
{
	struct run run;

	(void)state;
	run_ctl("/nonexistent/bus", "status", &run);
	assert_says(&run, 3, "nicbalancectl: no nicbalanced listens on /nonexistent/bus\n");
	run_clear(&run);
}

static void change(const char *const *options, const char *command, struct run *ret)
{
	need_root();
	run_against(options, command, ret);
}

static void changes_by_root_are_0_and_say_what_was_done(void **state)
{
	struct run run;

	(void)state;
	change(NULL, "pause", &run);
	assert_string_equal(run.out, "Paused: nothing is written until nicbalancectl resume.\n");
	assert_int_equal(run.status, 0);
	run_clear(&run);
	change(NULL, "resume", &run);
	assert_string_equal(run.out, "Resumed.\n");
	assert_int_equal(run.status, 0);
	run_clear(&run);
	change(NULL, "restore", &run);
	assert_string_equal(run.out, "5 original values restored. Paused: nothing is changed until "
				     "nicbalancectl resume.\n");
	assert_int_equal(run.status, 0);
	run_clear(&run);
}

static void a_good_reload_is_silent(void **state)
{
	struct run run;

	(void)state;
	change(NULL, "reload", &run);
	assert_says(&run, 0, "");
	assert_string_equal(run.err, "");
	run_clear(&run);
}

static void pausing_lasts_until_it_is_resumed(void **state)
{
	struct server server;
	struct run run;

	(void)state;
	need_root();
	server_start(&server, NULL);
	run_ctl(server.socket, "pause", &run);
	run_clear(&run);
	run_ctl(server.socket, "status", &run);
	assert_non_null(strstr(run.out, "PAUSED"));
	run_clear(&run);
	run_ctl(server.socket, "resume", &run);
	run_clear(&run);
	run_ctl(server.socket, "status", &run);
	assert_null(strstr(run.out, "PAUSED"));
	run_clear(&run);
	server_stop(&server);
}

static void what_the_daemon_cannot_do_is_1_in_its_words(void **state)
{
	struct run run;

	(void)state;
	change(failing, "pause", &run);
	assert_says(&run, 1, "nicbalancectl: It is not the time for it.\n");
	run_clear(&run);
	change(failing, "restore", &run);
	assert_says(&run, 1, "nicbalancectl: ");
	run_clear(&run);
	change(NULL, "latency", &run);
	assert_says(&run, 1, "nicbalancectl: " CANNED_COUNTED "\n");
	run_clear(&run);
}

static void faults_of_the_configuration_stand_as_they_are(void **state)
{
	struct run run;

	(void)state;
	change(failing, "reload", &run);
	assert_says(&run, 1, CANNED_FAULT "\n");
	assert_true(g_str_has_prefix(run.err, CANNED_FAULT));
	run_clear(&run);
}

struct other {
	const char *program;
	const char *socket;
};

static int status_of(const struct other *other, const char *command, const char *err)
{
	struct run run;

	run_copy(other->program, other->socket, command, &run);
	if (!strstr(run.err, err))
		fail_msg("standard error does not say \"%s\"", err);
	return run.status;
}

static int pause_of(const void *other)
{
	return status_of(other, "pause", "Only root may call Pause");
}

static int latency_of(const void *other)
{
	return status_of(other, "latency", "Only root may call WatchDelays");
}

static int look_of(const void *other)
{
	return status_of(other, "status", "");
}

static int as_other(int (*body)(const void *data), const void *data)
{
	return geteuid() == 0 ? as_nobody(body, data) : body(data);
}

static void others_may_look_and_change_nothing(void **state)
{
	g_autofree char *program = NULL;
	struct server server;
	struct other other;

	(void)state;
	server_start(&server, NULL);
	program = copy_ctl(server.dir);
	other = (struct other){.program = program, .socket = server.socket};
	assert_int_equal(as_other(look_of, &other), 0);
	assert_int_equal(as_other(pause_of, &other), 4);
	assert_int_equal(as_other(latency_of, &other), 4);
	server_stop(&server);
}

static void without_a_socket_the_system_bus_is_asked(void **state)
{
	struct bus_daemon daemon;
	struct server server;
	struct run run;

	(void)state;
	if (access(NB_BUS_SOCKET, F_OK) == 0)
		nb_skip("a daemon of this host listens on " NB_BUS_SOCKET);
	bus_daemon_start(&daemon, NULL);
	run_ctl(NULL, "status", &run);
	assert_says(&run, 3,
		    "nicbalanced is not running; start it with: systemctl start nicbalanced\n");
	run_clear(&run);

	server_start(&server, on_system);
	sd_bus_close_unref(connect_system());
	run_ctl(NULL, "-o nic,queue", &run);
	assert_golden(&run, "status-system-bus");
	assert_int_equal(run.status, 0);
	run_clear(&run);
	server_stop(&server);
	bus_daemon_stop(&daemon);
}

static void an_output_that_cannot_be_written_is_1(void **state)
{
	struct server server;
	struct run run;

	(void)state;
	server_start(&server, NULL);
	run_ctl_to_full_disk(server.socket, &run);
	server_stop(&server);
	assert_says(&run, 1, "cannot write the output");
	run_clear(&run);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_wrong_command_line_is_2_and_asks_nobody),
		cmocka_unit_test(nobody_behind_the_socket_is_3),
		cmocka_unit_test(changes_by_root_are_0_and_say_what_was_done),
		cmocka_unit_test(a_good_reload_is_silent),
		cmocka_unit_test(pausing_lasts_until_it_is_resumed),
		cmocka_unit_test(what_the_daemon_cannot_do_is_1_in_its_words),
		cmocka_unit_test(faults_of_the_configuration_stand_as_they_are),
		cmocka_unit_test(others_may_look_and_change_nothing),
		cmocka_unit_test(without_a_socket_the_system_bus_is_asked),
		cmocka_unit_test(an_output_that_cannot_be_written_is_1),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

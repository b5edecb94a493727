/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Bans and claims as an operator orders them. */
#include "bus/canned.h"
#include "cli/run.h"
#include "ctl/show/value.h"

#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *const failing[] = {"--fail", NULL};

static void need_root(void)
{
	if (geteuid() != 0)
		nb_skip("only root may change anything");
}

static void assert_run(const char *const *options, const char *arguments, int status,
		       const char *out, const char *err)
{
	struct run run;

	need_root();
	run_against(options, arguments, &run);
	assert_string_equal(run.out, out);
	assert_string_equal(run.err, err);
	assert_int_equal(run.status, status);
	run_clear(&run);
}

static void an_order_that_is_obeyed_is_0(void **state)
{
	(void)state;
	assert_run(NULL, "ban 2-3", 0, "Order 7: CPUs 2-3 are banned.\n", "");
	assert_run(NULL, "claim eth0:1 4", 0, "Order 7: CPUs 4 are claimed for eth0:1.\n", "");
	assert_run(NULL, "claim 41 4 --exclusive", 0, "Order 7: CPUs 4 are claimed for 41 alone.\n",
		   "");
}

static void what_has_not_left_is_5_and_told(void **state)
{
	static const char err[] = "nicbalancectl: what has not left yet:\n  " CANNED_REMAINS "\n";

	(void)state;
	assert_run(NULL, "ban 0-3", 5, "Order 7: CPUs 0-3 are banned.\n", err);
	assert_run(NULL, "claim eth0 0", 5, "Order 7: CPUs 0 are claimed for eth0.\n", err);
}

static void a_claim_for_what_is_not_there_says_so(void **state)
{
	(void)state;
	assert_run(NULL, "claim eth9 4", 0,
		   "Order 7: CPUs 4 are claimed for eth9.\n"
		   "There is no eth9 now: the claim counts when it appears.\n",
		   "");
}

static void what_is_refused_is_1_in_the_daemons_words(void **state)
{
	static const char err[] = "nicbalancectl: CPU 2 is taken by another.\n";

	(void)state;
	assert_run(failing, "ban 2", 1, "", err);
	assert_run(failing, "claim eth0 2", 1, "", err);
	assert_run(failing, "unban 2", 1, "", err);
	assert_run(failing, "release all", 1, "", err);
}

static void an_owner_orders_and_releases_in_his_name(void **state)
{
	struct server server;
	struct run run;

	(void)state;
	need_root();
	server_start(&server, NULL);
	run_ctl(server.socket, "ban 2 --owner kubelet --lease 90s", &run);
	assert_int_equal(run.status, 0);
	run_clear(&run);
	run_ctl(server.socket, "claims --noheadings -o owner,ends", &run);
	assert_non_null(strstr(run.out, "kubelet  2026-01-01 00:01:30\n"));
	run_clear(&run);
	/* The canned daemon ends in disorder if the owner is another. */
	run_ctl(server.socket, "unban 2 --owner kubelet", &run);
	assert_string_equal(run.out, "CPUs 2 are no longer banned by this owner.\n");
	run_clear(&run);
	run_ctl(server.socket, "release eth0 --owner kubelet", &run);
	assert_string_equal(run.out, "1 limit released.\n");
	run_clear(&run);
	run_ctl(server.socket, "release all --owner kubelet", &run);
	assert_string_equal(run.out, "2 limits released.\n");
	run_clear(&run);
	server_stop(&server);
}

static void everyone_sees_them_as_a_table_or_json(void **state)
{
	struct run run;

	(void)state;
	run_against(NULL, "claims", &run);
	assert_int_equal(run.status, 0);
	assert_golden(&run, "claims");
	run_clear(&run);
	run_against(NULL, "claims --json", &run);
	assert_golden(&run, "claims-json");
	run_clear(&run);
}

static size_t n_claims(sd_bus *bus)
{
	json_t *document = describe(bus);
	size_t n = json_array_size(json_object_get(document, "claims"));

	json_decref(document);
	return n;
}

/* It says what it ordered, and stays until the signal. */
static void while_connected_lasts_until_it_is_interrupted(void **state)
{
	const char *argv[] = {NB_BINARY_DIR "/src/nicbalancectl",
			      "--socket",
			      "",
			      "ban",
			      "2",
			      "--while-connected",
			      NULL};
	struct server server;
	char line[80];
	GPid pid;
	FILE *out;
	sd_bus *bus;
	int fd, status;

	(void)state;
	need_root();
	server_start(&server, NULL);
	argv[2] = server.socket;
	assert_true(g_spawn_async_with_pipes(NULL, (char **)argv, NULL, G_SPAWN_DO_NOT_REAP_CHILD,
					     NULL, NULL, &pid, NULL, &fd, NULL, NULL));
	out = fdopen(fd, "r");
	assert_non_null(fgets(line, sizeof(line), out));
	assert_string_equal(line, "Order 7: CPUs 2 are banned.\n");
	bus = connect_private(server.socket);
	for (unsigned i = 0; i < 100; i++)
		assert_int_equal(n_claims(bus), 3);
	assert_int_equal(kill(pid, SIGINT), 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	for (unsigned i = 0; i < 10000 && n_claims(bus) != 2; i++)
		;
	assert_int_equal(n_claims(bus), 2);

	fclose(out);
	sd_bus_close_unref(bus);
	server_stop(&server);
}

static void assert_usage(const char *arguments, const char *err)
{
	struct run run;

	run_ctl("/nonexistent", arguments, &run);
	if (!strstr(run.err, err))
		fail_msg("\"%s\" does not hold \"%s\"", run.err, err);
	assert_int_equal(run.status, 2);
	run_clear(&run);
}

static void a_wrong_command_line_is_2_and_asks_nobody(void **state)
{
	(void)state;
	assert_usage("ban", "ban of what? Write: nicbalancectl ban CPUS");
	assert_usage("claim eth0", "claim of what? Write: nicbalancectl claim NIC|NIC:QUEUE|IRQ");
	assert_usage("claim eth0 2 3",
		     "too many arguments; write: nicbalancectl claim NIC|NIC:QUEUE|IRQ CPUS");
	assert_usage("unban 2 3", "too many arguments; write: nicbalancectl unban CPUS");
	assert_usage("unban 2 3 4", "too many arguments; write: nicbalancectl unban CPUS");
	assert_usage("ban 2 --owner=", "--owner takes a name");
	assert_usage("ban 2 --exclusive", "--exclusive is for claim");
	assert_usage("unban 2 --lease 3s", "--lease and --while-connected are for ban and claim");
	assert_usage("release all --while-connected", "are for ban and claim");
	assert_usage("status --owner x", "--owner is for ban, unban, claim and release");
	assert_usage("ban 2 --lease soon", "--lease takes a time span");
	assert_usage("ban 2 --lease 0", "--lease takes a time span");
	assert_usage("ban 2 --json", "prints no table");
	assert_usage("ban 2 --config x", "--config is for simulate");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_order_that_is_obeyed_is_0),
		cmocka_unit_test(what_has_not_left_is_5_and_told),
		cmocka_unit_test(a_claim_for_what_is_not_there_says_so),
		cmocka_unit_test(what_is_refused_is_1_in_the_daemons_words),
		cmocka_unit_test(an_owner_orders_and_releases_in_his_name),
		cmocka_unit_test(everyone_sees_them_as_a_table_or_json),
		cmocka_unit_test(while_connected_lasts_until_it_is_interrupted),
		cmocka_unit_test(a_wrong_command_line_is_2_and_asks_nobody),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

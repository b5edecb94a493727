/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ctl/show/status_head.h"
#include "support/support.h"

#include <string.h>

#define SEC UINT64_C(1000000)
#define STARTED (UINT64_C(1767225600) * SEC)

static json_t *make_daemon(void)
{
	return json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:i}", "version",
			 "9", "mode", "balance", "grade", "measured", "grade-reason", "",
			 "accounting", "precise", "verdict-text", "all is quiet", "online-cpus",
			 "0-3", "eligible-cpus", "0-3", "isolated-cpus", "", "banned-cpus", "",
			 "started", "2026-01-01T00:00:00.000000Z", "cycles", 7);
}

static void set(json_t *daemon, const char *name, json_t *value)
{
	json_object_set_new(daemon, name, value);
}

static void assert_holds(const json_t *daemon, uint64_t age_sec, const char *part)
{
	g_autofree char *head = nb_status_head(daemon, NULL, NULL, STARTED + age_sec * SEC);

	if (!strstr(head, part))
		fail_msg("no \"%s\" in: %s", part, head);
}

static void assert_lacks(const json_t *daemon, const char *part)
{
	g_autofree char *head = nb_status_head(daemon, NULL, NULL, STARTED + SEC);

	assert_null(strstr(head, part));
}

static void ages_have_the_unit_that_fits(void **state)
{
	json_t *daemon = make_daemon();

	(void)state;
	assert_holds(daemon, 59, "since 2026-01-01 00:00:00 (59 s)\n");
	assert_holds(daemon, 60, "(1 min)");
	assert_holds(daemon, 3 * 3600 + 720, "(3 h 12 min)");
	assert_holds(daemon, 86400 + 3600, "(1 d 1 h)");
	json_decref(daemon);
}

static void own_cost_is_that_of_the_start_and_that_of_the_last_minute(void **state)
{
	json_t *daemon = make_daemon();

	(void)state;
	set(daemon, "start-cpu-time-nsec", json_integer(1230 * SEC)); /* 1.23 s */
	assert_holds(daemon, 10,
		     "Own cost   - in the last minute, 1.23 s at the start; 7 cycles\n");
	set(daemon, "recent-cpu-time-nsec", json_integer(150 * SEC)); /* 150 ms */
	set(daemon, "recent-nsec", json_integer(60000 * SEC));
	assert_holds(daemon, 100,
		     "Own cost   0.25 % of one CPU in the last minute, 1.23 s at the start");
	json_decref(daemon);
}

static void programs_in_the_kernel_cost_on_their_own_line(void **state)
{
	json_t *daemon = make_daemon();

	(void)state;
	assert_lacks(daemon, "eBPF");
	set(daemon, "probe-cost-nsec", json_integer(25 * SEC));
	assert_holds(daemon, 10, "  eBPF cost  0.25 % of one CPU (estimate; all CPUs together)\n");
	json_decref(daemon);
}

static void a_clock_set_back_divides_by_nothing(void **state)
{
	json_t *daemon = make_daemon();
	g_autofree char *head = NULL;

	(void)state;
	set(daemon, "probe-cost-nsec", json_integer(25 * SEC));
	head = nb_status_head(daemon, NULL, NULL, STARTED - SEC);
	assert_non_null(strstr(head, "(0 s)"));
	assert_null(strstr(head, "eBPF cost"));
	json_decref(daemon);
}

static void cpus_are_named_only_when_some_may_not_be_used(void **state)
{
	json_t *daemon = make_daemon();

	(void)state;
	assert_lacks(daemon, "CPUs");
	set(daemon, "eligible-cpus", json_string("0-2"));
	set(daemon, "banned-cpus", json_string("3"));
	assert_holds(daemon, 1, "0-2 eligible of 0-3; banned 3\n");
	set(daemon, "eligible-cpus", json_string(""));
	set(daemon, "banned-cpus", json_string("0-3"));
	assert_holds(
		daemon, 1,
		"none eligible of 0-3; banned 0-3; only what a section or claim names CPUs for "
		"is moved\n");
	json_decref(daemon);
}

static void coarse_accounting_is_called_coarse(void **state)
{
	json_t *daemon = make_daemon();

	(void)state;
	assert_lacks(daemon, "coarse");
	set(daemon, "accounting", json_string("tick"));
	assert_holds(daemon, 1, "tick: %si is sampled at the timer tick (coarse; not used)\n");
	set(daemon, "grade", json_string("estimated"));
	assert_holds(daemon, 1, "tick: %si is sampled at the timer tick (coarse)\n");
	set(daemon, "accounting", json_string("sundial"));
	assert_lacks(daemon, "Kernel");
	json_decref(daemon);
}

static void a_pause_is_louder_than_the_mode(void **state)
{
	json_t *daemon = make_daemon();

	(void)state;
	assert_holds(daemon, 1, "9: balancing since");
	set(daemon, "mode", json_string("observe"));
	assert_holds(daemon, 1, "9: observing since");
	set(daemon, "paused", json_true());
	assert_holds(daemon, 1, "PAUSED");
	assert_lacks(daemon, "balancing");
	json_decref(daemon);
}

static void nics_that_drop_packets_are_named_with_the_cause(void **state)
{
	json_t *daemon = make_daemon();
	json_t *nics = json_pack(
		"[{s:s, s:n, s:n}, {s:s, s:i, s:s}, {s:s, s:i, s:s}, {s:s, s:i, s:s}]", "nic",
		"eth0", "dropped-per-second", "drops-cause", "nic", "eth1", "dropped-per-second", 0,
		"drops-cause", "none", "nic", "eth2", "dropped-per-second", 1234, "drops-cause",
		"device", "nic", "eth3", "dropped-per-second", 5, "drops-cause", "moonlight");
	g_autofree char *head = nb_status_head(daemon, nics, NULL, STARTED + SEC);

	(void)state;
	assert_null(strstr(head, "eth0"));
	assert_null(strstr(head, "eth1"));
	assert_non_null(
		strstr(head, "  Drops      eth2: 1234 packets/s; no queue of it fills a CPU"));
	assert_non_null(strstr(head, "  Drops      eth3: 5 packets/s; moonlight\n"));
	json_decref(nics);
	json_decref(daemon);
}

static void advice_is_told_as_it_comes(void **state)
{
	json_t *daemon = make_daemon();
	json_t *nics = json_pack("[{s:s, s:[{s:s}, {s:s}]}, {s:s, s:[]}, {s:s}]", "nic", "eth0",
				 "advice", "text", "wider", "text", "higher", "nic", "eth1",
				 "advice", "nic", "eth2");
	g_autofree char *head = nb_status_head(daemon, nics, NULL, STARTED + SEC);

	(void)state;
	assert_non_null(strstr(head, "  Advice     eth0: wider\n  Advice     eth0: higher\n"));
	assert_null(strstr(head, "eth1"));
	assert_null(strstr(head, "eth2"));
	json_decref(nics);
	json_decref(daemon);
}

static void a_full_node_is_told_with_the_remedy(void **state)
{
	json_t *daemon = make_daemon();
	json_t *nics =
		json_pack("[{s:s, s:n, s:b}, {s:s, s:i, s:b}, {s:s, s:i, s:b}]", "nic", "eth0",
			  "full-node-seconds", "spill", 0, "nic", "eth1", "full-node-seconds", 250,
			  "spill", 0, "nic", "eth2", "full-node-seconds", 7300, "spill", 1);
	g_autofree char *head = nb_status_head(daemon, nics, NULL, STARTED + SEC);

	(void)state;
	assert_null(strstr(head, "eth0"));
	assert_non_null(strstr(head,
			       "  Full node  eth1: for 4 min, another one has time; Spill=yes "
			       "in [Device eth1] allows it\n"));
	assert_non_null(strstr(head,
			       "eth2: for 121 min, another one has time; its queues cannot go "
			       "there now\n"));
	json_decref(nics);
	json_decref(daemon);
}

static json_t *excluded_cpu(int cpu, const char *counted_since, int intrusions)
{
	json_t *row = json_pack("{s:i, s:s, s:n}", "cpu", cpu, "excluded-since",
				"2026-01-01T00:00:00.000000Z", "counted-since");

	if (counted_since) {
		set(row, "counted-since", json_string(counted_since));
		set(row, "intrusions", json_integer(intrusions));
	}
	return row;
}

static void assert_excluded(const json_t *cpus, const char *expected)
{
	json_t *daemon = make_daemon();
	g_autofree char *head = nb_status_head(daemon, NULL, cpus, STARTED + SEC);
	const char *at = strstr(head, "  Excluded");

	assert_string_equal(at ? at : "", expected);
	json_decref(daemon);
}

static void excluded_cpus_are_said_to_be_empty_or_not(void **state)
{
	json_t *cpus = json_pack("[{s:i, s:n, s:n, s:n}]", "cpu", 0, "excluded-since",
				 "counted-since", "intrusions");

	(void)state;
	assert_excluded(cpus, "");
	json_array_append_new(cpus, excluded_cpu(2, NULL, 0));
	assert_excluded(cpus, "  Excluded   CPUs 2: not counted yet\n");
	json_array_append_new(cpus, excluded_cpu(3, "2026-01-01T00:00:07.000000Z", 0));
	json_array_append_new(cpus, excluded_cpu(4, "2026-01-01T00:00:05.000000Z", 0));
	assert_excluded(cpus, "  Excluded   CPUs 3-4: no interrupt, no softirq since 2026-01-01 "
			      "00:00:07\n"
			      "  Excluded   CPUs 2: not counted yet\n");
	json_array_append_new(cpus, excluded_cpu(5, "2026-01-01T00:00:05.000000Z", 12));
	assert_excluded(cpus, "  Excluded   CPUs 3-5: 12 interrupts and softirqs that should not "
			      "be there\n"
			      "  Excluded   CPUs 2: not counted yet\n");
	json_decref(cpus);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ages_have_the_unit_that_fits),
		cmocka_unit_test(own_cost_is_that_of_the_start_and_that_of_the_last_minute),
		cmocka_unit_test(programs_in_the_kernel_cost_on_their_own_line),
		cmocka_unit_test(a_clock_set_back_divides_by_nothing),
		cmocka_unit_test(cpus_are_named_only_when_some_may_not_be_used),
		cmocka_unit_test(coarse_accounting_is_called_coarse),
		cmocka_unit_test(a_pause_is_louder_than_the_mode),
		cmocka_unit_test(nics_that_drop_packets_are_named_with_the_cause),
		cmocka_unit_test(advice_is_told_as_it_comes),
		cmocka_unit_test(a_full_node_is_told_with_the_remedy),
		cmocka_unit_test(excluded_cpus_are_said_to_be_empty_or_not),
	};

	g_setenv("TZ", "UTC", TRUE);
	return cmocka_run_group_tests(tests, NULL, NULL);
}

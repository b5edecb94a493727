/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ctl/status_head.h"
#include "support/support.h"

#include <string.h>

#define SEC UINT64_C(1000000)
#define STARTED (UINT64_C(1767225600) * SEC)

static struct nb_daemon_row make_daemon(void)
{
	return (struct nb_daemon_row){
		.version = "9",
		.mode = "balance",
		.grade = "measured",
		.grade_reason = "",
		.accounting = "precise",
		.verdict = "quiet",
		.verdict_text = "all is quiet",
		.online = "0-3",
		.eligible = "0-3",
		.isolated = "",
		.banned = "",
		.started_usec = STARTED,
		.cycles = 7,
	};
}

static void assert_holds(const struct nb_daemon_row *daemon, uint64_t age_sec, const char *part)
{
	g_autofree char *head = nb_status_head(daemon, STARTED + age_sec * SEC);

	if (!strstr(head, part))
		fail_msg("no \"%s\" in: %s", part, head);
}

static void assert_lacks(const struct nb_daemon_row *daemon, const char *part)
{
	g_autofree char *head = nb_status_head(daemon, STARTED + SEC);

	assert_null(strstr(head, part));
}

static void ages_have_the_unit_that_fits(void **state)
{
	struct nb_daemon_row daemon = make_daemon();

	(void)state;
	assert_holds(&daemon, 59, "since 2026-01-01 00:00:00 (59 s)\n");
	assert_holds(&daemon, 60, "(1 min)");
	assert_holds(&daemon, 3 * 3600 + 720, "(3 h 12 min)");
	assert_holds(&daemon, 86400 + 3600, "(1 d 1 h)");
}

static void own_cost_is_a_share_of_one_cpu(void **state)
{
	struct nb_daemon_row daemon = make_daemon();

	(void)state;
	daemon.cpu_time_nsec = 25 * SEC; /* 25 ms */
	assert_holds(&daemon, 10, "0.25 % of one CPU in 7 cycles\n");
}

static void programs_in_the_kernel_cost_on_their_own_line(void **state)
{
	struct nb_daemon_row daemon = make_daemon();

	(void)state;
	assert_lacks(&daemon, "eBPF");
	daemon.probe_cost_nsec = 25 * SEC;
	assert_holds(&daemon, 10, "  eBPF cost  0.25 % of one CPU (estimate; all CPUs together)\n");
}

static void a_clock_set_back_divides_by_nothing(void **state)
{
	struct nb_daemon_row daemon = make_daemon();
	g_autofree char *head = nb_status_head(&daemon, STARTED - SEC);

	(void)state;
	assert_non_null(strstr(head, "(0 s)"));
	assert_null(strstr(head, "Own cost"));
}

static void cpus_are_named_only_when_some_may_not_be_used(void **state)
{
	struct nb_daemon_row daemon = make_daemon();

	(void)state;
	assert_lacks(&daemon, "CPUs");
	daemon.eligible = "0-2";
	daemon.banned = "3";
	assert_holds(&daemon, 1, "0-2 eligible of 0-3; banned 3\n");
	daemon.eligible = "";
	assert_holds(&daemon, 1, "none eligible of 0-3");
}

static void coarse_accounting_is_called_coarse(void **state)
{
	struct nb_daemon_row daemon = make_daemon();

	(void)state;
	assert_lacks(&daemon, "coarse");
	daemon.accounting = "tick";
	assert_holds(&daemon, 1, "tick: %si is sampled at the timer tick (coarse; not used)\n");
	daemon.grade = "estimated";
	assert_holds(&daemon, 1, "tick: %si is sampled at the timer tick (coarse)\n");
	daemon.accounting = "sundial";
	assert_lacks(&daemon, "Kernel");
}

static void a_pause_is_louder_than_the_mode(void **state)
{
	struct nb_daemon_row daemon = make_daemon();

	(void)state;
	assert_holds(&daemon, 1, "9: balancing since");
	daemon.mode = "observe";
	assert_holds(&daemon, 1, "9: observing since");
	daemon.paused = 1;
	assert_holds(&daemon, 1, "PAUSED");
	assert_lacks(&daemon, "balancing");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ages_have_the_unit_that_fits),
		cmocka_unit_test(own_cost_is_a_share_of_one_cpu),
		cmocka_unit_test(programs_in_the_kernel_cost_on_their_own_line),
		cmocka_unit_test(a_clock_set_back_divides_by_nothing),
		cmocka_unit_test(cpus_are_named_only_when_some_may_not_be_used),
		cmocka_unit_test(coarse_accounting_is_called_coarse),
		cmocka_unit_test(a_pause_is_louder_than_the_mode),
	};

	g_setenv("TZ", "UTC", TRUE);
	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What nicbalancectl prints, whole, against tests/cli/golden. */
#include "cli/run.h"

#include <string.h>
#include <unistd.h>

static const char *const empty[] = {"--empty", NULL};
static const char *const observing[] = {"--observe", NULL};
static const char *const full[] = {"--full", NULL};
static const char *const paused[] = {"--pause", NULL};

static void assert_output(const char *const *options, const char *arguments, const char *name)
{
	struct run run;

	run_against(options, arguments, &run);
	assert_string_equal(run.err, "");
	assert_int_equal(run.status, 0);
	assert_golden(&run, name);
	run_clear(&run);
}

static void status_tells_all_on_one_page(void **state)
{
	(void)state;
	assert_output(NULL, "status", "status");
}

static void status_is_the_command_when_none_is_given(void **state)
{
	(void)state;
	assert_output(NULL, "", "status");
}

static void status_before_the_first_cycle_says_that_nothing_is_known(void **state)
{
	(void)state;
	assert_output(empty, "status", "status-empty");
}

static void status_of_measured_loads_shows_cost_and_threads(void **state)
{
	(void)state;
	assert_output(full, "status", "status-measured");
	assert_output(full, "status --json", "status-measured-json");
}

static void status_says_that_it_observes(void **state)
{
	struct run run;

	(void)state;
	run_against(observing, "status", &run);
	assert_non_null(strstr(run.out, ": observing since 2026-01-01 00:00:00"));
	run_clear(&run);
}

static void status_says_how_to_go_on_when_paused(void **state)
{
	struct run run;

	(void)state;
	run_against(paused, "status", &run);
	assert_non_null(strstr(run.out, "PAUSED: nothing is written until nicbalancectl resume"));
	run_clear(&run);
}

static void chosen_columns_come_in_the_order_of_the_choice(void **state)
{
	(void)state;
	assert_output(NULL, "-o cpu,nic,QUEUE,has-rx", "status-columns");
	assert_output(NULL, "status -o +ifindex --noheadings", "status-more-columns");
	assert_output(full, "-o nic,queue,time,threaded,saturated", "status-rare-columns");
	assert_output(NULL, "plan -o kind,nic,to,why", "plan-columns");
}

static void plan_shows_the_moves_with_what_is_predicted(void **state)
{
	(void)state;
	assert_output(NULL, "plan", "plan");
	assert_output(empty, "plan", "plan-empty");
}

static void plan_of_an_observer_says_that_nothing_is_written(void **state)
{
	struct run run;

	(void)state;
	run_against(observing, "plan", &run);
	assert_non_null(strstr(run.out, "Observing    nothing of it is written\n"));
	run_clear(&run);
}

/* What an ordinary user would be refused is tried by root alone. */
static void latency_shows_each_cpu_and_all_together(void **state)
{
	(void)state;
	if (geteuid() != 0)
		nb_skip("only root may look at latency");
	assert_output(full, "latency --seconds 1", "latency");
	assert_output(full, "latency --seconds=1 --json -o cpu,runs,p99,max", "latency-json");
}

static void config_shows_every_setting(void **state)
{
	(void)state;
	assert_output(NULL, "config", "config");
}

static void json_is_for_programs(void **state)
{
	(void)state;
	assert_output(NULL, "status --json", "status-json");
	assert_output(empty, "status --json", "status-empty-json");
	assert_output(NULL, "plan --json", "plan-json");
	assert_output(NULL, "status --json -o nic,queue,cpu,irq", "status-columns-json");
}

static void help_and_version_need_no_daemon(void **state)
{
	struct run run;

	(void)state;
	run_ctl("/nonexistent", "--version", &run);
	assert_int_equal(run.status, 0);
	assert_golden(&run, "version");
	run_clear(&run);
	run_ctl("/nonexistent", "--help", &run);
	assert_int_equal(run.status, 0);
	assert_non_null(strstr(run.out, "restore"));
	assert_non_null(strstr(run.out, "IFINDEX"));
	run_clear(&run);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(status_tells_all_on_one_page),
		cmocka_unit_test(status_is_the_command_when_none_is_given),
		cmocka_unit_test(status_before_the_first_cycle_says_that_nothing_is_known),
		cmocka_unit_test(status_of_measured_loads_shows_cost_and_threads),
		cmocka_unit_test(status_says_that_it_observes),
		cmocka_unit_test(status_says_how_to_go_on_when_paused),
		cmocka_unit_test(chosen_columns_come_in_the_order_of_the_choice),
		cmocka_unit_test(plan_shows_the_moves_with_what_is_predicted),
		cmocka_unit_test(plan_of_an_observer_says_that_nothing_is_written),
		cmocka_unit_test(latency_shows_each_cpu_and_all_together),
		cmocka_unit_test(config_shows_every_setting),
		cmocka_unit_test(json_is_for_programs),
		cmocka_unit_test(help_and_version_need_no_daemon),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "bpf/probe_internal.h"
#include "support/support.h"

#include <errno.h>

#define CPUS 2

struct bench {
	struct nb_probe probe;
	struct nb_probe_cpu cpus[CPUS];
};

static struct nb_probe *begin(struct bench *bench)
{
	*bench = (struct bench){.probe = {.cpus = bench->cpus, .n_cpus = CPUS}};
	return &bench->probe;
}

static void programs_that_see_softirqs_are_well(void **state)
{
	struct bench bench;
	struct nb_probe *probe = begin(&bench);

	(void)state;
	bench.cpus[1].softirqs = 1;
	assert_int_equal(nb_probe_check(probe), 0);
	bench.cpus[0].softirqs = 1;
	assert_int_equal(nb_probe_check(probe), 0);
}

static void programs_that_stand_still_are_not(void **state)
{
	struct bench bench;
	struct nb_probe *probe = begin(&bench);

	(void)state;
	assert_int_equal(nb_probe_check(probe), -EIO);
	bench.cpus[0].softirqs = 1;
	assert_int_equal(nb_probe_check(probe), 0);
	assert_int_equal(nb_probe_check(probe), -EIO);
}

static void counters_may_wrap(void **state)
{
	struct bench bench;
	struct nb_probe *probe = begin(&bench);

	(void)state;
	bench.cpus[0].softirqs = UINT32_MAX;
	bench.cpus[0].net_rx = UINT32_MAX - 10;
	bench.cpus[0].polls = UINT32_MAX;
	assert_int_equal(nb_probe_check(probe), 0);
	bench.cpus[0].softirqs = 3;
	assert_int_equal(nb_probe_check(probe), 0);
	bench.cpus[0].softirqs = 4;
	bench.cpus[0].net_rx = 10;
	assert_int_equal(nb_probe_check(probe), 0);
}

static void net_rx_that_never_polls_is_not_believed(void **state)
{
	struct bench bench;
	struct nb_probe *probe = begin(&bench);

	(void)state;
	for (unsigned i = 1; i <= 4; i++) {
		bench.cpus[0].softirqs = 250 * i;
		bench.cpus[0].net_rx = 250 * i;
		assert_int_equal(nb_probe_check(probe), 0);
	}
	bench.cpus[0].softirqs++;
	bench.cpus[0].net_rx++;
	assert_int_equal(nb_probe_check(probe), -EIO);
}

static void one_poll_anywhere_makes_up_for_it(void **state)
{
	struct bench bench;
	struct nb_probe *probe = begin(&bench);

	(void)state;
	bench.cpus[0].softirqs = bench.cpus[0].net_rx = 5000;
	bench.cpus[1].polls = 1;
	assert_int_equal(nb_probe_check(probe), 0);
	bench.cpus[0].softirqs = bench.cpus[0].net_rx = 6000;
	assert_int_equal(nb_probe_check(probe), 0);
	bench.cpus[0].softirqs = bench.cpus[0].net_rx = 6001;
	assert_int_equal(nb_probe_check(probe), -EIO);
}

static void the_cost_is_that_of_runs_and_of_entering_each(void **state)
{
	struct bench bench;
	struct nb_probe *probe = begin(&bench);

	(void)state;
	probe->entering_nsec = 61;
	assert_int_equal(nb_probe_cost_nsec(probe), 0);
	bench.cpus[0].state.own_nsec = 50000;
	bench.cpus[0].state.own_runs = 1000;
	bench.cpus[1].state.own_nsec = 7;
	bench.cpus[1].state.own_runs = 1;
	assert_int_equal(nb_probe_cost_nsec(probe), 50000 + 1000 * 61 + 7 + 61);
}

static void entering_that_could_not_be_timed_is_not_free(void **state)
{
	struct bench bench;
	struct nb_probe *probe = begin(&bench);

	(void)state;
	assert_int_equal(nb_probe_entering_nsec(probe), 100);
	bench.cpus[0].state.own_nsec = 50000;
	bench.cpus[0].state.own_runs = 1000;
	assert_int_equal(nb_probe_cost_nsec(probe), 50000 + 1000 * 100);
}

/* A clock that takes long is in each run, whatever the few runs say that were timed. */
static void the_cost_is_no_less_than_the_clock(void **state)
{
	struct bench bench;
	struct nb_probe *probe = begin(&bench);

	(void)state;
	probe->clock_nsec = 3000;
	probe->entering_nsec = 61;
	bench.cpus[0].state.own_nsec = 50000;
	bench.cpus[0].state.own_runs = 1000;
	assert_int_equal(nb_probe_cost_nsec(probe), 1000 * (3000 + 61));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(programs_that_see_softirqs_are_well),
		cmocka_unit_test(programs_that_stand_still_are_not),
		cmocka_unit_test(counters_may_wrap),
		cmocka_unit_test(net_rx_that_never_polls_is_not_believed),
		cmocka_unit_test(one_poll_anywhere_makes_up_for_it),
		cmocka_unit_test(the_cost_is_that_of_runs_and_of_entering_each),
		cmocka_unit_test(entering_that_could_not_be_timed_is_not_free),
		cmocka_unit_test(the_cost_is_no_less_than_the_clock),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

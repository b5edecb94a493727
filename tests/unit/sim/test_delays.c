/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/delays.h"
#include "unit/sim/made.h"

#define TWO_QUEUES(grade, bursts)                                          \
	"[Host]\nLengthSec=1min\nCPUs=2\nGrade=" grade "\n"                \
	"[Nic a]\nQueues=1\nPlacement=0\n[Nic b]\nQueues=1\nPlacement=0\n" \
	"[Traffic a]\nPacketsPerSec=220k\n" bursts "[Traffic b]\nPacketsPerSec=220k\n" bursts

/* p99 of ten seconds on CPU 0; -1: not known. */
static int delay_of(const char *text, bool apart)
{
	struct made made = make_world(text);
	const struct nb_snapshot *before, *now;
	uint32_t usec;
	int result = -1;

	if (apart)
		assert_int_equal(move_queue(&made, nb_world_snapshot(made.world)->queues[1].key, 1),
				 NB_OUTCOME_APPLIED);
	nb_world_step(made.world, SEC);
	before = nb_world_snapshot(made.world);
	nb_world_step(made.world, 10 * SEC);
	now = nb_world_snapshot(made.world);
	assert_int_equal(now->cpus[0].delays_known, strstr(text, "measured") != NULL);
	if (nb_delays_p99(before->cpus[0].delays, now->cpus[0].delays, &usec))
		result = (int)usec;
	unmake(&made);
	return result;
}

/* 19 % in 25 bursts: 7.6 ms each. */
static void bursts_of_two_queues_wait_for_each_other(void **state)
{
	(void)state;
	assert_in_range(delay_of(TWO_QUEUES("measured", "BurstsPerSec=25\n"), false), 7000, 8192);
}

static void more_bursts_are_shorter(void **state)
{
	(void)state;
	assert_in_range(delay_of(TWO_QUEUES("measured", "BurstsPerSec=100\n"), false), 1500, 2048);
}

static void apart_they_do_not_wait(void **state)
{
	(void)state;
	assert_int_equal(delay_of(TWO_QUEUES("measured", "BurstsPerSec=25\n"), true), 1);
}

static void what_comes_evenly_does_not_wait(void **state)
{
	(void)state;
	assert_int_equal(delay_of(TWO_QUEUES("measured", ""), false), 1);
}

static void without_the_probe_nothing_is_known(void **state)
{
	(void)state;
	assert_int_equal(delay_of(TWO_QUEUES("estimated", "BurstsPerSec=25\n"), false), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bursts_of_two_queues_wait_for_each_other),
		cmocka_unit_test(more_bursts_are_shorter),
		cmocka_unit_test(apart_they_do_not_wait),
		cmocka_unit_test(what_comes_evenly_does_not_wait),
		cmocka_unit_test(without_the_probe_nothing_is_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

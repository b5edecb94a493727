/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unit/sim/made.h"

#define HOST "[Host]\nLengthSec=1min\nCPUs=4\n"
#define NIC "[Nic eth0]\nQueues=2\n[Traffic eth0]\nPacketsPerSec=100k\n"

static void answers_as_the_kernel_does(void **state)
{
	struct made made = make_world(HOST NIC);
	const struct nb_queue_key unknown = {.ifindex = 9};

	(void)state;
	assert_int_equal(move_queue(&made, first_queue, 3), NB_OUTCOME_APPLIED);
	assert_int_equal(move_queue(&made, first_queue, 3), NB_OUTCOME_UNCHANGED);
	assert_int_equal(move_queue(&made, first_queue, 4), NB_OUTCOME_STALE);
	assert_int_equal(move_queue(&made, unknown, 1), NB_OUTCOME_GONE);
	assert_int_equal(steer_queue(&made, first_queue, 0), NB_OUTCOME_UNCHANGED);
	assert_int_equal(steer_queue(&made, unknown, 1), NB_OUTCOME_GONE);
	unmake(&made);
}

static void a_write_shows_at_once_and_works_later(void **state)
{
	struct made made = make_world(HOST "WriteDelaySec=2s\n" NIC);
	const struct nb_snapshot *now;

	(void)state;
	nb_world_step(made.world, SEC);
	move_queue(&made, first_queue, 3);
	nb_world_step(made.world, SEC);
	now = nb_world_snapshot(made.world);
	assert_int_equal(now->queues[0].affinity_cpu, 3);
	assert_int_equal(now->queues[0].effective_cpu, 0);
	nb_world_step(made.world, 2 * SEC);
	now = nb_world_snapshot(made.world);
	assert_int_equal(now->queues[0].effective_cpu, 3);
	assert_int_equal(now->queues[0].landed_cpu, 3);
	unmake(&made);
}

static void refuses_as_often_as_it_is_told(void **state)
{
	struct made made = make_world(HOST "Refused=25%\n" NIC);
	unsigned n_busy = 0;

	(void)state;
	for (unsigned i = 0; i < 1000; i++)
		n_busy += move_queue(&made, first_queue, i % 2 ? 1 : 2) == NB_OUTCOME_BUSY;
	assert_in_range(n_busy, 150, 280);
	unmake(&made);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(answers_as_the_kernel_does),
		cmocka_unit_test(a_write_shows_at_once_and_works_later),
		cmocka_unit_test(refuses_as_often_as_it_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

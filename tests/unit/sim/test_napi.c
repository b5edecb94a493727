/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unit/sim/made.h"

/* Two queues on CPU 0 that together want some 150 % of it. */
#define FULL(follows)                                                   \
	"[Host]\nLengthSec=1min\nCPUs=4\n[Nic eth0]\nQueues=2\n"        \
	"Placement=collapsed\nInterruptCost=0ns\nFollows=" follows "\n" \
	"[Traffic eth0]\nPacketsPerSec=1.9M\n"

static const struct nb_queue_state *look(struct made *made, unsigned queue)
{
	return &nb_world_snapshot(made->world)->queues[queue];
}

static void a_napi_that_never_finishes_stays_where_it_is(void **state)
{
	struct made made = make_world(FULL("no"));

	(void)state;
	nb_world_step(made.world, SEC);
	look(&made, 1);
	assert_int_equal(move_queue(&made, second_queue, 1), NB_OUTCOME_APPLIED);
	nb_world_step(made.world, 20 * SEC);
	assert_int_equal(look(&made, 1)->affinity_cpu, 1);
	assert_int_equal(look(&made, 1)->effective_cpu, 1);
	assert_int_equal(look(&made, 1)->polled_cpu, 0);
	assert_int_equal(look(&made, 1)->landed_cpu, -1);
	assert_int_equal(cpu_of(&made, 1).queues, 0);
	unmake(&made);
}

static void it_follows_when_its_driver_looks(void **state)
{
	struct made made = make_world(FULL("yes"));

	(void)state;
	nb_world_step(made.world, SEC);
	move_queue(&made, second_queue, 1);
	nb_world_step(made.world, SEC);
	assert_int_equal(look(&made, 1)->polled_cpu, 1);
	assert_true(cpu_of(&made, 1).queues > 6000);
	unmake(&made);
}

static void it_follows_once_rps_lets_it_finish(void **state)
{
	struct made made = make_world(FULL("no"));

	(void)state;
	nb_world_step(made.world, SEC);
	move_queue(&made, second_queue, 1);
	/* One alone leaves the CPU full … */
	steer_queue(&made, second_queue, 2);
	nb_world_step(made.world, SEC);
	assert_int_equal(look(&made, 1)->polled_cpu, 1);
	unmake(&made);
}

static void all_of_a_fuller_cpu_must_be_helped(void **state)
{
	struct made made = make_world("[Host]\nLengthSec=1min\nCPUs=4\n[Nic eth0]\nQueues=2\n"
				      "Placement=collapsed\nInterruptCost=0ns\n"
				      "[Traffic eth0]\nPacketsPerSec=4M\n");

	(void)state;
	nb_world_step(made.world, SEC);
	move_queue(&made, second_queue, 1);
	steer_queue(&made, second_queue, 2);
	nb_world_step(made.world, 5 * SEC);
	assert_int_equal(look(&made, 1)->polled_cpu, 0);
	steer_queue(&made, first_queue, 4);
	nb_world_step(made.world, SEC);
	assert_int_equal(look(&made, 1)->polled_cpu, 1);
	unmake(&made);
}

/* Each is polled for a budget in turn: the small one loses nothing, and is free to leave. */
static void of_a_full_cpu_the_large_lose(void **state)
{
	struct made made = make_world("[Host]\nLengthSec=1min\nCPUs=4\n[Nic eth0]\nQueues=1\n"
				      "[Nic eth1]\nQueues=1\n"
				      "[Traffic eth0]\nPacketsPerSec=3M\n"
				      "[Traffic eth1]\nPacketsPerSec=100k\n");
	const struct nb_queue_key small = {.ifindex = 3, .index = 0};

	(void)state;
	nb_world_step(made.world, 10 * SEC);
	assert_near(look(&made, 1)->rx_packets, 1000000, 0);
	assert_true(look(&made, 0)->rx_packets < 12000000);
	assert_true(look(&made, 0)->exhausted > 0);
	assert_int_equal(look(&made, 1)->exhausted, 0);
	move_queue(&made, small, 2);
	nb_world_step(made.world, SEC);
	assert_int_equal(look(&made, 1)->polled_cpu, 2);
	unmake(&made);
}

static void a_full_cpu_squeezes(void **state)
{
	struct made made = make_world(FULL("no"));

	(void)state;
	nb_world_step(made.world, SEC);
	assert_true(nb_world_snapshot(made.world)->cpus[0].squeezed > 100);
	assert_int_equal(nb_world_snapshot(made.world)->cpus[1].squeezed, 0);
	unmake(&made);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_napi_that_never_finishes_stays_where_it_is),
		cmocka_unit_test(it_follows_when_its_driver_looks),
		cmocka_unit_test(it_follows_once_rps_lets_it_finish),
		cmocka_unit_test(all_of_a_fuller_cpu_must_be_helped),
		cmocka_unit_test(of_a_full_cpu_the_large_lose),
		cmocka_unit_test(a_full_cpu_squeezes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unit/sim/made.h"

#define HOST                                                     \
	"[Host]\nLengthSec=1min\nCPUs=4\n[Nic eth0]\nQueues=4\n" \
	"[Traffic eth0]\nPacketsPerSec=100k\n"

static void a_reset_puts_queues_back_with_new_interrupts(void **state)
{
	struct made made = make_world(HOST "[Event]\nAtSec=2\nDo=reset\nNic=eth0\n");
	const struct nb_snapshot *before, *now;

	(void)state;
	move_queue(&made, second_queue, 3);
	steer_queue(&made, first_queue, 8);
	nb_world_step(made.world, SEC);
	before = nb_world_snapshot(made.world);
	assert_int_equal(before->queues[1].affinity_cpu, 3);
	nb_world_step(made.world, 2 * SEC);
	now = nb_world_snapshot(made.world);
	assert_int_equal(now->queues[1].affinity_cpu, 1);
	assert_int_equal(now->n_rps, 0);
	assert_true(now->machine->generation > before->machine->generation);
	assert_int_not_equal(now->machine->queues[1].irqs[0], before->machine->queues[1].irqs[0]);
	unmake(&made);
}

static void a_foreign_write_moves_the_first_queues_alone(void **state)
{
	struct made made =
		make_world(HOST "[Event]\nAtSec=1\nDo=foreign\nNic=eth0\nCPU=3\nQueues=2\n");
	const struct nb_snapshot *now;

	(void)state;
	nb_world_step(made.world, 2 * SEC);
	now = nb_world_snapshot(made.world);
	assert_int_equal(now->queues[0].affinity_cpu, 3);
	assert_int_equal(now->queues[1].affinity_cpu, 3);
	assert_int_equal(now->queues[2].affinity_cpu, 2);
	assert_int_equal(now->machine->generation, 1);
	unmake(&made);
}

static void a_nic_that_is_added_was_not_there_before(void **state)
{
	struct made made = make_world(HOST "[Nic eth1]\nQueues=2\n"
					   "[Traffic eth1]\nPacketsPerSec=1000\n"
					   "[Event]\nAtSec=2\nDo=add\nNic=eth1\n");
	const struct nb_queue_key added = {.ifindex = 3, .index = 0};

	(void)state;
	nb_world_step(made.world, SEC);
	assert_int_equal(nb_world_snapshot(made.world)->n_queues, 4);
	assert_int_equal(move_queue(&made, added, 2), NB_OUTCOME_GONE);
	nb_world_step(made.world, 2 * SEC);
	assert_int_equal(nb_world_snapshot(made.world)->n_queues, 6);
	assert_int_equal(move_queue(&made, added, 2), NB_OUTCOME_APPLIED);
	unmake(&made);
}

static void an_offline_cpu_loses_its_interrupts_to_all(void **state)
{
	struct made made = make_world(HOST "[Event]\nAtSec=1\nDo=offline\nCPU=1\n");
	const struct nb_snapshot *now;

	(void)state;
	nb_world_step(made.world, 2 * SEC);
	now = nb_world_snapshot(made.world);
	assert_int_equal(now->n_cpus, 3);
	assert_false(nb_cpumask_has(&now->machine->topology.online, 1));
	assert_int_equal(now->queues[1].affinity_cpu, -1);
	assert_int_equal(now->queues[1].n_allowed, 3);
	assert_int_not_equal(now->queues[1].effective_cpu, 1);
	assert_int_equal(move_queue(&made, first_queue, 1), NB_OUTCOME_STALE);
	unmake(&made);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_reset_puts_queues_back_with_new_interrupts),
		cmocka_unit_test(a_foreign_write_moves_the_first_queues_alone),
		cmocka_unit_test(a_nic_that_is_added_was_not_there_before),
		cmocka_unit_test(an_offline_cpu_loses_its_interrupts_to_all),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unit/sim/made.h"

#define ONE_QUEUE                                                                   \
	"[Host]\nLengthSec=1min\nCPUs=4\n[Nic eth0]\nQueues=1\nInterruptCost=0ns\n" \
	"[Traffic eth0]\nPacketsPerSec=1M\n"

/* Of 80 % of a CPU 20 stay with the driver, 60 go and cost 30 more. */
static void takes_the_protocols_elsewhere_at_a_price(void **state)
{
	struct made made = make_world(ONE_QUEUE);
	const struct nb_snapshot *now;

	(void)state;
	assert_int_equal(steer_queue(&made, first_queue, 1 << 2), NB_OUTCOME_APPLIED);
	nb_world_step(made.world, 10 * SEC);
	assert_near(cpu_of(&made, 0).demand, 2000, 1);
	assert_near(cpu_of(&made, 2).demand, 9000, 1);
	assert_int_equal(cpu_of(&made, 2).queues, 0);
	assert_near(nb_world_fixed(made.world, 2), 9000, 1);
	now = nb_world_snapshot(made.world);
	assert_int_equal(now->n_rps, 1);
	assert_true(nb_cpumask_has(&now->rps[0].cpus, 2));
	assert_near(now->cpus[2].backlog_nsec, 9 * SEC, SEC / 5);
	assert_int_equal(now->cpus[0].processed, 0);
	unmake(&made);
}

static void shares_out_by_flow(void **state)
{
	struct made made = make_world(ONE_QUEUE "Flows=10000\n");

	(void)state;
	steer_queue(&made, first_queue, 1 << 1 | 1 << 2 | 1 << 3);
	nb_world_step(made.world, SEC);
	for (unsigned i = 1; i < 4; i++)
		assert_near(cpu_of(&made, i).demand, 3000, 250);
	unmake(&made);
}

static void cannot_split_one_flow(void **state)
{
	struct made made = make_world(ONE_QUEUE "Flows=1\n");

	(void)state;
	steer_queue(&made, first_queue, 1 << 1 | 1 << 2);
	nb_world_step(made.world, SEC);
	assert_near(cpu_of(&made, 1).demand + cpu_of(&made, 2).demand, 9000, 1);
	assert_true(cpu_of(&made, 1).demand == 0 || cpu_of(&made, 2).demand == 0);
	unmake(&made);
}

/* The NIC knows two addresses, RPS all their ports. */
static void spreads_flows_that_the_nic_takes_for_one(void **state)
{
	struct made made = make_world(ONE_QUEUE "Flows=1\nAddressesOnly=yes\n");

	(void)state;
	steer_queue(&made, first_queue, 1 << 1 | 1 << 2);
	nb_world_step(made.world, SEC);
	assert_near(cpu_of(&made, 1).demand, 4500, 1);
	assert_near(cpu_of(&made, 2).demand, 4500, 1);
	unmake(&made);
}

static void a_full_target_drops_from_its_backlog(void **state)
{
	struct made made = make_world("[Host]\nLengthSec=1min\nCPUs=4\n[Nic eth0]\nQueues=1\n"
				      "[Traffic eth0]\nPacketsPerSec=2M\n");
	const struct nb_snapshot *now;

	(void)state;
	steer_queue(&made, first_queue, 1 << 1);
	nb_world_step(made.world, 10 * SEC);
	now = nb_world_snapshot(made.world);
	assert_true(now->cpus[1].dropped > 1000000);
	assert_int_equal(now->cpus[0].dropped, 0);
	assert_near(nb_world_dropped(made.world), now->cpus[1].dropped, 1000);
	unmake(&made);
}

static void an_empty_mask_ends_it(void **state)
{
	struct made made = make_world(ONE_QUEUE);

	(void)state;
	steer_queue(&made, first_queue, 1 << 1);
	nb_world_step(made.world, SEC);
	assert_int_equal(steer_queue(&made, first_queue, 0), NB_OUTCOME_APPLIED);
	nb_world_step(made.world, SEC);
	assert_int_equal(nb_world_snapshot(made.world)->n_rps, 0);
	assert_near(cpu_of(&made, 0).demand, 8000, 1);
	assert_int_equal(cpu_of(&made, 1).demand, 0);
	unmake(&made);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(takes_the_protocols_elsewhere_at_a_price),
		cmocka_unit_test(shares_out_by_flow),
		cmocka_unit_test(cannot_split_one_flow),
		cmocka_unit_test(spreads_flows_that_the_nic_takes_for_one),
		cmocka_unit_test(a_full_target_drops_from_its_backlog),
		cmocka_unit_test(an_empty_mask_ends_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

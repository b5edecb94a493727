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

/* One queue without a packet, and one with some from the third second on. */
static void without_remapping_a_write_works_with_the_next_interrupt(void **state)
{
	struct made made = make_world(
		HOST "InterruptRemapping=no\n[Nic eth0]\nQueues=1\n[Nic eth1]\nQueues=1\n"
		     "[Traffic eth1]\nBeginSec=3s\nPacketsPerSec=10k\n");
	const struct nb_queue_key third = {.ifindex = 3, .index = 0};
	const struct nb_snapshot *now;

	(void)state;
	move_queue(&made, first_queue, 3);
	move_queue(&made, third, 3);
	nb_world_step(made.world, 2 * SEC);
	now = nb_world_snapshot(made.world);
	assert_int_equal(now->queues[1].affinity_cpu, 3);
	assert_int_equal(now->queues[1].effective_cpu, 0);
	nb_world_step(made.world, 2 * SEC);
	now = nb_world_snapshot(made.world);
	assert_int_equal(now->queues[0].effective_cpu, 0);
	assert_int_equal(now->queues[1].effective_cpu, 3);
	assert_int_equal(now->queues[1].polled_cpu, 3);
	unmake(&made);
}

static void an_rss_table_is_answered_as_ethtool_does(void **state)
{
	struct made made = make_world(HOST NIC "[Nic eth1]\nQueues=2\nRssTable=fixed\n");

	(void)state;
	assert_int_equal(redirect(&made, 2, 0), NB_OUTCOME_UNCHANGED);
	assert_int_equal(redirect(&made, 2, 1), NB_OUTCOME_APPLIED);
	assert_int_equal(redirect(&made, 2, 1), NB_OUTCOME_UNCHANGED);
	assert_int_equal(redirect(&made, 2, 3), NB_OUTCOME_APPLIED);
	assert_int_equal(redirect(&made, 2, 0), NB_OUTCOME_UNCHANGED);
	assert_int_equal(redirect(&made, 2, 4), NB_OUTCOME_REFUSED);
	assert_int_equal(redirect(&made, 3, 1), NB_OUTCOME_REFUSED);
	assert_int_equal(redirect(&made, 9, 1), NB_OUTCOME_GONE);
	unmake(&made);
}

static void packets_go_where_the_rss_table_says(void **state)
{
	struct made made = make_world(HOST NIC);
	const struct nb_snapshot *now;
	uint64_t first, second;

	(void)state;
	nb_world_step(made.world, SEC);
	redirect(&made, 2, 2);
	now = nb_world_snapshot(made.world);
	first = now->queues[0].rx_packets;
	second = now->queues[1].rx_packets;
	assert_true(first > 0 && second > 0);
	nb_world_step(made.world, SEC);
	now = nb_world_snapshot(made.world);
	assert_int_equal(now->queues[0].rx_packets, first);
	assert_near(now->queues[1].rx_packets - second, 100000, 100);
	redirect(&made, 2, 0);
	nb_world_step(made.world, SEC);
	now = nb_world_snapshot(made.world);
	assert_near(now->queues[0].rx_packets, 2 * first, 100);
	unmake(&made);
}

static void buckets_move_only_within_the_table_that_is_there(void **state)
{
	struct made made = make_world(HOST NIC "[Nic eth1]\nQueues=2\nRssTable=fixed\n");
	uint32_t found[128], other[128];

	(void)state;
	default_table(2, found);
	default_table(2, other);
	other[127] = 0;
	assert_int_equal(spread(&made, 2, other, other, 128), NB_OUTCOME_STALE);
	assert_int_equal(spread(&made, 2, found, other, 64), NB_OUTCOME_STALE);
	assert_int_equal(spread(&made, 2, found, found, 128), NB_OUTCOME_UNCHANGED);
	assert_int_equal(spread(&made, 2, found, other, 128), NB_OUTCOME_APPLIED);
	assert_int_equal(spread(&made, 2, found, other, 128), NB_OUTCOME_STALE);
	other[0] = 2;
	assert_int_equal(spread(&made, 3, found, found, 128), NB_OUTCOME_REFUSED);
	assert_int_equal(spread(&made, 9, found, found, 128), NB_OUTCOME_GONE);
	assert_int_equal(redirect(&made, 2, 0), NB_OUTCOME_APPLIED);
	assert_int_equal(spread(&made, 2, found, other, 128), NB_OUTCOME_REFUSED);
	assert_int_equal(spread(&made, 2, found, found, 128), NB_OUTCOME_UNCHANGED);
	unmake(&made);
}

/* All buckets to the first queue, but one to the second. */
static void packets_of_buckets_that_moved_go_to_other_queues(void **state)
{
	struct made made = make_world(HOST NIC);
	uint64_t first, second;
	uint32_t found[128], moved[128];
	const struct nb_snapshot *now;

	(void)state;
	default_table(2, found);
	memset(moved, 0, sizeof(moved));
	moved[126] = 1;
	assert_int_equal(spread(&made, 2, found, moved, 128), NB_OUTCOME_APPLIED);
	nb_world_step(made.world, SEC);
	now = nb_world_snapshot(made.world);
	first = now->queues[0].rx_packets;
	second = now->queues[1].rx_packets;
	assert_near(first + second, 100000, 100);
	assert_in_range(second, 1, 2000);
	redirect(&made, 2, 0);
	nb_world_step(made.world, SEC);
	now = nb_world_snapshot(made.world);
	assert_in_range(now->queues[1].rx_packets - second, 40000, 60000);
	unmake(&made);
}

static uint32_t hottest_of(const struct made *made)
{
	unsigned n;
	const struct nb_world_cpu *cpus = nb_world_cpus(made->world, &n);
	uint32_t hottest = 0;

	for (unsigned i = 0; i < n; i++)
		hottest = MAX(hottest, cpus[i].demand);
	return hottest;
}

/* Three flows of 40 % of a CPU in one queue, beside 20 % in each. */
static void large_flows_that_collide_are_parted_by_their_buckets(void **state)
{
	struct made made = make_world(
		"[Host]\nLengthSec=1min\nCPUs=8\n[Nic eth0]\nQueues=8\nInterruptCost=0ns\n"
		"[Traffic eth0]\nPacketsPerSec=3.5M\nFlows=10000\nElephant=43%\nElephants=3\n"
		"ElephantQueue=3\n");
	uint32_t found[128], moved[128];

	(void)state;
	nb_world_step(made.world, SEC);
	assert_in_range(hottest_of(&made), 13500, 14500);
	default_table(8, found);
	default_table(8, moved);
	moved[11] = 4;
	moved[19] = 5;
	assert_int_equal(spread(&made, 2, found, moved, 128), NB_OUTCOME_APPLIED);
	nb_world_step(made.world, SEC);
	assert_in_range(hottest_of(&made), 6000, 6800);
	unmake(&made);
}

static void a_spread_table_is_refused_as_any_write_is(void **state)
{
	struct made made = make_world(HOST "Refused=100%\n" NIC);
	uint32_t found[128], other[128] = {};

	(void)state;
	default_table(2, found);
	assert_int_equal(spread(&made, 2, found, other, 128), NB_OUTCOME_BUSY);
	assert_int_equal(spread(&made, 2, found, found, 128), NB_OUTCOME_UNCHANGED);
	unmake(&made);
}

/* Its driver work alone is more than a CPU has, so that it never finishes, … */
static void a_queue_that_gets_no_packets_finishes_and_follows(void **state)
{
	struct made made = make_world(HOST "[Nic eth0]\nQueues=2\nPlacement=0,1\nDriverCost=5us\n"
					   "[Traffic eth0]\nPacketsPerSec=500k\n");
	const struct nb_snapshot *now;

	(void)state;
	nb_world_step(made.world, SEC);
	move_queue(&made, first_queue, 3);
	nb_world_step(made.world, SEC);
	assert_int_equal(nb_world_snapshot(made.world)->queues[0].polled_cpu, 0);
	/* … until it gets none. */
	redirect(&made, 2, 2);
	nb_world_step(made.world, SEC / 5);
	redirect(&made, 2, 0);
	nb_world_step(made.world, SEC);
	now = nb_world_snapshot(made.world);
	assert_int_equal(now->queues[0].polled_cpu, 3);
	assert_int_equal(now->queues[1].polled_cpu, 1);
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
		cmocka_unit_test(without_remapping_a_write_works_with_the_next_interrupt),
		cmocka_unit_test(an_rss_table_is_answered_as_ethtool_does),
		cmocka_unit_test(packets_go_where_the_rss_table_says),
		cmocka_unit_test(buckets_move_only_within_the_table_that_is_there),
		cmocka_unit_test(packets_of_buckets_that_moved_go_to_other_queues),
		cmocka_unit_test(large_flows_that_collide_are_parted_by_their_buckets),
		cmocka_unit_test(a_spread_table_is_refused_as_any_write_is),
		cmocka_unit_test(a_queue_that_gets_no_packets_finishes_and_follows),
		cmocka_unit_test(refuses_as_often_as_it_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

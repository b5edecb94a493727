/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unit/sim/made.h"

#define HOST "[Host]\nLengthSec=1min\nCPUs=4\n"

static const char busy_host[] =
	HOST "Grade=estimated\nRefused=20%\n[Nic eth0]\nQueues=4\n"
	     "[Traffic eth0]\nPacketsPerSec=2M\nFlows=50\nSkew=40%\nNoise=10%\n"
	     "[Application]\nShare=50%\nThreads=3\n";

static void append_snapshot(struct made *made, GByteArray *bytes)
{
	const struct nb_snapshot *snapshot = nb_world_snapshot(made->world);

	g_byte_array_append(bytes, (const uint8_t *)snapshot->cpus,
			    snapshot->n_cpus * (unsigned)sizeof(*snapshot->cpus));
	for (unsigned i = 0; i < snapshot->n_queues; i++) {
		const struct nb_queue_state *queue = &snapshot->queues[i];

		g_byte_array_append(bytes, (const uint8_t *)&queue->rx_packets,
				    sizeof(queue->rx_packets));
		g_byte_array_append(bytes, (const uint8_t *)&queue->interrupts,
				    sizeof(queue->interrupts));
	}
}

static GByteArray *history_of(const char *text, uint64_t seed)
{
	struct made made = make_world(text);
	GByteArray *bytes = g_byte_array_new();

	nb_world_free(made.world);
	made.scenario->seed = seed;
	made.world = nb_world_new(made.scenario);
	for (unsigned i = 0; i < 20; i++) {
		nb_world_step(made.world, SEC);
		append_snapshot(&made, bytes);
		move_queue(&made, first_queue, i % 4);
	}
	unmake(&made);
	return bytes;
}

static void the_same_seed_gives_the_same_bytes(void **state)
{
	GByteArray *a = history_of(busy_host, 5), *b = history_of(busy_host, 5);

	(void)state;
	assert_int_equal(a->len, b->len);
	assert_memory_equal(a->data, b->data, a->len);
	g_byte_array_unref(a);
	g_byte_array_unref(b);
}

static void another_seed_gives_others(void **state)
{
	GByteArray *a = history_of(busy_host, 5), *b = history_of(busy_host, 6);

	(void)state;
	assert_int_equal(a->len, b->len);
	assert_memory_not_equal(a->data, b->data, a->len);
	g_byte_array_unref(a);
	g_byte_array_unref(b);
}

static void the_same_traffic_comes_whatever_is_done(void **state)
{
	struct made idle = make_world(busy_host), moved = make_world(busy_host);

	(void)state;
	for (unsigned i = 0; i < 10; i++) {
		nb_world_step(idle.world, SEC);
		nb_world_step(moved.world, SEC);
		move_queue(&moved, second_queue, i % 4);
	}
	assert_int_equal(nb_world_received(idle.world) + nb_world_dropped(idle.world),
			 nb_world_received(moved.world) + nb_world_dropped(moved.world));
	unmake(&idle);
	unmake(&moved);
}

static void steps_of_any_length_come_to_the_same_load(void **state)
{
	struct made whole = make_world(busy_host), pieces = make_world(busy_host);

	(void)state;
	nb_world_step(whole.world, 3 * SEC);
	for (unsigned i = 0; i < 60; i++)
		nb_world_step(pieces.world, SEC / 20);
	for (unsigned i = 0; i < 4; i++)
		assert_near(cpu_of(&pieces, i).queues, cpu_of(&whole, i).queues, 5);
	unmake(&whole);
	unmake(&pieces);
}

/* 1 M packets of 200 + 600 ns: 80 % of a CPU, and interrupts. */
static void work_costs_what_the_scenario_says(void **state)
{
	struct made made = make_world(HOST "[Nic eth0]\nQueues=1\nInterruptCost=0ns\n"
					   "[Traffic eth0]\nPacketsPerSec=1M\n");

	(void)state;
	nb_world_step(made.world, SEC);
	assert_near(cpu_of(&made, 0).demand, 8000, 1);
	assert_near(cpu_of(&made, 0).queues, 8000, 1);
	assert_int_equal(cpu_of(&made, 1).demand, 0);
	assert_near(nb_world_queue_demand(made.world, 0), 8000, 1);
	assert_near(nb_world_received(made.world), 1000000, 0);
	assert_int_equal(nb_world_dropped(made.world), 0);
	unmake(&made);
}

/* Packets of each bucket of eth0 in the first second, of 1.2 M. */
static void first_second(struct made *made, uint32_t ret[128])
{
	ask_for_buckets(made, 2);
	nb_world_snapshot(made->world);
	nb_world_step(made->world, SEC);
	memcpy(ret, nb_world_snapshot(made->world)->buckets.packets, 128 * sizeof(*ret));
}

#define ELEPHANTS(queues, keys)                                \
	HOST "[Nic eth0]\nQueues=" queues "\nDriverCost=0ns\n" \
	     "[Traffic eth0]\nProtocolCost=0ns\nPacketsPerSec=1.2M\nElephant=50%\n" keys

static void large_flows_collide_in_a_queue_but_not_in_a_bucket(void **state)
{
	struct made made = make_world(ELEPHANTS("8", "Elephants=3\nElephantQueue=2\n"));
	uint32_t packets[128];

	(void)state;
	first_second(&made, packets);
	for (unsigned b = 0; b < 128; b++)
		if (b == 2 || b == 10 || b == 18)
			assert_in_range(packets[b], 200000, 220000);
		else
			assert_true(packets[b] < 20000);
	assert_true(nb_world_snapshot(made.world)->queues[2].rx_packets > 600000);
	unmake(&made);
}

/* Queue 40 of 48 has the buckets 40 and 88. */
static void more_of_them_than_a_queue_has_buckets_share_these(void **state)
{
	struct made made = make_world(ELEPHANTS("48", "Elephants=3\nElephantQueue=40\n"));
	uint32_t packets[128];

	(void)state;
	first_second(&made, packets);
	assert_in_range(packets[40], 400000, 420000);
	assert_in_range(packets[88], 200000, 220000);
	unmake(&made);
}

static void large_flows_fall_on_any_queue(void **state)
{
	struct made made = make_world(ELEPHANTS("8", "Elephants=4\n"));
	uint32_t packets[128];
	unsigned n_large = 0;

	(void)state;
	first_second(&made, packets);
	for (unsigned b = 0; b < 128; b++)
		n_large += packets[b] > 140000;
	assert_int_equal(n_large, 4);
	unmake(&made);
}

static void busy_is_demand_up_to_a_whole(void **state)
{
	struct made made = make_world(HOST "[Nic eth0]\nQueues=1\n"
					   "[Traffic eth0]\nPacketsPerSec=500k\n"
					   "[Application]\nShare=30%\nCPU=0\n"
					   "[Application]\nBeginSec=10s\nShare=90%\nCPU=0\n");
	const struct nb_snapshot *before, *now;

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		uint64_t busy, demand;

		before = nb_world_snapshot(made.world);
		nb_world_step(made.world, 10 * SEC);
		now = nb_world_snapshot(made.world);
		busy = now->cpus[0].user_nsec + now->cpus[0].softirq_nsec + now->cpus[0].irq_nsec -
		       before->cpus[0].user_nsec - before->cpus[0].softirq_nsec -
		       before->cpus[0].irq_nsec;
		demand = cpu_of(&made, 0).demand;
		assert_int_equal(demand > NB_WHOLE, i == 1);
		assert_near(busy / (10 * SEC / NB_WHOLE), MIN(demand, NB_WHOLE), 1);
		assert_near(busy + now->cpus[0].idle_nsec - before->cpus[0].idle_nsec, 10 * SEC, 0);
	}
	unmake(&made);
}

/* Softirqs come first: an application in the way costs no packet. */
static void applications_starve_before_packets_are_lost(void **state)
{
	struct made made = make_world(HOST "[Nic eth0]\nQueues=1\n"
					   "[Traffic eth0]\nPacketsPerSec=1M\n"
					   "[Application]\nShare=90%\nCPU=0\n");

	(void)state;
	nb_world_step(made.world, 10 * SEC);
	assert_true(cpu_of(&made, 0).demand > 16000);
	assert_int_equal(nb_world_dropped(made.world), 0);
	unmake(&made);
}

static void what_exceeds_a_cpu_is_lost(void **state)
{
	struct made made = make_world(HOST "[Nic eth0]\nQueues=1\nInterruptCost=0ns\n"
					   "[Traffic eth0]\nPacketsPerSec=2.5M\n");

	(void)state;
	nb_world_step(made.world, 10 * SEC);
	assert_near(cpu_of(&made, 0).demand, 20000, 1);
	assert_near(nb_world_received(made.world), 12500000, 0);
	assert_near(nb_world_dropped(made.world), 12500000, 0);
	unmake(&made);
}

static void interrupts_become_fewer_as_polls_become_longer(void **state)
{
	static const char *const rates[] = {"100k", "600k", "1.1M", "1.4M"};
	uint32_t last = UINT32_MAX;

	(void)state;
	for (unsigned i = 0; i < G_N_ELEMENTS(rates); i++) {
		g_autofree char *text = g_strdup_printf(
			HOST "[Nic eth0]\nQueues=1\n[Traffic eth0]\nPacketsPerSec=%s\n", rates[i]);
		struct made made = make_world(text);
		uint32_t interrupts;

		nb_world_step(made.world, SEC);
		interrupts = nb_world_snapshot(made.world)->queues[0].interrupts;
		assert_true(interrupts < last);
		last = interrupts;
		unmake(&made);
	}
	assert_true(last < 100);
}

/* Two threads of a core that are both full do 1.24 times the work of one. */
static void threads_of_a_core_slow_each_other_down(void **state)
{
	struct made made = make_world(HOST "ThreadsPerCore=2\n[Nic eth0]\nQueues=1\n"
					   "InterruptCost=0ns\n"
					   "[Traffic eth0]\nPacketsPerSec=625k\n"
					   "[Application]\nBeginSec=5s\nShare=100%\nCPU=2\n");

	(void)state;
	nb_world_step(made.world, 5 * SEC);
	assert_near(cpu_of(&made, 0).demand, 5000, 1);
	nb_world_step(made.world, 5 * SEC);
	assert_near(cpu_of(&made, 0).demand, 5000 * 100 / 62, 1);
	assert_near(nb_world_queue_demand(made.world, 0), 5000, 1);
	assert_true(cpu_of(&made, 2).demand > NB_WHOLE);
	unmake(&made);
}

/* Of 60 % of a large CPU there are 90 % of one of two thirds. */
static void the_same_work_takes_a_small_cpu_longer(void **state)
{
	struct made made =
		make_world(HOST "SmallCPUs=2-3\nSmallCapacity=66%\n[Nic eth0]\nQueues=1\n"
				"InterruptCost=0ns\n[Traffic eth0]\nPacketsPerSec=750k\n"
				"[Application]\nCPU=3\nShare=33%\n");
	const struct nb_topology *topology;

	(void)state;
	nb_world_step(made.world, SEC);
	assert_near(cpu_of(&made, 0).demand, 6000, 1);
	assert_near(cpu_of(&made, 3).demand, 5000, 1);
	move_queue(&made, first_queue, 2);
	nb_world_step(made.world, SEC);
	assert_near(cpu_of(&made, 2).demand, 6000 * 100 / 66, 1);
	topology = &nb_world_snapshot(made.world)->machine->topology;
	assert_int_equal(topology->cpus[1].capacity, NB_WHOLE);
	assert_int_equal(topology->cpus[2].capacity, 6600);
	unmake(&made);
}

static void traffic_begins_and_ends(void **state)
{
	struct made made = make_world(HOST "[Nic eth0]\nQueues=1\n[Traffic eth0]\nBeginSec=2s\n"
					   "EndSec=4s\nPacketsPerSec=1000\n");

	(void)state;
	nb_world_step(made.world, 2 * SEC);
	assert_int_equal(nb_world_received(made.world), 0);
	nb_world_step(made.world, 8 * SEC);
	assert_near(nb_world_received(made.world), 2000, 5);
	unmake(&made);
}

static void an_oracle_can_place_at_once(void **state)
{
	struct made made = make_world(HOST "[Nic eth0]\nQueues=1\n"
					   "[Traffic eth0]\nPacketsPerSec=500k\n"
					   "[Application]\nShare=20%\nCPU=2\n");

	(void)state;
	nb_world_step(made.world, SEC);
	assert_int_equal(nb_world_queue_cpu(made.world, 0), 0);
	nb_world_place(made.world, 0, 3);
	assert_int_equal(nb_world_queue_cpu(made.world, 0), 3);
	nb_world_step(made.world, SEC);
	assert_int_equal(cpu_of(&made, 0).queues, 0);
	assert_true(cpu_of(&made, 3).queues > 3900);
	assert_int_equal(nb_world_fixed(made.world, 3), 0);
	assert_int_equal(nb_world_fixed(made.world, 2), 2000);
	unmake(&made);
}

/* 5 of a large CPU are 50 of one with a tenth of its capacity. */
static void an_application_goes_where_a_cpu_is_idlest_for_its_size(void **state)
{
	struct made made = make_world(HOST "SmallCPUs=1-3\nSmallCapacity=10%\n"
					   "[Application]\nCPU=0\nShare=30%\n"
					   "[Application]\nCPU=1\nShare=5%\n"
					   "[Application]\nCPU=2\nShare=5%\n"
					   "[Application]\nCPU=3\nShare=5%\n"
					   "[Application]\nBeginSec=1s\nShare=20%\n");

	(void)state;
	nb_world_step(made.world, 5 * SEC);
	assert_near(cpu_of(&made, 0).demand, 5000, 1);
	unmake(&made);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_same_seed_gives_the_same_bytes),
		cmocka_unit_test(another_seed_gives_others),
		cmocka_unit_test(the_same_traffic_comes_whatever_is_done),
		cmocka_unit_test(steps_of_any_length_come_to_the_same_load),
		cmocka_unit_test(work_costs_what_the_scenario_says),
		cmocka_unit_test(large_flows_collide_in_a_queue_but_not_in_a_bucket),
		cmocka_unit_test(more_of_them_than_a_queue_has_buckets_share_these),
		cmocka_unit_test(large_flows_fall_on_any_queue),
		cmocka_unit_test(busy_is_demand_up_to_a_whole),
		cmocka_unit_test(applications_starve_before_packets_are_lost),
		cmocka_unit_test(what_exceeds_a_cpu_is_lost),
		cmocka_unit_test(interrupts_become_fewer_as_polls_become_longer),
		cmocka_unit_test(threads_of_a_core_slow_each_other_down),
		cmocka_unit_test(the_same_work_takes_a_small_cpu_longer),
		cmocka_unit_test(traffic_begins_and_ends),
		cmocka_unit_test(an_oracle_can_place_at_once),
		cmocka_unit_test(an_application_goes_where_a_cpu_is_idlest_for_its_size),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What balancers are known to get wrong on real hosts, each as a picture of the machine and what
 * must not happen on it: 64 CPUs in two nodes, and two NICs with 64 queues each beside 389
 * interrupts of other devices, which are load that cannot be moved. */
#include "loop.h"

#define N_CPUS 64u
#define N_QUEUES 64u /* of each NIC */
#define A_WHILE 600u /* seconds */

/* Queue i of a NIC on the ith CPU of its node, as drivers place them: two on each. */
static struct nb_host *laddered(uint32_t cost)
{
	struct nb_host *host = nb_host_new(N_CPUS, 1, 2);

	for (unsigned nic = 0; nic < 2; nic++) {
		unsigned first = nb_host_add_nic(host, (int)nic, N_QUEUES, 0, cost);

		for (unsigned i = 0; i < N_QUEUES; i++)
			nb_host_place(host, first + i, nic * N_CPUS / 2 + i % (N_CPUS / 2));
	}
	for (unsigned cpu = 0; cpu < N_CPUS; cpu++)
		host->fixed[cpu] = 100 + cpu % 7 * 30;
	return host;
}

static void a_constant_uneven_load_is_at_rest_after_ten_seconds(void **state)
{
	struct nb_host *host = laddered(2400);
	struct loop loop = loop_of(host);

	(void)state;
	for (unsigned i = 0; i < 2 * N_QUEUES; i++)
		host->time[i] = 1500 + i * 7919 % 1800;
	host->time[5] = host->time[5 + N_CPUS / 2] = 4300;
	for (unsigned cpu = 20; cpu < 24; cpu++)
		host->fixed[cpu] = 50;
	assert_in_range(loop_run(&loop, 10), 1, 4);
	assert_int_equal(loop_run(&loop, A_WHILE), 0);
	loop_clear(&loop);
}

static void an_uneven_load_that_nothing_evens_out_is_left_alone(void **state)
{
	struct nb_host *host = laddered(0);
	struct loop loop = loop_of(host);

	(void)state;
	host->policy.rps = false;
	for (unsigned i = 0; i < 2 * N_QUEUES; i += 2)
		host->time[i] = i % 8 ? 3000 : 9800;
	for (unsigned i = N_CPUS / 2; i < 2 * N_QUEUES; i++)
		host->time[i] = i < N_QUEUES || i >= N_QUEUES + N_CPUS / 2 ? 0 : host->time[i];
	assert_int_equal(loop_run(&loop, A_WHILE), 0);
	assert_int_equal(loop_cycle(&loop)->verdict, NB_VERDICT_ONE_FLOW);
	loop_clear(&loop);
}

/* Hot enough that each window could make one of the CPUs seem the one to relieve. */
static void keeps_still(uint32_t amplitude, unsigned hz)
{
	for (uint64_t seed = 1; seed <= 5; seed++) {
		struct nb_meter meter = {.random = seed, .amplitude = amplitude, .hz = hz};
		struct loop loop = loop_of(laddered(3700));

		loop.meter = &meter;
		assert_int_equal(loop_run(&loop, A_WHILE), 0);
		loop_clear(&loop);
		nb_meter_clear(&meter);
	}
}

static void equal_queues_that_are_noisy_stay(void **state)
{
	(void)state;
	keeps_still(1000, 0);
}

static void equal_queues_seen_through_the_tick_stay(void **state)
{
	(void)state;
	keeps_still(0, 250);
	keeps_still(1000, 250);
}

/* Loads that differ, and are seen through the tick: some queues move, but none goes back. */
static void noise_sends_no_queue_back_to_a_cpu_it_left(void **state)
{
	for (uint64_t seed = 1; seed <= 20; seed++) {
		struct nb_meter meter = {.random = seed, .amplitude = 500, .hz = 250};
		struct nb_host *host = laddered(0);
		struct loop loop = loop_of(host);
		bool left[2 * N_QUEUES][N_CPUS] = {};
		uint64_t random = seed;
		unsigned moved = 0;

		(void)state;
		loop.meter = &meter;
		for (unsigned i = 0; i < 2 * N_QUEUES; i++)
			host->time[i] = nb_random_below(&random, 5500);
		for (unsigned i = 0; i < A_WHILE; i++) {
			const struct nb_plan *plan = loop_cycle(&loop);

			for (unsigned j = 0; j < n_moves(plan); j++) {
				const struct nb_move *move = plan->changes[j].move;
				unsigned queue = (unsigned)(move->key.ifindex - 2) * N_QUEUES +
						 move->key.index;

				assert_false(left[queue][move->cpu_to]);
				left[queue][move->cpu_from] = true;
				moved++;
			}
		}
		assert_in_range(moved, 2, N_QUEUES);
		loop_clear(&loop);
		nb_meter_clear(&meter);
	}
}

static uint32_t hottest(const struct nb_host *host)
{
	uint32_t most = 0;

	for (unsigned cpu = 0; cpu < N_CPUS; cpu++)
		most = MAX(most, nb_host_busy(host, cpu));
	return most;
}

/* Each CPU has one busy queue of 10 %, but one has two of 45 %. */
static void two_heavy_queues_on_one_cpu_are_parted(void **state)
{
	struct nb_host *host = laddered(0);
	struct loop loop = loop_of(host);

	(void)state;
	for (unsigned cpu = 0; cpu < N_CPUS; cpu++)
		host->fixed[cpu] = 0;
	for (unsigned nic = 0; nic < 2; nic++)
		for (unsigned i = 0; i < N_CPUS / 2; i++)
			host->time[nic * N_QUEUES + i] = 1000;
	host->time[3] = host->time[3 + N_CPUS / 2] = 4500;
	assert_int_equal(loop_run(&loop, 10), 1);
	assert_true(hottest(host) <= 6000);
	assert_int_equal(loop_run(&loop, A_WHILE), 0);
	loop_clear(&loop);
}

static void a_nic_of_64_queues_is_spread_at_the_first_cycle(void **state)
{
	struct nb_host *host = laddered(500);
	struct loop loop = loop_of(host);
	unsigned first;

	(void)state;
	loop_run(&loop, 30);
	first = nb_host_add_nic(host, 1, N_QUEUES, 32, 0);
	assert_int_equal(loop_run(&loop, 1), N_QUEUES - 2);
	for (unsigned cpu = 0; cpu < N_CPUS; cpu++) {
		unsigned n = 0;

		for (unsigned i = first; i < first + N_QUEUES; i++)
			n += nb_host_cpu_of(host, i) == cpu;
		assert_true(n <= 3);
		assert_true(n == 0 || cpu >= N_CPUS / 2);
	}
	assert_int_equal(loop_run(&loop, A_WHILE), 0);
	loop_clear(&loop);
}

static void a_nics_reset_moves_nothing_of_another_device(void **state)
{
	struct nb_host *host = laddered(1200);
	struct loop loop = loop_of(host);
	int ifindex = host->machine.nics[0].ifindex;
	unsigned moved = 0;

	(void)state;
	assert_int_equal(loop_run(&loop, 60), 0);
	nb_host_reset_nic(host, ifindex, 0);
	for (unsigned i = 0; i < A_WHILE; i++) {
		const struct nb_plan *plan = loop_cycle(&loop);

		for (unsigned j = 0; j < n_moves(plan); j++)
			assert_int_equal(plan->changes[j].move->key.ifindex, ifindex);
		moved += n_moves(plan);
	}
	assert_int_equal(moved, N_QUEUES - 2);
	loop_clear(&loop);
}

/* An irqbalance started by hand, and stopped again. */
static void another_programs_writes_are_yielded_and_rightly_accounted(void **state)
{
	struct nb_host *host = laddered(130);
	struct loop loop = loop_of(host);

	(void)state;
	for (unsigned i = 0; i < N_QUEUES; i++)
		nb_host_place(host, i, 0);
	assert_int_equal(loop_run(&loop, 1), N_QUEUES - 2);
	assert_int_equal(loop_run(&loop, 30), 0);
	for (unsigned i = 0; i < N_QUEUES; i++)
		nb_host_place(host, i, 0);
	loop_run(&loop, 1);
	/* Two had been on CPU 0 all along. */
	assert_int_equal(loop.yields, N_QUEUES - 2);
	assert_int_equal(nb_host_busy(host, 0), host->fixed[0] + N_QUEUES * 130);
	assert_int_equal(nb_host_busy(host, 9), host->fixed[9]);
	for (unsigned i = 0; i < A_WHILE; i++) {
		const struct nb_plan *plan = loop_cycle(&loop);

		for (unsigned j = 0; j < n_moves(plan); j++)
			assert_in_range(plan->changes[j].move->key.index % (N_CPUS / 2), 0, 0);
	}
	assert_int_equal(loop.yields, N_QUEUES - 2);
	loop_clear(&loop);
}

/* The moves in a while after all queues were on CPU 0 and spread: events of other devices rescan at
 * each cycle, and every 20 s a program puts these queues back. */
static unsigned moves_beside_writer(struct loop *loop, unsigned first, unsigned end)
{
	struct nb_host *host = loop->host;
	unsigned moved = 0;

	for (unsigned i = 0; i < N_QUEUES; i++)
		nb_host_place(host, i, 0);
	assert_int_equal(loop_run(loop, 1), N_QUEUES - 2);
	for (unsigned i = 0; i < A_WHILE; i++) {
		host->machine.generation++;
		for (unsigned q = first; i > 0 && i % 20 == 0 && q < end; q++)
			nb_host_place(host, q, 0);
		moved += loop_run(loop, 1);
	}
	return moved;
}

static void a_rescan_does_not_hide_another_programs_writes(void **state)
{
	struct loop loop = loop_of(laddered(130));

	(void)state;
	assert_int_equal(moves_beside_writer(&loop, 5, 12), 0);
	assert_int_equal(loop.yields, 7);
	loop_clear(&loop);
}

static void a_program_that_puts_all_back_is_obeyed(void **state)
{
	struct loop loop = loop_of(laddered(130));

	(void)state;
	assert_int_equal(moves_beside_writer(&loop, 0, N_QUEUES), 0);
	assert_int_equal(loop.yields, N_QUEUES - 2);
	assert_int_equal(loop.core.memory.written.n, N_QUEUES - 2);
	loop_clear(&loop);
}

/* As it opens its device again, which takes the carrier away: nothing of that is anyone's wish. */
static void a_driver_that_puts_all_back_is_corrected(void **state)
{
	struct nb_host *host = laddered(130);
	struct nb_nic_state nics[] = {{.ifindex = 2}, {.ifindex = 3}};
	struct loop loop = loop_of(host);

	(void)state;
	host->snapshot.nics = nics;
	host->snapshot.n_nics = 2;
	for (unsigned i = 0; i < N_QUEUES; i++)
		nb_host_place(host, i, 0);
	assert_int_equal(loop_run(&loop, 1), N_QUEUES - 2);
	for (unsigned i = 0; i < 3; i++) {
		assert_int_equal(loop_run(&loop, 100), 0);
		nics[0].carrier_changes++;
		for (unsigned q = 0; q < N_QUEUES; q++)
			nb_host_place(host, q, 0);
		assert_int_equal(loop_run(&loop, 10), N_QUEUES - 2);
	}
	assert_int_equal(loop.yields, 0);
	assert_int_equal(loop.core.memory.written.n, 0);
	loop_clear(&loop);
}

/* Ten affinities of one NIC a second for five minutes, at random. */
static void an_adversary_is_not_fought(void **state)
{
	struct nb_host *host = laddered(130);
	struct loop loop = loop_of(host);
	uint64_t random = 7;

	(void)state;
	loop_run(&loop, 60);
	for (unsigned i = 0; i < 3000; i++) {
		unsigned queue = nb_random_below(&random, N_QUEUES);

		nb_host_place(host, queue, nb_random_below(&random, N_CPUS / 2));
		if (i % 10 == 9)
			assert_int_equal(loop_run(&loop, 1), 0);
	}
	assert_int_equal(loop_run(&loop, A_WHILE), 0);
	/* The 1st, 2nd, 4th, … 64th that shows of each queue. */
	assert_in_range(loop.yields, N_QUEUES, 7 * N_QUEUES);
	loop_clear(&loop);
}

static void a_restart_on_a_settled_layout_moves_nothing(void **state)
{
	struct nb_host *host = laddered(2400);
	struct loop loop = loop_of(host);

	(void)state;
	for (unsigned i = 0; i < N_QUEUES; i++)
		nb_host_place(host, i, 0);
	assert_true(loop_run(&loop, A_WHILE) > 0);
	nb_memory_clear(&loop.core.memory);
	nb_memory_sync(&loop.core.memory, &host->snapshot);
	for (unsigned i = 0; i < N_QUEUES; i++)
		nb_memory_adopt_queue(&loop.core.memory, host->machine.queues[i].key,
				      nb_host_cpu_of(host, i));
	assert_int_equal(loop_run(&loop, A_WHILE), 0);
	/* Not even if nothing of the run before was kept. */
	nb_memory_clear(&loop.core.memory);
	assert_int_equal(loop_run(&loop, A_WHILE), 0);
	loop_clear(&loop);
}

static void neither_isolated_nor_banned_cpus_get_an_interrupt(void **state)
{
	struct nb_host *host = laddered(0);
	struct loop loop = loop_of(host);
	uint64_t random = 1;
	unsigned changes = 0;

	(void)state;
	for (unsigned cpu = 2; cpu < N_CPUS; cpu += 4)
		nb_host_isolate(host, cpu);
	for (unsigned cpu = 3; cpu < N_CPUS; cpu += 8)
		nb_cpumask_add(&host->policy.banned, cpu);
	for (unsigned i = 0; i < A_WHILE; i++) {
		if (i % 60 == 0)
			for (unsigned q = 0; q < 2 * N_QUEUES; q++)
				host->time[q] = nb_random_below(&random, 5000);
		changes += loop_run(&loop, 1);
		for (unsigned cpu = 2; cpu < N_CPUS; cpu += 4)
			assert_int_equal(nb_host_queues_on(host, cpu), 0);
		for (unsigned cpu = 3; cpu < N_CPUS; cpu += 8)
			assert_int_equal(nb_host_queues_on(host, cpu), 0);
	}
	assert_true(changes > 0);
	loop_clear(&loop);
}

/* It fills whichever CPU it is on: irqbalance hands it from one to the next for ever. */
static void a_saturated_queue_does_not_bounce(void **state)
{
	for (uint64_t seed = 1; seed <= 5; seed++) {
		struct nb_meter meter = {.random = seed, .amplitude = 500, .hz = 250};
		struct nb_host *host = laddered(200);
		struct loop loop = loop_of(host);
		unsigned moved = 0;

		(void)state;
		loop.meter = &meter;
		host->policy.rps = false;
		host->time[6] = 9000;
		host->fixed[6] = 2500;
		for (unsigned i = 0; i < A_WHILE; i++) {
			const struct nb_plan *plan = loop_cycle(&loop);

			for (unsigned j = 0; j < n_moves(plan); j++)
				moved += plan->changes[j].move->load > 5000;
		}
		assert_true(moved <= 1);
		loop_clear(&loop);
		nb_meter_clear(&meter);
	}
}

/* A bond's two ports on one node: planned on one board, so that one knows what the other takes. */
static void two_ports_of_a_bond_share_the_cpus(void **state)
{
	struct nb_host *host = nb_host_new(16, 1, 1);
	struct loop loop = loop_of(host);

	(void)state;
	nb_host_add_nic(host, NB_NODE_NONE, 8, 0, 3000);
	nb_host_add_nic(host, NB_NODE_NONE, 8, 0, 3000);
	loop_run(&loop, 1);
	for (unsigned cpu = 0; cpu < 16; cpu++)
		assert_int_equal(nb_host_queues_on(host, cpu), 1);

	/* A queue of each grows, on one CPU: one of the two leaves, and nothing else. */
	nb_host_place(host, 8, nb_host_cpu_of(host, 0));
	nb_memory_clear(&loop.core.memory);
	host->time[0] = host->time[8] = 4500;
	assert_int_equal(loop_run(&loop, A_WHILE), 1);
	assert_int_not_equal(nb_host_cpu_of(host, 0), nb_host_cpu_of(host, 8));
	loop_clear(&loop);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_constant_uneven_load_is_at_rest_after_ten_seconds),
		cmocka_unit_test(an_uneven_load_that_nothing_evens_out_is_left_alone),
		cmocka_unit_test(equal_queues_that_are_noisy_stay),
		cmocka_unit_test(equal_queues_seen_through_the_tick_stay),
		cmocka_unit_test(noise_sends_no_queue_back_to_a_cpu_it_left),
		cmocka_unit_test(two_heavy_queues_on_one_cpu_are_parted),
		cmocka_unit_test(a_nic_of_64_queues_is_spread_at_the_first_cycle),
		cmocka_unit_test(a_nics_reset_moves_nothing_of_another_device),
		cmocka_unit_test(another_programs_writes_are_yielded_and_rightly_accounted),
		cmocka_unit_test(a_rescan_does_not_hide_another_programs_writes),
		cmocka_unit_test(a_program_that_puts_all_back_is_obeyed),
		cmocka_unit_test(a_driver_that_puts_all_back_is_corrected),
		cmocka_unit_test(an_adversary_is_not_fought),
		cmocka_unit_test(a_restart_on_a_settled_layout_moves_nothing),
		cmocka_unit_test(neither_isolated_nor_banned_cpus_get_an_interrupt),
		cmocka_unit_test(a_saturated_queue_does_not_bounce),
		cmocka_unit_test(two_ports_of_a_bond_share_the_cpus),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

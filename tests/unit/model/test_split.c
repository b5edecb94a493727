/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/split.h"

#include "support/support.h"

static struct nb_queue_work work(unsigned index, int cpu, uint64_t rx)
{
	return (struct nb_queue_work){
		.key = {.ifindex = 2, .index = index},
		.cpu = cpu,
		.rx_packets = rx,
		.interrupts = 10,
		.counts_packets = true,
	};
}

static void splits_in_proportion_to_packets(void **state)
{
	struct nb_cpu_split cpu = {.id = 3, .network_nsec = 4000, .processed = 400};
	struct nb_queue_work queues[] = {work(0, 3, 300), work(1, 3, 100)};

	(void)state;
	nb_split_by_packets(&cpu, 1, queues, 2);
	assert_true(queues[0].time_nsec == 3000);
	assert_true(queues[1].time_nsec == 1000);
	assert_true(cpu.queues_nsec == 4000);
	assert_true(cpu.backlog_nsec == 0);
}

static void a_busy_queue_of_few_interrupts_costs_most(void **state)
{
	struct nb_cpu_split cpu = {.id = 0, .network_nsec = 1000, .processed = 1000};
	struct nb_queue_work queues[] = {work(0, 0, 990), work(1, 0, 10)};

	(void)state;
	queues[0].interrupts = 1;
	queues[1].interrupts = 10000;
	nb_split_by_packets(&cpu, 1, queues, 2);
	assert_true(queues[0].time_nsec == 990);
}

static void packets_from_elsewhere_are_backlog(void **state)
{
	struct nb_cpu_split cpu = {.id = 0, .network_nsec = 1000, .processed = 400};
	struct nb_queue_work queues[] = {work(0, 0, 100)};

	(void)state;
	nb_split_by_packets(&cpu, 1, queues, 1);
	assert_true(queues[0].time_nsec == 250);
	assert_true(cpu.backlog_nsec == 750);
}

static void a_steered_queue_does_not_explain_processed_packets(void **state)
{
	struct nb_cpu_split cpu = {.id = 0, .network_nsec = 1000, .processed = 100};
	struct nb_queue_work queues[] = {work(0, 0, 100)};

	(void)state;
	queues[0].steered = true;
	nb_split_by_packets(&cpu, 1, queues, 1);
	assert_true(queues[0].time_nsec == 200);
	assert_true(cpu.backlog_nsec == 800);
}

/* The protocol layers see its packets where they are handed to. */
static void a_steered_packet_weighs_a_quarter_of_one_that_stays(void **state)
{
	struct nb_cpu_split cpu = {.id = 0, .network_nsec = 1000, .processed = 100};
	struct nb_queue_work queues[] = {work(0, 0, 100), work(1, 0, 100)};

	(void)state;
	queues[1].steered = true;
	nb_split_by_packets(&cpu, 1, queues, 2);
	assert_true(queues[0].time_nsec == 800);
	assert_true(queues[1].time_nsec == 200);
	assert_true(cpu.backlog_nsec == 0);
}

static void interrupts_count_only_where_packets_are_unknown(void **state)
{
	struct nb_cpu_split cpus[] = {{.id = 0, .network_nsec = 1000},
				      {.id = 1, .network_nsec = 1000, .processed = 100}};
	struct nb_queue_work queues[] = {work(0, 0, 0), work(1, 0, 0), work(2, 1, 100)};

	(void)state;
	queues[0].counts_packets = queues[1].counts_packets = false;
	queues[0].interrupts = 30;
	nb_split_by_packets(cpus, 2, queues, 3);
	assert_true(queues[0].time_nsec == 750);
	assert_true(queues[1].time_nsec == 250);
	assert_true(queues[2].time_nsec == 1000);
}

static void sending_weighs_a_quarter_of_receiving(void **state)
{
	struct nb_cpu_split cpu = {.id = 0, .network_nsec = 1000, .processed = 100};
	struct nb_queue_work queues[] = {work(0, 0, 100), work(1, 0, 0)};

	(void)state;
	queues[1].tx_packets = 100;
	nb_split_by_packets(&cpu, 1, queues, 2);
	assert_true(queues[0].time_nsec == 800);
	assert_true(queues[1].time_nsec == 200);
}

static void a_queue_on_an_unknown_cpu_costs_nothing(void **state)
{
	struct nb_cpu_split cpu = {.id = 0, .network_nsec = 1000, .processed = 5};
	struct nb_queue_work queues[] = {work(0, -1, 100), work(1, 7, 100)};

	(void)state;
	nb_split_by_packets(&cpu, 1, queues, 2);
	assert_true(queues[0].time_nsec == 0);
	assert_true(queues[1].time_nsec == 0);
	assert_true(cpu.backlog_nsec == 1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(splits_in_proportion_to_packets),
		cmocka_unit_test(a_busy_queue_of_few_interrupts_costs_most),
		cmocka_unit_test(packets_from_elsewhere_are_backlog),
		cmocka_unit_test(a_steered_queue_does_not_explain_processed_packets),
		cmocka_unit_test(a_steered_packet_weighs_a_quarter_of_one_that_stays),
		cmocka_unit_test(interrupts_count_only_where_packets_are_unknown),
		cmocka_unit_test(sending_weighs_a_quarter_of_receiving),
		cmocka_unit_test(a_queue_on_an_unknown_cpu_costs_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unit/sim/made.h"

#define HOST "[Host]\nLengthSec=1min\nCPUs=4\n"
#define NIC "[Nic eth0]\nQueues=4\n"
#define TRAFFIC "[Traffic eth0]\nPacketsPerSec=400k\nFlows=3000\nSkew=50%\nNoise=10%\n"

static const struct nb_snapshot *look(struct made *made)
{
	return nb_world_snapshot(made->world);
}

/* A second of what is being counted already. */
static const struct nb_bucket_counts *a_second(struct made *made)
{
	nb_world_step(made->world, SEC);
	return &look(made)->buckets;
}

static uint64_t sum_of(const struct nb_bucket_counts *counts)
{
	uint64_t sum = 0;

	for (unsigned b = 0; b < counts->n; b++)
		sum += counts->packets[b];
	return sum;
}

/* Each counter is cut to whole packets by itself. */
static void assert_is_of_queues(const struct nb_bucket_counts *counts,
				const struct nb_queue_state *before,
				const struct nb_queue_state *now)
{
	uint64_t by_queue[128] = {};

	for (unsigned b = 0; b < counts->n; b++)
		by_queue[counts->queues[b]] += counts->packets[b];
	for (unsigned i = 0; i < counts->n_rings; i++) {
		uint64_t received = now[i].rx_packets - before[i].rx_packets;

		assert_true(received > 0);
		assert_in_range(by_queue[i], received - 128, received + 1);
	}
}

/* Begins to count, and checks what came of a few seconds. */
static void check_sums(const char *text)
{
	struct made made = make_world(text);
	const struct nb_snapshot *before, *now;

	nb_world_step(made.world, SEC);
	ask_for_buckets(&made, 2);
	nb_world_step(made.world, SEC);
	before = look(&made);
	nb_world_step(made.world, 3 * SEC + SEC / 7);
	now = look(&made);
	assert_int_equal(now->buckets.n_rings, 4);
	assert_int_equal(now->buckets.strayed, 0);
	assert_is_of_queues(&now->buckets, before->queues, now->queues);
	unmake(&made);
}

static void buckets_add_up_to_what_their_queues_received(void **state)
{
	(void)state;
	check_sums(HOST NIC TRAFFIC);
	/* One packet in two is dropped, … */
	check_sums(HOST NIC "Placement=collapsed\n" TRAFFIC "ProtocolCost=5us\n");
	/* … and packets of several traffics meet. */
	check_sums(HOST NIC TRAFFIC TRAFFIC "[Nic eth1]\nQueues=2\n[Traffic eth1]\n"
					    "PacketsPerSec=50k\n");
}

/* All packets are of one flow. */
#define ONE_FLOW(packets)           \
	HOST NIC "DriverCost=0ns\n" \
		 "[Traffic eth0]\nElephant=100%\nProtocolCost=0ns\nPacketsPerSec=" packets "\n"

static void a_flow_is_counted_in_one_bucket(void **state)
{
	struct made made = make_world(ONE_FLOW("100k"));
	const struct nb_bucket_counts *counts;
	unsigned n_buckets = 0;

	(void)state;
	ask_for_buckets(&made, 2);
	assert_int_equal(sum_of(&look(&made)->buckets), 0);
	counts = a_second(&made);
	for (unsigned b = 0; b < counts->n; b++)
		n_buckets += counts->packets[b] > 0;
	assert_int_equal(n_buckets, 1);
	assert_int_equal(sum_of(counts), 100000);
	unmake(&made);
}

static void a_counter_wraps_at_32_bits(void **state)
{
	struct made made = make_world(ONE_FLOW("1000M"));

	(void)state;
	ask_for_buckets(&made, 2);
	look(&made);
	nb_world_step(made.world, 4 * SEC);
	assert_int_equal(sum_of(&look(&made)->buckets), UINT64_C(4000000000));
	assert_int_equal(sum_of(a_second(&made)), UINT64_C(5000000000) - (UINT64_C(1) << 32));
	unmake(&made);
}

static void counting_begins_with_the_snapshot_after_the_plan(void **state)
{
	struct made made = make_world(HOST NIC TRAFFIC);
	const struct nb_bucket_counts *counts = a_second(&made);

	(void)state;
	assert_true(counts->able);
	assert_int_equal(counts->ifindex, 0);
	assert_int_equal(counts->n, 0);
	ask_for_buckets(&made, 2);
	counts = a_second(&made);
	assert_int_equal(counts->ifindex, 2);
	assert_int_equal(counts->since_nsec, 2 * SEC);
	assert_int_equal(counts->n, 128);
	assert_int_equal(counts->n_rings, 4);
	assert_int_equal(sum_of(counts), 0);
	for (unsigned b = 0; b < 128; b++)
		assert_int_equal(counts->queues[b], b % 4);
	assert_true(sum_of(a_second(&made)) > 300000);
	unmake(&made);
}

static void counting_goes_on_while_plans_ask_for_it(void **state)
{
	struct made made = make_world(HOST NIC TRAFFIC);
	uint64_t first;

	(void)state;
	ask_for_buckets(&made, 2);
	look(&made);
	first = sum_of(a_second(&made));
	ask_for_buckets(&made, 2);
	assert_true(sum_of(a_second(&made)) > first + first / 2);
	assert_int_equal(look(&made)->buckets.since_nsec, 0);
	ask_for_buckets(&made, 0);
	assert_int_equal(a_second(&made)->ifindex, 0);
	ask_for_buckets(&made, 2);
	assert_int_equal(sum_of(a_second(&made)), 0);
	assert_int_equal(look(&made)->buckets.since_nsec, 4 * SEC);
	unmake(&made);
}

static void another_nic_is_counted_from_the_beginning(void **state)
{
	struct made made = make_world(HOST NIC TRAFFIC "[Nic eth1]\nQueues=2\n[Traffic eth1]\n"
						       "PacketsPerSec=50k\n");
	const struct nb_bucket_counts *counts;

	(void)state;
	ask_for_buckets(&made, 2);
	look(&made);
	a_second(&made);
	ask_for_buckets(&made, 3);
	counts = &look(&made)->buckets;
	assert_int_equal(counts->ifindex, 3);
	assert_int_equal(counts->n_rings, 2);
	assert_int_equal(sum_of(counts), 0);
	assert_near(sum_of(a_second(&made)), 50000, 0);
	unmake(&made);
}

static void the_snapshot_before_keeps_what_it_held(void **state)
{
	struct made made = make_world(HOST NIC TRAFFIC);
	const struct nb_bucket_counts *counts;
	uint64_t first;

	(void)state;
	ask_for_buckets(&made, 2);
	look(&made);
	counts = a_second(&made);
	first = sum_of(counts);
	nb_world_step(made.world, SEC);
	look(&made);
	assert_int_equal(sum_of(counts), first);
	unmake(&made);
}

static void what_is_not_in_the_queue_of_its_bucket_strays(void **state)
{
	struct made made = make_world(HOST NIC TRAFFIC);
	uint32_t found[128], moved[128];
	uint64_t first;

	(void)state;
	default_table(4, found);
	default_table(4, moved);
	for (unsigned b = 0; b < 64; b++)
		moved[b] = (b + 1) % 4;
	ask_for_buckets(&made, 2);
	look(&made);
	assert_int_equal(a_second(&made)->strayed, 0);
	first = look(&made)->buckets.packets[0];
	assert_true(first > 0);
	assert_int_equal(spread(&made, 2, found, moved, 128), NB_OUTCOME_APPLIED);
	assert_true(a_second(&made)->strayed > 100000);
	assert_int_equal(look(&made)->buckets.packets[0], first);
	assert_int_equal(look(&made)->buckets.queues[0], 0);
	/* Counted anew, the table is the new one. */
	ask_for_buckets(&made, 0);
	ask_for_buckets(&made, 2);
	look(&made);
	assert_int_equal(a_second(&made)->strayed, 0);
	assert_int_equal(look(&made)->buckets.queues[0], 1);
	unmake(&made);
}

static void without_hashes_all_packets_stray(void **state)
{
	struct made made = make_world(HOST NIC "RssHash=none\n" TRAFFIC);
	uint64_t received;
	const struct nb_bucket_counts *counts;

	(void)state;
	ask_for_buckets(&made, 2);
	look(&made);
	counts = a_second(&made);
	received = nb_world_received(made.world);
	assert_int_equal(counts->n, 128);
	assert_int_equal(sum_of(counts), 0);
	assert_in_range(counts->strayed, received - 1, received + 1);
	unmake(&made);
}

static void of_a_table_that_cannot_be_read_nothing_is_counted(void **state)
{
	struct made made = make_world(HOST NIC "RssTable=fixed\n" TRAFFIC);
	const struct nb_bucket_counts *counts;

	(void)state;
	ask_for_buckets(&made, 2);
	look(&made);
	counts = a_second(&made);
	assert_true(counts->able);
	assert_int_equal(counts->ifindex, 2);
	assert_int_equal(counts->n, 0);
	assert_int_equal(counts->n_rings, 4);
	assert_int_equal(counts->strayed, 0);
	unmake(&made);
}

static void of_a_nic_that_is_not_there_nothing_is_counted(void **state)
{
	struct made made = make_world(HOST NIC "[Nic eth1]\nQueues=2\n[Event]\nAtSec=30\n"
					       "Do=add\nNic=eth1\n" TRAFFIC);

	(void)state;
	for (int ifindex = 3; ifindex <= 4; ifindex++) {
		const struct nb_bucket_counts *counts;

		ask_for_buckets(&made, ifindex);
		look(&made);
		counts = a_second(&made);
		assert_int_equal(counts->ifindex, ifindex);
		assert_int_equal(counts->n, 0);
		assert_int_equal(counts->n_rings, 0);
	}
	unmake(&made);
}

static void in_the_estimated_grade_nothing_is_counted(void **state)
{
	struct made made = make_world(HOST "Grade=estimated\n" NIC TRAFFIC);
	const struct nb_bucket_counts *counts;

	(void)state;
	ask_for_buckets(&made, 2);
	look(&made);
	counts = a_second(&made);
	assert_false(counts->able);
	assert_int_equal(counts->ifindex, 0);
	assert_int_equal(counts->n, 0);
	unmake(&made);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(buckets_add_up_to_what_their_queues_received),
		cmocka_unit_test(a_flow_is_counted_in_one_bucket),
		cmocka_unit_test(a_counter_wraps_at_32_bits),
		cmocka_unit_test(counting_begins_with_the_snapshot_after_the_plan),
		cmocka_unit_test(counting_goes_on_while_plans_ask_for_it),
		cmocka_unit_test(another_nic_is_counted_from_the_beginning),
		cmocka_unit_test(the_snapshot_before_keeps_what_it_held),
		cmocka_unit_test(what_is_not_in_the_queue_of_its_bucket_strays),
		cmocka_unit_test(without_hashes_all_packets_stray),
		cmocka_unit_test(of_a_table_that_cannot_be_read_nothing_is_counted),
		cmocka_unit_test(of_a_nic_that_is_not_there_nothing_is_counted),
		cmocka_unit_test(in_the_estimated_grade_nothing_is_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

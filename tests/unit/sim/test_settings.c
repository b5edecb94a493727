/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unit/sim/made.h"

#define HOST "[Host]\nLengthSec=1min\nCPUs=4\n"
#define TRAFFIC "[Traffic eth0]\nPacketsPerSec=100k\nFlows=4000\n"
#define ONE_OF_FOUR HOST "[Nic eth0]\nQueues=4\nQueuesInUse=1\n" TRAFFIC

static enum nb_outcome set(struct made *made, enum nb_kind kind, int ifindex, unsigned to)
{
	const struct nb_setting_change setting = {.key.ifindex = ifindex, .to = to};
	struct nb_change change = nb_change_of_setting(kind, &setting);

	return nb_world_carry_out(made->world, &change);
}

static const struct nb_nic *nic_of(struct made *made)
{
	return &nb_world_snapshot(made->world)->machine->nics[0];
}

static void the_daemon_is_told_what_it_could_have_and_is_to_have(void **state)
{
	struct made made = make_world(HOST "[Nic eth0]\nQueues=4\nQueuesInUse=2\nChannels=max\n"
					   "UdpHash=sdfn\n[Nic eth1]\nQueues=3\n"
					   "[Traffic eth0]\nPacketsPerSec=1\nAddressesOnly=yes\n");
	const struct nb_nic *nics = nic_of(&made);

	(void)state;
	assert_int_equal(nics[0].n_rx, 2);
	assert_int_equal(nics[0].n_channels, 2);
	assert_int_equal(nics[0].most_channels, 4);
	assert_true(nics[0].combines_channels);
	assert_int_equal(nics[0].channels_asked, NB_CHANNELS_MAX);
	assert_int_equal(nics[0].udp_hash, NB_UDP_HASH_ADDRESSES);
	assert_int_equal(nics[0].udp_hash_asked, NB_UDP_HASH_PORTS);
	assert_int_equal(nics[1].n_channels, 3);
	assert_int_equal(nics[1].channels_asked, NB_CHANNELS_KEEP);
	assert_int_equal(nics[1].udp_hash, NB_UDP_HASH_PORTS);
	assert_int_equal(nics[1].udp_hash_asked, NB_UDP_HASH_UNKNOWN);
	assert_int_equal(nb_world_snapshot(made.world)->n_queues, 5);
	unmake(&made);
}

static void answers_as_the_kernel_does(void **state)
{
	struct made made = make_world(ONE_OF_FOUR);

	(void)state;
	assert_int_equal(move_queue(&made, second_queue, 3), NB_OUTCOME_GONE);
	assert_int_equal(set(&made, NB_KIND_CHANNELS, 9, 4), NB_OUTCOME_GONE);
	assert_int_equal(set(&made, NB_KIND_CHANNELS, 2, 5), NB_OUTCOME_REFUSED);
	assert_int_equal(set(&made, NB_KIND_CHANNELS, 2, 1), NB_OUTCOME_UNCHANGED);
	assert_int_equal(set(&made, NB_KIND_CHANNELS, 2, 4), NB_OUTCOME_APPLIED);
	assert_int_equal(set(&made, NB_KIND_CHANNELS, 2, 4), NB_OUTCOME_UNCHANGED);
	assert_int_equal(move_queue(&made, second_queue, 3), NB_OUTCOME_APPLIED);
	assert_int_equal(set(&made, NB_KIND_CHANNELS, 2, 0), NB_OUTCOME_APPLIED);
	assert_int_equal(nic_of(&made)->n_channels, 1);
	assert_int_equal(set(&made, NB_KIND_UDP_HASH, 9, NB_UDP_HASH_PORTS), NB_OUTCOME_GONE);
	assert_int_equal(set(&made, NB_KIND_UDP_HASH, 2, NB_UDP_HASH_PORTS), NB_OUTCOME_UNCHANGED);
	assert_int_equal(set(&made, NB_KIND_UDP_HASH, 2, NB_UDP_HASH_ADDRESSES),
			 NB_OUTCOME_APPLIED);
	assert_int_equal(set(&made, NB_KIND_UDP_HASH, 2, NB_UDP_HASH_UNKNOWN), NB_OUTCOME_APPLIED);
	assert_int_equal(nic_of(&made)->udp_hash, NB_UDP_HASH_PORTS);
	unmake(&made);
}

static void may_be_refused_for_a_passing_reason(void **state)
{
	struct made made = make_world("[Host]\nLengthSec=1min\nCPUs=4\nRefused=100%\n"
				      "[Nic eth0]\nQueues=4\nQueuesInUse=1\n");

	(void)state;
	assert_int_equal(set(&made, NB_KIND_CHANNELS, 2, 4), NB_OUTCOME_BUSY);
	assert_int_equal(nic_of(&made)->n_channels, 1);
	assert_int_equal(set(&made, NB_KIND_UDP_HASH, 2, NB_UDP_HASH_ADDRESSES), NB_OUTCOME_BUSY);
	assert_int_equal(nic_of(&made)->udp_hash, NB_UDP_HASH_PORTS);
	unmake(&made);
}

static void more_channels_have_other_interrupts_and_share_the_packets(void **state)
{
	struct made made = make_world(ONE_OF_FOUR);
	const struct nb_snapshot *before, *now;
	uint32_t irq;

	(void)state;
	nb_world_step(made.world, SEC);
	before = nb_world_snapshot(made.world);
	irq = before->machine->queues[0].irqs[0];
	assert_near(before->queues[0].rx_packets, 100000, 0);
	set(&made, NB_KIND_CHANNELS, 2, 4);
	nb_world_step(made.world, SEC);
	before = nb_world_snapshot(made.world);
	assert_int_equal(before->n_queues, 4);
	assert_int_equal(before->machine->nics[0].n_rx, 4);
	assert_true(before->machine->queues[0].irqs[0] > irq);
	nb_world_step(made.world, SEC);
	now = nb_world_snapshot(made.world);
	for (unsigned i = 0; i < 4; i++) {
		assert_int_equal(now->queues[i].affinity_cpu, i);
		assert_in_range(now->queues[i].rx_packets - before->queues[i].rx_packets, 22000,
				28000);
	}
	unmake(&made);
}

static void the_link_is_down_for_a_second(void **state)
{
	struct made made = make_world(ONE_OF_FOUR);

	(void)state;
	nb_world_step(made.world, SEC);
	assert_int_equal(nb_world_dropped(made.world), 0);
	set(&made, NB_KIND_CHANNELS, 2, 4);
	nb_world_step(made.world, SEC / 2);
	assert_near(nb_world_dropped(made.world), 50000, 0);
	nb_world_step(made.world, SEC / 2);
	assert_near(nb_world_dropped(made.world), 100000, 0);
	assert_near(nb_world_received(made.world), 100000, 0);
	nb_world_step(made.world, SEC);
	assert_near(nb_world_dropped(made.world), 100000, 0);
	assert_near(nb_world_received(made.world), 200000, 0);
	unmake(&made);
}

static void what_was_set_of_a_queue_that_goes_is_gone(void **state)
{
	struct made made = make_world(ONE_OF_FOUR);
	struct nb_cpumask masks[4] = {};
	const struct nb_follow_change follow = {.key.ifindex = 2, .n = 4, .to = masks};
	struct nb_change change = nb_change_of_follow(NB_KIND_XPS, &follow);

	(void)state;
	set(&made, NB_KIND_CHANNELS, 2, 4);
	for (unsigned i = 0; i < 4; i++)
		nb_cpumask_add(&masks[i], i);
	assert_int_equal(nb_world_carry_out(made.world, &change), NB_OUTCOME_APPLIED);
	assert_int_equal(steer_queue(&made, second_queue, 4), NB_OUTCOME_APPLIED);
	set(&made, NB_KIND_CHANNELS, 2, 1);
	assert_int_equal(nb_world_snapshot(made.world)->n_rps, 0);
	set(&made, NB_KIND_CHANNELS, 2, 4);
	assert_int_equal(nb_world_snapshot(made.world)->n_rps, 0);
	assert_false(nb_cpumask_empty(nb_world_xps(made.world, 0)));
	assert_true(nb_cpumask_empty(nb_world_xps(made.world, 1)));
	unmake(&made);
}

static void a_table_that_somebody_set_stays_and_keeps_the_channels_it_names(void **state)
{
	struct made made = make_world(HOST "[Nic eth0]\nQueues=4\nQueuesInUse=3\n" TRAFFIC);
	const struct nb_snapshot *now;

	(void)state;
	assert_int_equal(redirect(&made, 2, 1 << 1), NB_OUTCOME_APPLIED);
	assert_int_equal(set(&made, NB_KIND_CHANNELS, 2, 1), NB_OUTCOME_REFUSED);
	assert_int_equal(set(&made, NB_KIND_CHANNELS, 2, 4), NB_OUTCOME_APPLIED);
	nb_world_step(made.world, 2 * SEC);
	now = nb_world_snapshot(made.world);
	assert_near(now->queues[1].rx_packets, 100000, 0);
	assert_int_equal(now->queues[3].rx_packets, 0);
	assert_int_equal(set(&made, NB_KIND_CHANNELS, 2, 2), NB_OUTCOME_APPLIED);
	assert_int_equal(redirect(&made, 2, 0), NB_OUTCOME_APPLIED);
	assert_int_equal(set(&made, NB_KIND_CHANNELS, 2, 1), NB_OUTCOME_APPLIED);
	unmake(&made);
}

/* Four CPUs, and two hosts that all come from. */
static void ports_spread_what_addresses_could_not(void **state)
{
	struct made made =
		make_world(HOST "[Nic eth0]\nQueues=4\nFollows=yes\n[Nic eth1]\nQueues=4\n"
				"[Traffic eth0]\nPacketsPerSec=80k\nFlows=1\nAddressesOnly=yes\n"
				"[Traffic eth0]\nPacketsPerSec=80k\nFlows=1\n"
				"[Traffic eth1]\nPacketsPerSec=80k\nFlows=1\nAddressesOnly=yes\n");
	const struct nb_snapshot *before, *now;
	uint64_t most = 0;

	(void)state;
	nb_world_step(made.world, SEC);
	before = nb_world_snapshot(made.world);
	assert_int_equal(set(&made, NB_KIND_UDP_HASH, 2, NB_UDP_HASH_PORTS), NB_OUTCOME_APPLIED);
	nb_world_step(made.world, SEC);
	now = nb_world_snapshot(made.world);
	for (unsigned i = 0; i < 4; i++) {
		uint64_t came = now->queues[i].rx_packets - before->queues[i].rx_packets;

		/* One flow of other packets, which are hashed as before. */
		assert_true(came > 19000);
		most = MAX(most, came);
	}
	assert_near(most, 100000, 0);
	assert_int_equal(now->machine->nics[0].udp_hash, NB_UDP_HASH_PORTS);
	assert_int_equal(now->machine->nics[1].udp_hash, NB_UDP_HASH_ADDRESSES);
	assert_int_equal(now->machine->queues[0].irqs[0], before->machine->queues[0].irqs[0]);
	assert_int_equal(nb_world_dropped(made.world), 0);
	most = 0;
	for (unsigned i = 4; i < 8; i++)
		most = MAX(most, now->queues[i].rx_packets - before->queues[i].rx_packets);
	assert_near(most, 80000, 0);
	unmake(&made);
}

static void a_reset_leaves_the_number_of_channels(void **state)
{
	struct made made = make_world(ONE_OF_FOUR "[Event]\nAtSec=5\nDo=reset\nNic=eth0\n");

	(void)state;
	set(&made, NB_KIND_CHANNELS, 2, 3);
	nb_world_step(made.world, 10 * SEC);
	assert_int_equal(nic_of(&made)->n_channels, 3);
	unmake(&made);
}

static void a_nic_that_appears_runs_on_those_that_it_begins_with(void **state)
{
	struct made made = make_world(ONE_OF_FOUR "[Event]\nAtSec=5\nDo=add\nNic=eth0\n");

	(void)state;
	assert_int_equal(set(&made, NB_KIND_CHANNELS, 2, 4), NB_OUTCOME_GONE);
	nb_world_step(made.world, 10 * SEC);
	assert_int_equal(nic_of(&made)->n_channels, 1);
	unmake(&made);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_daemon_is_told_what_it_could_have_and_is_to_have),
		cmocka_unit_test(answers_as_the_kernel_does),
		cmocka_unit_test(may_be_refused_for_a_passing_reason),
		cmocka_unit_test(more_channels_have_other_interrupts_and_share_the_packets),
		cmocka_unit_test(the_link_is_down_for_a_second),
		cmocka_unit_test(what_was_set_of_a_queue_that_goes_is_gone),
		cmocka_unit_test(a_table_that_somebody_set_stays_and_keeps_the_channels_it_names),
		cmocka_unit_test(ports_spread_what_addresses_could_not),
		cmocka_unit_test(a_reset_leaves_the_number_of_channels),
		cmocka_unit_test(a_nic_that_appears_runs_on_those_that_it_begins_with),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

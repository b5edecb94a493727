/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unit/sim/made.h"

static enum nb_outcome switch_key(struct made *made, unsigned index, bool on)
{
	struct nb_threaded_change threaded = {.key = {first_queue.ifindex, index}, .on = on};
	struct nb_change change = nb_change_of_threaded(&threaded);

	return nb_world_carry_out(made->world, &change);
}

static enum nb_outcome switch_napis(struct made *made, bool on)
{
	return switch_key(made, NB_EVERY_QUEUE, on);
}

static const struct nb_queue_state *look(struct made *made)
{
	return &nb_world_snapshot(made->world)->queues[0];
}

/* A queue of 40 % of a CPU, and an application of 80 that is pinned beside it. */
#define BESIDE(host)                                                                     \
	"[Host]\nLengthSec=1min\nCPUs=4\nGrade=measured\n" host                          \
	"[Nic eth0]\nQueues=1\nManaged=yes\nInterruptCost=0ns\nDriverCost=300ns\n"       \
	"[Traffic eth0]\nPacketsPerSec=400k\nFlows=1000\nProtocolCost=700ns\nNoise=0%\n" \
	"[Application]\nCPU=0\nShare=80%\n"

static void a_thread_goes_where_there_is_time(void **state)
{
	struct made made = make_world(BESIDE(""));

	(void)state;
	assert_int_equal(move_queue(&made, first_queue, 1), NB_OUTCOME_REFUSED);
	nb_world_step(made.world, SEC);
	assert_int_equal(look(&made)->thread, 0);
	assert_int_equal(look(&made)->thread_cpu, -1);
	assert_false(look(&made)->settable);
	assert_int_equal(cpu_of(&made, 0).demand, 12000);

	assert_int_equal(switch_napis(&made, true), NB_OUTCOME_APPLIED);
	assert_int_equal(switch_napis(&made, true), NB_OUTCOME_UNCHANGED);
	nb_world_step(made.world, SEC);
	assert_true(look(&made)->thread > 0);
	assert_int_equal(look(&made)->thread_cpu, 1);
	assert_int_equal(look(&made)->effective_cpu, 0);
	assert_int_equal(cpu_of(&made, 0).demand, 8000);
	assert_int_equal(cpu_of(&made, 1).demand, 4000);
	assert_int_equal(cpu_of(&made, 1).queues, 4000);
	unmake(&made);
}

static void its_time_is_that_of_the_thread(void **state)
{
	struct made made = make_world(BESIDE(""));
	struct nb_queue_state before, after;
	uint64_t user_nsec;

	(void)state;
	switch_napis(&made, true);
	nb_world_step(made.world, SEC);
	before = *look(&made);
	user_nsec = nb_world_snapshot(made.world)->cpus[1].user_nsec;
	nb_world_step(made.world, SEC);
	after = *look(&made);
	assert_near(after.threaded_nsec - before.threaded_nsec, SEC / 10 * 4, 0);
	assert_near(nb_world_snapshot(made.world)->cpus[1].user_nsec - user_nsec, SEC / 10 * 4, 0);
	assert_true(after.time_nsec == before.time_nsec);
	assert_true(after.thread_polls > before.thread_polls);
	assert_int_equal(after.polls, before.polls);
	assert_near(after.rx_packets - before.rx_packets, 400000, 0);
	unmake(&made);
}

static void switched_off_softirqs_poll_again(void **state)
{
	struct made made = make_world(BESIDE(""));
	uint32_t polls;

	(void)state;
	switch_napis(&made, true);
	nb_world_step(made.world, SEC);
	polls = look(&made)->polls;
	assert_int_equal(switch_napis(&made, false), NB_OUTCOME_APPLIED);
	nb_world_step(made.world, SEC);
	assert_int_equal(look(&made)->thread, 0);
	assert_true(look(&made)->polls > polls);
	assert_int_equal(look(&made)->polled_cpu, 0);
	unmake(&made);
}

/* Where all CPUs want to be had by applications as well, a thread gets half of one. */
static void a_thread_shares_with_applications(void **state)
{
	struct made made = make_world("[Host]\nLengthSec=1min\nCPUs=1\nGrade=measured\n"
				      "[Nic eth0]\nQueues=1\nInterruptCost=0ns\nDriverCost=300ns\n"
				      "[Traffic eth0]\nPacketsPerSec=800k\nFlows=1000\n"
				      "ProtocolCost=700ns\nNoise=0%\n"
				      "[Application]\nCPU=0\nShare=100%\n");
	uint64_t packets;

	(void)state;
	switch_napis(&made, true);
	nb_world_step(made.world, SEC);
	packets = look(&made)->rx_packets;
	nb_world_step(made.world, SEC);
	assert_near(look(&made)->rx_packets - packets, 500000, 0);
	assert_true(nb_world_dropped(made.world) > 0);
	unmake(&made);
}

/* Its poll goes on, and is not scheduled again. */
static void a_napi_that_does_not_complete_is_handed_to_no_thread(void **state)
{
	struct made made = make_world("[Host]\nLengthSec=1min\nCPUs=2\nGrade=measured\n"
				      "[Nic eth0]\nQueues=1\nDriverCost=300ns\n"
				      "[Traffic eth0]\nEndSec=10s\nPacketsPerSec=2M\nFlows=1000\n"
				      "ProtocolCost=700ns\n"
				      "[Traffic eth0]\nBeginSec=10s\nPacketsPerSec=100k\n");

	(void)state;
	nb_world_step(made.world, SEC);
	switch_napis(&made, true);
	nb_world_step(made.world, 8 * SEC);
	assert_int_equal(look(&made)->thread, 0);
	nb_world_step(made.world, 4 * SEC);
	assert_true(look(&made)->thread > 0);
	unmake(&made);
}

#define TWO_QUEUES(linked)                                            \
	"[Host]\nLengthSec=1min\nCPUs=4\nGrade=measured\n"            \
	"[Nic eth0]\nQueues=2\nManaged=yes\nLinkedNapis=" linked "\n" \
	"[Traffic eth0]\nPacketsPerSec=400k\nFlows=1000\nProtocolCost=700ns\nNoise=0%\n"

static void where_the_driver_links_napis_one_queue_gets_a_thread(void **state)
{
	struct made made = make_world(TWO_QUEUES("yes"));
	const struct nb_snapshot *snapshot;

	(void)state;
	nb_world_step(made.world, SEC);
	snapshot = nb_world_snapshot(made.world);
	assert_int_equal(snapshot->machine->queues[1].threading, NB_THREADING_OFF);
	assert_int_equal(switch_key(&made, 1, true), NB_OUTCOME_APPLIED);
	assert_int_equal(switch_key(&made, 1, true), NB_OUTCOME_UNCHANGED);
	nb_world_step(made.world, SEC);
	snapshot = nb_world_snapshot(made.world);
	assert_int_equal(snapshot->queues[0].thread, 0);
	assert_true(snapshot->queues[1].thread > 0);
	assert_int_equal(switch_key(&made, 2, true), NB_OUTCOME_GONE);
	assert_int_equal(switch_key(&made, 1, false), NB_OUTCOME_APPLIED);
	unmake(&made);
}

static void else_only_the_whole_nic_is_switched(void **state)
{
	struct made made = make_world(TWO_QUEUES("no"));

	(void)state;
	nb_world_step(made.world, SEC);
	assert_int_equal(nb_world_snapshot(made.world)->machine->queues[1].threading,
			 NB_THREADING_UNKNOWN);
	assert_int_equal(switch_key(&made, 1, true), NB_OUTCOME_REFUSED);
	assert_int_equal(switch_napis(&made, true), NB_OUTCOME_APPLIED);
	nb_world_step(made.world, SEC);
	assert_true(nb_world_snapshot(made.world)->queues[0].thread > 0);
	assert_true(nb_world_snapshot(made.world)->queues[1].thread > 0);
	unmake(&made);
}

static void a_nic_that_is_gone_has_none(void **state)
{
	struct made made = make_world(BESIDE(""));
	struct nb_threaded_change threaded = {.key = {99, NB_EVERY_QUEUE}, .on = true};
	struct nb_change change = nb_change_of_threaded(&threaded);

	(void)state;
	assert_int_equal(nb_world_carry_out(made.world, &change), NB_OUTCOME_GONE);
	unmake(&made);
	made = make_world(BESIDE("Refused=100%\n"));
	assert_int_equal(switch_napis(&made, true), NB_OUTCOME_BUSY);
	unmake(&made);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_thread_goes_where_there_is_time),
		cmocka_unit_test(its_time_is_that_of_the_thread),
		cmocka_unit_test(switched_off_softirqs_poll_again),
		cmocka_unit_test(a_thread_shares_with_applications),
		cmocka_unit_test(a_napi_that_does_not_complete_is_handed_to_no_thread),
		cmocka_unit_test(where_the_driver_links_napis_one_queue_gets_a_thread),
		cmocka_unit_test(else_only_the_whole_nic_is_switched),
		cmocka_unit_test(a_nic_that_is_gone_has_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

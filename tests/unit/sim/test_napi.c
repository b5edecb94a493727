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

/* Two queues on CPU 0, of half the packets each. */
#define DEFERRED(packets)                                                     \
	"[Host]\nLengthSec=1min\nCPUs=4\n[Nic eth0]\nQueues=2\nFollows=yes\n" \
	"Placement=collapsed\nDeferInterrupts=400us\n[Traffic eth0]\nPacketsPerSec=" packets "\n"

static void one_whose_interrupt_is_deferred_stays_while_packets_come(void **state)
{
	struct made made = make_world(DEFERRED("200k"));
	uint32_t interrupts;

	(void)state;
	nb_world_step(made.world, SEC);
	interrupts = look(&made, 1)->interrupts;
	assert_int_equal(move_queue(&made, second_queue, 1), NB_OUTCOME_APPLIED);
	nb_world_step(made.world, 20 * SEC);
	assert_int_equal(look(&made, 1)->effective_cpu, 1);
	assert_int_equal(look(&made, 1)->polled_cpu, 0);
	assert_int_equal(look(&made, 1)->interrupts, interrupts);
	assert_int_equal(look(&made, 1)->exhausted, 0);
	unmake(&made);
}

static void one_whose_interrupt_is_deferred_follows_when_packets_are_few(void **state)
{
	struct made made = make_world(DEFERRED("2k"));

	(void)state;
	nb_world_step(made.world, SEC);
	move_queue(&made, second_queue, 1);
	nb_world_step(made.world, SEC);
	assert_int_equal(look(&made, 1)->polled_cpu, 1);
	assert_true(look(&made, 1)->interrupts > 0);
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

/* Each of two queues on CPU 0 is offered 1.6 times what it can do, and moved away from it. */
#define FULLER(host)                                                     \
	"[Host]\nLengthSec=1min\nCPUs=4\n" host "[Nic eth0]\nQueues=2\n" \
	"Placement=collapsed\nInterruptCost=0ns\n"                       \
	"[Traffic eth0]\nPacketsPerSec=4M\n"

static struct made make_stuck(const char *text)
{
	struct made made = make_world(text);

	nb_world_step(made.world, SEC);
	look(&made, 0);
	move_queue(&made, first_queue, 2);
	move_queue(&made, second_queue, 1);
	nb_world_step(made.world, 10 * SEC);
	assert_int_equal(look(&made, 0)->polled_cpu, 0);
	assert_int_equal(look(&made, 1)->polled_cpu, 0);
	steer_queue(&made, first_queue, 1 << 2);
	steer_queue(&made, second_queue, 1 << 1);
	return made;
}

static void a_napi_that_is_helped_is_done_after_a_tenth_of_a_second(void **state)
{
	struct made made = make_stuck(FULLER(""));

	(void)state;
	nb_world_step(made.world, SEC / 20);
	nb_world_step(made.world, SEC / 20);
	assert_int_equal(look(&made, 1)->polled_cpu, 0);
	nb_world_step(made.world, SEC / 100);
	assert_int_equal(look(&made, 0)->polled_cpu, 2);
	assert_int_equal(look(&made, 1)->polled_cpu, 1);
	unmake(&made);
}

static void what_followed_stays_without_help(void **state)
{
	struct made made = make_stuck(FULLER(""));

	(void)state;
	nb_world_step(made.world, SEC / 5);
	steer_queue(&made, first_queue, 0);
	steer_queue(&made, second_queue, 0);
	nb_world_step(made.world, 20 * SEC);
	assert_int_equal(look(&made, 0)->polled_cpu, 2);
	assert_int_equal(look(&made, 1)->polled_cpu, 1);
	unmake(&made);
}

static void help_that_ends_too_soon_was_in_vain(void **state)
{
	struct made made = make_stuck(FULLER(""));

	(void)state;
	nb_world_step(made.world, SEC / 20);
	steer_queue(&made, first_queue, 0);
	steer_queue(&made, second_queue, 0);
	nb_world_step(made.world, 5 * SEC);
	assert_int_equal(look(&made, 0)->polled_cpu, 0);
	assert_int_equal(look(&made, 1)->polled_cpu, 0);
	unmake(&made);
}

/* No interrupt comes that could take the write along. */
static void without_remapping_the_interrupt_of_a_stuck_napi_moves_when_it_is_done(void **state)
{
	struct made made = make_stuck(FULLER("InterruptRemapping=no\n"));

	(void)state;
	assert_int_equal(look(&made, 1)->affinity_cpu, 1);
	assert_int_equal(look(&made, 1)->effective_cpu, 0);
	nb_world_step(made.world, SEC / 5);
	assert_int_equal(look(&made, 1)->effective_cpu, 1);
	assert_int_equal(look(&made, 1)->polled_cpu, 1);
	unmake(&made);
}

/* 200 ns of the driver's for each of 6 M packets. */
static void rps_is_no_help_where_the_driver_alone_fills_the_cpu(void **state)
{
	struct made made = make_world("[Host]\nLengthSec=1min\nCPUs=8\n[Nic eth0]\nQueues=1\n"
				      "[Traffic eth0]\nPacketsPerSec=6M\n");

	(void)state;
	nb_world_step(made.world, SEC);
	move_queue(&made, first_queue, 1);
	steer_queue(&made, first_queue, 0xfc);
	nb_world_step(made.world, 20 * SEC);
	assert_int_equal(look(&made, 0)->polled_cpu, 0);
	unmake(&made);
}

static void in_the_counted_grade_no_interrupt_of_a_stuck_napi_lands(void **state)
{
	struct made made = make_world(FULLER("Grade=estimated\n"));
	uint64_t packets, interrupts;
	const struct nb_queue_state *now;

	(void)state;
	nb_world_step(made.world, SEC);
	move_queue(&made, second_queue, 1);
	nb_world_step(made.world, SEC);
	packets = look(&made, 1)->rx_packets;
	interrupts = look(&made, 1)->interrupts;
	nb_world_step(made.world, SEC);
	now = look(&made, 1);
	assert_int_equal(now->landed_cpu, -1);
	assert_int_equal(now->interrupts, interrupts);
	assert_true(now->rx_packets > packets);
	unmake(&made);
}

/* It does 1.25 M packets a second: 625 k for each queue, of 2 M and of 1 M. */
static void a_full_cpu_gives_each_napi_its_turn_whatever_it_wants(void **state)
{
	struct made made = make_world("[Host]\nLengthSec=1min\nCPUs=4\n[Nic eth0]\nQueues=1\n"
				      "InterruptCost=0ns\n[Nic eth1]\nQueues=1\nInterruptCost=0ns\n"
				      "[Traffic eth0]\nPacketsPerSec=2M\n"
				      "[Traffic eth1]\nPacketsPerSec=1M\n");
	const struct nb_queue_state *now;

	(void)state;
	nb_world_step(made.world, 10 * SEC);
	now = nb_world_snapshot(made.world)->queues;
	for (unsigned i = 0; i < 2; i++) {
		assert_near(now[i].rx_packets, 6250000, 0);
		assert_near(now[i].time_nsec, 5 * SEC, 0);
		assert_int_equal(now[i].exhausted, now[i].polls);
	}
	assert_near(nb_world_snapshot(made.world)->cpus[0].processed, 12500000, 0);
	assert_near(nb_world_queue_demand(made.world, 0), 16000, 0);
	assert_near(nb_world_queue_demand(made.world, 1), 8000, 0);
	unmake(&made);
}

static void all_of_a_fuller_cpu_must_be_helped(void **state)
{
	struct made made = make_world(FULLER(""));

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

/* Two queues that want 152 % of a CPU, and an application that wants all of it. */
static uint64_t received_beside_application(const char *host)
{
	g_autofree char *text = g_strdup_printf("[Host]\nLengthSec=1min\nCPUs=2\n%s"
						"[Nic eth0]\nQueues=2\nPlacement=collapsed\n"
						"InterruptCost=0ns\n"
						"[Traffic eth0]\nPacketsPerSec=1.9M\n"
						"[Application]\nCPU=0\nShare=100%%\n",
						host);
	struct made made = make_world(text);
	uint64_t received;

	nb_world_step(made.world, 10 * SEC);
	assert_true(nb_world_snapshot(made.world)->cpus[0].squeezed > 0);
	received = nb_world_received(made.world);
	unmake(&made);
	return received;
}

/* As with Linux 6.12 and 6.1. */
static void an_application_gets_half_where_softirqs_are_fair(void **state)
{
	uint64_t first = received_beside_application("");
	uint64_t fair = received_beside_application("FairSoftirqs=yes\n");

	(void)state;
	assert_true(first > 12300000 && first < 12600000);
	assert_in_range(fair, first / 2 - 10000, first / 2 + 10000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_napi_that_never_finishes_stays_where_it_is),
		cmocka_unit_test(it_follows_when_its_driver_looks),
		cmocka_unit_test(one_whose_interrupt_is_deferred_stays_while_packets_come),
		cmocka_unit_test(one_whose_interrupt_is_deferred_follows_when_packets_are_few),
		cmocka_unit_test(it_follows_once_rps_lets_it_finish),
		cmocka_unit_test(a_napi_that_is_helped_is_done_after_a_tenth_of_a_second),
		cmocka_unit_test(what_followed_stays_without_help),
		cmocka_unit_test(help_that_ends_too_soon_was_in_vain),
		cmocka_unit_test(
			without_remapping_the_interrupt_of_a_stuck_napi_moves_when_it_is_done),
		cmocka_unit_test(rps_is_no_help_where_the_driver_alone_fills_the_cpu),
		cmocka_unit_test(in_the_counted_grade_no_interrupt_of_a_stuck_napi_lands),
		cmocka_unit_test(a_full_cpu_gives_each_napi_its_turn_whatever_it_wants),
		cmocka_unit_test(all_of_a_fuller_cpu_must_be_helped),
		cmocka_unit_test(of_a_full_cpu_the_large_lose),
		cmocka_unit_test(a_full_cpu_squeezes),
		cmocka_unit_test(an_application_gets_half_where_softirqs_are_fair),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

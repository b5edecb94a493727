/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "bpf/probe_internal.h"
#include "unit/sample/timing_fixture.h"

static void a_poll_is_booked_to_the_queue_of_its_interrupt(void **state)
{
	struct fixture *f = *state;
	unsigned napi = nb_fake_probe_add_napi(f->probe, 2, 0, 27);

	nb_fake_probe_poll(f->probe, napi, 6, 30 * USEC, 12);
	nb_fake_probe_poll(f->probe, napi, 6, 50 * USEC, 64);
	read_now(f);
	assert_int_equal(f->queues[2].time_nsec, 80 * USEC);
	assert_int_equal(f->queues[2].polled_packets, 76);
	assert_int_equal(f->queues[2].polls, 2);
	assert_int_equal(f->queues[2].exhausted, 1);
	assert_int_equal(f->queues[2].polled_cpu, 6);
	assert_int_equal(f->queues[1].time_nsec, 0);
	assert_int_equal(f->queues[1].polled_cpu, -1);
	assert_int_equal(f->cpus[4].id, 6);
	assert_int_equal(f->cpus[4].queues_nsec, 80 * USEC);
	assert_int_equal(f->cpus[4].softirq_nsec, 80 * USEC);
	assert_int_equal(f->cpus[4].backlog_nsec, 0);
}

static void what_was_read_is_not_read_again(void **state)
{
	struct fixture *f = *state;
	unsigned napi = nb_fake_probe_add_napi(f->probe, 2, 0, 25);

	nb_fake_probe_poll(f->probe, napi, 0, 30 * USEC, 12);
	read_now(f);
	read_now(f);
	assert_int_equal(f->queues[0].time_nsec, 30 * USEC);
	nb_fake_probe_poll(f->probe, napi, 1, 7 * USEC, 1);
	read_now(f);
	assert_int_equal(f->queues[0].time_nsec, 37 * USEC);
	assert_int_equal(f->queues[0].polled_cpu, 1);
}

static void the_handler_of_an_interrupt_is_work_of_its_queue(void **state)
{
	struct fixture *f = *state;
	struct nb_probe_irq *irq = nb_fake_probe_irq(f->probe, 26);

	irq->irq_nsec += 4 * USEC;
	irq->count += 2;
	irq->cpu = 3;
	nb_fake_probe_cpu(f->probe, 3)->irq_nsec += 9 * USEC;
	nb_fake_probe_cpu(f->probe, 3)->scope_irq_nsec += 4 * USEC;
	read_now(f);
	assert_int_equal(f->queues[1].time_nsec, 4 * USEC);
	assert_int_equal(f->queues[1].interrupts, 2);
	assert_int_equal(f->queues[1].landed_cpu, 3);
	assert_int_equal(f->cpus[2].irq_nsec, 9 * USEC);
	assert_int_equal(f->cpus[2].queues_nsec, 4 * USEC);
}

static void a_napi_of_unknown_interrupt_is_no_work_that_can_move(void **state)
{
	struct fixture *f = *state;
	unsigned napi = nb_fake_probe_add_napi(f->probe, 2, 0, 0);

	nb_fake_probe_poll(f->probe, napi, 4, 30 * USEC, 12);
	read_now(f);
	assert_int_equal(f->cpus[3].id, 4);
	assert_int_equal(f->cpus[3].softirq_nsec, 30 * USEC);
	assert_int_equal(f->cpus[3].queues_nsec, 0);
	assert_int_equal(f->cpus[3].unknown_nsec, 30 * USEC);
	assert_int_equal(f->cpus[3].unknown_packets, 12);
	nb_fake_probe_poll(f->probe, napi, 4, 5 * USEC, 3);
	read_now(f);
	assert_int_equal(f->cpus[3].unknown_nsec, 35 * USEC);
	assert_int_equal(f->cpus[3].unknown_packets, 15);

	/* It was seen to follow interrupt 28 often enough. */
	nb_fake_probe_napi(f->probe, napi)->irq = 28;
	nb_fake_probe_napi(f->probe, napi)->irq_votes = NB_PROBE_SURE;
	nb_fake_probe_poll(f->probe, napi, 4, 20 * USEC, 12);
	read_now(f);
	assert_int_equal(f->queues[3].time_nsec, 20 * USEC);
	assert_int_equal(f->cpus[3].queues_nsec, 20 * USEC);
	assert_int_equal(f->cpus[3].unknown_nsec, 35 * USEC);
	assert_int_equal(f->cpus[3].unknown_packets, 15);
}

static void of_two_napis_the_busier_tells_where_the_queue_is(void **state)
{
	struct fixture *f = *state;
	unsigned rx = nb_fake_probe_add_napi(f->probe, 2, 0, 25);
	unsigned tx = nb_fake_probe_add_napi(f->probe, 2, 0, 25);

	nb_fake_probe_poll(f->probe, rx, 1, 30 * USEC, 12);
	nb_fake_probe_poll(f->probe, tx, 3, 2 * USEC, 0);
	read_now(f);
	assert_int_equal(f->queues[0].time_nsec, 32 * USEC);
	assert_int_equal(f->queues[0].polled_cpu, 1);
}

static void what_an_application_leaves_to_its_cpu_tells_nothing(void **state)
{
	struct fixture *f = *state;
	unsigned napi = nb_fake_probe_add_napi(f->probe, 2, 0, 25);
	struct nb_probe_napi *counters = nb_fake_probe_napi(f->probe, napi);

	nb_fake_probe_poll(f->probe, napi, 1, 10 * USEC, 4);
	nb_fake_probe_poll(f->probe, napi, 3, 90 * USEC, 64);
	counters->polls += 3;
	counters->busy_polls += 3;
	read_now(f);
	assert_int_equal(f->queues[0].polls, 2);
	assert_int_equal(f->queues[0].polled_cpu, -1);

	/* It polls now and then, and softirqs are where the interrupt goes. */
	nb_fake_probe_poll(f->probe, napi, 1, 10 * USEC, 4);
	nb_fake_probe_poll(f->probe, napi, 1, 10 * USEC, 4);
	counters->polls += 2;
	counters->busy_polls += 2;
	read_now(f);
	assert_int_equal(f->queues[0].polled_cpu, 1);
}

/* As the programs do when they are in the midst of a poll that used its whole budget. */
static void begin_poll(struct nb_probe_napi *counters)
{
	counters->exhausted++;
}

static void end_poll(struct nb_probe_napi *counters)
{
	counters->polls++;
}

static void a_napi_that_never_completes_does_not_seem_to(void **state)
{
	struct fixture *f = *state;
	unsigned napi = nb_fake_probe_add_napi(f->probe, 2, 0, 25);
	struct nb_probe_napi *counters = nb_fake_probe_napi(f->probe, napi);

	nb_fake_probe_poll(f->probe, napi, 1, 90 * USEC, 64);
	begin_poll(counters);
	read_now(f);
	assert_int_equal(f->queues[0].polls, 1);
	assert_int_equal(f->queues[0].exhausted, 1);
	end_poll(counters);
	nb_fake_probe_poll(f->probe, napi, 1, 90 * USEC, 64);
	read_now(f);
	assert_int_equal(f->queues[0].polls, 3);
	assert_int_equal(f->queues[0].exhausted, 3);

	/* What was begun is not counted twice. */
	begin_poll(counters);
	read_now(f);
	end_poll(counters);
	nb_fake_probe_poll(f->probe, napi, 1, 10 * USEC, 4);
	read_now(f);
	assert_int_equal(f->queues[0].polls, 5);
	assert_int_equal(f->queues[0].exhausted, 4);
}

/* A thread's poll is counted among all after it was among its own. */
static void a_poll_of_a_thread_is_none_by_softirq_while_it_is_counted(void **state)
{
	struct fixture *f = *state;
	unsigned napi = nb_fake_probe_add_napi(f->probe, 2, 0, 25);
	struct nb_probe_napi *counters = nb_fake_probe_napi(f->probe, napi);

	begin_poll(counters);
	counters->threaded_polls++;
	read_now(f);
	assert_int_equal(f->queues[0].polls, 0);
	assert_int_equal(f->queues[0].thread_polls, 1);
	assert_int_equal(f->queues[0].exhausted, 1);
	end_poll(counters);
	read_now(f);
	assert_int_equal(f->queues[0].polls, 0);
	nb_fake_probe_poll(f->probe, napi, 1, 10 * USEC, 4);
	read_now(f);
	assert_int_equal(f->queues[0].polls, 1);
}

static void threads_are_told_apart(void **state)
{
	struct fixture *f = *state;
	unsigned napi = nb_fake_probe_add_napi(f->probe, 2, 0, 25);
	struct nb_probe_napi *counters = nb_fake_probe_napi(f->probe, napi);

	counters->threaded_nsec = 900 * USEC;
	counters->polls = counters->threaded_polls = 10;
	counters->packets = 100;
	counters->cpu = 3;
	read_now(f);
	assert_int_equal(f->queues[0].threaded_nsec, 900 * USEC);
	assert_int_equal(f->queues[0].time_nsec, 0);
	assert_int_equal(f->queues[0].polls, 0);
	assert_int_equal(f->queues[0].polled_packets, 100);
	assert_int_equal(f->queues[0].polled_cpu, -1);
}

static void poll_by_thread(struct fixture *f, unsigned napi, uint32_t pid)
{
	struct nb_probe_napi *counters = nb_fake_probe_napi(f->probe, napi);

	counters->polls++;
	counters->threaded_polls++;
	counters->pid = pid;
	counters->cpu = 3;
}

static void the_thread_that_polls_is_known_until_another_or_a_softirq_does(void **state)
{
	struct fixture *f = *state;
	unsigned napi = nb_fake_probe_add_napi(f->probe, 2, 301, 25);

	poll_by_thread(f, napi, 900);
	read_now(f);
	assert_int_equal(f->queues[0].thread, 900);
	assert_int_equal(f->queues[0].thread_cpu, 3);
	assert_int_equal(f->queues[0].thread_polls, 1);
	assert_int_equal(f->queues[1].thread, 0);
	read_now(f);
	assert_int_equal(f->queues[0].thread, 900);
	assert_int_equal(f->queues[0].thread_cpu, 3);
	assert_int_equal(f->queues[0].thread_polls, 1);
	poll_by_thread(f, napi, 901);
	read_now(f);
	assert_int_equal(f->queues[0].thread, 901);
	assert_int_equal(f->queues[0].thread_polls, 2);
	nb_fake_probe_poll(f->probe, napi, 1, 10 * USEC, 4);
	read_now(f);
	assert_int_equal(f->queues[0].thread, 0);
	assert_int_equal(f->queues[0].thread_cpu, -1);
}

static void of_two_threads_one_stays_that_of_the_queue(void **state)
{
	struct fixture *f = *state;
	unsigned first = nb_fake_probe_add_napi(f->probe, 2, 301, 25);
	unsigned second = nb_fake_probe_add_napi(f->probe, 2, 302, 25);
	unsigned sender = nb_fake_probe_add_napi(f->probe, 2, 0, 25);

	poll_by_thread(f, second, 902);
	poll_by_thread(f, sender, 903);
	read_now(f);
	assert_int_equal(f->queues[0].thread, 902);
	poll_by_thread(f, first, 901);
	poll_by_thread(f, second, 902);
	read_now(f);
	assert_int_equal(f->queues[0].thread, 902);
	/* The NAPI of the other is gone. */
	poll_by_thread(f, first, 901);
	nb_fake_probe_poll(f->probe, sender, 1, 10 * USEC, 0);
	read_now(f);
	assert_int_equal(f->queues[0].thread, 901);
	nb_fake_probe_poll(f->probe, sender, 1, 10 * USEC, 0);
	read_now(f);
	assert_int_equal(f->queues[0].thread, 901);
}

static void backlog_and_other_devices_are_backlog(void **state)
{
	struct fixture *f = *state;
	struct nb_probe_cpu *cpu = nb_fake_probe_cpu(f->probe, 7);

	cpu->softirq_nsec[NB_PROBE_NET_RX] = 100 * USEC;
	cpu->softirq_nsec[NB_PROBE_NET_TX] = 5 * USEC;
	cpu->backlog_nsec = 60 * USEC;
	cpu->other_nsec = 10 * USEC;
	read_now(f);
	assert_int_equal(f->cpus[5].backlog_nsec, 70 * USEC);
	assert_int_equal(f->cpus[5].queues_nsec, 30 * USEC);
	assert_int_equal(f->cpus[5].softirq_nsec, 105 * USEC);
}

static void have_tunnels(struct fixture *f)
{
	int ifindex = 9;

	g_array_append_val(f->scan->tunnels, ifindex);
	assert_int_equal(nb_timing_adopt(f->timing, f->scan), 0);
	assert_int_equal(f->probe->control->n_tunnels, 1);
	read_now(f);
}

static void steer_to(struct fixture *f, struct nb_rps_state *mask, unsigned cpu)
{
	nb_cpumask_add(&mask->cpus, cpu);
	f->snapshot.rps = mask;
	f->snapshot.n_rps = 1;
}

/* As the programs book what goes on with packets. */
static void go_on(struct fixture *f, unsigned cpu, uint64_t nsec)
{
	nb_fake_probe_cpu(f->probe, cpu)->onward_nsec += nsec;
	nb_fake_probe_cpu(f->probe, cpu)->softirq_nsec[NB_PROBE_NET_RX] += nsec;
}

static void work_of_a_tunnel_is_that_of_the_queues_beside_it(void **state)
{
	struct fixture *f = *state;
	unsigned big = nb_fake_probe_add_napi(f->probe, 2, 0, 25);
	unsigned small = nb_fake_probe_add_napi(f->probe, 2, 0, 26);
	unsigned elsewhere = nb_fake_probe_add_napi(f->probe, 2, 0, 27);

	have_tunnels(f);
	nb_fake_probe_poll(f->probe, big, 6, 30 * USEC, 12);
	nb_fake_probe_poll(f->probe, small, 6, 10 * USEC, 4);
	nb_fake_probe_poll(f->probe, elsewhere, 3, 10 * USEC, 4);
	go_on(f, 6, 80 * USEC);
	read_now(f);
	assert_int_equal(f->queues[0].time_nsec, 90 * USEC);
	assert_int_equal(f->queues[1].time_nsec, 30 * USEC);
	assert_int_equal(f->queues[2].time_nsec, 10 * USEC);
	assert_int_equal(f->cpus[4].queues_nsec, 120 * USEC);
	assert_int_equal(f->cpus[4].backlog_nsec, 0);
	assert_int_equal(f->cpus[4].softirq_nsec, 120 * USEC);
	read_now(f);
	assert_int_equal(f->queues[0].time_nsec, 90 * USEC);
	assert_int_equal(f->cpus[4].queues_nsec, 120 * USEC);
}

static void what_went_on_before_the_first_sample_counts_for_nothing(void **state)
{
	struct fixture *f = *state;
	struct nb_rps_state mask = {.key = {.ifindex = 2, .index = 3}};
	unsigned napi = nb_fake_probe_add_napi(f->probe, 2, 0, 25);

	steer_to(f, &mask, 6);
	nb_fake_probe_cpu(f->probe, 6)->backlog_nsec += 70 * USEC;
	go_on(f, 6, 80 * USEC);
	nb_fake_probe_poll(f->probe, napi, 6, 10 * USEC, 4);
	have_tunnels(f);
	assert_int_equal(f->queues[0].time_nsec, 10 * USEC);
	nb_fake_probe_poll(f->probe, napi, 6, 10 * USEC, 4);
	go_on(f, 6, 20 * USEC);
	read_now(f);
	assert_int_equal(f->queues[0].time_nsec, 40 * USEC);
	nb_fake_probe_cpu(f->probe, 6)->backlog_nsec += 10 * USEC;
	nb_fake_probe_poll(f->probe, napi, 6, 10 * USEC, 4);
	go_on(f, 6, 20 * USEC);
	read_now(f);
	assert_int_equal(f->queues[0].time_nsec, 60 * USEC);
	nb_fake_probe_poll(f->probe, napi, 6, 10 * USEC, 4);
	go_on(f, 6, 20 * USEC);
	read_now(f);
	assert_int_equal(f->queues[0].time_nsec, 90 * USEC);
}

static void backlog_that_is_not_steered_leads_to_no_tunnel(void **state)
{
	struct fixture *f = *state;
	unsigned napi = nb_fake_probe_add_napi(f->probe, 2, 0, 25);

	have_tunnels(f);
	nb_fake_probe_poll(f->probe, napi, 6, 10 * USEC, 12);
	nb_fake_probe_cpu(f->probe, 6)->backlog_nsec += 40 * USEC;
	nb_fake_probe_cpu(f->probe, 6)->softirq_nsec[NB_PROBE_NET_RX] += 40 * USEC;
	go_on(f, 6, 40 * USEC);
	read_now(f);
	assert_int_equal(f->queues[0].time_nsec, 50 * USEC);
	assert_int_equal(f->cpus[4].backlog_nsec, 40 * USEC);
}

/* Such as that of containers, whose packets come by a veth. */
static void backlog_of_forwarded_packets_is_that_of_the_queues_beside_it(void **state)
{
	struct fixture *f = *state;
	unsigned napi = nb_fake_probe_add_napi(f->probe, 2, 0, 25);

	read_now(f);
	nb_fake_probe_poll(f->probe, napi, 6, 10 * USEC, 12);
	nb_fake_probe_cpu(f->probe, 6)->backlog_nsec += 5 * USEC;
	nb_fake_probe_cpu(f->probe, 6)->softirq_nsec[NB_PROBE_NET_RX] += 5 * USEC;
	go_on(f, 6, 40 * USEC);
	go_on(f, 7, 20 * USEC);
	read_now(f);
	assert_int_equal(f->probe->control->n_tunnels, 0);
	assert_int_equal(f->queues[0].time_nsec, 50 * USEC);
	assert_int_equal(f->cpus[4].queues_nsec, 50 * USEC);
	assert_int_equal(f->cpus[4].backlog_nsec, 5 * USEC);
	assert_int_equal(f->cpus[5].queues_nsec, 0);
	assert_int_equal(f->cpus[5].backlog_nsec, 20 * USEC);
}

/* Where RPS steers packets. */
static void work_of_a_tunnel_goes_with_steered_packets_too(void **state)
{
	struct fixture *f = *state;
	struct nb_rps_state mask = {.key = {.ifindex = 2, .index = 0}};
	unsigned napi = nb_fake_probe_add_napi(f->probe, 2, 0, 25);

	have_tunnels(f);
	steer_to(f, &mask, 6);
	nb_fake_probe_poll(f->probe, napi, 6, 10 * USEC, 12);
	nb_fake_probe_cpu(f->probe, 6)->backlog_nsec += 30 * USEC;
	nb_fake_probe_cpu(f->probe, 6)->softirq_nsec[NB_PROBE_NET_RX] += 30 * USEC;
	go_on(f, 6, 40 * USEC);
	go_on(f, 7, 20 * USEC);
	read_now(f);
	assert_int_equal(f->queues[0].time_nsec, 20 * USEC);
	assert_int_equal(f->cpus[4].queues_nsec, 20 * USEC);
	assert_int_equal(f->cpus[4].backlog_nsec, 60 * USEC);
	assert_int_equal(f->cpus[5].queues_nsec, 0);
	assert_int_equal(f->cpus[5].backlog_nsec, 20 * USEC);
}

/* CPUs without a tick are left alone: what /proc/stat tells of them stays. */
static void skipped_cpus_keep_what_the_kernel_tells(void **state)
{
	struct fixture *f = *state;

	nb_cpumask_add(&f->scan->machine.topology.isolated_by[NB_ISOLATION_NOHZ_FULL], 3);
	assert_int_equal(nb_timing_adopt(f->timing, f->scan), 0);
	f->cpus[2].softirq_nsec = 5 * USEC;
	nb_fake_probe_cpu(f->probe, 1)->softirq_nsec[NB_PROBE_NET_RX] = 7 * USEC;
	nb_fake_probe_cpu(f->probe, 3)->softirq_nsec[NB_PROBE_NET_RX] = 7 * USEC;
	read_now(f);
	assert_int_equal(f->cpus[1].softirq_nsec, 7 * USEC);
	assert_int_equal(f->cpus[2].softirq_nsec, 5 * USEC);
}

static void a_rescan_loses_nothing(void **state)
{
	struct fixture *f = *state;
	unsigned napi = nb_fake_probe_add_napi(f->probe, 2, 0, 25);
	struct nb_scan *again = NULL;

	nb_fake_probe_poll(f->probe, napi, 0, 30 * USEC, 12);
	nb_fake_probe_irq(f->probe, 25)->irq_nsec = 3 * USEC;
	nb_fake_probe_irq(f->probe, 25)->count = 1;
	read_now(f);
	nb_fake_probe_poll(f->probe, napi, 0, 11 * USEC, 1);
	nb_fake_probe_irq(f->probe, 25)->irq_nsec = 5 * USEC;
	nb_fake_probe_irq(f->probe, 25)->count = 2;

	assert_int_equal(nb_scan_new(f->root, NULL, NULL, NULL, 2, &again), 0);
	assert_int_equal(nb_timing_adopt(f->timing, again), 0);
	nb_scan_unref(f->scan);
	f->scan = again;
	read_now(f);
	assert_int_equal(f->queues[0].time_nsec, 46 * USEC);
	assert_int_equal(f->queues[0].interrupts, 2);
}

static void delays_are_read_while_they_are_counted(void **state)
{
	struct fixture *f = *state;

	f->probe->delays[3].counts[13] = 77;
	read_now(f);
	assert_false(f->cpus[2].delays_known);
	assert_int_equal(f->cpus[2].delays[13], 0);
	nb_probe_measure(f->probe, true);
	read_now(f);
	assert_true(f->cpus[2].delays_known);
	assert_int_equal(f->cpus[2].delays[13], 77);
	assert_int_equal(f->cpus[1].delays[13], 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(delays_are_read_while_they_are_counted, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(a_poll_is_booked_to_the_queue_of_its_interrupt,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(what_was_read_is_not_read_again, set_up, tear_down),
		cmocka_unit_test_setup_teardown(the_handler_of_an_interrupt_is_work_of_its_queue,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			a_napi_of_unknown_interrupt_is_no_work_that_can_move, set_up, tear_down),
		cmocka_unit_test_setup_teardown(of_two_napis_the_busier_tells_where_the_queue_is,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(what_an_application_leaves_to_its_cpu_tells_nothing,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_napi_that_never_completes_does_not_seem_to,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			a_poll_of_a_thread_is_none_by_softirq_while_it_is_counted, set_up,
			tear_down),
		cmocka_unit_test_setup_teardown(threads_are_told_apart, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			the_thread_that_polls_is_known_until_another_or_a_softirq_does, set_up,
			tear_down),
		cmocka_unit_test_setup_teardown(of_two_threads_one_stays_that_of_the_queue, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(backlog_and_other_devices_are_backlog, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(work_of_a_tunnel_is_that_of_the_queues_beside_it,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			what_went_on_before_the_first_sample_counts_for_nothing, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			backlog_of_forwarded_packets_is_that_of_the_queues_beside_it, set_up,
			tear_down),
		cmocka_unit_test_setup_teardown(backlog_that_is_not_steered_leads_to_no_tunnel,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(work_of_a_tunnel_goes_with_steered_packets_too,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(skipped_cpus_keep_what_the_kernel_tells, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(a_rescan_loses_nothing, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "nicbalance/units.h"
#include "sample/timing.h"
#include "support/fake_probe.h"
#include "unit/sample/machine.h"

#define USEC NB_NSEC_PER_USEC

/* The machine "holes": lab0 (ifindex 2) with four queues, interrupts 25 to 28; CPUs 0, 1, 3, 4, 6,
 * 7 are online. */
struct fixture {
	char *dir;
	struct nb_sysroot *root;
	struct nb_scan *scan;
	struct nb_probe *probe;
	struct nb_timing *timing;
	struct nb_cpu_counters cpus[6];
	struct nb_queue_state queues[4];
	struct nb_snapshot snapshot;
};

static int set_up(void **state)
{
	static const unsigned ids[] = {0, 1, 3, 4, 6, 7};
	struct fixture *f = g_new0(struct fixture, 1);

	f->dir = nb_machine("holes");
	f->root = nb_machine_open(f->dir);
	assert_int_equal(nb_scan_new(f->root, NULL, NULL, 1, &f->scan), 0);
	assert_int_equal(f->scan->machine.queues[0].irqs[0], 25);
	f->probe = nb_fake_probe_new(8);
	f->timing = nb_timing_new(f->probe);
	assert_int_equal(nb_timing_adopt(f->timing, f->scan), 0);
	for (unsigned i = 0; i < G_N_ELEMENTS(ids); i++)
		f->cpus[i].id = ids[i];
	for (unsigned i = 0; i < 4; i++)
		f->queues[i] = (struct nb_queue_state){.landed_cpu = -1, .polled_cpu = -1};
	f->snapshot = (struct nb_snapshot){
		.cpus = f->cpus, .n_cpus = 6, .queues = f->queues, .n_queues = 4};
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	nb_timing_free(f->timing);
	nb_fake_probe_free(f->probe);
	nb_scan_unref(f->scan);
	nb_sysroot_free(f->root);
	nb_tmp_remove(f->dir);
	g_free(f);
	return 0;
}

static void read_now(struct fixture *f)
{
	nb_timing_read(f->timing, &f->snapshot, false);
}

static void a_poll_is_booked_to_the_queue_of_its_interrupt(void **state)
{
	struct fixture *f = *state;
	unsigned napi = nb_fake_probe_add_napi(f->probe, 2, 0, 27);

	nb_fake_probe_poll(f->probe, napi, 6, 30 * USEC, 12);
	nb_fake_probe_poll(f->probe, napi, 6, 50 * USEC, 64);
	read_now(f);
	assert_int_equal(f->queues[2].work_nsec, 80 * USEC);
	assert_int_equal(f->queues[2].polled_packets, 76);
	assert_int_equal(f->queues[2].polls, 2);
	assert_int_equal(f->queues[2].exhausted, 1);
	assert_int_equal(f->queues[2].polled_cpu, 6);
	assert_int_equal(f->queues[1].work_nsec, 0);
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
	assert_int_equal(f->queues[0].work_nsec, 30 * USEC);
	nb_fake_probe_poll(f->probe, napi, 1, 7 * USEC, 1);
	read_now(f);
	assert_int_equal(f->queues[0].work_nsec, 37 * USEC);
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
	assert_int_equal(f->queues[1].work_nsec, 4 * USEC);
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

	/* It was seen to follow interrupt 28 often enough. */
	nb_fake_probe_napi(f->probe, napi)->irq = 28;
	nb_fake_probe_napi(f->probe, napi)->irq_votes = NB_PROBE_SURE;
	nb_fake_probe_poll(f->probe, napi, 4, 20 * USEC, 12);
	read_now(f);
	assert_int_equal(f->queues[3].work_nsec, 20 * USEC);
	assert_int_equal(f->cpus[3].queues_nsec, 20 * USEC);
}

static void a_few_votes_bind_nothing(void **state)
{
	struct fixture *f = *state;
	unsigned napi = nb_fake_probe_add_napi(f->probe, 2, 0, 25);

	nb_fake_probe_napi(f->probe, napi)->irq_votes = NB_PROBE_SURE - 1;
	nb_fake_probe_poll(f->probe, napi, 0, 30 * USEC, 12);
	read_now(f);
	assert_int_equal(f->queues[0].work_nsec, 0);
}

static void the_id_that_netlink_tells_needs_no_interrupt(void **state)
{
	struct fixture *f = *state;
	struct nb_scan_napi known = {.ifindex = 2, .id = 8193, .queue = 3};
	unsigned napi = nb_fake_probe_add_napi(f->probe, 2, 8193, 0);

	g_array_append_val(f->scan->napis, known);
	nb_fake_probe_poll(f->probe, napi, 0, 30 * USEC, 12);
	read_now(f);
	assert_int_equal(f->queues[3].work_nsec, 30 * USEC);
}

static void counters_that_become_another_napis_are_bound_anew(void **state)
{
	struct fixture *f = *state;
	unsigned napi = nb_fake_probe_add_napi(f->probe, 2, 0, 25);
	struct nb_probe_napi *counters = nb_fake_probe_napi(f->probe, napi);

	nb_fake_probe_poll(f->probe, napi, 0, 30 * USEC, 12);
	read_now(f);
	counters->serial++;
	counters->irq = 26;
	nb_fake_probe_poll(f->probe, napi, 0, 5 * USEC, 1);
	read_now(f);
	assert_int_equal(f->queues[0].work_nsec, 30 * USEC);
	assert_int_equal(f->queues[1].work_nsec, 5 * USEC);
}

static void of_two_napis_the_busier_tells_where_the_queue_is(void **state)
{
	struct fixture *f = *state;
	unsigned rx = nb_fake_probe_add_napi(f->probe, 2, 0, 25);
	unsigned tx = nb_fake_probe_add_napi(f->probe, 2, 0, 25);

	nb_fake_probe_poll(f->probe, rx, 1, 30 * USEC, 12);
	nb_fake_probe_poll(f->probe, tx, 3, 2 * USEC, 0);
	read_now(f);
	assert_int_equal(f->queues[0].work_nsec, 32 * USEC);
	assert_int_equal(f->queues[0].polled_cpu, 1);
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
	assert_int_equal(f->queues[0].work_nsec, 0);
	assert_int_equal(f->queues[0].polls, 0);
	assert_int_equal(f->queues[0].polled_packets, 100);
	assert_int_equal(f->queues[0].polled_cpu, -1);
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

	assert_int_equal(nb_scan_new(f->root, NULL, NULL, 2, &again), 0);
	assert_int_equal(nb_timing_adopt(f->timing, again), 0);
	nb_scan_unref(f->scan);
	f->scan = again;
	read_now(f);
	assert_int_equal(f->queues[0].work_nsec, 46 * USEC);
	assert_int_equal(f->queues[0].interrupts, 2);
}

/* An audit after which the driver has counted so many packets of queues 0 and 1. */
static void audit_now(struct fixture *f, uint64_t rx_0, uint64_t rx_1)
{
	f->queues[0].rx_packets = rx_0;
	f->queues[1].rx_packets = rx_1;
	nb_timing_read(f->timing, &f->snapshot, true);
}

static void a_napi_without_interrupts_is_known_by_its_packets(void **state)
{
	struct fixture *f = *state;
	unsigned napi = nb_fake_probe_add_napi(f->probe, 2, 0, 0);

	audit_now(f, 5000, 70000);
	for (unsigned i = 0; i < 50; i++)
		nb_fake_probe_poll(f->probe, napi, 0, 30 * USEC, 64);
	audit_now(f, 5900, 73210);
	for (unsigned i = 0; i < 50; i++)
		nb_fake_probe_poll(f->probe, napi, 0, 30 * USEC, 64);
	read_now(f);
	assert_int_equal(f->queues[1].work_nsec, 50 * 30 * USEC);
	assert_int_equal(f->queues[1].polled_packets, 3200);
	assert_int_equal(f->queues[0].work_nsec, 0);

	/* A rescan does not forget it. */
	assert_int_equal(nb_timing_adopt(f->timing, f->scan), 0);
	nb_fake_probe_poll(f->probe, napi, 0, 5 * USEC, 64);
	read_now(f);
	assert_int_equal(f->queues[1].work_nsec, (50 * 30 + 5) * USEC);
}

static void of_two_queues_that_fit_the_one_on_its_cpu_is_taken(void **state)
{
	struct fixture *f = *state;
	unsigned first = nb_fake_probe_add_napi(f->probe, 2, 0, 0);
	unsigned second = nb_fake_probe_add_napi(f->probe, 2, 0, 0);

	f->queues[0].effective_cpu = 4;
	f->queues[1].effective_cpu = 3;
	audit_now(f, 0, 0);
	for (unsigned i = 0; i < 50; i++) {
		nb_fake_probe_poll(f->probe, first, 3, 30 * USEC, 64);
		nb_fake_probe_poll(f->probe, second, 4, 30 * USEC, 64);
	}
	audit_now(f, 3200, 3190);
	nb_fake_probe_poll(f->probe, first, 3, 7 * USEC, 64);
	nb_fake_probe_poll(f->probe, second, 4, 5 * USEC, 64);
	read_now(f);
	assert_int_equal(f->queues[0].work_nsec, 5 * USEC);
	assert_int_equal(f->queues[1].work_nsec, 7 * USEC);
}

static void packets_of_a_queue_that_has_its_napi_fit_no_other(void **state)
{
	struct fixture *f = *state;
	unsigned known = nb_fake_probe_add_napi(f->probe, 2, 0, 25);
	unsigned napi = nb_fake_probe_add_napi(f->probe, 2, 0, 0);

	audit_now(f, 0, 0);
	for (unsigned i = 0; i < 50; i++) {
		nb_fake_probe_poll(f->probe, known, 0, 30 * USEC, 64);
		nb_fake_probe_poll(f->probe, napi, 0, 30 * USEC, 64);
	}
	audit_now(f, 3200, 3190);
	nb_fake_probe_poll(f->probe, napi, 0, 7 * USEC, 64);
	read_now(f);
	assert_int_equal(f->queues[0].work_nsec, 50 * 30 * USEC);
	assert_int_equal(f->queues[1].work_nsec, 7 * USEC);
}

static void an_interrupt_that_comes_after_all_is_believed_first(void **state)
{
	struct fixture *f = *state;
	unsigned napi = nb_fake_probe_add_napi(f->probe, 2, 0, 0);

	audit_now(f, 0, 0);
	for (unsigned i = 0; i < 50; i++)
		nb_fake_probe_poll(f->probe, napi, 0, 30 * USEC, 64);
	audit_now(f, 3200, 0);
	nb_fake_probe_napi(f->probe, napi)->irq = 28;
	nb_fake_probe_napi(f->probe, napi)->irq_votes = NB_PROBE_SURE;
	nb_fake_probe_poll(f->probe, napi, 0, 3 * USEC, 64);
	read_now(f);
	assert_int_equal(f->queues[3].work_nsec, 3 * USEC);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_poll_is_booked_to_the_queue_of_its_interrupt,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(what_was_read_is_not_read_again, set_up, tear_down),
		cmocka_unit_test_setup_teardown(the_handler_of_an_interrupt_is_work_of_its_queue,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			a_napi_of_unknown_interrupt_is_no_work_that_can_move, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_few_votes_bind_nothing, set_up, tear_down),
		cmocka_unit_test_setup_teardown(the_id_that_netlink_tells_needs_no_interrupt,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(counters_that_become_another_napis_are_bound_anew,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(of_two_napis_the_busier_tells_where_the_queue_is,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(threads_are_told_apart, set_up, tear_down),
		cmocka_unit_test_setup_teardown(backlog_and_other_devices_are_backlog, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(a_rescan_loses_nothing, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_napi_without_interrupts_is_known_by_its_packets,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(of_two_queues_that_fit_the_one_on_its_cpu_is_taken,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(packets_of_a_queue_that_has_its_napi_fit_no_other,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(an_interrupt_that_comes_after_all_is_believed_first,
						set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

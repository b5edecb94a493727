/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sample/bind.h"
#include "unit/sample/timing_fixture.h"

static void a_channel_is_nothing_that_the_probe_sees(void **state)
{
	struct nb_queue queues[] = {
		{.key = {2, 0}, .n_irqs = 1, .irqs = {NB_IRQ_CHANNEL | 25}},
		{.key = {2, 1}, .n_irqs = 1, .irqs = {25}},
	};
	const struct nb_machine machine = {.queues = queues, .n_queues = 2};
	g_autoptr(GArray) irqs = nb_bind_list_irqs(&machine);

	(void)state;
	assert_int_equal(irqs->len, 1);
	assert_int_equal(nb_bind_find_irq(irqs, 25)->queue, 1);
}

static void a_few_votes_bind_nothing(void **state)
{
	struct fixture *f = *state;
	unsigned napi = nb_fake_probe_add_napi(f->probe, 2, 0, 25);

	nb_fake_probe_napi(f->probe, napi)->irq_votes = NB_PROBE_SURE - 1;
	nb_fake_probe_poll(f->probe, napi, 0, 30 * USEC, 12);
	read_now(f);
	assert_int_equal(f->queues[0].time_nsec, 0);
}

static void the_id_that_netlink_tells_needs_no_interrupt(void **state)
{
	struct fixture *f = *state;
	struct nb_scan_napi known = {.ifindex = 2, .id = 8193, .queue = 3};
	unsigned napi = nb_fake_probe_add_napi(f->probe, 2, 8193, 0);

	g_array_append_val(f->scan->napis, known);
	nb_fake_probe_poll(f->probe, napi, 0, 30 * USEC, 12);
	read_now(f);
	assert_int_equal(f->queues[3].time_nsec, 30 * USEC);
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
	assert_int_equal(f->queues[0].time_nsec, 30 * USEC);
	assert_int_equal(f->queues[1].time_nsec, 5 * USEC);
}

/* A complete sample after which the driver has counted so many packets of queues 0 and 1. */
static void audit_now(struct fixture *f, uint64_t rx_0, uint64_t rx_1)
{
	f->queues[0].rx_packets = rx_0;
	f->queues[1].rx_packets = rx_1;
	nb_timing_read(f->timing, &f->snapshot, true);
}

/* Enough polls for its packets to tell: 3200 of them. */
#define POLLS 50u

static void poll_on(struct fixture *f, unsigned napi, unsigned cpu)
{
	for (unsigned i = 0; i < POLLS; i++)
		nb_fake_probe_poll(f->probe, napi, cpu, 30 * USEC, 64);
}

static void a_napi_without_interrupts_is_known_by_its_packets(void **state)
{
	struct fixture *f = *state;
	unsigned napi = nb_fake_probe_add_napi(f->probe, 2, 0, 0);

	audit_now(f, 5000, 70000);
	poll_on(f, napi, 0);
	audit_now(f, 5900, 73210);
	poll_on(f, napi, 0);
	read_now(f);
	assert_int_equal(f->queues[1].time_nsec, POLLS * 30 * USEC);
	assert_int_equal(f->queues[1].polled_packets, 3200);
	assert_int_equal(f->queues[0].time_nsec, 0);

	/* A rescan does not forget it. */
	assert_int_equal(nb_timing_adopt(f->timing, f->scan), 0);
	nb_fake_probe_poll(f->probe, napi, 0, 5 * USEC, 64);
	read_now(f);
	assert_int_equal(f->queues[1].time_nsec, (POLLS * 30 + 5) * USEC);
}

static void of_two_queues_that_fit_the_one_on_its_cpu_is_taken(void **state)
{
	struct fixture *f = *state;
	unsigned first = nb_fake_probe_add_napi(f->probe, 2, 0, 0);
	unsigned second = nb_fake_probe_add_napi(f->probe, 2, 0, 0);

	f->queues[0].effective_cpu = 4;
	f->queues[1].effective_cpu = 3;
	audit_now(f, 0, 0);
	poll_on(f, first, 3);
	poll_on(f, second, 4);
	audit_now(f, 3200, 3190);
	nb_fake_probe_poll(f->probe, first, 3, 7 * USEC, 64);
	nb_fake_probe_poll(f->probe, second, 4, 5 * USEC, 64);
	read_now(f);
	assert_int_equal(f->queues[0].time_nsec, 5 * USEC);
	assert_int_equal(f->queues[1].time_nsec, 7 * USEC);
}

/* Of so few all queues that fill a CPU have about as many. */
static void few_packets_do_not_tell_of_an_interrupt_elsewhere(void **state)
{
	struct fixture *f = *state;
	unsigned first = nb_fake_probe_add_napi(f->probe, 2, 0, 0);
	unsigned second = nb_fake_probe_add_napi(f->probe, 2, 0, 0);

	f->queues[0].effective_cpu = 4;
	f->queues[1].effective_cpu = 5;
	audit_now(f, 0, 0);
	poll_on(f, first, 3);
	poll_on(f, second, 6);
	nb_fake_probe_poll(f->probe, second, 6, 30 * USEC, 200);
	audit_now(f, 3200, 3400);
	poll_on(f, first, 3);
	poll_on(f, second, 6);
	read_now(f);
	assert_int_equal(f->queues[0].time_nsec, 0);
	assert_int_equal(f->queues[1].time_nsec, 0);

	/* Twice as many do. */
	poll_on(f, first, 3);
	poll_on(f, second, 6);
	nb_fake_probe_poll(f->probe, second, 6, 30 * USEC, 400);
	audit_now(f, 3200 + 2 * 3200, 3400 + 2 * 3200 + 400);
	nb_fake_probe_poll(f->probe, first, 3, 7 * USEC, 64);
	nb_fake_probe_poll(f->probe, second, 6, 5 * USEC, 64);
	read_now(f);
	assert_int_equal(f->queues[0].time_nsec, 7 * USEC);
	assert_int_equal(f->queues[1].time_nsec, 5 * USEC);
}

/* Each is one of the two there, so the two queues are polled there, whichever is which. */
static void few_packets_do_where_all_that_are_unknown_are_polled_together(void **state)
{
	struct fixture *f = *state;
	unsigned first = nb_fake_probe_add_napi(f->probe, 2, 0, 0);
	unsigned second = nb_fake_probe_add_napi(f->probe, 2, 0, 0);
	unsigned known = nb_fake_probe_add_napi(f->probe, 2, 0, 27);
	unsigned slow = nb_fake_probe_add_napi(f->probe, 2, 0, 0);

	f->queues[0].effective_cpu = 4;
	f->queues[1].effective_cpu = 5;
	audit_now(f, 0, 0);
	poll_on(f, first, 3);
	poll_on(f, second, 3);
	poll_on(f, known, 6);
	nb_fake_probe_poll(f->probe, slow, 7, 30 * USEC, 64);
	audit_now(f, 3200, 3190);
	nb_fake_probe_poll(f->probe, first, 3, 7 * USEC, 64);
	nb_fake_probe_poll(f->probe, second, 3, 7 * USEC, 64);
	read_now(f);
	assert_int_equal(f->queues[0].time_nsec, 7 * USEC);
	assert_int_equal(f->queues[0].polled_cpu, 3);
	assert_int_equal(f->queues[1].time_nsec, 7 * USEC);
	assert_int_equal(f->queues[1].polled_cpu, 3);
}

/* Another device's NAPI is no queue's of this one. */
static void a_napi_of_another_device_does_not_come_into_question(void **state)
{
	struct fixture *f = *state;
	unsigned napi = nb_fake_probe_add_napi(f->probe, 2, 0, 0);
	unsigned other = nb_fake_probe_add_napi(f->probe, 3, 0, 0);

	f->queues[0].effective_cpu = 4;
	audit_now(f, 0, 0);
	poll_on(f, napi, 3);
	poll_on(f, other, 6);
	audit_now(f, 3200, 0);
	nb_fake_probe_poll(f->probe, napi, 3, 7 * USEC, 64);
	read_now(f);
	assert_int_equal(f->queues[0].time_nsec, 7 * USEC);
}

static void packets_of_a_queue_that_has_its_napi_fit_no_other(void **state)
{
	struct fixture *f = *state;
	unsigned known = nb_fake_probe_add_napi(f->probe, 2, 0, 25);
	unsigned napi = nb_fake_probe_add_napi(f->probe, 2, 0, 0);

	audit_now(f, 0, 0);
	poll_on(f, known, 0);
	poll_on(f, napi, 0);
	audit_now(f, 3200, 3190);
	nb_fake_probe_poll(f->probe, napi, 0, 7 * USEC, 64);
	read_now(f);
	assert_int_equal(f->queues[0].time_nsec, POLLS * 30 * USEC);
	assert_int_equal(f->queues[1].time_nsec, 7 * USEC);
}

static void an_interrupt_that_comes_after_all_is_believed_first(void **state)
{
	struct fixture *f = *state;
	unsigned napi = nb_fake_probe_add_napi(f->probe, 2, 0, 0);

	audit_now(f, 0, 0);
	poll_on(f, napi, 0);
	audit_now(f, 3200, 0);
	nb_fake_probe_napi(f->probe, napi)->irq = 28;
	nb_fake_probe_napi(f->probe, napi)->irq_votes = NB_PROBE_SURE;
	nb_fake_probe_poll(f->probe, napi, 0, 3 * USEC, 64);
	read_now(f);
	assert_int_equal(f->queues[3].time_nsec, 3 * USEC);
}

/* It would be bound to a CPU that is another queue's. */
static void the_thread_of_a_napi_that_was_guessed_is_not_known(void **state)
{
	struct fixture *f = *state;
	unsigned napi = nb_fake_probe_add_napi(f->probe, 2, 301, 0);
	struct nb_probe_napi *counters = nb_fake_probe_napi(f->probe, napi);

	counters->pid = 900;
	audit_now(f, 0, 0);
	poll_on(f, napi, 0);
	audit_now(f, 3200, 0);
	counters->threaded_polls++;
	counters->polls++;
	read_now(f);
	assert_int_equal(f->queues[0].thread, 0);
	counters->irq = 28;
	counters->irq_votes = NB_PROBE_SURE;
	counters->threaded_polls++;
	counters->polls++;
	read_now(f);
	assert_int_equal(f->queues[3].thread, 900);
}

/* A driver's struct for a queue: what its interrupt's handler is given, with the NAPI in it. */
#define STRUCT_BYTES 1024u

static uint64_t struct_of(uint32_t irq)
{
	return 0xffff888000400000u + (irq - 25) * STRUCT_BYTES;
}

static unsigned add_napi_at(struct fixture *f, unsigned ifindex, uint32_t irq, uint64_t address)
{
	unsigned napi = nb_fake_probe_add_napi(f->probe, ifindex, 0, irq);

	nb_fake_probe_napi(f->probe, napi)->address = address;
	return napi;
}

static void give_dev_ids(struct fixture *f)
{
	for (uint32_t irq = 25; irq <= 28; irq++)
		nb_fake_probe_irq(f->probe, irq)->dev_id = struct_of(irq);
}

static void a_napi_that_follows_no_interrupt_is_known_by_what_its_handler_is_given(void **state)
{
	struct fixture *f = *state;
	unsigned napi;

	give_dev_ids(f);
	add_napi_at(f, 2, 26, struct_of(26) + 64);
	napi = add_napi_at(f, 2, 0, struct_of(28) + 64);
	audit_now(f, 0, 0);
	nb_fake_probe_poll(f->probe, napi, 0, 30 * USEC, 64);
	read_now(f);
	assert_int_equal(f->queues[3].time_nsec, 30 * USEC);

	/* A rescan does not forget it. */
	assert_int_equal(nb_timing_adopt(f->timing, f->scan), 0);
	nb_fake_probe_poll(f->probe, napi, 0, 5 * USEC, 64);
	read_now(f);
	assert_int_equal(f->queues[3].time_nsec, 35 * USEC);
}

/* Nothing is booked to a queue of a NAPI at that address, whatever the others look like. */
static void assert_not_bound(struct fixture *f, unsigned ifindex, uint64_t address)
{
	unsigned napi = add_napi_at(f, ifindex, 0, address);

	audit_now(f, 0, 0);
	nb_fake_probe_poll(f->probe, napi, 0, 30 * USEC, 64);
	read_now(f);
	for (unsigned i = 0; i < 4; i++)
		assert_int_equal(f->queues[i].time_nsec, 0);
}

static void a_napi_elsewhere_in_its_struct_is_not_taken_for_one(void **state)
{
	struct fixture *f = *state;

	give_dev_ids(f);
	add_napi_at(f, 2, 26, struct_of(26) + 64);
	assert_not_bound(f, 2, struct_of(28) + 72);
}

static void a_napi_of_another_device_is_not_taken_for_one(void **state)
{
	struct fixture *f = *state;

	give_dev_ids(f);
	add_napi_at(f, 2, 26, struct_of(26) + 64);
	assert_not_bound(f, 3, struct_of(28) + 64);
}

static void what_is_far_from_its_napi_tells_nothing(void **state)
{
	struct fixture *f = *state;

	give_dev_ids(f);
	add_napi_at(f, 2, 26, struct_of(26) + NB_PROBE_NEAR_BYTES);
	assert_not_bound(f, 2, struct_of(28) + NB_PROBE_NEAR_BYTES);
}

static void an_interrupt_that_has_not_come_tells_nothing(void **state)
{
	struct fixture *f = *state;

	give_dev_ids(f);
	nb_fake_probe_irq(f->probe, 28)->dev_id = 0;
	add_napi_at(f, 2, 26, struct_of(26) + 64);
	assert_not_bound(f, 2, struct_of(28) + 64);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_channel_is_nothing_that_the_probe_sees),
		cmocka_unit_test_setup_teardown(a_few_votes_bind_nothing, set_up, tear_down),
		cmocka_unit_test_setup_teardown(the_id_that_netlink_tells_needs_no_interrupt,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(counters_that_become_another_napis_are_bound_anew,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_napi_without_interrupts_is_known_by_its_packets,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(of_two_queues_that_fit_the_one_on_its_cpu_is_taken,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(few_packets_do_not_tell_of_an_interrupt_elsewhere,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(the_thread_of_a_napi_that_was_guessed_is_not_known,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			few_packets_do_where_all_that_are_unknown_are_polled_together, set_up,
			tear_down),
		cmocka_unit_test_setup_teardown(
			a_napi_of_another_device_does_not_come_into_question, set_up, tear_down),
		cmocka_unit_test_setup_teardown(packets_of_a_queue_that_has_its_napi_fit_no_other,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(an_interrupt_that_comes_after_all_is_believed_first,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			a_napi_that_follows_no_interrupt_is_known_by_what_its_handler_is_given,
			set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_napi_elsewhere_in_its_struct_is_not_taken_for_one,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_napi_of_another_device_is_not_taken_for_one,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(what_is_far_from_its_napi_tells_nothing, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(an_interrupt_that_has_not_come_tells_nothing,
						set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

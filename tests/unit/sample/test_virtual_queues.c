/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sample/virtual_queues.h"

#include "bpf/probe_internal.h"
#include "unit/sample/timing_fixture.h"

/* The place of a device, and its queue. */
#define SLOT 1
#define WG0 9

static void have_virtual(struct fixture *f, struct nb_queue *queues)
{
	for (unsigned i = 0; i < 3; i++)
		queues[i] = f->scan->machine.queues[i];
	queues[3] = (struct nb_queue){.key.ifindex = WG0, .has_rx = true};
	memcpy(f->scan->machine.queues, queues, 4 * sizeof(*queues));
	f->scan->virtuals.ifindexes[SLOT] = WG0;
	f->snapshot.machine = &f->scan->machine;
	assert_int_equal(nb_timing_adopt(f->timing, f->scan), 0);
	read_now(f);
}

/* As the programs book it. */
static void poll(struct fixture *f, unsigned cpu, uint64_t nsec, bool exhausted)
{
	struct nb_probe_cpu *counters = nb_fake_probe_cpu(f->probe, cpu);

	counters->virtuals[SLOT].nsec += nsec;
	counters->virtuals[SLOT].packets += 64;
	counters->virtuals[SLOT].polls++;
	counters->virtuals[SLOT].exhausted += exhausted;
	counters->other_nsec += nsec;
	counters->softirq_nsec[NB_PROBE_NET_RX] += nsec;
}

static void its_queue_has_what_it_costs_the_cpu_with_most(void **state)
{
	struct fixture *f = *state;
	struct nb_queue queues[4];

	have_virtual(f, queues);
	poll(f, 6, 50 * USEC, true);
	poll(f, 7, 20 * USEC, true);
	read_now(f);
	assert_int_equal(f->queues[3].time_nsec, 50 * USEC);
	assert_int_equal(f->queues[3].polled_cpu, 6);
	assert_int_equal(f->queues[3].polls, 2);
	assert_int_equal(f->queues[3].exhausted, 2);
	assert_int_equal(f->queues[3].polled_packets, 128);
	assert_int_equal(f->cpus[4].queues_nsec, 50 * USEC);
	assert_int_equal(f->cpus[4].backlog_nsec, 0);
	assert_int_equal(f->cpus[5].queues_nsec, 0);
	assert_int_equal(f->cpus[5].backlog_nsec, 20 * USEC);
	assert_int_equal(nb_virtual_queues_nsec(f->timing, SLOT), 50 * USEC);

	poll(f, 7, 30 * USEC, false);
	read_now(f);
	assert_int_equal(f->queues[3].time_nsec, 80 * USEC);
	assert_int_equal(f->queues[3].polled_cpu, 7);
	assert_int_equal(f->queues[3].exhausted, 2);
	read_now(f);
	assert_int_equal(f->queues[3].polled_cpu, 7);
	assert_int_equal(nb_virtual_queues_nsec(f->timing, SLOT), 0);
}

/* The programs count it among the exhausted ones first. */
static void a_poll_that_is_under_way_counts_when_it_is_over(void **state)
{
	struct fixture *f = *state;
	struct nb_queue queues[4];

	have_virtual(f, queues);
	poll(f, 6, 50 * USEC, true);
	nb_fake_probe_cpu(f->probe, 6)->virtuals[SLOT].exhausted++;
	read_now(f);
	assert_int_equal(f->queues[3].exhausted, 1);
	nb_fake_probe_cpu(f->probe, 6)->virtuals[SLOT].polls++;
	read_now(f);
	assert_int_equal(f->queues[3].polls, 2);
	assert_int_equal(f->queues[3].exhausted, 2);
}

/* The counters of a place go on with the next device there. */
static void what_another_device_had_there_is_not_its_own(void **state)
{
	struct fixture *f = *state;
	struct nb_queue queues[4];

	poll(f, 6, 50 * USEC, false);
	have_virtual(f, queues);
	assert_int_equal(f->queues[3].time_nsec, 0);
	assert_int_equal(f->queues[3].polls, 0);
	poll(f, 6, 10 * USEC, false);
	assert_int_equal(nb_timing_adopt(f->timing, f->scan), 0);
	read_now(f);
	assert_int_equal(f->queues[3].time_nsec, 10 * USEC);
}

static void vote(struct fixture *f, unsigned cpu, unsigned ifindex, uint64_t nsec, uint64_t lead)
{
	struct nb_probe_cpu *counters = nb_fake_probe_cpu(f->probe, cpu);

	counters->untold_nsec += nsec;
	counters->untold_ifindex = ifindex;
	counters->untold_lead_nsec = lead;
}

static void one_that_has_enough_and_more_than_others_is_found(void **state)
{
	struct fixture *f = *state;

	read_now(f);
	assert_int_equal(nb_virtual_queues_find_untold(f->timing, 0), 0);
	vote(f, 6, WG0, 40 * USEC, 30 * USEC);
	read_now(f);
	assert_int_equal(nb_virtual_queues_find_untold(f->timing, 30 * USEC), WG0);
	assert_int_equal(nb_virtual_queues_find_untold(f->timing, 31 * USEC), 0);

	/* It is no longer polled. */
	read_now(f);
	assert_int_equal(nb_virtual_queues_find_untold(f->timing, 1), 0);
	vote(f, 6, WG0, 10 * USEC, 40 * USEC);
	read_now(f);
	assert_int_equal(nb_virtual_queues_find_untold(f->timing, 11 * USEC), 0);
	assert_int_equal(nb_virtual_queues_find_untold(f->timing, 10 * USEC), WG0);
}

static void the_programs_look_only_while_it_is_wanted(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(f->probe->control->watches_virtuals, 0);
	nb_virtual_queues_watch(f->timing, true);
	assert_int_equal(f->probe->control->watches_virtuals, 1);
	nb_virtual_queues_watch(f->timing, false);
	assert_int_equal(f->probe->control->watches_virtuals, 0);
}

int main(void)
{
#define WITH_FIXTURE(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		WITH_FIXTURE(its_queue_has_what_it_costs_the_cpu_with_most),
		WITH_FIXTURE(a_poll_that_is_under_way_counts_when_it_is_over),
		WITH_FIXTURE(what_another_device_had_there_is_not_its_own),
		WITH_FIXTURE(one_that_has_enough_and_more_than_others_is_found),
		WITH_FIXTURE(the_programs_look_only_while_it_is_wanted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

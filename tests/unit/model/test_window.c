/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/window.h"

#include "nicbalance/units.h"
#include "support/support.h"

#define SEC NB_NSEC_PER_SEC
#define MSEC (SEC / 1000)

/* A host of one CPU and one queue, read twice. */
struct fixture {
	struct nb_machine machine;
	struct nb_cpu_counters cpus[2];
	struct nb_queue_state queues[2];
	struct nb_snapshot prev, cur;
	struct nb_window window;
};

static int set_up(void **state)
{
	struct fixture *f = g_new0(struct fixture, 1);

	f->queues[1] = (struct nb_queue_state){
		.affinity_cpu = 5, .effective_cpu = 6, .landed_cpu = 7, .polled_cpu = 8};
	f->prev = (struct nb_snapshot){.taken_nsec = SEC,
				       .times_nsec = SEC,
				       .grade = NB_GRADE_MEASURED,
				       .machine = &f->machine,
				       .cpus = &f->cpus[0],
				       .n_cpus = 1,
				       .queues = &f->queues[0],
				       .n_queues = 1};
	f->cur = f->prev;
	f->cur.taken_nsec = f->cur.times_nsec = 2 * SEC;
	f->cur.cpus = &f->cpus[1];
	f->cur.queues = &f->queues[1];
	nb_window_resize(&f->window, 1, 1);
	f->window.other_shares[0] = 0;
	f->window.works[0] = (struct nb_queue_work){.cpu = -1};
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	nb_window_clear(&f->window);
	g_free(f);
	return 0;
}

static void measure(struct fixture *f)
{
	nb_window_measure(&f->window, &f->prev, &f->cur);
}

static void a_queue_that_was_polled_is_where_it_was_polled(void **state)
{
	struct fixture *f = *state;

	f->queues[1].polls = 1;
	measure(f);
	assert_int_equal(f->window.works[0].cpu, 8);
}

static void a_queue_without_interrupts_stays_where_it_was_polled(void **state)
{
	struct fixture *f = *state;

	f->queues[1] = (struct nb_queue_state){
		.affinity_cpu = -1, .effective_cpu = -1, .landed_cpu = -1, .polled_cpu = 8};
	measure(f);
	assert_int_equal(f->window.works[0].cpu, 8);
	f->queues[1].polled_cpu = -1;
	measure(f);
	assert_int_equal(f->window.works[0].cpu, -1);
}

static void a_queue_that_was_not_is_where_its_interrupts_go(void **state)
{
	struct fixture *f = *state;

	measure(f);
	assert_int_equal(f->window.works[0].cpu, 6);
	f->queues[1].effective_cpu = -1;
	measure(f);
	assert_int_equal(f->window.works[0].cpu, 7);
	f->queues[1].landed_cpu = -1;
	measure(f);
	assert_int_equal(f->window.works[0].cpu, 5);
}

/* The estimated grade, in which no place is known of the window before. */
static void count(struct fixture *f)
{
	f->prev.grade = f->cur.grade = NB_GRADE_ESTIMATED;
	measure(f);
}

static void a_counted_queue_is_where_its_interrupts_land(void **state)
{
	struct fixture *f = *state;

	count(f);
	assert_int_equal(f->window.works[0].cpu, 6);
	f->cur.complete = true;
	count(f);
	assert_int_equal(f->window.works[0].cpu, 7);
}

static void packets_without_interrupts_are_polled_where_they_were(void **state)
{
	struct fixture *f = *state;

	f->window.works[0].cpu = 3;
	f->cur.complete = true;
	f->queues[1].landed_cpu = -1;
	f->queues[1].rx_packets = 1000;
	count(f);
	assert_int_equal(f->window.works[0].cpu, 3);
	f->cur.complete = false;
	count(f);
	assert_int_equal(f->window.works[0].cpu, 3);
}

static void or_by_a_timer_there_also_beside_a_full_cpu(void **state)
{
	struct fixture *f = *state;

	f->window.works[0].cpu = 3;
	f->cur.complete = true;
	f->queues[1].landed_cpu = -1;
	f->queues[1].rx_packets = 1000;
	f->queues[1].defers = true;
	f->cpus[1].processed = 900;
	f->cpus[1].squeezed = 1;
	f->cpus[1].softirq_nsec = SEC;
	count(f);
	assert_int_equal(f->window.works[0].cpu, 3);
	f->queues[1].defers = false;
	count(f);
	assert_int_equal(f->window.works[0].cpu, 0);
}

static void a_queue_without_packets_goes_with_its_affinity(void **state)
{
	struct fixture *f = *state;

	f->window.works[0].cpu = 3;
	f->cur.complete = true;
	f->queues[1].landed_cpu = -1;
	count(f);
	assert_int_equal(f->window.works[0].cpu, 6);
}

static void where_landings_are_not_known_its_affinity_counts(void **state)
{
	struct fixture *f = *state;

	f->window.works[0].cpu = 3;
	f->cur.complete = true;
	f->queues[1].landed_cpu = NB_LANDED_UNKNOWN;
	f->queues[1].rx_packets = 1000;
	count(f);
	assert_int_equal(f->window.works[0].cpu, 6);
}

/* igb of QEMU, say, raises interrupts while it is polled. */
static void interrupts_without_packets_of_its_cpu_say_nothing(void **state)
{
	struct fixture *f = *state;

	f->window.works[0].cpu = 3;
	f->cur.complete = true;
	f->queues[1].landed_cpu = 0;
	f->queues[1].rx_packets = 1000;
	f->cpus[1].processed = 15; /* of 64 packets GRO makes one at best */
	count(f);
	assert_int_equal(f->window.works[0].cpu, 3);
	f->cpus[1].processed = 16;
	count(f);
	assert_int_equal(f->window.works[0].cpu, 0);
}

/* They reach the protocol layers where RPS takes them. */
static void but_of_steered_packets_that_is_no_wonder(void **state)
{
	struct nb_rps_state rps = {.cpus.words[0] = 0x6};
	struct fixture *f = *state;

	f->window.works[0].cpu = 3;
	f->cur.complete = true;
	f->cur.rps = &rps;
	f->cur.n_rps = 1;
	f->queues[1].landed_cpu = 0;
	f->queues[1].rx_packets = 1000;
	count(f);
	assert_int_equal(f->window.works[0].cpu, 0);
}

/* Its interrupt was moved before the daemon began, and none of that CPU's time is for packets. */
static void what_was_moved_in_vain_is_polled_where_packets_are_processed(void **state)
{
	struct fixture *f = *state;
	struct nb_cpu_counters before[3] = {{.id = 0}, {.id = 1}, {.id = 2}};
	struct nb_cpu_counters now[3] = {
		{.id = 0},
		{.id = 1, .processed = 900, .squeezed = 1, .softirq_nsec = SEC},
		{.id = 2, .processed = 950}};

	f->prev.cpus = before;
	f->cur.cpus = now;
	f->prev.n_cpus = f->cur.n_cpus = 3;
	nb_window_resize(&f->window, 3, 1);
	f->cur.complete = true;
	f->queues[1].landed_cpu = 0;
	f->queues[1].rx_packets = 1000;
	count(f);
	assert_int_equal(f->window.works[0].cpu, 1);
	assert_true(f->window.works[0].saturated);
	f->window.works[0].cpu = -1;
	now[1].squeezed = 0;
	count(f);
	assert_int_equal(f->window.works[0].cpu, 0);
	assert_false(f->window.works[0].saturated);
}

/* Interrupts land on CPU 0, where another queue has some packets, and CPU 1 is full. */
static void packets_that_only_a_full_cpu_can_have_taken_in_were_polled_there(void **state)
{
	struct fixture *f = *state;
	struct nb_cpu_counters before[2] = {{.id = 0}, {.id = 1}};
	struct nb_cpu_counters now[2] = {
		{.id = 0, .processed = 100},
		{.id = 1, .processed = 1900, .squeezed = 1, .softirq_nsec = SEC}};
	struct nb_queue_state queues_before[2] = {{.key.index = 0}, {.key.index = 1}};
	struct nb_queue_state queues_now[2] = {
		{.key.index = 0, .landed_cpu = 0, .rx_packets = 1000},
		{.key.index = 1, .landed_cpu = 1, .rx_packets = 900}};

	f->prev.cpus = before;
	f->cur.cpus = now;
	f->prev.n_cpus = f->cur.n_cpus = 2;
	f->prev.queues = queues_before;
	f->cur.queues = queues_now;
	f->prev.n_queues = f->cur.n_queues = 2;
	nb_window_resize(&f->window, 2, 2);
	f->cur.complete = true;
	count(f);
	assert_int_equal(f->window.works[0].cpu, 1);
	assert_true(f->window.works[0].saturated);

	/* Another queue accounts for what CPU 1 took in. */
	queues_now[1].rx_packets = 1900;
	count(f);
	assert_int_equal(f->window.works[0].cpu, 0);
	assert_false(f->window.works[0].saturated);

	/* CPU 0 took in enough to be it. */
	queues_now[1].rx_packets = 900;
	now[0].processed = 500;
	count(f);
	assert_int_equal(f->window.works[0].cpu, 0);

	now[0].processed = 100;
	now[1].squeezed = 0;
	count(f);
	assert_int_equal(f->window.works[0].cpu, 0);
}

/* What RPS takes away fills another CPU, where the queue is not polled for that. */
static void steered_packets_without_interrupts_are_polled_where_they_were(void **state)
{
	struct nb_rps_state rps = {.cpus.words[0] = 0x1};
	struct fixture *f = *state;

	f->window.works[0].cpu = 3;
	f->cur.complete = true;
	f->queues[1].landed_cpu = -1;
	f->queues[1].rx_packets = 1000;
	f->cpus[1].processed = 1000;
	f->cpus[1].squeezed = 1;
	f->cpus[1].softirq_nsec = SEC;
	f->cur.rps = &rps;
	f->cur.n_rps = 1;
	count(f);
	assert_int_equal(f->window.works[0].cpu, 3);
	f->cur.n_rps = 0;
	count(f);
	assert_int_equal(f->window.works[0].cpu, 0);
}

/* Two full CPUs, and two queues of which no interrupt tells where they are polled. */
struct two_full {
	struct nb_cpu_counters before[2], now[2];
	struct nb_queue_state queues_before[2], queues_now[2];
};

static void fill_two(struct fixture *f, struct two_full *two)
{
	*two = (struct two_full){
		.before = {{.id = 0}, {.id = 1}},
		.now = {{.id = 0, .processed = 500, .squeezed = 1, .softirq_nsec = SEC},
			{.id = 1, .processed = 900, .squeezed = 1, .softirq_nsec = SEC}},
		.queues_before = {{.key.index = 0}, {.key.index = 1}},
		.queues_now =
			{{.key.index = 0, .rx_packets = 500, .landed_cpu = -1, .effective_cpu = 0},
			 {.key.index = 1, .rx_packets = 900, .landed_cpu = -1, .effective_cpu = 1}},
	};
	f->prev.cpus = two->before;
	f->cur.cpus = two->now;
	f->prev.n_cpus = f->cur.n_cpus = 2;
	f->prev.queues = two->queues_before;
	f->cur.queues = two->queues_now;
	f->prev.n_queues = f->cur.n_queues = 2;
	nb_window_resize(&f->window, 2, 2);
	f->window.works[0] = f->window.works[1] = (struct nb_queue_work){.cpu = -1};
	f->cur.complete = true;
}

static void of_full_cpus_a_queue_is_on_that_of_its_interrupt(void **state)
{
	struct fixture *f = *state;
	struct two_full two;

	fill_two(f, &two);
	count(f);
	assert_int_equal(f->window.works[0].cpu, 0);
	assert_int_equal(f->window.works[1].cpu, 1);
	assert_true(f->window.works[0].saturated && f->window.works[1].saturated);

	/* Both on CPU 1, though CPU 0 received more. */
	fill_two(f, &two);
	two.queues_now[0].effective_cpu = 1;
	two.now[0].processed = 2000;
	two.now[1].processed = 1400;
	count(f);
	assert_int_equal(f->window.works[0].cpu, 1);
	assert_int_equal(f->window.works[1].cpu, 1);
}

static void also_if_gro_merged_its_packets(void **state)
{
	struct fixture *f = *state;
	struct two_full two;

	fill_two(f, &two);
	two.now[0].processed = 40;
	two.now[1].processed = 30;
	count(f);
	assert_int_equal(f->window.works[0].cpu, 0);
	assert_int_equal(f->window.works[1].cpu, 1);
}

/* Whoever was here before sent one's interrupt to the other CPU, or somewhere else. */
static void unless_other_queues_have_brought_its_packets(void **state)
{
	static const int elsewhere[] = {1, 5};
	struct fixture *f = *state;

	for (unsigned i = 0; i < G_N_ELEMENTS(elsewhere); i++) {
		struct two_full two;

		fill_two(f, &two);
		two.now[1].processed += 200;
		two.queues_now[0].effective_cpu = elsewhere[i];
		count(f);
		assert_int_equal(f->window.works[0].cpu, 0);
		assert_int_equal(f->window.works[1].cpu, 1);
	}
}

/* The one with the most packets first: it fits where the others would. */
static void what_no_queue_brought_came_from_the_one_with_most_packets(void **state)
{
	struct fixture *f = *state;
	struct two_full two;

	fill_two(f, &two);
	two.queues_now[0].effective_cpu = two.queues_now[1].effective_cpu = 5;
	count(f);
	assert_int_equal(f->window.works[0].cpu, 0);
	assert_int_equal(f->window.works[1].cpu, 1);
}

/* Both queues are taken to be polled on CPU 0; the interrupt of the second goes to CPU 1. */
static void assert_second_is_on(struct fixture *f, int cpu)
{
	f->window.works[0] = f->window.works[1] = (struct nb_queue_work){.cpu = 0};
	count(f);
	assert_int_equal(f->window.works[0].cpu, 0);
	assert_int_equal(f->window.works[1].cpu, cpu);
}

static void a_queue_that_the_packets_of_its_new_cpu_tell_of_has_followed(void **state)
{
	struct fixture *f = *state;
	struct two_full two;

	fill_two(f, &two);
	assert_second_is_on(f, 1);
	assert_true(f->window.works[1].saturated);

	/* Half of its packets are enough, on either side. */
	two.now[0].processed = 950;
	two.now[1].processed = 450;
	assert_second_is_on(f, 1);
}

static void but_not_one_that_others_or_neighbours_account_for(void **state)
{
	struct fixture *f = *state;
	struct two_full two;

	fill_two(f, &two);
	two.now[0].processed = 951;
	assert_second_is_on(f, 0);
	two.now[0].processed = 950;
	two.now[1].processed = 449;
	assert_second_is_on(f, 0);
	two.now[1].processed = 900;
	two.now[1].squeezed = 0;
	assert_second_is_on(f, 0);

	/* Its interrupt is handled where it was, so it completes there. */
	two.now[1].squeezed = 1;
	two.queues_now[1].landed_cpu = 0;
	assert_second_is_on(f, 0);

	/* Interrupts were not counted. */
	two.queues_now[1].landed_cpu = -1;
	f->cur.complete = false;
	assert_second_is_on(f, 0);
}

static void without_the_probe_a_full_cpu_out_of_budget_saturates_its_queues(void **state)
{
	struct fixture *f = *state;

	f->queues[1].effective_cpu = 0;
	f->queues[1].rx_packets = 1000;
	f->cpus[1].processed = 1000;
	count(f);
	assert_false(f->window.works[0].saturated);
	f->cpus[1].squeezed = 1;
	count(f);
	assert_false(f->window.works[0].saturated);
	f->cpus[1].softirq_nsec = 899 * MSEC;
	f->cpus[1].idle_nsec = 101 * MSEC;
	count(f);
	assert_false(f->window.works[0].saturated);
	f->cpus[1].softirq_nsec = 900 * MSEC;
	f->cpus[1].idle_nsec = 100 * MSEC;
	count(f);
	assert_true(f->window.works[0].saturated);
	f->queues[1].rx_packets = 0;
	count(f);
	assert_false(f->window.works[0].saturated);
}

/* The queue was saturated on CPU 0, and its interrupt came to CPU 7 in a window of 300 ms. */
static void wait_on_full(struct fixture *f)
{
	f->window.works[0] = (struct nb_queue_work){.cpu = 0, .saturated = true};
	f->cur.taken_nsec = f->cur.times_nsec = f->prev.taken_nsec + 300 * MSEC;
	f->cur.complete = true;
	f->cpus[1].squeezed = 1;
	f->cpus[1].softirq_nsec = 300 * MSEC;
}

static void assert_waits(const struct fixture *f)
{
	assert_int_equal(f->window.works[0].cpu, 0);
	assert_true(f->window.works[0].saturated);
	assert_true(f->window.works[0].never_done);
}

static void assert_has_gone(const struct fixture *f, int cpu)
{
	assert_int_equal(f->window.works[0].cpu, cpu);
	assert_false(f->window.works[0].saturated);
}

static void what_had_no_turn_on_a_full_cpu_is_still_there_for_a_second(void **state)
{
	struct fixture *f = *state;

	wait_on_full(f);
	for (unsigned i = 0; i < 3; i++) {
		count(f);
		assert_waits(f);
	}
	count(f);
	assert_has_gone(f, 7);

	/* It is polled in between. */
	wait_on_full(f);
	for (unsigned i = 0; i < 2; i++)
		count(f);
	f->queues[1].rx_packets = 64;
	f->cpus[1].processed = 64;
	f->queues[1].landed_cpu = 0;
	count(f);
	assert_waits(f);
	f->queues[1].rx_packets = 0;
	f->queues[1].landed_cpu = 7;
	for (unsigned i = 0; i < 3; i++) {
		count(f);
		assert_waits(f);
	}
}

static void nothing_waits_for_a_cpu_that_is_not_full_or_where_it_was_not_saturated(void **state)
{
	struct fixture *f = *state;

	wait_on_full(f);
	f->cpus[1].squeezed = 0;
	count(f);
	assert_has_gone(f, 7);
	wait_on_full(f);
	f->window.works[0].saturated = false;
	count(f);
	assert_has_gone(f, 7);
}

static void a_queue_that_is_not_polled_in_a_short_window_is_still_there(void **state)
{
	struct fixture *f = *state;

	wait_on_full(f);
	measure(f);
	assert_waits(f);
	f->queues[1].polls = 1;
	measure(f);
	assert_has_gone(f, 8);
}

/* NAPIs of no queue that is known took 270 ms of CPU 0, and so many packets. */
static void poll_unknown(struct fixture *f, struct nb_cpu_counters *before,
			 struct nb_cpu_counters *now, uint64_t packets)
{
	wait_on_full(f);
	before->unknown_nsec = 100 * MSEC;
	before->unknown_packets = 1000;
	now->unknown_nsec = 370 * MSEC;
	now->unknown_packets = 1000 + packets;
}

static void a_queue_waits_until_napis_that_are_polled_there_are_known(void **state)
{
	struct fixture *f = *state;

	poll_unknown(f, &f->cpus[0], &f->cpus[1], 64);
	for (unsigned i = 0; i < 10; i++) {
		measure(f);
		assert_waits(f);
	}
	f->queues[1].polls = 1;
	measure(f);
	assert_has_gone(f, 8);

	/* They receive too little to be what is saturated. */
	poll_unknown(f, &f->cpus[0], &f->cpus[1], 63);
	f->queues[1].polls = 0;
	for (unsigned i = 0; i < 4; i++)
		measure(f);
	assert_has_gone(f, 6);
}

static void what_waits_has_the_time_and_packets_of_unknown_napis(void **state)
{
	struct fixture *f = *state;
	const struct nb_queue_work *works;
	struct two_full two;

	fill_two(f, &two);
	poll_unknown(f, &two.before[0], &two.now[0], 640);
	two.now[0].queues_nsec = 20 * MSEC;
	two.queues_now[0].time_nsec = 20 * MSEC;
	works = f->window.works;
	f->window.works[1] = (struct nb_queue_work){.cpu = 0, .saturated = true};
	measure(f);
	assert_true(works[0].time_nsec == 155 * MSEC);
	assert_true(works[1].time_nsec == 135 * MSEC);
	assert_int_equal(works[0].rx_packets, 320);
	assert_int_equal(works[1].rx_packets, 320);
	assert_true(f->window.splits[0].queues_nsec == 290 * MSEC);

	/* One of them was polled, so it is none of theirs. */
	two.queues_now[0].polls = 1;
	two.queues_now[0].polled_cpu = 0;
	measure(f);
	assert_true(works[0].time_nsec == 20 * MSEC);
	assert_true(works[1].time_nsec == 270 * MSEC);
	assert_true(f->window.splits[0].queues_nsec == 290 * MSEC);
}

static void once_another_was_polled_twice_all_had_their_turn(void **state)
{
	struct fixture *f = *state;
	struct two_full two;

	for (unsigned packets = 127; packets <= 128; packets++) {
		fill_two(f, &two);
		wait_on_full(f);
		f->window.works[1] = (struct nb_queue_work){.cpu = 0, .saturated = true};
		two.queues_now[0].rx_packets = 0;
		two.queues_now[0].landed_cpu = 1;
		two.queues_now[1].rx_packets = packets;
		count(f);
		assert_int_equal(f->window.works[1].cpu, 0);
		assert_int_equal(f->window.works[0].cpu, packets < 128 ? 0 : 1);
	}
}

static void only_a_queue_all_of_whose_polls_were_full_is_saturated(void **state)
{
	struct fixture *f = *state;

	measure(f);
	assert_false(f->window.works[0].saturated);
	f->queues[1].polls = 4;
	f->queues[1].exhausted = 3;
	measure(f);
	assert_false(f->window.works[0].saturated);
	f->queues[1].exhausted = 4;
	measure(f);
	assert_true(f->window.works[0].saturated);
}

static void a_queue_is_never_done_whoever_makes_full_polls(void **state)
{
	struct fixture *f = *state;

	f->queues[1].polls = 4;
	f->queues[1].thread_polls = 3;
	f->queues[1].exhausted = 6;
	measure(f);
	assert_false(f->window.works[0].never_done);
	f->queues[1].exhausted = 7;
	measure(f);
	assert_true(f->window.works[0].never_done);
	f->queues[1].polls = 0;
	f->queues[1].exhausted = 3;
	measure(f);
	assert_true(f->window.works[0].never_done);
	assert_false(f->window.works[0].saturated);
	f->queues[1].thread_polls = f->queues[1].exhausted = 0;
	measure(f);
	assert_false(f->window.works[0].never_done);
}

static void other_work_is_a_share_of_the_time_between_its_readings(void **state)
{
	struct fixture *f = *state;

	f->prev.times_nsec = 0;
	f->cpus[1].user_nsec = 800 * MSEC;
	f->cpus[1].steal_nsec = 200 * MSEC;
	measure(f);
	assert_int_equal(f->window.other_shares[0], 5000);
	assert_int_equal(f->window.times[0].busy_nsec, 500 * MSEC);
}

static void without_a_reading_the_last_share_counts(void **state)
{
	struct fixture *f = *state;

	f->window.other_shares[0] = 1200;
	f->cur.times_nsec = f->prev.times_nsec;
	measure(f);
	assert_int_equal(f->window.other_shares[0], 1200);
	assert_int_equal(f->window.times[0].busy_nsec, 120 * MSEC);
}

static void what_was_not_there_before_is_not_measured(void **state)
{
	struct fixture *f = *state;
	struct nb_machine other = {.generation = 2};

	f->cur.machine = &other;
	f->cpus[1].id = 3;
	f->cpus[1].softirq_nsec = SEC;
	f->queues[1].key.index = 9;
	f->queues[1].time_nsec = SEC;
	measure(f);
	assert_false(f->window.splits[0].measured);
	assert_int_equal(f->window.times[0].busy_nsec, 0);
	assert_false(f->window.works[0].measured);
	assert_int_equal(f->window.works[0].time_nsec, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_queue_that_was_polled_is_where_it_was_polled,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_queue_that_was_not_is_where_its_interrupts_go,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			a_queue_without_interrupts_stays_where_it_was_polled, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_counted_queue_is_where_its_interrupts_land,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			packets_without_interrupts_are_polled_where_they_were, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			steered_packets_without_interrupts_are_polled_where_they_were, set_up,
			tear_down),
		cmocka_unit_test_setup_teardown(of_full_cpus_a_queue_is_on_that_of_its_interrupt,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(also_if_gro_merged_its_packets, set_up, tear_down),
		cmocka_unit_test_setup_teardown(unless_other_queues_have_brought_its_packets,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			what_no_queue_brought_came_from_the_one_with_most_packets, set_up,
			tear_down),
		cmocka_unit_test_setup_teardown(or_by_a_timer_there_also_beside_a_full_cpu, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(a_queue_without_packets_goes_with_its_affinity,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(where_landings_are_not_known_its_affinity_counts,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(but_of_steered_packets_that_is_no_wonder, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(interrupts_without_packets_of_its_cpu_say_nothing,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			what_was_moved_in_vain_is_polled_where_packets_are_processed, set_up,
			tear_down),
		cmocka_unit_test_setup_teardown(
			without_the_probe_a_full_cpu_out_of_budget_saturates_its_queues, set_up,
			tear_down),
		cmocka_unit_test_setup_teardown(a_queue_is_never_done_whoever_makes_full_polls,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			what_had_no_turn_on_a_full_cpu_is_still_there_for_a_second, set_up,
			tear_down),
		cmocka_unit_test_setup_teardown(
			nothing_waits_for_a_cpu_that_is_not_full_or_where_it_was_not_saturated,
			set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			a_queue_that_is_not_polled_in_a_short_window_is_still_there, set_up,
			tear_down),
		cmocka_unit_test_setup_teardown(
			a_queue_that_the_packets_of_its_new_cpu_tell_of_has_followed, set_up,
			tear_down),
		cmocka_unit_test_setup_teardown(but_not_one_that_others_or_neighbours_account_for,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			a_queue_waits_until_napis_that_are_polled_there_are_known, set_up,
			tear_down),
		cmocka_unit_test_setup_teardown(
			what_waits_has_the_time_and_packets_of_unknown_napis, set_up, tear_down),
		cmocka_unit_test_setup_teardown(once_another_was_polled_twice_all_had_their_turn,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			only_a_queue_all_of_whose_polls_were_full_is_saturated, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			other_work_is_a_share_of_the_time_between_its_readings, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			packets_that_only_a_full_cpu_can_have_taken_in_were_polled_there, set_up,
			tear_down),
		cmocka_unit_test_setup_teardown(without_a_reading_the_last_share_counts, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(what_was_not_there_before_is_not_measured, set_up,
						tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

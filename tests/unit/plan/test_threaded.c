/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plan/threaded.h"

#include "base/memory.h"
#include "plan/planner.h"
#include "support/host.h"
#include "support/plan.h"
#include "support/support.h"
#include "verify/verify.h"

#define SEC NB_NSEC_PER_SEC
#define N_CPUS 8
#define N_QUEUES 4

struct fixture {
	struct nb_host *host;
	struct nb_planner *planner;
	enum nb_outcome outcome;
	struct nb_plan *plan;
	struct nb_threaded_change change;
	bool never_done;
	/* Threads poll: each takes so much, of so many packets. */
	bool threads;
	uint32_t threaded;
	uint64_t packets;
};

/* A queue of 30 on each of CPUs 0-3, and an application of 60 on CPU 0, which that one cannot
 * leave.
 */
static int set_up(void **state)
{
	struct fixture *f = g_new0(struct fixture, 1);

	f->host = nb_host_new(N_CPUS, 1, 1);
	f->planner = nb_planner_new();
	f->outcome = NB_OUTCOME_APPLIED;
	nb_host_add_nic(f->host, NB_NODE_NONE, N_QUEUES, 0, 3000);
	f->host->machine.nics[0].threaded_allowed = true;
	f->host->snapshot.grade = NB_GRADE_MEASURED;
	f->host->fixed[0] = 6000;
	nb_memory_sync(&f->host->memory, &f->host->snapshot);
	for (unsigned i = 0; i < N_QUEUES; i++) {
		nb_host_place(f->host, i, i);
		f->host->memory.queues[i].fresh = false;
	}
	f->host->memory.queues[0].refused = true;
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	nb_planner_free(f->planner);
	nb_host_free(f->host);
	g_free(f);
	return 0;
}

/* Whether the cycle switches threaded NAPI; the change is in f then. */
static bool cycle(struct fixture *f)
{
	struct nb_host *host = f->host;

	nb_host_tick(host, SEC);
	host->loads.queues[1].never_done = f->never_done;
	for (unsigned i = 0; f->threads && i < N_QUEUES; i++) {
		host->loads.queues[i].threaded = f->threaded;
		host->loads.queues[i].rx_packets_per_sec = f->packets;
	}
	nb_memory_sync(&host->memory, &host->snapshot);
	f->plan = nb_planner_run(f->planner, &host->snapshot, &host->loads, &host->policy,
				 &host->memory);
	set_outcome(f->plan, f->outcome);
	nb_verify_note(f->plan, host->snapshot.taken_nsec, &host->memory);
	if (nb_plan_count(f->plan, NB_KIND_THREADED) == 0)
		return false;
	assert_int_equal(f->plan->n_changes, 1);
	assert_int_equal(f->plan->verdict, NB_VERDICT_STEERING);
	f->change = *f->plan->changes[0].threaded;
	return true;
}

/* So many cycles at most. */
static bool comes_within(struct fixture *f, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (cycle(f))
			return true;
	return false;
}

static struct nb_threaded_memory *memory_of(struct fixture *f)
{
	return nb_memory_get_threaded(&f->host->memory,
				      nb_queue_key_every(f->host->machine.nics[0].ifindex));
}

/* On, and found to help; the threads are elsewhere. */
static struct nb_threaded_memory *switch_on(struct fixture *f)
{
	struct nb_threaded_memory *threaded;

	assert_true(comes_within(f, 10));
	threaded = memory_of(f);
	assert_true(threaded->on);
	threaded->trial.active = false;
	f->threads = true;
	f->threaded = f->packets = 3000;
	for (unsigned i = 0; i < N_QUEUES; i++) {
		f->host->time[i] = 0;
		f->host->snapshot.queues[i].thread_cpu = 7;
	}
	return threaded;
}

static void a_queue_that_cannot_leave_a_hot_cpu_gets_a_thread(void **state)
{
	struct fixture *f = *state;

	assert_true(comes_within(f, 10));
	assert_int_equal(f->change.key.ifindex, f->host->machine.nics[0].ifindex);
	assert_int_equal(f->change.key.index, NB_EVERY_QUEUE);
	assert_int_equal(f->change.reason, NB_REASON_THREADED_ON);
	assert_true(f->change.on);
	assert_int_equal(f->change.cpu, 0);
	assert_int_equal(f->change.hottest_before, 9000);
	assert_int_equal(f->change.load, N_QUEUES * 3000);
	assert_int_equal(f->change.packets_per_sec, N_QUEUES * 3000);
}

/* While it is measured nothing else moves. */
static void nothing_moves_during_the_trial(void **state)
{
	struct fixture *f = *state;

	assert_true(comes_within(f, 10));
	assert_false(comes_within(f, 20));
	assert_int_equal(f->plan->verdict, NB_VERDICT_COOLING);
	assert_int_equal(f->plan->n_changes, 0);
}

static void nobody_gets_one_unasked(void **state)
{
	struct fixture *f = *state;

	f->host->machine.nics[0].threaded_allowed = false;
	assert_false(comes_within(f, 30));
	assert_int_equal(f->host->memory.n_threaded, 0);
}

static void nobody_gets_one_where_times_are_not_measured(void **state)
{
	struct fixture *f = *state;

	f->host->snapshot.grade = NB_GRADE_ESTIMATED;
	assert_false(comes_within(f, 30));
}

static void one_that_can_move_moves(void **state)
{
	struct fixture *f = *state;

	f->host->memory.queues[0].refused = false;
	assert_false(comes_within(f, 10));
	assert_int_equal(f->host->memory.queues[0].pending.active, true);
}

/* What else its CPU does is not worth a step, or nowhere would either be cooler. */
static void one_that_shares_its_cpu_with_nothing_keeps_it(void **state)
{
	struct fixture *f = *state;

	f->host->policy.rps = false;
	f->host->time[0] = 8900;
	f->host->fixed[0] = f->host->policy.minimum_gain - 1;
	assert_false(comes_within(f, 30));
	f->host->fixed[0]++;
	assert_true(comes_within(f, 30));
}

/* The CPU is hot without it, too. */
static void one_that_is_worth_no_step_keeps_its_cpu(void **state)
{
	struct fixture *f = *state;

	f->host->policy.rps = false;
	f->host->fixed[0] = 8800;
	f->host->time[0] = f->host->policy.minimum_gain - 1;
	assert_false(comes_within(f, 30));
	f->host->time[0]++;
	assert_true(comes_within(f, 30));
}

static void where_all_cpus_are_busy_it_stays(void **state)
{
	struct fixture *f = *state;
	uint32_t gain = f->host->policy.minimum_gain;

	for (unsigned i = 1; i < N_CPUS; i++)
		f->host->fixed[i] = i < N_QUEUES ? 3001 - gain : 6001 - gain;
	assert_false(comes_within(f, 50));
	assert_int_equal(f->plan->verdict, NB_VERDICT_NO_GAIN);
	f->host->fixed[7] = 5900 - gain - gain / 2;
	assert_true(comes_within(f, 100));
}

/* It would be handed to no thread. */
static void one_that_does_not_complete_gets_none(void **state)
{
	struct fixture *f = *state;

	for (unsigned i = 0; i < 10; i++) {
		nb_host_tick(f->host, SEC);
		f->host->loads.queues[0].never_done = true;
		nb_memory_sync(&f->host->memory, &f->host->snapshot);
		f->plan = nb_planner_run(f->planner, &f->host->snapshot, &f->host->loads,
					 &f->host->policy, &f->host->memory);
		assert_int_equal(f->plan->n_changes, 0);
	}
}

/* What RPS hands on would take precedence of the threads. */
static void one_whose_packets_rps_hands_on_gets_none(void **state)
{
	struct fixture *f = *state;
	struct nb_cpumask mask = {.words = {1 << 6}};

	nb_host_set_rps(f->host, 1, &mask);
	assert_false(comes_within(f, 20));
	nb_host_set_rps(f->host, 1, &(struct nb_cpumask){});
	assert_true(comes_within(f, 20));
}

/* All queues of the NIC get threads: when the first has found time, the second finds most on the
 * CPU that the first has left. */
static void all_threads_have_to_find_room(void **state)
{
	struct fixture *f = *state;
	uint32_t room = 3000 - f->host->policy.minimum_gain;

	for (unsigned i = 1; i < N_CPUS; i++)
		f->host->fixed[i] = i == 1 ? 6100 : 6900;
	f->host->fixed[4] = 3100;
	f->host->time[2] = f->host->time[3] = 0;
	f->host->memory.queues[1].refused = true;
	f->host->time[1] = room + 1;
	assert_false(comes_within(f, 30));
	f->host->time[1] = room;
	assert_true(comes_within(f, 30));
}

/* With it they would be as full as the one that it leaves is hot. */
static void threads_leave_no_cpu_full(void **state)
{
	struct fixture *f = *state;

	f->host->fixed[0] = 6900;
	for (unsigned i = 1; i < N_CPUS; i++)
		f->host->fixed[i] = 6800;
	for (unsigned i = 1; i < N_QUEUES; i++)
		f->host->time[i] = 0;
	f->host->fixed[4] = f->host->policy.panic - 3000 + 1;
	assert_false(comes_within(f, 30));
	f->host->fixed[4]--;
	assert_true(comes_within(f, 30));
}

/* What the scheduler could do with all threads no step can do with interrupts, but that may change.
 */
static void one_that_may_move_gets_none(void **state)
{
	struct fixture *f = *state;

	f->host->policy.rps = false;
	f->host->fixed[0] = 2000;
	f->host->time[0] = 7500;
	for (unsigned i = 1; i < N_QUEUES; i++)
		nb_host_place(f->host, i, 1);
	for (unsigned i = 2; i < N_CPUS; i++)
		f->host->fixed[i] = 6000;
	f->host->memory.queues[0].refused = false;
	assert_false(comes_within(f, 20));
	assert_int_equal(f->plan->n_changes, 0);
	f->host->memory.queues[0].refused = true;
	assert_true(comes_within(f, 20));
}

static void what_did_not_help_is_switched_off_and_tried_seldom(void **state)
{
	struct fixture *f = *state;
	uint64_t dwell_nsec = f->host->policy.rps_dwell_nsec, off_nsec;
	struct nb_threaded_memory *threaded;

	assert_true(comes_within(f, 10));
	threaded = memory_of(f);
	threaded->trial.active = false;
	threaded->no_gain = true;
	threaded->failures = 1;
	assert_true(cycle(f));
	assert_false(f->change.on);
	assert_int_equal(f->change.reason, NB_REASON_THREADED_NO_GAIN);
	off_nsec = f->host->snapshot.taken_nsec;
	assert_false(comes_within(f, (unsigned)(4 * dwell_nsec / SEC) - 1));
	assert_true(comes_within(f, 10));
	assert_in_range(f->host->snapshot.taken_nsec, off_nsec + 4 * dwell_nsec,
			off_nsec + 4 * dwell_nsec + 5 * SEC);
}

static void it_goes_with_the_load(void **state)
{
	struct fixture *f = *state;
	struct nb_threaded_memory *threaded = switch_on(f);

	/* With its 30 the CPU of its interrupt would be at 60 with softirqs, ten below hot. */
	f->host->fixed[0] = 3001;
	assert_false(comes_within(f, 40));
	f->host->fixed[0] = 3000;
	assert_false(comes_within(f, 9));
	assert_int_equal(threaded->calm_samples, 9);
	f->host->fixed[0] = 3001;
	assert_false(cycle(f));
	assert_int_equal(threaded->calm_samples, 0);
	f->host->fixed[0] = 3000;
	assert_false(comes_within(f, 9));
	assert_true(cycle(f));
	assert_false(f->change.on);
	assert_int_equal(f->change.reason, NB_REASON_THREADED_CALM);
	assert_false(memory_of(f)->on);
}

static void it_stays_for_a_third_of_the_dwell_at_least(void **state)
{
	struct fixture *f = *state;
	uint64_t least_nsec = switch_on(f)->set_nsec + f->host->policy.rps_dwell_nsec / 3;

	f->host->fixed[0] = 0;
	assert_true(comes_within(f, 100));
	assert_in_range(f->host->snapshot.taken_nsec, least_nsec, least_nsec + SEC);
}

static void queues_of_one_cpu_would_come_to_it_together(void **state)
{
	struct fixture *f = *state;

	switch_on(f);
	nb_host_place(f->host, 1, 0);
	f->host->fixed[0] = 1;
	assert_false(comes_within(f, 40));
	f->host->fixed[0] = 0;
	assert_true(comes_within(f, 40));
}

/* Its CPU is hot in any case. */
static void a_queue_that_is_no_longer_worth_a_step_needs_no_thread(void **state)
{
	struct fixture *f = *state;

	switch_on(f);
	f->host->fixed[0] = 9000;
	f->packets = 1; /* for what they were on average each cost next to nothing */
	f->threaded = f->host->policy.minimum_gain;
	assert_false(comes_within(f, 40));
	f->threaded--;
	assert_true(comes_within(f, 40));
}

/* As its trial found. By packets it is less than that. */
static void a_thread_that_takes_longer_than_softirqs_goes_with_what_they_would_take(void **state)
{
	struct fixture *f = *state;

	switch_on(f)->softirq_share = NB_WHOLE / 2;
	f->packets = 1400;
	f->host->fixed[0] = 4501;
	assert_false(comes_within(f, 40));
	f->host->fixed[0] = 4500;
	assert_true(comes_within(f, 40));
	assert_false(f->change.on);
}

static void another_switch_has_another_trial(void **state)
{
	struct fixture *f = *state;

	assert_true(comes_within(f, 10));
	memory_of(f)->softirq_share = 1;
	nb_verify_note(f->plan, f->host->snapshot.taken_nsec, &f->host->memory);
	assert_int_equal(memory_of(f)->softirq_share, 0);
}

/* Where the time of threads is not measured, packets tell. */
static void packets_tell_what_a_thread_would_cost(void **state)
{
	struct fixture *f = *state;

	switch_on(f);
	f->host->snapshot.grade = NB_GRADE_ESTIMATED;
	f->threaded = 0;
	f->host->fixed[0] = 3001;
	assert_false(comes_within(f, 40));
	f->host->fixed[0] = 3000;
	assert_true(comes_within(f, 40));
}

/* That is measured there already. */
static void a_thread_on_the_cpu_of_its_interrupt_does_not_count_twice(void **state)
{
	struct fixture *f = *state;

	switch_on(f);
	f->host->fixed[0] = 5900;
	f->host->snapshot.queues[0].thread_cpu = 0;
	assert_true(comes_within(f, 40));
}

/* Nothing is known of the load with which the run before switched it on. */
static void what_the_run_before_switched_on_stays_until_times_are_measured(void **state)
{
	struct fixture *f = *state;

	f->host->fixed[0] = 0;
	f->host->snapshot.grade = NB_GRADE_ESTIMATED;
	nb_memory_adopt_threaded(&f->host->memory,
				 nb_queue_key_every(f->host->machine.nics[0].ifindex));
	assert_false(comes_within(f, 60));
	f->host->snapshot.grade = NB_GRADE_MEASURED;
	assert_true(comes_within(f, 11));
	assert_false(f->change.on);
}

static void it_goes_with_the_line_that_asked_for_it(void **state)
{
	struct fixture *f = *state;

	switch_on(f);
	f->host->machine.nics[0].threaded_allowed = false;
	assert_true(cycle(f));
	assert_false(f->change.on);
	assert_int_equal(f->change.reason, NB_REASON_UNCONFIGURED);
	assert_false(comes_within(f, 20));
}

/* The kernel would wait for it, and keep the RTNL lock. */
static void it_stays_on_while_a_napi_does_not_complete(void **state)
{
	struct fixture *f = *state;

	switch_on(f);
	f->host->machine.nics[0].threaded_allowed = false;
	f->never_done = true;
	assert_false(comes_within(f, 20));
	f->never_done = false;
	assert_true(cycle(f));
}

static void what_the_kernel_had_no_time_for_is_tried_again(void **state)
{
	struct fixture *f = *state;

	f->outcome = NB_OUTCOME_BUSY;
	assert_true(comes_within(f, 10));
	assert_false(comes_within(f, 4));
	f->outcome = NB_OUTCOME_APPLIED;
	assert_true(comes_within(f, 10));
}

static void what_is_refused_is_not_tried_again(void **state)
{
	struct fixture *f = *state;

	f->outcome = NB_OUTCOME_REFUSED;
	assert_true(comes_within(f, 10));
	assert_false(comes_within(f, 7200));
}

static void what_another_program_chose_is_left_alone_for_long(void **state)
{
	struct fixture *f = *state;
	unsigned yield_sec = (unsigned)(f->host->policy.yield_nsec / SEC);

	f->outcome = NB_OUTCOME_FOREIGN;
	assert_true(comes_within(f, 10));
	assert_false(comes_within(f, yield_sec - 1));
	assert_true(comes_within(f, 5));
}

/* That it can be handed on is measured first. */
static void rps_comes_first(void **state)
{
	struct fixture *f = *state;
	struct nb_rps_memory *rps;

	f->host->time[0] = 7000;
	f->host->fixed[0] = 2000;
	for (unsigned i = 0; i < 10 && f->host->memory.n_rps == 0; i++)
		assert_false(cycle(f));
	assert_int_equal(f->host->memory.n_rps, 1);
	rps = &f->host->memory.rps[0];
	nb_host_set_rps(f->host, 0, &rps->cpus);
	assert_true(rps->trial.active);
	assert_false(comes_within(f, 10));
}

/* --- of one queue */

/* Kernel and driver have a switch of each queue. */
static void link_queues(struct fixture *f)
{
	for (unsigned i = 0; i < N_QUEUES; i++)
		f->host->machine.queues[i].threading = NB_THREADING_OFF;
}

static struct nb_threaded_memory *memory_of_queue(struct fixture *f, unsigned i)
{
	return nb_memory_find_threaded(&f->host->memory, f->host->machine.queues[i].key);
}

static void assert_change(const struct fixture *f, unsigned index, bool on)
{
	assert_int_equal(f->change.key.ifindex, f->host->machine.nics[0].ifindex);
	assert_int_equal(f->change.key.index, index);
	assert_int_equal(f->change.on, on);
}

static void where_a_queue_has_a_switch_of_its_own_the_others_have_no_thread(void **state)
{
	struct fixture *f = *state;

	link_queues(f);
	/* Before its driver linked them. */
	memory_of(f)->refused = true;
	assert_true(comes_within(f, 10));
	assert_change(f, 0, true);
	assert_int_equal(f->change.load, 3000);
	assert_int_equal(f->change.packets_per_sec, 3000);
	assert_int_equal(f->host->memory.n_threaded, 2);
	assert_true(memory_of_queue(f, 0)->on);
}

/* They would keep the NIC as a whole from it. */
static void what_the_other_queues_do_is_no_matter_to_one(void **state)
{
	struct fixture *f = *state;
	struct nb_cpumask mask = {.words = {1 << 6}};

	f->never_done = true;
	nb_host_set_rps(f->host, 2, &mask);
	for (unsigned i = 1; i < N_CPUS; i++)
		f->host->fixed[i] = i < N_QUEUES ? 5600 : 3100;
	assert_false(comes_within(f, 20));
	link_queues(f);
	assert_true(comes_within(f, 20));
	assert_change(f, 0, true);
}

static void it_may_not_be_polled_without_end_itself_nor_its_packets_be_handed_on(void **state)
{
	struct fixture *f = *state;
	struct nb_cpumask mask = {.words = {1 << 6}};

	link_queues(f);
	f->host->memory.queues[0].refused = false;
	f->host->memory.queues[1].refused = true;
	f->host->fixed[0] = 0;
	f->host->fixed[1] = 6000;
	f->never_done = true;
	assert_false(comes_within(f, 20));
	f->never_done = false;
	nb_host_set_rps(f->host, 1, &mask);
	assert_false(comes_within(f, 20));
	nb_host_set_rps(f->host, 1, &(struct nb_cpumask){});
	assert_true(comes_within(f, 20));
	assert_change(f, 1, true);
}

/* Switches queue 0 on, and finds that it helped. */
static void switch_own_on(struct fixture *f)
{
	link_queues(f);
	assert_true(comes_within(f, 10));
	assert_change(f, 0, true);
	memory_of_queue(f, 0)->trial.active = false;
	f->host->time[0] = 0;
	f->host->snapshot.queues[0].thread_cpu = 7;
}

static void each_queue_gets_a_thread_for_itself(void **state)
{
	struct fixture *f = *state;

	switch_own_on(f);
	f->host->memory.queues[1].refused = true;
	f->host->fixed[1] = 6000;
	f->threads = true;
	f->threaded = f->packets = 3000;
	f->host->time[1] = 3001;
	assert_true(comes_within(f, 20));
	assert_change(f, 1, true);
	assert_true(memory_of_queue(f, 0)->on);
	assert_true(memory_of_queue(f, 1)->on);
}

static void its_thread_goes_with_its_load(void **state)
{
	struct fixture *f = *state;

	switch_own_on(f);
	f->threads = true;
	f->threaded = f->packets = 3000;
	f->host->fixed[1] = 9000;
	f->host->fixed[0] = 3001;
	assert_false(comes_within(f, 40));
	f->host->fixed[0] = 3000;
	assert_true(comes_within(f, 12));
	assert_change(f, 0, false);
	assert_int_equal(f->change.reason, NB_REASON_THREADED_CALM);
}

static void where_the_switch_of_a_queue_is_refused_the_whole_nic_is_switched(void **state)
{
	struct fixture *f = *state;

	link_queues(f);
	f->outcome = NB_OUTCOME_REFUSED;
	assert_true(comes_within(f, 10));
	assert_change(f, 0, true);
	f->outcome = NB_OUTCOME_APPLIED;
	assert_true(comes_within(f, 10));
	assert_change(f, NB_EVERY_QUEUE, true);
	assert_int_equal(f->change.load, N_QUEUES * 3000);
}

static void a_whole_nic_that_is_refused_is_not_tried_for_another_queue(void **state)
{
	struct fixture *f = *state;

	link_queues(f);
	f->outcome = NB_OUTCOME_REFUSED;
	assert_true(comes_within(f, 10));
	assert_true(comes_within(f, 10));
	assert_change(f, NB_EVERY_QUEUE, true);
	assert_false(comes_within(f, 7200));
}

/* It stays on. */
static void keep_on(struct fixture *f, struct nb_queue_key key)
{
	struct nb_threaded_memory *threaded = nb_memory_get_threaded(&f->host->memory, key);

	threaded->on = true;
	threaded->set_nsec = UINT64_MAX / 2;
	threaded->generation = f->host->machine.generation;
}

/* The one switch sets the other. */
static void both_switches_are_never_on(void **state)
{
	struct fixture *f = *state;
	const struct nb_queue_key every = nb_queue_key_every(f->host->machine.nics[0].ifindex);
	const struct nb_queue *queues = f->host->machine.queues;

	link_queues(f);
	keep_on(f, every);
	assert_false(comes_within(f, 30));
	nb_memory_drop_threaded(&f->host->memory, every);
	keep_on(f, queues[1].key);
	nb_memory_get_threaded(&f->host->memory, queues[3].key)->refused = true;
	assert_false(comes_within(f, 30));
	nb_memory_drop_threaded(&f->host->memory, queues[1].key);
	assert_true(comes_within(f, 30));
	assert_change(f, NB_EVERY_QUEUE, true);
}

/* By another program, or since a driver made NAPIs anew. */
static void a_thread_that_ended_is_given_up(void **state)
{
	struct fixture *f = *state;
	unsigned yield_sec = (unsigned)(f->host->policy.yield_nsec / SEC);

	switch_own_on(f);
	f->threads = true;
	f->threaded = f->packets = 3000;
	f->host->machine.queues[0].threading = NB_THREADING_ON;
	f->host->machine.generation++;
	assert_false(comes_within(f, 30));
	f->host->machine.queues[0].threading = NB_THREADING_OFF;
	f->outcome = NB_OUTCOME_FOREIGN;
	assert_true(cycle(f));
	assert_change(f, 0, false);
	assert_false(memory_of_queue(f, 0)->on);
	f->threads = false;
	f->host->time[0] = 3000;
	assert_false(comes_within(f, yield_sec - 1));
	f->outcome = NB_OUTCOME_APPLIED;
	assert_true(comes_within(f, 10));
	assert_change(f, 0, true);
}

/* That of the last rescan was before. */
static void what_was_found_before_the_switch_does_not_count(void **state)
{
	struct fixture *f = *state;

	switch_own_on(f);
	f->threads = true;
	f->threaded = f->packets = 3000;
	assert_false(comes_within(f, 30));
	assert_true(memory_of_queue(f, 0)->on);
}

int main(void)
{
#define TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_queue_that_cannot_leave_a_hot_cpu_gets_a_thread,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(nothing_moves_during_the_trial, set_up, tear_down),
		cmocka_unit_test_setup_teardown(nobody_gets_one_unasked, set_up, tear_down),
		cmocka_unit_test_setup_teardown(nobody_gets_one_where_times_are_not_measured,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(one_that_can_move_moves, set_up, tear_down),
		cmocka_unit_test_setup_teardown(one_that_shares_its_cpu_with_nothing_keeps_it,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(one_that_is_worth_no_step_keeps_its_cpu, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(where_all_cpus_are_busy_it_stays, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(one_that_does_not_complete_gets_none, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(one_whose_packets_rps_hands_on_gets_none, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(all_threads_have_to_find_room, set_up, tear_down),
		cmocka_unit_test_setup_teardown(threads_leave_no_cpu_full, set_up, tear_down),
		cmocka_unit_test_setup_teardown(one_that_may_move_gets_none, set_up, tear_down),
		cmocka_unit_test_setup_teardown(what_did_not_help_is_switched_off_and_tried_seldom,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(it_goes_with_the_load, set_up, tear_down),
		cmocka_unit_test_setup_teardown(it_stays_for_a_third_of_the_dwell_at_least, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(queues_of_one_cpu_would_come_to_it_together, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(
			a_queue_that_is_no_longer_worth_a_step_needs_no_thread, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			a_thread_that_takes_longer_than_softirqs_goes_with_what_they_would_take,
			set_up, tear_down),
		cmocka_unit_test_setup_teardown(another_switch_has_another_trial, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(packets_tell_what_a_thread_would_cost, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(
			a_thread_on_the_cpu_of_its_interrupt_does_not_count_twice, set_up,
			tear_down),
		cmocka_unit_test_setup_teardown(
			what_the_run_before_switched_on_stays_until_times_are_measured, set_up,
			tear_down),
		cmocka_unit_test_setup_teardown(it_goes_with_the_line_that_asked_for_it, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(it_stays_on_while_a_napi_does_not_complete, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(what_the_kernel_had_no_time_for_is_tried_again,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(what_is_refused_is_not_tried_again, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(what_another_program_chose_is_left_alone_for_long,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(rps_comes_first, set_up, tear_down),
		TEST(where_a_queue_has_a_switch_of_its_own_the_others_have_no_thread),
		TEST(what_the_other_queues_do_is_no_matter_to_one),
		TEST(it_may_not_be_polled_without_end_itself_nor_its_packets_be_handed_on),
		TEST(each_queue_gets_a_thread_for_itself),
		TEST(its_thread_goes_with_its_load),
		TEST(where_the_switch_of_a_queue_is_refused_the_whole_nic_is_switched),
		TEST(a_whole_nic_that_is_refused_is_not_tried_for_another_queue),
		TEST(both_switches_are_never_on),
		TEST(a_thread_that_ended_is_given_up),
		TEST(what_was_found_before_the_switch_does_not_count),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

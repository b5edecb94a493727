/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plan/planner.h"

#include "support/host.h"
#include "support/plan.h"
#include "support/support.h"
#include "verify/verify.h"

#define SEC NB_NSEC_PER_SEC

/* One cycle a second: plan, obey, verify. Returns the plan. */
static const struct nb_plan *cycle(struct nb_host *host, struct nb_planner *planner)
{
	g_autoptr(GArray) findings = g_array_new(FALSE, FALSE, sizeof(struct nb_finding));
	struct nb_plan *plan;

	nb_host_tick(host, SEC);
	/* That packets keep its interrupt masked the model would say. */
	host->loads.queues[0].deferred = host->snapshot.queues[0].defers;
	nb_memory_sync(&host->memory, &host->snapshot);
	plan = nb_planner_run(planner, &host->snapshot, &host->loads, &host->policy, &host->memory);
	nb_verify_judge(&host->snapshot, &host->loads, &host->policy, &host->memory, findings);
	nb_host_obey(host, plan);
	nb_verify_note(plan, host->snapshot.taken_nsec, &host->memory);
	return plan;
}

struct fixture {
	struct nb_host *host;
	struct nb_planner *planner;
};

/* Eight CPUs, one NIC of eight queues, one queue a CPU. */
static int set_up(void **state)
{
	struct fixture *f = g_new0(struct fixture, 1);

	f->host = nb_host_new(8, 1, 1);
	nb_host_add_nic(f->host, NB_NODE_NONE, 8, 0, 500);
	for (unsigned i = 0; i < 8; i++)
		nb_host_place(f->host, i, i);
	f->planner = nb_planner_new();
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	nb_host_free(f->host);
	nb_planner_free(f->planner);
	g_free(f);
	return 0;
}

static void says_unknown_before_the_first_window(void **state)
{
	struct fixture *f = *state;

	nb_memory_sync(&f->host->memory, &f->host->snapshot);
	assert_int_equal(nb_planner_run(f->planner, &f->host->snapshot, &f->host->loads,
					&f->host->policy, &f->host->memory)
				 ->verdict,
			 NB_VERDICT_UNKNOWN);
}

/* As while the probe is loaded: no window, and no loads. */
static void a_ban_is_obeyed_without_a_window(void **state)
{
	struct fixture *f = *state;
	struct nb_host *host = f->host;
	const struct nb_plan *plan;

	cycle(host, f->planner);
	nb_cpumask_add(&host->policy.banned, 3);
	host->snapshot.taken_nsec += SEC;
	host->loads.window_nsec = 0;
	plan = nb_planner_run(f->planner, &host->snapshot, &host->loads, &host->policy,
			      &host->memory);
	assert_int_equal(plan->verdict, NB_VERDICT_PLACING);
	assert_int_equal(plan->n_changes, 1);
	assert_int_equal(plan->changes[0].key.index, 3);
	assert_int_equal(plan->changes[0].reason, NB_REASON_INELIGIBLE);
	assert_int_not_equal(plan->changes[0].move->cpu_to, 3);
}

static void leaves_a_quiet_host_in_peace(void **state)
{
	struct fixture *f = *state;

	for (unsigned i = 0; i < 100; i++) {
		const struct nb_plan *plan = cycle(f->host, f->planner);

		assert_int_equal(plan->verdict, NB_VERDICT_QUIET);
		assert_int_equal(n_moves(plan), 0);
	}
}

static void spreads_a_collapsed_nic_in_one_round(void **state)
{
	struct fixture *f = *state;

	for (unsigned i = 0; i < 8; i++) {
		nb_host_place(f->host, i, 0);
		f->host->time[i] = 1200;
	}
	f->host->fixed[7] = 10000;
	assert_int_equal(cycle(f->host, f->planner)->verdict, NB_VERDICT_PLACING);
	for (unsigned cpu = 0; cpu < 7; cpu++)
		assert_in_range(nb_host_queues_on(f->host, cpu), 1, 2);
	assert_int_equal(nb_host_queues_on(f->host, 7), 0);
	for (unsigned i = 0; i < 100; i++)
		assert_int_equal(n_moves(cycle(f->host, f->planner)), 0);
}

/* For two windows: the first speaks of where everything was. */
static void waits_after_a_placement_even_in_panic(void **state)
{
	struct fixture *f = *state;

	for (unsigned i = 0; i < 8; i++)
		nb_host_place(f->host, i, 0);
	assert_int_equal(cycle(f->host, f->planner)->verdict, NB_VERDICT_PLACING);
	f->host->time[2] = 9500;
	assert_int_equal(cycle(f->host, f->planner)->verdict, NB_VERDICT_COOLING);
	assert_int_not_equal(cycle(f->host, f->planner)->verdict, NB_VERDICT_COOLING);
}

/* What is under way is looked at before the next beat, and such a look arms nothing. */
static void looks_again_soon_after_saturated_queues_were_moved(void **state)
{
	struct fixture *f = *state;
	const struct nb_plan *plan;

	for (unsigned i = 0; i < 8; i++) {
		nb_host_place(f->host, i, 0);
		nb_host_stick(f->host, i, 0);
	}
	plan = cycle(f->host, f->planner);
	assert_int_equal(plan->verdict, NB_VERDICT_PLACING);
	assert_true(plan->changes[0].move->saturated);
	assert_true(plan->again_nsec > 0 && plan->again_nsec < NB_NSEC_PER_SEC / 2);
	assert_true(f->host->memory.hurried);
	plan = cycle(f->host, f->planner);
	assert_int_equal(plan->verdict, NB_VERDICT_STEERING);
	assert_true(n_masks(plan) > 1);
	assert_int_equal(f->host->memory.armed_samples, 0);
}

static void fires_after_three_samples(void **state)
{
	struct fixture *f = *state;

	cycle(f->host, f->planner);
	nb_host_place(f->host, 1, 0);
	f->host->time[0] = 4000;
	f->host->time[1] = 4000;
	assert_int_equal(cycle(f->host, f->planner)->verdict, NB_VERDICT_ARMING);
	assert_int_equal(cycle(f->host, f->planner)->verdict, NB_VERDICT_ARMING);
	assert_int_equal(cycle(f->host, f->planner)->verdict, NB_VERDICT_BALANCING);
	assert_int_not_equal(nb_host_cpu_of(f->host, 0), nb_host_cpu_of(f->host, 1));
}

/* Loads are known only since saturated queues were placed. */
static void fires_at_once_where_loads_have_just_become_known(void **state)
{
	struct fixture *f = *state;

	cycle(f->host, f->planner);
	nb_host_place(f->host, 1, 0);
	f->host->time[0] = 4000;
	f->host->time[1] = 4000;
	f->host->memory.settling_until_nsec = f->host->snapshot.taken_nsec + 5 * NB_NSEC_PER_SEC;
	assert_int_equal(cycle(f->host, f->planner)->verdict, NB_VERDICT_BALANCING);
}

static void forgets_samples_that_were_interrupted(void **state)
{
	struct fixture *f = *state;

	cycle(f->host, f->planner);
	nb_host_place(f->host, 1, 0);
	for (unsigned i = 0; i < 6; i++) {
		f->host->time[0] = f->host->time[1] = i % 3 == 2 ? 1000 : 4000;
		assert_int_equal(n_moves(cycle(f->host, f->planner)), 0);
	}
}

static void panics_at_the_first_sample(void **state)
{
	struct fixture *f = *state;
	const struct nb_plan *plan;

	cycle(f->host, f->planner);
	nb_host_place(f->host, 1, 0);
	f->host->time[0] = f->host->time[1] = 4800;
	plan = cycle(f->host, f->planner);
	assert_int_equal(plan->verdict, NB_VERDICT_BALANCING);
	assert_int_equal(plan->changes[0].move->reason, NB_REASON_PANIC);
}

static void what_an_application_takes_for_a_moment_moves_nothing(void **state)
{
	struct fixture *f = *state;

	f->host->time[3] = 2000;
	for (unsigned i = 0; i < 20; i++) {
		f->host->fixed[3] = i % 5 < 2 ? 7500 : 400;
		assert_int_equal(n_moves(cycle(f->host, f->planner)), 0);
	}
	f->host->fixed[3] = 7500;
	for (unsigned i = 0; i < 3; i++)
		cycle(f->host, f->planner);
	assert_int_not_equal(nb_host_cpu_of(f->host, 3), 3);
}

static void drops_on_a_hot_cpu_are_panic(void **state)
{
	struct fixture *f = *state;

	cycle(f->host, f->planner);
	nb_host_place(f->host, 1, 0);
	f->host->time[0] = f->host->time[1] = 4000;
	nb_host_tick(f->host, SEC);
	f->host->loads.cpus[0].dropped = 1;
	assert_int_equal(nb_planner_run(f->planner, &f->host->snapshot, &f->host->loads,
					&f->host->policy, &f->host->memory)
				 ->verdict,
			 NB_VERDICT_BALANCING);
}

static void what_its_nic_drops_is_panic_on_a_hot_cpu(void **state)
{
	struct fixture *f = *state;

	cycle(f->host, f->planner);
	nb_host_place(f->host, 1, 0);
	f->host->time[0] = f->host->time[1] = 4000;
	nb_host_tick(f->host, SEC);
	f->host->loads.cpus[0].nic_dropped = 1;
	assert_int_equal(nb_planner_run(f->planner, &f->host->snapshot, &f->host->loads,
					&f->host->policy, &f->host->memory)
				 ->verdict,
			 NB_VERDICT_BALANCING);
}

/* time_squeeze, and on another CPU than the hottest. */
static void squeezes_on_any_hot_cpu_need_no_second_sample(void **state)
{
	struct fixture *f = *state;

	cycle(f->host, f->planner);
	nb_host_place(f->host, 1, 0);
	f->host->time[0] = f->host->time[1] = 4000;
	f->host->time[5] = 7500;
	nb_host_tick(f->host, SEC);
	f->host->memory.begun_nsec -= 15 * SEC;
	f->host->loads.cpus[5].squeezed = 3;
	assert_int_equal(nb_planner_run(f->planner, &f->host->snapshot, &f->host->loads,
					&f->host->policy, &f->host->memory)
				 ->verdict,
			 NB_VERDICT_BALANCING);
}

static void drops_on_a_cpu_that_is_not_hot_move_nothing(void **state)
{
	struct fixture *f = *state;
	const struct nb_plan *plan;

	cycle(f->host, f->planner);
	f->host->time[2] = 6500;
	for (unsigned i = 0; i < 20; i++) {
		nb_host_tick(f->host, SEC);
		f->host->loads.cpus[2].dropped = 1000;
		f->host->loads.cpus[3].nic_dropped = 1000;
		f->host->loads.cpus[4].squeezed = 1000;
		plan = nb_planner_run(f->planner, &f->host->snapshot, &f->host->loads,
				      &f->host->policy, &f->host->memory);
		assert_int_equal(plan->verdict, NB_VERDICT_QUIET);
		assert_int_equal(n_moves(plan) + n_masks(plan), 0);
	}
}

/* intrd's test: the load of the CPU without its biggest queue is no more than others have. */
static void moving_a_dominant_queue_is_pointless_so_its_packets_are_handed_on(void **state)
{
	struct fixture *f = *state;
	const struct nb_plan *plan = NULL;

	nb_host_free(f->host);
	f->host = nb_host_new(8, 1, 1);
	nb_host_add_nic(f->host, NB_NODE_NONE, 2, 0, 200);
	nb_host_place(f->host, 1, 1);
	f->host->time[0] = 9500;
	f->host->fixed[0] = 300;
	for (unsigned cpu = 1; cpu < 8; cpu++)
		f->host->fixed[cpu] = 400;
	for (unsigned i = 0; i < 4 && (!plan || n_masks(plan) == 0); i++) {
		plan = cycle(f->host, f->planner);
		assert_int_equal(n_moves(plan), 0);
	}
	assert_int_equal(plan->verdict, NB_VERDICT_STEERING);
	assert_int_equal(plan->changes[0].rps->reason, NB_REASON_RPS_WIDEN);
	assert_int_equal(plan->changes[0].rps->applications, 300 + 7 * 400);
}

static void a_node_that_cannot_be_helped_does_not_hold_up_the_other(void **state)
{
	struct fixture *f = *state;
	const struct nb_plan *plan = NULL;
	unsigned second;

	nb_host_free(f->host);
	f->host = nb_host_new(8, 1, 2);
	f->host->policy.rps = false;
	nb_host_add_nic(f->host, 0, 1, 0, 9900);
	second = nb_host_add_nic(f->host, 1, 5, 4, 200);
	for (unsigned i = 0; i < 5; i++)
		nb_host_place(f->host, second + i, 4 + i % 4);
	f->host->time[second] = f->host->time[second + 4] = 4000;
	for (unsigned i = 0; i < 4 && (!plan || n_moves(plan) == 0); i++)
		plan = cycle(f->host, f->planner);
	assert_int_equal(plan->verdict, NB_VERDICT_BALANCING);
	assert_int_equal(plan->hottest_cpu, 4);
	assert_int_equal(plan->changes[0].move->key.ifindex, f->host->machine.nics[1].ifindex);
	for (unsigned i = 0; i < 10; i++)
		plan = cycle(f->host, f->planner);
	assert_int_equal(plan->verdict, NB_VERDICT_ONE_FLOW);
	assert_int_equal(plan->hottest_cpu, 0);
}

/* Both have a queue on the CPU that is full. That of the first NIC may go to CPUs of its node only.
 */
static void of_two_nics_the_one_that_may_go_further_comes_first(void **state)
{
	struct fixture *f = *state;
	const struct nb_plan *plan;

	nb_host_free(f->host);
	f->host = nb_host_new(8, 1, 2);
	f->host->policy.moves_per_round = 1;
	nb_host_add_nic(f->host, 0, 1, 0, 4900);
	nb_host_add_nic(f->host, NB_NODE_NONE, 1, 0, 4900);
	plan = cycle(f->host, f->planner);
	for (unsigned i = 0; i < 4 && n_moves(plan) == 0; i++)
		plan = cycle(f->host, f->planner);
	assert_int_equal(n_moves(plan), 1);
	assert_int_equal(plan->changes[0].move->key.ifindex, f->host->machine.nics[1].ifindex);
}

static void leaves_a_hot_but_even_host_alone(void **state)
{
	struct fixture *f = *state;

	for (unsigned i = 0; i < 8; i++)
		f->host->time[i] = 8000;
	for (unsigned i = 0; i < 20; i++)
		assert_int_equal(cycle(f->host, f->planner)->verdict, NB_VERDICT_EVEN);
}

/* Mean 80.4 % and 80.9 %, a gap of 4 %. */
static void a_cpu_is_uneven_by_more_than_the_gap(void **state)
{
	struct fixture *f = *state;

	f->host->policy.gap = 400;
	for (unsigned i = 0; i < 8; i++)
		f->host->time[i] = 8000;
	f->host->time[0] = 8300;
	for (unsigned i = 0; i < 20; i++)
		assert_int_equal(cycle(f->host, f->planner)->verdict, NB_VERDICT_EVEN);
	f->host->time[0] = 8700;
	for (unsigned i = 0; i < 20; i++)
		cycle(f->host, f->planner);
	assert_int_not_equal(cycle(f->host, f->planner)->verdict, NB_VERDICT_EVEN);
}

static void moves_a_queue_away_from_a_busy_application(void **state)
{
	struct fixture *f = *state;

	cycle(f->host, f->planner);
	f->host->fixed[3] = 8000;
	f->host->time[3] = 1500;
	for (unsigned i = 0; i < 5; i++)
		cycle(f->host, f->planner);
	assert_int_not_equal(nb_host_cpu_of(f->host, 3), 3);
}

static void keeps_a_moved_queue_for_its_dwell(void **state)
{
	struct fixture *f = *state;
	unsigned first_cpu;

	cycle(f->host, f->planner);
	f->host->fixed[3] = 8500;
	f->host->time[3] = 1500;
	for (unsigned i = 0; i < 3; i++)
		cycle(f->host, f->planner);
	first_cpu = nb_host_cpu_of(f->host, 3);
	assert_int_not_equal(first_cpu, 3);
	f->host->fixed[first_cpu] = 8000;
	for (unsigned i = 0; i < 9; i++) {
		cycle(f->host, f->planner);
		assert_int_equal(nb_host_cpu_of(f->host, 3), first_cpu);
	}
}

static void raises_the_gain_it_asks_for_with_noise(void **state)
{
	struct fixture *f = *state;

	nb_memory_sync(&f->host->memory, &f->host->snapshot);
	nb_host_tick(f->host, SEC);
	f->host->loads.noise = 300;
	assert_int_equal(nb_planner_run(f->planner, &f->host->snapshot, &f->host->loads,
					&f->host->policy, &f->host->memory)
				 ->gain_needed,
			 3 * 300 * 14142 / 10000);
	f->host->loads.noise = 80;
	assert_int_equal(nb_planner_run(f->planner, &f->host->snapshot, &f->host->loads,
					&f->host->policy, &f->host->memory)
				 ->gain_needed,
			 f->host->policy.minimum_gain);
}

/* Wherever the queue of CPU 2 goes, it is no cooler there. Then it would gain 4, and then 8. */
static void asks_for_more_where_loads_have_been_the_same_for_long(void **state)
{
	struct fixture *f = *state;

	f->host->policy.rps = false;
	f->host->time[2] = 4000;
	for (unsigned i = 0; i < 8; i++)
		f->host->fixed[i] = 4000;
	for (unsigned i = 0; i < 70; i++)
		assert_int_equal(n_moves(cycle(f->host, f->planner)), 0);
	assert_int_equal(cycle(f->host, f->planner)->gain_needed, 2 * f->host->policy.minimum_gain);
	f->host->fixed[5] = 3600;
	for (unsigned i = 0; i < 20; i++)
		assert_int_equal(n_moves(cycle(f->host, f->planner)), 0);
	f->host->fixed[5] = 3200;
	for (unsigned i = 0; i < 20 && nb_host_cpu_of(f->host, 2) == 2; i++)
		cycle(f->host, f->planner);
	assert_int_equal(nb_host_cpu_of(f->host, 2), 5);
	assert_int_equal(cycle(f->host, f->planner)->gain_needed, 2 * f->host->policy.minimum_gain);
	f->host->loads.shifted = true;
	assert_int_equal(cycle(f->host, f->planner)->gain_needed, f->host->policy.minimum_gain);
}

static void cycles_that_follow_at_once_do_not_make_it_rest(void **state)
{
	struct fixture *f = *state;

	for (unsigned i = 0; i < 70; i++) {
		f->host->memory.hurried = true;
		assert_int_equal(cycle(f->host, f->planner)->gain_needed,
				 f->host->policy.minimum_gain);
	}
}

/* Whether queue 2 leaves CPU 2 when that becomes so busy, after so many cycles in which nothing
 * moved. */
static bool is_relieved_after(struct fixture *f, unsigned cycles, uint32_t load)
{
	for (unsigned i = 0; i < cycles; i++)
		assert_int_equal(n_moves(cycle(f->host, f->planner)), 0);
	f->host->fixed[2] = load - f->host->time[2];
	for (unsigned i = 0; i < 20; i++)
		cycle(f->host, f->planner);
	return nb_host_cpu_of(f->host, 2) != 2;
}

/* The others are idle. */
static bool is_hot_after(struct fixture *f, unsigned cycles, uint32_t load)
{
	f->host->time[2] = 3000;
	return is_relieved_after(f, cycles, load);
}

static void a_cpu_is_hot_by_little(void **state)
{
	assert_true(is_hot_after(*state, 10, 7200));
}

static void at_rest_a_cpu_is_not_hot_by_little(void **state)
{
	struct fixture *f = *state;

	assert_false(is_hot_after(f, 60, 7200));
	assert_int_equal(cycle(f->host, f->planner)->verdict, NB_VERDICT_NO_GAIN);
}

static void at_rest_a_cpu_is_hot_by_a_gain(void **state)
{
	assert_true(is_hot_after(*state, 60, 7400));
}

static void at_rest_a_cpu_that_is_overrun_is_hot_by_little(void **state)
{
	struct fixture *f = *state;

	f->host->policy.hot = 8000;
	f->host->policy.panic = 8100;
	assert_true(is_hot_after(f, 60, 8200));
}

/* CPU 5 has room for its queue; the mean is at 80.5 %, and it gets 5.5 or 8.4 above. */
static bool is_uneven_after(struct fixture *f, unsigned cycles, uint32_t load)
{
	f->host->time[2] = 1000;
	for (unsigned i = 0; i < 8; i++)
		f->host->fixed[i] = 7800;
	f->host->fixed[2] = 7000;
	f->host->fixed[5] = 5500;
	return is_relieved_after(f, cycles, load);
}

static void a_cpu_is_uneven_by_little(void **state)
{
	assert_true(is_uneven_after(*state, 10, 8600));
}

static void at_rest_a_cpu_is_not_uneven_by_little(void **state)
{
	assert_false(is_uneven_after(*state, 60, 8600));
}

static void at_rest_a_cpu_is_uneven_by_a_gain(void **state)
{
	assert_true(is_uneven_after(*state, 60, 8920));
}

/* CPU 0 has an application and two queues, each other CPU three: the smaller of the two would gain
 * something in exchange for one of those, but all of them dwell. */
static unsigned tries_to_repack(uint32_t rest)
{
	struct nb_host *host = nb_host_new(4, 1, 1);
	struct nb_planner *planner = nb_planner_new();
	unsigned tries;

	nb_host_add_nic(host, NB_NODE_NONE, 1, 0, 4000);
	nb_host_add_nic(host, NB_NODE_NONE, 1, 0, 3500);
	host->fixed[0] = rest;
	for (unsigned i = 0; i < 9; i++)
		nb_host_add_nic(host, NB_NODE_NONE, 1, 1 + i / 3, 2200);
	nb_memory_sync(&host->memory, &host->snapshot);
	for (unsigned i = 0; i < host->memory.n_queues; i++)
		host->memory.queues[i].moved_nsec = host->snapshot.taken_nsec + 1;
	for (unsigned i = 0; i < 8; i++)
		cycle(host, planner);
	tries = host->memory.repack_tries;
	nb_planner_free(planner);
	nb_host_free(host);
	return tries;
}

static void only_a_full_cpu_is_packed_anew_while_a_step_is_held(void **state)
{
	(void)state;
	assert_int_equal(tries_to_repack(1000), 0);
	assert_true(tries_to_repack(3000) > 0);
}

static void says_when_one_flow_is_all_there_is(void **state)
{
	struct fixture *f = *state;
	const struct nb_plan *plan = NULL;

	f->host->time[2] = 9500;
	for (unsigned i = 0; i < 3; i++)
		plan = cycle(f->host, f->planner);
	assert_int_equal(plan->verdict, NB_VERDICT_ONE_FLOW);
	assert_int_equal(plan->hottest_cpu, 2);
}

static uint32_t table[16], bucket_packets[16];

/* A NIC of four queues, the first of which gets most packets; they can be counted. */
static void count_buckets(struct fixture *f)
{
	nb_host_free(f->host);
	f->host = nb_host_new(8, 1, 1);
	nb_host_add_nic(f->host, NB_NODE_NONE, 4, 0, 1000);
	for (unsigned i = 0; i < 4; i++)
		nb_host_place(f->host, i, i);
	f->host->time[0] = 9000;
	for (unsigned i = 0; i < 16; i++) {
		table[i] = i % 4;
		bucket_packets[i] = 1000;
	}
	f->host->snapshot.buckets = (struct nb_bucket_counts){
		.able = true, .n = 16, .n_rings = 4, .queues = table, .packets = bucket_packets};
}

static const struct nb_plan *cycle_until(struct fixture *f, enum nb_verdict verdict)
{
	const struct nb_plan *plan = cycle(f->host, f->planner);

	for (unsigned i = 0; i < 10 && plan->verdict != verdict; i++)
		plan = cycle(f->host, f->planner);
	assert_int_equal(plan->verdict, verdict);
	return plan;
}

static void two_masks_in_a_row_do_not_meet(void **state)
{
	struct fixture *f = *state;
	const struct nb_plan *plan;
	struct nb_cpumask first, both;
	uint64_t set_nsec;

	nb_host_free(f->host);
	f->host = nb_host_new(8, 1, 1);
	for (unsigned i = 0; i < 2; i++)
		nb_host_add_nic(f->host, NB_NODE_NONE, 1, i, 9500);
	plan = cycle_until(f, NB_VERDICT_STEERING);
	first = plan->changes[0].rps->to;
	set_nsec = f->host->snapshot.taken_nsec;
	assert_false(nb_cpumask_empty(&first));
	/* It helps, but what it hands over no CPU shows. */
	f->host->time[plan->changes[0].key.ifindex == f->host->machine.queues[1].key.ifindex] =
		2400;
	plan = cycle_until(f, NB_VERDICT_STEERING);
	assert_true(f->host->snapshot.taken_nsec < set_nsec + 3 * SEC);
	both = plan->changes[0].rps->to;
	assert_false(nb_cpumask_empty(&both));
	nb_cpumask_and(&both, &first);
	assert_true(nb_cpumask_empty(&both));
}

static void buckets_move_before_packets_are_steered(void **state)
{
	struct fixture *f = *state;
	struct nb_bucket_counts *counts;
	const struct nb_plan *plan;

	count_buckets(f);
	counts = &f->host->snapshot.buckets;
	plan = cycle_until(f, NB_VERDICT_COUNTING);
	assert_int_equal(plan->count_buckets, f->host->machine.nics[0].ifindex);
	assert_int_equal(plan->n_changes, 0);

	counts->ifindex = plan->count_buckets;
	counts->since_nsec = f->host->snapshot.taken_nsec;
	plan = cycle_until(f, NB_VERDICT_STEERING);
	assert_int_equal(plan->n_changes, 1);
	assert_int_equal(plan->changes[0].kind, NB_KIND_RSS);
	assert_int_equal(plan->changes[0].reason, NB_REASON_RSS_SPREAD);
	assert_int_equal(plan->count_buckets, 0);
	/* And is on trial. */
	assert_true(f->host->memory.rss[0].trial.active);
	assert_int_equal(f->host->memory.last_moves_nsec, f->host->snapshot.taken_nsec);
}

/* The queue does what waits in its ring, and its CPU is as full as it was. */
static void nothing_else_is_done_while_moved_buckets_are_on_trial(void **state)
{
	struct fixture *f = *state;
	const struct nb_plan *plan;

	count_buckets(f);
	f->host->time[0] = 10000;
	f->host->snapshot.buckets.ifindex = f->host->machine.nics[0].ifindex;
	plan = cycle_until(f, NB_VERDICT_STEERING);
	assert_int_equal(plan->changes[0].kind, NB_KIND_RSS);
	plan = cycle(f->host, f->planner);
	assert_int_equal(plan->verdict, NB_VERDICT_COOLING);
	assert_int_equal(plan->n_changes, 0);
}

static void where_buckets_cannot_be_counted_packets_are_steered(void **state)
{
	struct fixture *f = *state;
	const struct nb_plan *plan;

	count_buckets(f);
	f->host->snapshot.buckets.able = false;
	plan = cycle_until(f, NB_VERDICT_STEERING);
	assert_int_equal(plan->changes[0].kind, NB_KIND_RPS);
}

static void a_table_that_did_not_help_returns_and_packets_are_steered(void **state)
{
	struct fixture *f = *state;
	const struct nb_plan *plan;

	count_buckets(f);
	f->host->snapshot.buckets.ifindex = f->host->machine.nics[0].ifindex;
	plan = cycle_until(f, NB_VERDICT_STEERING);
	assert_int_equal(plan->changes[0].reason, NB_REASON_RSS_SPREAD);
	for (unsigned i = 0; i < 16; i++)
		table[i] = plan->changes[0].rss->to[i];
	/* The load stays where it was. */
	for (unsigned i = 0; i < 4 && plan->changes[0].reason != NB_REASON_RSS_NO_GAIN; i++)
		plan = cycle_until(f, NB_VERDICT_STEERING);
	assert_int_equal(plan->changes[0].reason, NB_REASON_RSS_NO_GAIN);
	assert_int_equal(f->host->memory.rss[0].spread, 0);
	assert_int_equal(f->host->memory.rss[0].failures, 1);
	plan = cycle_until(f, NB_VERDICT_STEERING);
	assert_int_equal(plan->changes[0].kind, NB_KIND_RPS);
}

static void queues_that_may_never_move_do_not_keep_rps_away(void **state)
{
	struct fixture *f = *state;
	const struct nb_plan *plan;

	cycle(f->host, f->planner);
	nb_host_place(f->host, 1, 0);
	f->host->time[0] = 6000;
	f->host->time[1] = 3500;
	f->host->memory.queues[0].refused = f->host->memory.queues[1].refused = true;
	plan = cycle(f->host, f->planner);
	assert_int_equal(plan->verdict, NB_VERDICT_STEERING);
	assert_int_equal(plan->changes[0].rps->key.index, 0);
}

static void is_not_quiet_while_a_cpu_of_a_mask_is_hot(void **state)
{
	struct fixture *f = *state;
	struct nb_cpumask mask = {};

	for (unsigned i = 0; i < 8; i++)
		nb_host_place(f->host, i, 0);
	f->host->time[0] = 1500;
	nb_memory_sync(&f->host->memory, &f->host->snapshot);
	for (unsigned i = 0; i < 8; i++)
		f->host->memory.queues[i].fresh = false;
	nb_cpumask_add(&mask, 5);
	nb_host_set_rps(f->host, 0, &mask);
	nb_memory_adopt_rps(&f->host->memory, f->host->snapshot.queues[0].key, &mask,
			    f->host->snapshot.taken_nsec);
	f->host->fixed[5] = 8000;
	assert_int_equal(cycle(f->host, f->planner)->verdict, NB_VERDICT_NO_GAIN);
	f->host->fixed[5] = 6000;
	assert_int_equal(cycle(f->host, f->planner)->verdict, NB_VERDICT_QUIET);
}

/* Queue 0 beside an application. */
static void says_what_keeps_a_queue_that_a_timer_polls(void **state)
{
	struct fixture *f = *state;

	f->host->time[0] = 4000;
	f->host->fixed[0] = 4500;
	f->host->policy.rps = false;
	f->host->snapshot.queues[0].defers = true;
	for (unsigned i = 0; i < 60; i++)
		assert_int_equal(n_moves(cycle(f->host, f->planner)), 0);
	assert_int_equal(cycle(f->host, f->planner)->verdict, NB_VERDICT_DEFERRED);
	f->host->snapshot.queues[0].defers = false;
	assert_int_equal(cycle(f->host, f->planner)->verdict, NB_VERDICT_BALANCING);
}

/* Another queue on CPU 0, and their bursts meet there: NET_RX waits for 8 ms wherever two are. */
static const struct nb_plan *cycle_with_bursts(struct fixture *f, bool everywhere)
{
	struct nb_host *host = f->host;
	g_autoptr(GArray) findings = g_array_new(FALSE, FALSE, sizeof(struct nb_finding));
	struct nb_plan *plan;

	nb_host_tick(host, SEC);
	for (unsigned i = 0; i < 8; i++) {
		host->loads.cpus[i].delay_known = true;
		host->loads.cpus[i].delay_msec = 1000;
		host->loads.cpus[i].delay_usec =
			nb_host_queues_on(host, i) > 1 || everywhere ? 8000 : 100;
	}
	nb_memory_sync(&host->memory, &host->snapshot);
	plan = nb_planner_run(f->planner, &host->snapshot, &host->loads, &host->policy,
			      &host->memory);
	nb_verify_judge(&host->snapshot, &host->loads, &host->policy, &host->memory, findings);
	nb_host_obey(host, plan);
	nb_verify_note(plan, host->snapshot.taken_nsec, &host->memory);
	return plan;
}

static unsigned moves_with_bursts(struct fixture *f, bool everywhere, enum nb_verdict *ret_last)
{
	unsigned n = 0;

	for (unsigned i = 0; i < 120; i++) {
		const struct nb_plan *plan = cycle_with_bursts(f, everywhere);

		for (unsigned j = 0; j < plan->n_changes; j++)
			if (plan->changes[j].kind == NB_KIND_QUEUE) {
				assert_int_equal(plan->changes[j].reason, NB_REASON_DELAY);
				assert_int_equal(plan->verdict, NB_VERDICT_BALANCING);
				n++;
			}
		*ret_last = plan->verdict;
	}
	return n;
}

/* Queues 0 and 1 of 20 % on CPU 0, the others on CPUs 2 to 7; CPU 1 is idle. */
static void let_bursts_meet(struct fixture *f)
{
	for (unsigned i = 0; i < 5; i++)
		cycle(f->host, f->planner);
	f->host->time[0] = f->host->time[1] = 2000;
	nb_host_place(f->host, 1, 0);
	nb_memory_sync(&f->host->memory, &f->host->snapshot);
	f->host->memory.queues[1].yielded_until_nsec = 0;
}

static void bursts_that_meet_are_parted_by_one_move(void **state)
{
	struct fixture *f = *state;
	enum nb_verdict last;

	let_bursts_meet(f);
	assert_int_equal(moves_with_bursts(f, false, &last), 1);
	assert_int_equal(nb_host_queues_on(f->host, 0), 1);
	assert_int_equal(f->host->memory.n_delays, 0);
	assert_int_equal(last, NB_VERDICT_QUIET);
}

static void waits_that_no_move_ends_are_told(void **state)
{
	struct fixture *f = *state;
	enum nb_verdict last;

	let_bursts_meet(f);
	assert_in_range(moves_with_bursts(f, true, &last), 1, 2);
	assert_int_equal(last, NB_VERDICT_DELAYED);
}

static void without_a_limit_no_delay_moves_anything(void **state)
{
	struct fixture *f = *state;
	enum nb_verdict last;

	let_bursts_meet(f);
	f->host->policy.delay_max_nsec = 0;
	assert_int_equal(moves_with_bursts(f, true, &last), 0);
	assert_int_equal(last, NB_VERDICT_QUIET);
}

/* 90 of a small CPU are 36 of a large one, which has no room for it: there is more than one flow
 * in the way. */
static void a_queue_that_fills_a_small_cpu_alone_is_not_one_flow(void **state)
{
	struct fixture *f = *state;
	const struct nb_plan *plan = NULL;

	nb_host_free(f->host);
	f->host = nb_host_new(2, 1, 1);
	f->host->policy.rps = false;
	nb_host_set_capacity(f->host, 0, 4000);
	nb_host_add_nic(f->host, NB_NODE_NONE, 1, 0, 3600);
	f->host->fixed[1] = 6000;
	for (unsigned i = 0; i < 10; i++)
		plan = cycle(f->host, f->planner);
	assert_int_equal(plan->hottest_cpu, 0);
	assert_int_equal(plan->verdict, NB_VERDICT_NO_GAIN);
	nb_host_set_capacity(f->host, 0, NB_WHOLE);
	f->host->time[0] = 9000;
	plan = cycle(f->host, f->planner);
	assert_int_equal(plan->verdict, NB_VERDICT_ONE_FLOW);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(bursts_that_meet_are_parted_by_one_move, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(waits_that_no_move_ends_are_told, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(without_a_limit_no_delay_moves_anything, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(two_masks_in_a_row_do_not_meet, set_up, tear_down),
		cmocka_unit_test_setup_teardown(buckets_move_before_packets_are_steered, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(
			nothing_else_is_done_while_moved_buckets_are_on_trial, set_up, tear_down),
		cmocka_unit_test_setup_teardown(where_buckets_cannot_be_counted_packets_are_steered,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			a_table_that_did_not_help_returns_and_packets_are_steered, set_up,
			tear_down),
		cmocka_unit_test_setup_teardown(a_ban_is_obeyed_without_a_window, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(says_unknown_before_the_first_window, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(leaves_a_quiet_host_in_peace, set_up, tear_down),
		cmocka_unit_test_setup_teardown(says_what_keeps_a_queue_that_a_timer_polls, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(spreads_a_collapsed_nic_in_one_round, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(looks_again_soon_after_saturated_queues_were_moved,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(waits_after_a_placement_even_in_panic, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(fires_after_three_samples, set_up, tear_down),
		cmocka_unit_test_setup_teardown(fires_at_once_where_loads_have_just_become_known,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(forgets_samples_that_were_interrupted, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(panics_at_the_first_sample, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			what_an_application_takes_for_a_moment_moves_nothing, set_up, tear_down),
		cmocka_unit_test_setup_teardown(drops_on_a_hot_cpu_are_panic, set_up, tear_down),
		cmocka_unit_test_setup_teardown(what_its_nic_drops_is_panic_on_a_hot_cpu, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(squeezes_on_any_hot_cpu_need_no_second_sample,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(drops_on_a_cpu_that_is_not_hot_move_nothing, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(
			moving_a_dominant_queue_is_pointless_so_its_packets_are_handed_on, set_up,
			tear_down),
		cmocka_unit_test_setup_teardown(
			a_node_that_cannot_be_helped_does_not_hold_up_the_other, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_cpu_is_uneven_by_more_than_the_gap, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(of_two_nics_the_one_that_may_go_further_comes_first,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(leaves_a_hot_but_even_host_alone, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(moves_a_queue_away_from_a_busy_application, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(keeps_a_moved_queue_for_its_dwell, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(raises_the_gain_it_asks_for_with_noise, set_up,
						tear_down),
		cmocka_unit_test(only_a_full_cpu_is_packed_anew_while_a_step_is_held),
		cmocka_unit_test_setup_teardown(
			asks_for_more_where_loads_have_been_the_same_for_long, set_up, tear_down),
		cmocka_unit_test_setup_teardown(cycles_that_follow_at_once_do_not_make_it_rest,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_cpu_is_hot_by_little, set_up, tear_down),
		cmocka_unit_test_setup_teardown(at_rest_a_cpu_is_not_hot_by_little, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(at_rest_a_cpu_is_hot_by_a_gain, set_up, tear_down),
		cmocka_unit_test_setup_teardown(at_rest_a_cpu_that_is_overrun_is_hot_by_little,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_cpu_is_uneven_by_little, set_up, tear_down),
		cmocka_unit_test_setup_teardown(at_rest_a_cpu_is_not_uneven_by_little, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(at_rest_a_cpu_is_uneven_by_a_gain, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(says_when_one_flow_is_all_there_is, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(queues_that_may_never_move_do_not_keep_rps_away,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(is_not_quiet_while_a_cpu_of_a_mask_is_hot, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(
			a_queue_that_fills_a_small_cpu_alone_is_not_one_flow, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

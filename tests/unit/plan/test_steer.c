/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plan/steer.h"

#include "base/pools.h"
#include "unit/plan/fixture.h"

#define SEC NB_NSEC_PER_SEC

/* Eight threads of four cores, one NIC of one queue on CPU 0, whose sibling is CPU 4. */
static int set_up(void **state)
{
	struct nb_host *host = nb_host_new(8, 2, 1);

	nb_host_add_nic(host, NB_NODE_NONE, 1, 0, 9500);
	return begin_with(state, host);
}

static bool begin(struct fixture *f)
{
	const struct nb_domain *domain;

	look(f);
	domain = domain_of(f, 0);
	return nb_steer_begin(&f->board, &f->host->memory, domain, &f->change);
}

/* RPS to the given CPUs, set just now, and packets that keep their CPUs busy. */
static void steer_to(struct fixture *f, const unsigned *cpus, unsigned n, uint32_t backlog)
{
	struct nb_cpumask mask = {};

	for (unsigned i = 0; i < n; i++) {
		nb_cpumask_add(&mask, cpus[i]);
		f->host->fixed[cpus[i]] = backlog;
	}
	nb_host_set_rps(f->host, 0, &mask);
	nb_memory_adopt_rps(&f->host->memory, f->host->snapshot.queues[0].key, &mask,
			    f->host->snapshot.taken_nsec);
}

static bool review_with_backlog(struct fixture *f, uint32_t backlog)
{
	look(f);
	for (unsigned i = 0; i < f->board.n_cpus; i++)
		if (f->board.cpus[i].fixed >= backlog)
			f->board.cpus[i].backlog = backlog;
	return nb_steer_review(&f->board, &f->host->memory, &f->change);
}

static void limit_rps(struct fixture *f, const struct nb_cpumask *cpus)
{
	struct nb_pool pool = {
		.key = nb_rules_every_queue(f->host->snapshot.queues[0].key),
		.rule = NB_RULE_LINK,
		.cpus = *cpus,
	};

	nb_pools_set(&f->host->machine.rps_pools, &pool);
}

/* CPU 4 is the sibling of the queue's. */
static void a_mask_keeps_inside_what_the_link_file_names(void **state)
{
	struct fixture *f = *state;
	static const unsigned before[] = {1, 2};
	struct nb_cpumask named = {.words = {0x34}};

	limit_rps(f, &named);
	assert_true(begin(f));
	nb_cpumask_andnot(&f->change.to, &named);
	assert_true(nb_cpumask_empty(&f->change.to));

	steer_to(f, before, 2, 0);
	assert_true(review_with_backlog(f, 0));
	assert_int_equal(f->change.reason, NB_REASON_RPS_MEND);
	assert_int_equal(nb_cpumask_only(&f->change.to), 2);
	nb_pools_clear(&f->host->machine.rps_pools);
}

static void where_it_names_none_there_is_no_rps(void **state)
{
	struct fixture *f = *state;
	const struct nb_cpumask none = {};

	limit_rps(f, &none);
	assert_false(begin(f));
	nb_pools_clear(&f->host->machine.rps_pools);
	assert_true(begin(f));
}

static void a_mask_that_unsticks_is_not_reviewed(void **state)
{
	struct fixture *f = *state;
	static const unsigned target[] = {4};

	steer_to(f, target, 1, 0);
	f->host->memory.rps[0].unsticks = true;
	for (unsigned i = 0; i < 100; i++)
		assert_false(review_with_backlog(f, 0));
	f->host->memory.rps[0].unsticks = false;
	assert_true(review_with_backlog(f, 0));
	assert_int_equal(f->change.reason, NB_REASON_RPS_MEND);
}

static const struct nb_rps_change *obeyed(struct fixture *f)
{
	look(f);
	nb_steer_obey(&f->board, &f->host->memory, f->changes);
	return f->changes->len ? &g_array_index(f->changes, struct nb_rps_change, 0) : NULL;
}

static void a_mask_loses_a_cpu_that_the_link_file_does_not_name(void **state)
{
	struct fixture *f = *state;
	static const unsigned two[] = {1, 2};
	const struct nb_cpumask named = {.words = {0x34}};
	const struct nb_rps_change *change;

	steer_to(f, two, 2, 0);
	assert_null(obeyed(f));
	limit_rps(f, &named);
	change = obeyed(f);
	assert_non_null(change);
	assert_int_equal(change->reason, NB_REASON_RPS_MEND);
	assert_int_equal(nb_cpumask_only(&change->to), 2);
	nb_pools_clear(&f->host->machine.rps_pools);
}

static void a_mask_loses_a_cpu_that_is_banned_whatever_its_dwell(void **state)
{
	struct fixture *f = *state;
	static const unsigned targets[] = {1, 2};
	const struct nb_rps_change *change;

	steer_to(f, targets, 2, 1000);
	assert_null(obeyed(f));
	nb_cpumask_add(&f->host->policy.banned, 2);
	change = obeyed(f);
	assert_int_equal(change->reason, NB_REASON_RPS_MEND);
	assert_int_equal(nb_cpumask_only(&change->to), 1);
	nb_steer_obey(&f->board, &f->host->memory, f->changes);
	assert_int_equal(f->changes->len, 1);
	f->host->memory.rps[0].yielded_until_nsec = UINT64_MAX;
	assert_null(obeyed(f));
}

static void help_that_is_given_by_a_banned_cpu_ends(void **state)
{
	struct fixture *f = *state;
	static const unsigned targets[] = {1, 2};
	const struct nb_rps_change *change;

	steer_to(f, targets, 2, 1000);
	f->host->memory.rps[0].unsticks = true;
	assert_null(obeyed(f));
	nb_cpumask_add(&f->host->policy.banned, 2);
	change = obeyed(f);
	assert_int_equal(change->reason, NB_REASON_RPS_UNSTUCK);
	assert_true(nb_cpumask_empty(&change->to));
}

/* Where the wider mask failed. */
static void nothing_goes_back_to_a_cpu_that_was_banned_meanwhile(void **state)
{
	struct fixture *f = *state;
	static const unsigned targets[] = {1, 2};

	steer_to(f, targets, 2, 1000);
	f->host->memory.rps[0].no_gain = true;
	nb_cpumask_add(&f->host->memory.rps[0].trial.from, 2);
	nb_cpumask_add(&f->host->memory.rps[0].trial.from, 3);
	nb_cpumask_add(&f->host->policy.banned, 3);
	assert_true(review_with_backlog(f, 0));
	assert_int_equal(f->change.reason, NB_REASON_RPS_NO_GAIN);
	assert_int_equal(nb_cpumask_only(&f->change.to), 2);
}

static void begins_as_wide_as_the_cost_needs_on_other_cores(void **state)
{
	struct fixture *f = *state;

	assert_true(begin(f));
	assert_int_equal(nb_cpumask_count(&f->change.to), 2);
	assert_int_equal(f->change.hottest_before, 9500);
	assert_false(nb_cpumask_has(&f->change.to, 0));
	assert_false(nb_cpumask_has(&f->change.to, 4));
	assert_int_equal(f->change.reason, NB_REASON_RPS_WIDEN);
}

static void does_not_begin_on_a_busy_node(void **state)
{
	struct fixture *f = *state;

	for (unsigned i = 1; i < 8; i++)
		f->host->fixed[i] = 8600;
	assert_false(begin(f));
}

static void what_it_has_to_better_is_the_last_window(void **state)
{
	struct fixture *f = *state;
	const struct nb_domain *domain;

	look(f);
	f->host->loads.cpus[0].window_busy = 10000;
	lay_out(f);
	domain = domain_of(f, 0);
	assert_true(nb_steer_begin(&f->board, &f->host->memory, domain, &f->change));
	assert_int_equal(f->change.hottest_before, 10000);
}

static void does_not_begin_on_a_node_that_fills_up(void **state)
{
	struct fixture *f = *state;
	const struct nb_domain *domain;

	look(f);
	for (unsigned i = 0; i < 8; i++)
		f->host->loads.cpus[i].window_busy = 8600;
	lay_out(f);
	domain = domain_of(f, 0);
	assert_false(nb_steer_begin(&f->board, &f->host->memory, domain, &f->change));
}

static void does_not_begin_where_its_targets_would_get_hot(void **state)
{
	struct fixture *f = *state;

	for (unsigned i = 1; i < 8; i++)
		f->host->fixed[i] = i == 4 ? 0 : 4000;
	assert_false(begin(f));
}

/* Each of two would do 95 × 1.25 ÷ 2 % beside what it does: too much for Hot=, but not for Panic=.
 */
static void a_queue_that_loses_packets_may_nearly_fill_others(void **state)
{
	struct fixture *f = *state;

	for (unsigned i = 1; i < 8; i++)
		f->host->fixed[i] = i == 1 || i == 2 ? 2000 : i == 4 ? 0 : 6900;
	f->host->fixed[5] = f->host->fixed[6] = 0;
	f->host->policy.sibling_weight = 0;
	f->host->policy.rps_width = 2;
	nb_cpumask_add(&f->host->policy.banned, 5);
	nb_cpumask_add(&f->host->policy.banned, 6);
	assert_false(begin(f));
	nb_host_stick(f->host, 0, 0);
	assert_true(begin(f));
	assert_int_equal(nb_cpumask_count(&f->change.to), 2);
	assert_true(nb_cpumask_has(&f->change.to, 1) && nb_cpumask_has(&f->change.to, 2));
}

/* One queue, two CPUs: the other alone would be as full as this one is. */
static void where_no_others_can_take_it_over_they_share_it(void **state)
{
	struct fixture *f = *state;

	for (unsigned i = 1; i < 8; i++)
		if (i != 3)
			nb_cpumask_add(&f->host->policy.banned, i);
	assert_false(begin(f));
	nb_host_stick(f->host, 0, 0);
	assert_true(begin(f));
	assert_true(f->change.own);
	assert_int_equal(nb_cpumask_count(&f->change.to), 2);
	assert_true(nb_cpumask_has(&f->change.to, 0) && nb_cpumask_has(&f->change.to, 3));
	nb_host_add_nic(f->host, NB_NODE_NONE, 1, 3, 4000);
	assert_true(begin(f));
	f->host->time[1] = 4100; /* and 95 × 1.25 ÷ 2 is more than a CPU */
	assert_false(begin(f));
}

/* The other CPU has an application, and time left: so much that both would not be called busy, or
 * less. */
static void packets_are_shared_with_a_cpu_that_an_application_leaves_time(void **state)
{
	struct fixture *f = *state;

	for (unsigned i = 1; i < 8; i++)
		if (i != 3)
			nb_cpumask_add(&f->host->policy.banned, i);
	nb_host_stick(f->host, 0, 0);
	f->host->fixed[3] = 6000;
	assert_true(begin(f));
	assert_true(f->change.own);
	assert_true(nb_cpumask_has(&f->change.to, 0) && nb_cpumask_has(&f->change.to, 3));
	f->host->policy.rps_node_busy = 7000;
	assert_true(begin(f));
	f->host->fixed[3] = 7600;
	assert_false(begin(f));
	f->host->fixed[3] = 6000;
	nb_host_stick(f->host, 0, -1);
	assert_false(begin(f));
}

/* Both CPUs are full by what is shared: that is no reason to take it back, and neither is that the
 * queue's own CPU is one of them. */
static void what_is_shared_with_its_own_cpu_stays(void **state)
{
	struct fixture *f = *state;
	static const unsigned both[] = {0, 3};

	for (unsigned i = 1; i < 8; i++)
		if (i != 3)
			nb_cpumask_add(&f->host->policy.banned, i);
	f->host->time[0] = 3000;
	steer_to(f, both, 2, 7000);
	f->host->memory.rps[0].unsticks = false;
	f->host->memory.rps[0].own = true;
	for (unsigned i = 0; i < 100; i++)
		assert_false(review_with_backlog(f, 7000));
	f->host->memory.rps[0].own = false;
	assert_true(review_with_backlog(f, 7000));
	assert_int_equal(f->change.reason, NB_REASON_RPS_MEND);
}

/* It got 95 % of a CPU, and may want more than that. */
static void a_queue_that_is_never_done_gets_room_for_twice_its_cost(void **state)
{
	struct fixture *f = *state;
	unsigned width;

	assert_true(begin(f));
	width = nb_cpumask_count(&f->change.to);
	nb_host_stick(f->host, 0, 0);
	assert_true(begin(f));
	assert_true(nb_cpumask_count(&f->change.to) >= 2 * width);
}

static void does_not_begin_when_switched_off(void **state)
{
	struct fixture *f = *state;

	f->host->policy.rps = false;
	assert_false(begin(f));
}

/* One of as many queues as CPUs may drown beside idle ones all the same. */
static void begins_however_many_queues_there_are_for_one_that_drowns(void **state)
{
	struct fixture *f = *state;

	f->host->machine.nics[0].n_rx = 8;
	assert_true(begin(f));
	f->host->time[0] = 8500;
	assert_false(begin(f));
	f->host->machine.nics[0].n_rx = 7;
	assert_true(begin(f));
}

static void does_not_begin_when_an_application_makes_the_cpu_hot(void **state)
{
	struct fixture *f = *state;

	f->host->time[0] = 3000;
	f->host->fixed[0] = 6500;
	assert_false(begin(f));
}

static void leaves_a_mask_of_the_operator_alone(void **state)
{
	struct fixture *f = *state;
	struct nb_cpumask mask = {};

	nb_cpumask_add(&mask, 3);
	nb_host_set_rps(f->host, 0, &mask);
	assert_false(begin(f));
	assert_false(review_with_backlog(f, 10000));
}

static void never_steers_to_isolated_or_banned_cpus(void **state)
{
	struct fixture *f = *state;

	f->host->time[0] = 5500;
	for (unsigned i = 1; i < 6; i++)
		nb_host_isolate(f->host, i);
	nb_cpumask_add(&f->host->policy.banned, 6);
	assert_true(begin(f));
	assert_true(nb_cpumask_has(&f->change.to, 7));
	nb_cpumask_add(&f->host->policy.banned, 7);
	assert_false(begin(f));
}

static void widens_when_its_cpus_are_hot_by_what_they_are_handed(void **state)
{
	struct fixture *f = *state;
	static const unsigned one[] = {1};

	look(f);
	f->host->time[0] = 4000;
	steer_to(f, one, 1, 8000);
	assert_false(review_with_backlog(f, 8000));
	f->host->snapshot.taken_nsec += f->host->policy.rps_dwell_nsec;
	assert_true(review_with_backlog(f, 8000));
	assert_int_equal(nb_cpumask_count(&f->change.to), 2);
	assert_true(nb_cpumask_has(&f->change.to, 1));
}

static void widens_by_as_many_as_it_takes(void **state)
{
	struct fixture *f = *state;
	static const unsigned two[] = {1, 2};

	look(f);
	f->host->time[0] = 4000;
	steer_to(f, two, 2, 9900);
	f->host->snapshot.taken_nsec += f->host->policy.rps_dwell_nsec;
	assert_true(review_with_backlog(f, 9900));
	assert_true(nb_cpumask_count(&f->change.to) > 3);
}

static void widens_full_cpus_though_others_get_nearly_full(void **state)
{
	struct fixture *f = *state;
	static const unsigned two[] = {1, 2};

	f->host->policy.rps_width = 3;
	f->host->time[0] = 4000;
	steer_to(f, two, 2, 9900);
	f->host->snapshot.taken_nsec += f->host->policy.rps_dwell_nsec;
	assert_true(review_with_backlog(f, 9900));
	assert_int_equal(f->change.reason, NB_REASON_RPS_WIDEN);
	assert_int_equal(nb_cpumask_count(&f->change.to), 3);
}

static void never_widens_on_a_node_that_fills_up(void **state)
{
	struct fixture *f = *state;
	static const unsigned one[] = {1};

	look(f);
	steer_to(f, one, 1, 8000);
	f->host->snapshot.taken_nsec += f->host->policy.rps_dwell_nsec;
	assert_true(review_with_backlog(f, 8000));
	f->board.domains[0].mean_window = f->host->policy.rps_node_busy;
	assert_false(nb_steer_review(&f->board, &f->host->memory, &f->change));
}

static void a_target_hot_by_other_work_is_replaced_and_nothing_widened(void **state)
{
	struct fixture *f = *state;
	static const unsigned two[] = {1, 2};

	look(f);
	f->host->time[0] = 4000;
	steer_to(f, two, 2, 5000);
	f->host->snapshot.taken_nsec += f->host->policy.rps_dwell_nsec;
	look(f);
	f->board.cpus[1].backlog = 2000;
	f->board.cpus[1].fixed = 8000;
	f->board.cpus[2].backlog = 5000;
	f->board.cpus[2].fixed = 5000;
	assert_true(nb_steer_review(&f->board, &f->host->memory, &f->change));
	assert_int_equal(f->change.reason, NB_REASON_RPS_MEND);
	assert_int_equal(nb_cpumask_count(&f->change.to), 2);
	assert_false(nb_cpumask_has(&f->change.to, 1));
	assert_true(nb_cpumask_has(&f->change.to, 2));
	assert_true(nb_steer_has_hot_target(&f->board, &f->host->memory));
}

/* It was chosen to stay just below Hot=, and so would be the one that replaced it. */
static void a_target_a_little_above_hot_by_other_work_stays(void **state)
{
	struct fixture *f = *state;
	static const unsigned two[] = {1, 2};
	uint32_t limit = f->host->policy.hot + f->host->policy.minimum_gain;

	look(f);
	f->host->time[0] = 4000;
	steer_to(f, two, 2, 5000);
	f->host->snapshot.taken_nsec += f->host->policy.rps_dwell_nsec;
	look(f);
	f->board.cpus[1].backlog = 2000;
	f->board.cpus[1].fixed = limit;
	assert_false(nb_steer_review(&f->board, &f->host->memory, &f->change));
	f->board.cpus[1].fixed = limit + 1;
	assert_true(nb_steer_review(&f->board, &f->host->memory, &f->change));
	assert_int_equal(f->change.reason, NB_REASON_RPS_MEND);
}

static void a_target_hot_by_other_work_stays_where_no_other_has_room(void **state)
{
	struct fixture *f = *state;
	static const unsigned one[] = {1};

	look(f);
	f->host->time[0] = 4000;
	steer_to(f, one, 1, 6000);
	for (unsigned i = 2; i < 8; i++)
		f->host->fixed[i] = 6000;
	f->host->snapshot.taken_nsec += f->host->policy.rps_dwell_nsec;
	look(f);
	f->board.cpus[1].backlog = 2000;
	f->board.cpus[1].fixed = 8000;
	assert_false(nb_steer_review(&f->board, &f->host->memory, &f->change));
}

/* Of a mask with CPU 1, full by other work, and CPU 2; others are busy, too. */
static bool review_beside_busy(struct fixture *f, uint32_t fixed)
{
	f->host->policy.sibling_weight = 0;
	for (unsigned i = 3; i < 8; i++)
		f->host->fixed[i] = fixed;
	f->host->fixed[2] = 6100;
	look(f);
	f->board.cpus[1].backlog = 2000;
	f->board.cpus[2].backlog = 2000;
	return nb_steer_review(&f->board, &f->host->memory, &f->change);
}

static void beside_a_queue_that_loses_packets_others_soon_get_nearly_full(void **state)
{
	struct fixture *f = *state;
	static const unsigned two[] = {1, 2};

	nb_host_add_nic(f->host, NB_NODE_NONE, 1, 1, 7600);
	f->host->time[0] = 4000;
	look(f);
	steer_to(f, two, 2, 2000);
	look(f);
	f->host->snapshot.taken_nsec += f->host->policy.rps_dwell_nsec / 12 - 3 * SEC;
	assert_false(review_beside_busy(f, 6500));
	assert_true(review_beside_busy(f, 6500));
	assert_int_equal(f->change.reason, NB_REASON_RPS_MEND);
	assert_false(nb_cpumask_has(&f->change.to, 1));
	assert_true(nb_cpumask_has(&f->change.to, 2));
	assert_int_equal(nb_cpumask_count(&f->change.to), 2);
	/* Not if they get full. */
	assert_false(review_beside_busy(f, 8500));
}

static void beside_an_application_others_do_not(void **state)
{
	struct fixture *f = *state;
	static const unsigned two[] = {1, 2};

	f->host->time[0] = 4000;
	look(f);
	steer_to(f, two, 2, 2000);
	f->host->snapshot.taken_nsec += f->host->policy.rps_dwell_nsec;
	f->host->fixed[1] = 9600;
	assert_false(review_beside_busy(f, 6500));
	assert_true(review_beside_busy(f, 4000));
}

/* A queue of half a CPU hands 0.625 of one to two, since a second, of which loads show half.
 */
static void what_a_new_mask_hands_over_is_expected(void **state)
{
	struct fixture *f = *state;
	static const unsigned two[] = {1, 2};
	struct nb_rps_memory *rps;

	f->host->time[0] = 1000;
	look(f);
	steer_to(f, two, 2, 1500);
	rps = nb_memory_get_rps(&f->host->memory, f->host->snapshot.queues[0].key);
	rps->load = 5000;
	rps->packets_per_sec = 1000; /* as many as now */
	look(f);
	f->board.cpus[1].backlog = 1000;
	f->board.cpus[2].backlog = 1000;
	nb_steer_expect(&f->board, &f->host->memory);
	assert_int_equal(f->board.cpus[1].backlog, 3125);
	assert_int_equal(f->board.cpus[1].fixed, 1500 + 2125);
	assert_int_equal(f->board.cpus[2].fixed, 1500 + 2125);
	assert_int_equal(f->board.cpus[3].fixed, 0);

	/* Not of one that was removed, nor of one that helps a NAPI; and loads show it later. */
	nb_cpumask_clear(&rps->cpus);
	lay_out(f);
	nb_steer_expect(&f->board, &f->host->memory);
	assert_int_equal(f->board.cpus[1].fixed, 1500);
	nb_cpumask_add(&rps->cpus, 1);
	rps->unsticks = true;
	look(f);
	nb_steer_expect(&f->board, &f->host->memory);
	assert_int_equal(f->board.cpus[1].fixed, 1500);
	rps->unsticks = false;
	look(f);
	nb_steer_expect(&f->board, &f->host->memory);
	assert_int_equal(f->board.cpus[1].fixed, 1500);
}

/* And CPU 2 of which another queue has most of the backlog is kept, with room for this one's. */
static void only_its_own_part_of_a_backlog_is_steered_anew(void **state)
{
	struct fixture *f = *state;
	static const unsigned two[] = {1, 2};
	const struct nb_cpumask second = {.words = {0x4}};
	unsigned other = nb_host_add_nic(f->host, NB_NODE_NONE, 1, 0, 4000);

	f->host->policy.sibling_weight = 0;
	f->host->time[0] = 2000;
	steer_to(f, two, 2, 1000);
	nb_host_set_rps(f->host, other, &second);
	f->host->snapshot.taken_nsec += f->host->policy.rps_dwell_nsec;
	for (unsigned i = 1; i < 8; i++)
		f->host->fixed[i] = 4000;
	f->host->fixed[1] = 9800;
	f->host->fixed[2] = 5000;
	look(f);
	f->board.cpus[1].backlog = 1000;
	f->board.cpus[2].backlog = 5000;
	/* 1000 of CPU 1, 1000 of CPU 2, and a quarter more, of which half are added to 4000. */
	f->host->policy.hot = 5250;
	assert_true(nb_steer_review(&f->board, &f->host->memory, &f->change));
	assert_int_equal(nb_cpumask_count(&f->change.to), 2);
	assert_true(nb_cpumask_has(&f->change.to, 2));
}

static void takes_back_what_did_not_help(void **state)
{
	struct fixture *f = *state;
	static const unsigned two[] = {1, 2};

	look(f);
	steer_to(f, two, 2, 3000);
	f->host->memory.rps[0].no_gain = true;
	assert_true(review_with_backlog(f, 3000));
	assert_int_equal(f->change.reason, NB_REASON_RPS_NO_GAIN);
	assert_true(nb_cpumask_empty(&f->change.to));
}

static void a_wider_mask_that_did_not_help_goes_back_to_the_narrower_one(void **state)
{
	struct fixture *f = *state;
	static const unsigned three[] = {1, 2, 3};
	struct nb_rps_memory *rps;

	look(f);
	steer_to(f, three, 3, 3000);
	rps = &f->host->memory.rps[0];
	nb_cpumask_add(&rps->trial.from, 2);
	rps->no_gain = true;
	assert_true(review_with_backlog(f, 3000));
	assert_true(nb_cpumask_equal(&f->change.to, &rps->trial.from));
}

static void what_did_not_help_is_not_widened_soon(void **state)
{
	struct fixture *f = *state;
	static const unsigned one[] = {1};

	look(f);
	f->host->time[0] = 4000;
	steer_to(f, one, 1, 8000);
	f->host->memory.rps[0].failures = 1;
	f->host->snapshot.taken_nsec += 3 * f->host->policy.rps_dwell_nsec;
	assert_false(review_with_backlog(f, 8000));
	f->host->snapshot.taken_nsec += f->host->policy.rps_dwell_nsec;
	assert_true(review_with_backlog(f, 8000));
}

static void what_did_not_help_is_tried_a_quarter_as_often_each_time(void **state)
{
	struct fixture *f = *state;
	struct nb_rps_memory *rps;
	uint64_t dwell_nsec = f->host->policy.rps_dwell_nsec;

	look(f);
	rps = nb_memory_get_rps(&f->host->memory, f->host->snapshot.queues[0].key);
	rps->set_nsec = f->host->snapshot.taken_nsec;
	rps->failures = 2;
	f->host->snapshot.taken_nsec += 16 * dwell_nsec - 2 * SEC;
	assert_false(begin(f));
	f->host->snapshot.taken_nsec += SEC;
	assert_true(begin(f));
}

static void never_widens_beyond_the_configured_width(void **state)
{
	struct fixture *f = *state;
	static const unsigned one[] = {1};

	look(f);
	f->host->policy.rps_width = 1;
	steer_to(f, one, 1, 8000);
	f->host->snapshot.taken_nsec += f->host->policy.rps_dwell_nsec;
	assert_false(review_with_backlog(f, 8000));
}

static void withdraws_after_ten_calm_samples(void **state)
{
	struct fixture *f = *state;
	static const unsigned one[] = {1};

	look(f);
	f->host->time[0] = 100;
	steer_to(f, one, 1, 200);
	f->host->snapshot.taken_nsec += f->host->policy.rps_dwell_nsec;
	for (unsigned i = 0; i < 9; i++)
		assert_false(review_with_backlog(f, 200));
	assert_true(review_with_backlog(f, 200));
	assert_true(nb_cpumask_empty(&f->change.to));
	assert_int_equal(f->change.reason, NB_REASON_RPS_CALM);
}

static bool is_withdrawn(struct fixture *f, enum nb_grade grade, uint32_t backlog)
{
	bool withdrawn = false;

	f->host->snapshot.grade = grade;
	for (unsigned i = 0; i < 10; i++)
		withdrawn = review_with_backlog(f, backlog);
	return withdrawn;
}

/* Which the timer tick sees little of. */
static void steered_work_that_is_not_timed_is_what_the_queue_cost_before(void **state)
{
	struct fixture *f = *state;
	static const unsigned one[] = {1};
	uint32_t seen = f->host->policy.hot / 2 - 1001;

	look(f);
	f->host->time[0] = 1000;
	steer_to(f, one, 1, seen);
	f->host->memory.rps[0].load = 9500;
	f->host->memory.rps[0].packets_per_sec = 1000; /* as many as now */
	f->host->snapshot.taken_nsec += f->host->policy.rps_dwell_nsec;
	assert_false(is_withdrawn(f, NB_GRADE_ESTIMATED, seen));
	assert_true(is_withdrawn(f, NB_GRADE_MEASURED, seen));
	assert_int_equal(f->change.reason, NB_REASON_RPS_CALM);

	f->host->memory.rps[0].calm_samples = 0;
	f->host->memory.rps[0].packets_per_sec = 3000; /* three times as many as now */
	assert_true(is_withdrawn(f, NB_GRADE_ESTIMATED, seen));
}

/* Else it would wait for a sample each minute, where the time of queues is measured in slices. */
static void a_mask_that_may_go_is_being_decided_on(void **state)
{
	struct fixture *f = *state;
	static const unsigned one[] = {1};
	struct nb_memory *memory = &f->host->memory;

	look(f);
	f->host->time[0] = 100;
	steer_to(f, one, 1, 200);
	f->host->snapshot.taken_nsec += f->host->policy.rps_dwell_nsec;
	assert_true(nb_memory_is_settled(memory, f->host->snapshot.taken_nsec));
	review_with_backlog(f, 200);
	assert_false(nb_memory_is_settled(memory, f->host->snapshot.taken_nsec));

	memory->rps[0].yielded_until_nsec = UINT64_MAX;
	review_with_backlog(f, 200);
	assert_true(nb_memory_is_settled(memory, f->host->snapshot.taken_nsec));
}

/* Which would be two seconds of them. */
static void cycles_that_were_asked_for_early_are_no_calm_samples(void **state)
{
	struct fixture *f = *state;
	static const unsigned one[] = {1};

	look(f);
	f->host->time[0] = 100;
	steer_to(f, one, 1, 200);
	f->host->snapshot.taken_nsec += f->host->policy.rps_dwell_nsec;
	f->host->memory.hurried = true;
	for (unsigned i = 0; i < 20; i++)
		assert_false(review_with_backlog(f, 200));
	f->host->memory.hurried = false;
	for (unsigned i = 0; i < 9; i++)
		assert_false(review_with_backlog(f, 200));
	assert_true(review_with_backlog(f, 200));
}

static void withdraws_after_a_third_of_the_dwell(void **state)
{
	struct fixture *f = *state;
	static const unsigned one[] = {1};
	uint64_t third_nsec = f->host->policy.rps_dwell_nsec / 3;

	look(f);
	f->host->time[0] = 100;
	steer_to(f, one, 1, 200);
	for (unsigned i = 0; i < 10; i++) {
		f->host->memory.rps[0].set_nsec = f->host->snapshot.taken_nsec;
		assert_false(review_with_backlog(f, 200));
	}
	f->host->memory.rps[0].set_nsec =
		f->host->snapshot.taken_nsec + NB_NSEC_PER_SEC - third_nsec + 1;
	assert_false(review_with_backlog(f, 200));
	f->host->memory.rps[0].set_nsec =
		f->host->snapshot.taken_nsec + NB_NSEC_PER_SEC - third_nsec;
	assert_true(review_with_backlog(f, 200));
}

static void counts_calm_samples_in_a_row_only(void **state)
{
	struct fixture *f = *state;
	static const unsigned one[] = {1};

	look(f);
	steer_to(f, one, 1, 200);
	f->host->snapshot.taken_nsec += f->host->policy.rps_dwell_nsec;
	for (unsigned i = 0; i < 60; i++) {
		f->host->time[0] = i % 8 == 7 ? 5000 : 100;
		assert_false(review_with_backlog(f, 200));
	}
}

static void withdraws_when_the_node_has_no_time_to_spend(void **state)
{
	struct fixture *f = *state;
	static const unsigned one[] = {1};

	look(f);
	steer_to(f, one, 1, 9900);
	for (unsigned i = 1; i < 8; i++)
		f->host->fixed[i] = 9900;
	f->host->snapshot.taken_nsec += f->host->policy.rps_dwell_nsec;
	for (unsigned i = 0; i < 9; i++)
		assert_false(review_with_backlog(f, 10000));
	assert_true(review_with_backlog(f, 10000));
	assert_int_equal(f->change.reason, NB_REASON_RPS_BUSY);
}

static bool review_where_node_is(struct fixture *f, uint32_t busy)
{
	look(f);
	f->board.domains[0].mean_busy = busy;
	return nb_steer_review(&f->board, &f->host->memory, &f->change);
}

/* What RPS costs itself would make it come and go. */
static void withdraws_only_where_the_node_is_clearly_too_busy(void **state)
{
	struct fixture *f = *state;
	static const unsigned one[] = {1};
	uint32_t busy = f->host->policy.rps_node_busy;

	look(f);
	steer_to(f, one, 1, 9900);
	for (unsigned i = 1; i < 8; i++)
		f->host->fixed[i] = 9900;
	f->host->snapshot.taken_nsec += f->host->policy.rps_dwell_nsec;
	for (unsigned i = 0; i < 30; i++)
		assert_false(review_where_node_is(f, busy + 999));
	for (unsigned i = 0; i < 9; i++)
		assert_false(review_where_node_is(f, busy + 1000));
	assert_true(review_where_node_is(f, busy + 1000));
	assert_int_equal(f->change.reason, NB_REASON_RPS_BUSY);
}

/* Its mask, CPUs 1 and 2, went as the host was full, when it received 1000 packets a second. */
static struct nb_rps_memory *without_its_mask(struct fixture *f)
{
	struct nb_rps_memory *rps;

	look(f);
	rps = nb_memory_get_rps(&f->host->memory, f->host->snapshot.queues[0].key);
	rps->removed_nsec = f->host->snapshot.taken_nsec;
	rps->removed.words[0] = 0x6;
	rps->removed_packets_per_sec = 1000;
	return rps;
}

static bool review_where_it_receives(struct fixture *f, uint64_t packets_per_sec, bool saturated)
{
	look(f);
	f->board.queues[0].packets_per_sec = packets_per_sec;
	f->board.queues[0].saturated = saturated;
	return nb_steer_review(&f->board, &f->host->memory, &f->change);
}

static void what_loses_packets_on_a_full_host_gets_its_mask_back(void **state)
{
	struct fixture *f = *state;

	without_its_mask(f);
	for (unsigned i = 0; i < 4; i++)
		assert_false(review_where_it_receives(f, 500, true));
	assert_true(review_where_it_receives(f, 500, true));
	assert_int_equal(f->change.reason, NB_REASON_RPS_WIDEN);
	assert_int_equal(f->change.hottest_before, NB_WHOLE);
	assert_int_equal(f->change.to.words[0], 0x6);
	assert_false(f->change.own);
	assert_true(nb_cpumask_empty(&f->change.from));
}

static void cpus_that_were_banned_meanwhile_do_not_come_back(void **state)
{
	struct fixture *f = *state;

	without_its_mask(f);
	nb_cpumask_add(&f->host->policy.banned, 2);
	for (unsigned i = 0; i < 4; i++)
		assert_false(review_where_it_receives(f, 500, true));
	assert_true(review_where_it_receives(f, 500, true));
	assert_int_equal(f->change.to.words[0], 0x2);
}

static void a_queue_that_gets_time_by_turns_loses_packets_in_the_mean(void **state)
{
	struct fixture *f = *state;

	without_its_mask(f);
	assert_false(review_where_it_receives(f, 1000, true));
	assert_false(review_where_it_receives(f, 1000, false));
	assert_false(review_where_it_receives(f, 890, false));
	assert_false(review_where_it_receives(f, 810, true));
	assert_false(review_where_it_receives(f, 800, false)); /* 900 in the mean of five */
	assert_true(review_where_it_receives(f, 890, false));
	assert_int_equal(f->change.to.words[0], 0x6);
}

static void samples_asked_for_early_do_not_tell_what_it_loses(void **state)
{
	struct fixture *f = *state;

	without_its_mask(f);
	f->host->memory.hurried = true;
	for (unsigned i = 0; i < 10; i++)
		assert_false(review_where_it_receives(f, 500, true));
}

static void fewer_packets_alone_are_no_loss(void **state)
{
	struct fixture *f = *state;

	without_its_mask(f);
	for (unsigned i = 0; i < 10; i++)
		assert_false(review_where_it_receives(f, 500, i % 4 == 3));
}

static void what_has_done_without_for_a_while_does_without(void **state)
{
	struct fixture *f = *state;
	struct nb_rps_memory *rps = without_its_mask(f);

	rps->regrets = 2;
	f->host->snapshot.taken_nsec += 20 * NB_NSEC_PER_SEC;
	for (unsigned i = 0; i < 10; i++)
		assert_false(review_where_it_receives(f, 500, true));
	assert_true(nb_cpumask_empty(&rps->removed));
	assert_int_equal(rps->regrets, 0);
}

static void what_lost_packets_keeps_its_mask_four_times_as_long(void **state)
{
	struct fixture *f = *state;
	static const unsigned one[] = {1};
	struct nb_rps_memory *rps;

	look(f);
	steer_to(f, one, 1, 9900);
	rps = nb_memory_find_rps(&f->host->memory, f->host->snapshot.queues[0].key);
	rps->regrets = 1;
	for (unsigned i = 1; i < 8; i++)
		f->host->fixed[i] = 9900;
	f->host->snapshot.taken_nsec =
		rps->set_nsec + 4 * f->host->policy.rps_dwell_nsec - 21 * NB_NSEC_PER_SEC;
	for (unsigned i = 0; i < 20; i++)
		assert_false(review_with_backlog(f, 10000));
	for (unsigned i = 0; i < 9; i++)
		assert_false(review_with_backlog(f, 10000));
	assert_true(review_with_backlog(f, 10000));
	assert_int_equal(f->change.reason, NB_REASON_RPS_BUSY);
}

static void keeps_the_mask_of_what_is_too_much_for_one_cpu_on_a_node_that_it_fills(void **state)
{
	struct fixture *f = *state;
	static const unsigned others[] = {1, 2, 3, 5, 6, 7};

	look(f);
	f->host->time[0] = 9900;
	f->host->fixed[4] = 9900;
	steer_to(f, others, 6, 9900);
	f->host->snapshot.taken_nsec += f->host->policy.rps_dwell_nsec;
	for (unsigned i = 0; i < 30; i++)
		assert_false(review_with_backlog(f, 5000));
}

static void mends_a_mask_that_holds_the_cpu_of_its_interrupt(void **state)
{
	struct fixture *f = *state;
	static const unsigned three[] = {1, 2, 4};

	look(f);
	steer_to(f, three, 3, 500);
	assert_true(review_with_backlog(f, 500));
	assert_int_equal(f->change.reason, NB_REASON_RPS_MEND);
	assert_int_equal(nb_cpumask_count(&f->change.to), 2);
	assert_false(nb_cpumask_has(&f->change.to, 4));
}

static void does_not_ask_again_soon_for_what_was_refused(void **state)
{
	struct fixture *f = *state;
	struct nb_rps_memory *rps;

	look(f);
	rps = nb_memory_get_rps(&f->host->memory, f->host->snapshot.queues[0].key);
	rps->set_nsec = f->host->snapshot.taken_nsec;
	assert_false(begin(f));
	f->host->snapshot.taken_nsec += f->host->policy.rps_dwell_nsec;
	assert_true(begin(f));
}

static void leaves_a_yielded_mask_alone(void **state)
{
	struct fixture *f = *state;
	struct nb_rps_memory *rps;

	look(f);
	rps = nb_memory_get_rps(&f->host->memory, f->host->snapshot.queues[0].key);
	rps->yielded_until_nsec = UINT64_MAX;
	assert_false(begin(f));
}

/* CPUs 0 and 3 share it, and are full. */
static void prepare_sharing(struct fixture *f)
{
	static const unsigned both[] = {0, 3};

	f->host->policy.sibling_weight = 0;
	for (unsigned i = 1; i < 8; i++)
		if (i != 3 && i != 5)
			nb_cpumask_add(&f->host->policy.banned, i);
	nb_host_stick(f->host, 0, 0);
	f->host->time[0] = 5500;
	steer_to(f, both, 2, 4500);
	f->host->fixed[3] = 10000;
	f->host->memory.rps[0].own = true;
	f->host->policy.rps_dwell_nsec = 0;
}

static bool review_sharing(struct fixture *f)
{
	look(f);
	f->board.cpus[0].backlog = 4500;
	f->board.cpus[3].backlog = 5500;
	return nb_steer_review(&f->board, &f->host->memory, &f->change);
}

static void who_has_come_to_have_time_shares_too(void **state)
{
	struct fixture *f = *state;

	prepare_sharing(f);
	f->host->fixed[5] = 7501;
	assert_false(review_sharing(f));
	f->host->fixed[5] = 4500;
	assert_true(review_sharing(f));
	assert_int_equal(f->change.reason, NB_REASON_RPS_WIDEN);
	assert_true(f->change.own);
	assert_int_equal(f->change.to.words[0], 1 << 0 | 1 << 3 | 1 << 5);
	/* What loses nothing needs no more. */
	nb_host_stick(f->host, 0, -1);
	assert_false(review_sharing(f));
}

static bool review_beside(struct fixture *f, uint32_t window_busy)
{
	look(f);
	f->board.cpus[1].backlog = 4000;
	f->board.cpus[1].window_busy = window_busy;
	return nb_steer_review(&f->board, &f->host->memory, &f->change);
}

/* What is in no softirq is taken for applications, here: 85 on CPU 0, and 110. */
static void goes_when_the_applications_have_ended_on_account_of_which_it_was_set(void **state)
{
	struct fixture *f = *state;
	static const unsigned two[] = {1, 2};

	steer_to(f, two, 2, 4000);
	f->host->time[0] = 8500;
	f->host->fixed[7] = 3000;
	f->host->memory.rps[0].applications = 21000;
	assert_false(review_beside(f, 8000));
	f->host->memory.rps[0].applications = 21001;
	assert_true(review_beside(f, 8000));
	assert_int_equal(f->change.reason, NB_REASON_RPS_CALM);
	assert_true(nb_cpumask_empty(&f->change.to));
	/* On a full CPU one gets less because of what is handed there. */
	f->host->memory.rps[0].applications = 25000;
	assert_true(review_beside(f, f->host->policy.panic));
	assert_false(review_beside(f, f->host->policy.panic + 1));
	/* But what the queue leaves to its own CPU would stay there without RPS. */
	nb_host_place(f->host, 0, 1);
	assert_true(review_beside(f, f->host->policy.panic + 1));
	nb_host_place(f->host, 0, 0);
	/* What one CPU cannot do needs the others with applications and without. */
	assert_true(review_beside(f, 8000));
	f->host->time[0] = 8501;
	assert_false(review_beside(f, 8000));
}

/* It would be set again at once: to a queue of as many as there are CPUs only if it fills its own.
 */
static void stays_for_a_queue_that_needs_it_without_the_applications(void **state)
{
	struct fixture *f = *state;
	static const unsigned two[] = {1, 2};
	struct nb_rps_memory *rps;

	steer_to(f, two, 2, 4000);
	f->host->time[0] = 5000;
	rps = &f->host->memory.rps[0];
	rps->applications = 25000;
	rps->packets_per_sec = 10000; /* twice as many as now */
	f->host->machine.nics[0].n_rx = 7;
	rps->load = 2 * f->host->policy.hot + 2;
	assert_false(review_beside(f, 8000));
	rps->load = 2 * f->host->policy.hot;
	assert_true(review_beside(f, 8000));
	f->host->machine.nics[0].n_rx = 8;
	rps->load = 2 * f->host->policy.panic + 2;
	assert_false(review_beside(f, 8000));
	rps->load = 2 * f->host->policy.panic;
	assert_true(review_beside(f, 8000));
	assert_int_equal(f->change.reason, NB_REASON_RPS_CALM);
}

/* 60 of a CPU with a quarter of the capacity are 15 of the queue's own. */
static void what_a_small_cpu_took_over_may_be_little_for_the_queues_own(void **state)
{
	struct fixture *f = *state;
	static const unsigned one[] = {1};

	look(f);
	f->host->time[0] = 1000;
	nb_host_set_capacity(f->host, 1, 2500);
	nb_host_set_capacity(f->host, 5, 2500);
	steer_to(f, one, 1, 6000);
	f->host->snapshot.taken_nsec += f->host->policy.rps_dwell_nsec;
	assert_true(is_withdrawn(f, NB_GRADE_MEASURED, 6000));
	assert_int_equal(f->change.reason, NB_REASON_RPS_CALM);
}

static void be_virtual(struct fixture *f)
{
	f->host->machine.nics[0].scope = NB_SCOPE_STEERED;
	f->host->machine.queues[0].n_irqs = 0;
}

static void a_device_without_hardware_gets_a_mask_only_if_it_is_asked_for(void **state)
{
	struct fixture *f = *state;

	be_virtual(f);
	assert_false(begin(f));
	f->host->policy.rps_virtual = true;
	assert_true(begin(f));
	assert_int_equal(f->change.reason, NB_REASON_RPS_WIDEN);
	f->host->policy.rps = false;
	assert_false(begin(f));
}

/* It is polled where its packets come from, now on CPU 0, whose sibling is CPU 4. */
static void the_mask_of_a_device_without_hardware_stays_wherever_that_is_polled(void **state)
{
	struct fixture *f = *state;
	static const unsigned targets[] = {0, 1, 4};

	f->host->policy.rps_virtual = true;
	be_virtual(f);
	steer_to(f, targets, 3, 3000);
	assert_false(review_with_backlog(f, 3000));
	f->host->machine.nics[0].scope = NB_SCOPE_IN;
	assert_true(review_with_backlog(f, 3000));
	assert_int_equal(f->change.reason, NB_REASON_RPS_MEND);
}

static bool review_for(struct fixture *f, unsigned seconds)
{
	for (unsigned i = 0; i < seconds; i++)
		if (review_with_backlog(f, 3000))
			return true;
	return false;
}

static void the_mask_of_a_device_without_hardware_goes_with_the_setting(void **state)
{
	struct fixture *f = *state;
	static const unsigned targets[] = {1, 2};

	f->host->policy.rps_virtual = true;
	be_virtual(f);
	steer_to(f, targets, 2, 3000);
	assert_false(review_for(f, 100));
	f->host->policy.rps_virtual = false;
	assert_false(review_for(f, 9));
	assert_true(review_for(f, 1));
	assert_int_equal(f->change.reason, NB_REASON_RPS_CALM);
	assert_true(nb_cpumask_empty(&f->change.to));
}

/* Such as one that was adopted, and has had no packets since. */
static void the_mask_of_a_device_that_is_polled_nowhere_goes(void **state)
{
	struct fixture *f = *state;
	static const unsigned targets[] = {1, 2};

	f->host->policy.rps_virtual = true;
	be_virtual(f);
	steer_to(f, targets, 2, 0);
	f->host->snapshot.queues[0].effective_cpu = -1;
	assert_true(review_for(f, 21));
	assert_int_equal(f->change.reason, NB_REASON_RPS_CALM);
	assert_true(nb_cpumask_empty(&f->change.to));
	f->host->machine.nics[0].scope = NB_SCOPE_IN;
	assert_false(review_for(f, 21));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_HOST(a_mask_loses_a_cpu_that_the_link_file_does_not_name),
		WITH_HOST(a_mask_loses_a_cpu_that_is_banned_whatever_its_dwell),
		WITH_HOST(help_that_is_given_by_a_banned_cpu_ends),
		WITH_HOST(nothing_goes_back_to_a_cpu_that_was_banned_meanwhile),
		WITH_HOST(a_mask_that_unsticks_is_not_reviewed),
		WITH_HOST(begins_as_wide_as_the_cost_needs_on_other_cores),
		WITH_HOST(does_not_begin_on_a_busy_node),
		WITH_HOST(what_it_has_to_better_is_the_last_window),
		WITH_HOST(does_not_begin_on_a_node_that_fills_up),
		WITH_HOST(does_not_begin_where_its_targets_would_get_hot),
		WITH_HOST(widens_by_as_many_as_it_takes),
		WITH_HOST(widens_full_cpus_though_others_get_nearly_full),
		WITH_HOST(withdraws_only_where_the_node_is_clearly_too_busy),
		WITH_HOST(what_loses_packets_on_a_full_host_gets_its_mask_back),
		WITH_HOST(cpus_that_were_banned_meanwhile_do_not_come_back),
		WITH_HOST(a_queue_that_gets_time_by_turns_loses_packets_in_the_mean),
		WITH_HOST(samples_asked_for_early_do_not_tell_what_it_loses),
		WITH_HOST(fewer_packets_alone_are_no_loss),
		WITH_HOST(what_has_done_without_for_a_while_does_without),
		WITH_HOST(what_lost_packets_keeps_its_mask_four_times_as_long),
		WITH_HOST(keeps_the_mask_of_what_is_too_much_for_one_cpu_on_a_node_that_it_fills),
		WITH_HOST(never_widens_on_a_node_that_fills_up),
		WITH_HOST(a_target_hot_by_other_work_is_replaced_and_nothing_widened),
		WITH_HOST(a_target_a_little_above_hot_by_other_work_stays),
		WITH_HOST(a_target_hot_by_other_work_stays_where_no_other_has_room),
		WITH_HOST(beside_a_queue_that_loses_packets_others_soon_get_nearly_full),
		WITH_HOST(beside_an_application_others_do_not),
		WITH_HOST(what_a_new_mask_hands_over_is_expected),
		WITH_HOST(only_its_own_part_of_a_backlog_is_steered_anew),
		WITH_HOST(takes_back_what_did_not_help),
		WITH_HOST(a_wider_mask_that_did_not_help_goes_back_to_the_narrower_one),
		WITH_HOST(what_did_not_help_is_not_widened_soon),
		WITH_HOST(what_did_not_help_is_tried_a_quarter_as_often_each_time),
		WITH_HOST(a_queue_that_loses_packets_may_nearly_fill_others),
		WITH_HOST(where_no_others_can_take_it_over_they_share_it),
		WITH_HOST(packets_are_shared_with_a_cpu_that_an_application_leaves_time),
		WITH_HOST(what_is_shared_with_its_own_cpu_stays),
		WITH_HOST(a_queue_that_is_never_done_gets_room_for_twice_its_cost),
		WITH_HOST(does_not_begin_when_switched_off),
		WITH_HOST(a_mask_keeps_inside_what_the_link_file_names),
		WITH_HOST(where_it_names_none_there_is_no_rps),
		WITH_HOST(begins_however_many_queues_there_are_for_one_that_drowns),
		WITH_HOST(does_not_begin_when_an_application_makes_the_cpu_hot),
		WITH_HOST(leaves_a_mask_of_the_operator_alone),
		WITH_HOST(never_steers_to_isolated_or_banned_cpus),
		WITH_HOST(widens_when_its_cpus_are_hot_by_what_they_are_handed),
		WITH_HOST(never_widens_beyond_the_configured_width),
		WITH_HOST(withdraws_after_ten_calm_samples),
		WITH_HOST(a_mask_that_may_go_is_being_decided_on),
		WITH_HOST(steered_work_that_is_not_timed_is_what_the_queue_cost_before),
		WITH_HOST(cycles_that_were_asked_for_early_are_no_calm_samples),
		WITH_HOST(withdraws_after_a_third_of_the_dwell),
		WITH_HOST(counts_calm_samples_in_a_row_only),
		WITH_HOST(withdraws_when_the_node_has_no_time_to_spend),
		WITH_HOST(mends_a_mask_that_holds_the_cpu_of_its_interrupt),
		WITH_HOST(does_not_ask_again_soon_for_what_was_refused),
		WITH_HOST(leaves_a_yielded_mask_alone),
		WITH_HOST(who_has_come_to_have_time_shares_too),
		WITH_HOST(goes_when_the_applications_have_ended_on_account_of_which_it_was_set),
		WITH_HOST(stays_for_a_queue_that_needs_it_without_the_applications),
		WITH_HOST(what_a_small_cpu_took_over_may_be_little_for_the_queues_own),
		WITH_HOST(a_device_without_hardware_gets_a_mask_only_if_it_is_asked_for),
		WITH_HOST(the_mask_of_a_device_without_hardware_stays_wherever_that_is_polled),
		WITH_HOST(the_mask_of_a_device_without_hardware_goes_with_the_setting),
		WITH_HOST(the_mask_of_a_device_that_is_polled_nowhere_goes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

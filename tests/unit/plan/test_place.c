/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plan/place.h"

#include "base/written.h"
#include "unit/plan/fixture.h"

static int set_up(void **state)
{
	return begin_with(state, nb_host_new(8, 2, 2));
}

static void place(struct fixture *f)
{
	look(f);
	nb_place(&f->board, f->moves);
}

/* CPUs 0, 1 and their siblings 4, 5 are node 0. */
static void spreads_over_the_node_of_the_nic(void **state)
{
	struct fixture *f = *state;
	unsigned n_on[8] = {1};

	nb_host_add_nic(f->host, 0, 4, 0, 0);
	place(f);
	assert_int_equal(f->moves->len, 3);
	for (unsigned i = 0; i < 3; i++) {
		assert_int_equal(move(f, i)->reason, NB_REASON_COLLAPSED);
		n_on[move(f, i)->cpu_to]++;
	}
	assert_int_equal(n_on[0], 1);
	assert_int_equal(n_on[1], 1);
	assert_int_equal(n_on[4], 1);
	assert_int_equal(n_on[5], 1);
}

static void takes_any_node_where_its_own_has_no_eligible_cpu(void **state)
{
	struct fixture *f = *state;
	static const unsigned node0[] = {0, 1, 4, 5};

	for (unsigned i = 0; i < G_N_ELEMENTS(node0); i++)
		nb_host_isolate(f->host, node0[i]);
	nb_host_add_nic(f->host, 0, 2, 0, 0);
	place(f);
	assert_int_equal(f->moves->len, 2);
	for (unsigned i = 0; i < 2; i++) {
		assert_int_equal(move(f, i)->reason, NB_REASON_INELIGIBLE);
		assert_int_equal(move(f, i)->cpu_to / 2 % 2, 1);
	}
}

static void leaves_what_is_spread_as_it_is(void **state)
{
	struct fixture *f = *state;
	unsigned first = nb_host_add_nic(f->host, 0, 4, 0, 0);

	nb_host_place(f->host, first + 2, 1);
	nb_host_place(f->host, first + 3, 1);
	place(f);
	assert_int_equal(f->moves->len, 0);
}

static void pins_a_queue_whose_mask_allows_several_cpus(void **state)
{
	struct fixture *f = *state;
	unsigned first = nb_host_add_nic(f->host, 0, 1, 1, 0);

	f->host->snapshot.queues[first].n_allowed = 8;
	f->host->snapshot.queues[first].affinity_cpu = -1;
	place(f);
	assert_int_equal(f->moves->len, 1);
	assert_int_equal(move(f, 0)->reason, NB_REASON_SEVERAL);
	assert_int_equal(move(f, 0)->cpu_from, 1);
	assert_int_equal(move(f, 0)->cpu_to, 1);
}

static void keeps_off_a_cpu_that_an_application_fills(void **state)
{
	struct fixture *f = *state;

	f->host->fixed[1] = 9800;
	nb_host_add_nic(f->host, 0, 4, 0, 300);
	place(f);
	assert_true(f->moves->len > 0);
	for (unsigned i = 0; i < f->moves->len; i++)
		assert_int_not_equal(move(f, i)->cpu_to, 1);
}

static void fill(struct fixture *f, unsigned first, unsigned last, uint32_t share)
{
	for (unsigned i = first; i <= last; i++)
		f->host->fixed[i] = share;
}

static void obey(struct fixture *f)
{
	for (unsigned i = 0; i < f->moves->len; i++)
		nb_host_place(f->host, move(f, i)->key.index, move(f, i)->cpu_to);
}

/* So far nothing but the loads has changed, and for some seconds nothing is made of that. */
static void wait_and_place(struct fixture *f)
{
	for (unsigned second = 1; second < 2; second++) {
		place(f);
		assert_int_equal(f->moves->len, 0);
	}
	place(f);
}

static void assert_first_candidates_are_filled(struct fixture *f)
{
	fill(f, 1, 7, 9800);
	nb_host_add_nic(f->host, NB_NODE_NONE, 8, 0, 0);
	place(f);
	assert_int_equal(f->moves->len, 0);
}

/* Whatever filled them was a burst: of services that start, say. */
static void a_cpu_that_comes_free_gets_its_share(void **state)
{
	struct fixture *f = *state;

	assert_first_candidates_are_filled(f);
	fill(f, 1, 3, 0);
	wait_and_place(f);
	assert_int_equal(f->moves->len, 3);
	for (unsigned i = 0; i < 3; i++) {
		assert_int_equal(move(f, i)->reason, NB_REASON_COLLAPSED);
		assert_int_equal(move(f, i)->cpu_to, i + 1);
	}
}

/* What fills CPUs 1 to 3 and CPUs 4 to 7 by turns. */
static void a_queue_is_given_away_once(void **state)
{
	struct fixture *f = *state;

	assert_first_candidates_are_filled(f);
	fill(f, 1, 3, 0);
	wait_and_place(f);
	assert_int_equal(f->moves->len, 3);
	obey(f);
	fill(f, 1, 3, 9800);
	fill(f, 4, 7, 0);
	wait_and_place(f);
	assert_int_equal(f->moves->len, 4);
	obey(f);
	fill(f, 1, 3, 0);
	fill(f, 4, 7, 9800);
	wait_and_place(f);
	assert_int_equal(f->moves->len, 0);
}

static void a_cpu_that_is_free_for_a_moment_gets_none(void **state)
{
	struct fixture *f = *state;

	assert_first_candidates_are_filled(f);
	for (unsigned second = 0; second < 25; second++) {
		fill(f, 1, 7, second % 2 ? 0 : 9800);
		place(f);
		assert_int_equal(f->moves->len, 0);
	}
}

static void a_cpu_that_an_application_half_fills_gets_none(void **state)
{
	struct fixture *f = *state;

	assert_first_candidates_are_filled(f);
	fill(f, 1, 7, 6500);
	wait_and_place(f);
	assert_int_equal(f->moves->len, 0);
}

/* Without traffic no interrupt fires, and so none follows its mask. */
static void queues_under_way_count_where_they_go(void **state)
{
	struct fixture *f = *state;

	assert_first_candidates_are_filled(f);
	fill(f, 1, 7, 0);
	wait_and_place(f);
	assert_int_equal(f->moves->len, 7);
	for (unsigned i = 0; i < 7; i++)
		f->host->snapshot.queues[move(f, i)->key.index].affinity_cpu =
			(int)move(f, i)->cpu_to;
	place(f);
	assert_int_equal(f->moves->len, 0);
}

static void after_its_dwell_a_placement_is_final(void **state)
{
	struct fixture *f = *state;

	assert_first_candidates_are_filled(f);
	nb_host_tick(f->host, f->host->policy.dwell_nsec - 4 * NB_NSEC_PER_SEC);
	fill(f, 1, 1, 0);
	wait_and_place(f);
	assert_int_equal(f->moves->len, 1);
	obey(f);
	fill(f, 2, 7, 0);
	wait_and_place(f);
	assert_int_equal(f->moves->len, 0);
}

/* Three, three, none, two: it was found like this, and is no collapse. */
static void what_was_not_placed_is_not_given_away(void **state)
{
	struct fixture *f = *state;
	unsigned first = nb_host_add_nic(f->host, 0, 8, 0, 0);

	for (unsigned i = 3; i < 8; i++)
		nb_host_place(f->host, first + i, i < 6 ? 1 : 4);
	f->host->fixed[5] = 9800;
	place(f);
	assert_int_equal(f->moves->len, 0);
	f->host->fixed[5] = 0;
	wait_and_place(f);
	assert_int_equal(f->moves->len, 0);
}

/* A guest's first window: everything looks busier than it is, and the full CPU 0 looks free once
 * its queues are off the board. */
static void moderate_loads_do_not_upset_the_numbers(void **state)
{
	struct fixture *f = *state;
	unsigned n_on[8] = {0};

	nb_host_add_nic(f->host, NB_NODE_NONE, 16, 0, 600);
	fill(f, 1, 7, 6500);
	place(f);
	for (unsigned i = 0; i < f->moves->len; i++)
		n_on[move(f, i)->cpu_to]++;
	for (unsigned i = 1; i < 8; i++)
		assert_int_equal(n_on[i], 2);
}

/* The number of them tells only where loads do not. */
static void saturated_queues_are_not_too_many_if_it_is_known_what_they_want(void **state)
{
	struct fixture *f = *state;
	unsigned first = nb_host_add_nic(f->host, 0, 4, 0, 1000);

	place(f);
	assert_int_equal(f->moves->len, 3);
	f->host->memory.queues[first].fresh = false;
	for (unsigned i = 0; i < 4; i++) {
		nb_host_place(f->host, first + i, 1);
		nb_host_stick(f->host, first + i, 1);
	}
	look(f);
	for (unsigned i = 0; i < 4; i++)
		f->host->loads.queues[first + i].wanted = 1200;
	lay_out(f);
	nb_place(&f->board, f->moves);
	assert_int_equal(f->moves->len, 0);
	for (unsigned i = 0; i < 4; i++)
		f->host->loads.queues[first + i].wanted = 0;
	lay_out(f);
	nb_place(&f->board, f->moves);
	assert_int_equal(f->moves->len, 3);
}

/* How many of four queues on CPU 1 go to CPU 4, where one of another NIC is. */
static unsigned sent_beside(struct fixture *f, unsigned first, uint32_t time_on_4,
			    uint32_t squeezed)
{
	unsigned n = 0;

	f->host->time[first + 4] = time_on_4;
	g_array_set_size(f->moves, 0);
	look(f);
	f->host->loads.cpus[4].squeezed = squeezed;
	lay_out(f);
	nb_place(&f->board, f->moves);
	for (unsigned i = 0; i < f->moves->len; i++)
		n += move(f, i)->cpu_to == 4;
	return n;
}

static void too_many_are_not_sent_where_packets_are_lost_already(void **state)
{
	struct fixture *f = *state;
	unsigned first = nb_host_add_nic(f->host, 0, 4, 0, 1000);

	nb_host_add_nic(f->host, 0, 1, 4, 0);
	/* The first time number is all that counts. */
	assert_int_equal(sent_beside(f, first, 9100, 0), 1);
	for (unsigned i = 0; i < 4; i++) {
		f->host->memory.queues[first + i].fresh = false;
		nb_host_place(f->host, first + i, 1);
		nb_host_stick(f->host, first + i, 1);
	}
	assert_int_equal(sent_beside(f, first, 8900, 0), 1);
	assert_int_equal(sent_beside(f, first, 9100, 0), 0);
	assert_int_equal(sent_beside(f, first, 8900, 1), 0);
	assert_int_equal(f->moves->len, 2);
}

static void looks_at_a_nic_once(void **state)
{
	struct fixture *f = *state;

	nb_host_add_nic(f->host, 0, 4, 0, 0);
	place(f);
	assert_int_equal(f->moves->len, 3);
	place(f);
	assert_int_equal(f->moves->len, 0);
}

static void rescues_a_queue_from_a_cpu_banned_later(void **state)
{
	struct fixture *f = *state;

	nb_host_add_nic(f->host, 0, 1, 1, 0);
	place(f);
	assert_int_equal(f->moves->len, 0);
	nb_cpumask_add(&f->host->policy.banned, 1);
	place(f);
	assert_int_equal(f->moves->len, 1);
	assert_int_equal(move(f, 0)->reason, NB_REASON_INELIGIBLE);
}

/* What is under way, and how lately it moved, is no reason to stay. */
static void a_queue_that_was_just_moved_leaves_a_banned_cpu_at_once(void **state)
{
	struct fixture *f = *state;
	struct nb_queue_memory *queue;
	unsigned first = nb_host_add_nic(f->host, 0, 1, 1, 500);

	place(f);
	queue = &f->host->memory.queues[first];
	queue->pending.active = true;
	queue->moved_nsec = f->host->snapshot.taken_nsec;
	queue->failures = 3;
	nb_cpumask_add(&f->host->policy.banned, 1);
	place(f);
	assert_int_equal(f->moves->len, 1);
	place(f);
	assert_int_equal(f->moves->len, 0);
	nb_host_place(f->host, first, 0);
	nb_cpumask_add(&f->host->policy.banned, 0);
	place(f);
	assert_int_equal(f->moves->len, 1);
}

/* One that another program, or the kernel, does not let go. */
static void what_cannot_be_moved_is_not_ordered_away(void **state)
{
	struct fixture *f = *state;
	unsigned first = nb_host_add_nic(f->host, 0, 3, 1, 500);

	nb_cpumask_add(&f->host->policy.banned, 1);
	place(f);
	nb_host_place(f->host, first, 1);
	nb_host_place(f->host, first + 1, 1);
	nb_host_place(f->host, first + 2, 1);
	f->host->memory.queues[first].yielded_until_nsec = UINT64_MAX;
	f->host->memory.queues[first + 1].refused = true;
	nb_memory_reject(&f->host->memory.queues[first + 2].rejections,
			 f->host->snapshot.taken_nsec);
	place(f);
	assert_int_equal(f->moves->len, 0);
}

/* What another program wrote before the rule changed does not protect. */
static void a_new_ban_overrules_a_yield(void **state)
{
	struct fixture *f = *state;
	unsigned first = nb_host_add_nic(f->host, 0, 2, 1, 500);

	nb_host_place(f->host, first + 1, 4);
	place(f);
	nb_host_place(f->host, first, 1);
	nb_host_place(f->host, first + 1, 4);
	f->host->memory.queues[first].yielded_until_nsec = UINT64_MAX;
	f->host->memory.queues[first + 1].yielded_until_nsec = UINT64_MAX;
	nb_cpumask_add(&f->host->policy.banned, 1);
	place(f);
	assert_int_equal(f->moves->len, 1);
	assert_int_equal(move(f, 0)->cpu_from, 1);
	assert_true(f->host->memory.queues[first + 1].yielded_until_nsec == UINT64_MAX);
}

static void write_limit(struct fixture *f, unsigned queue, bool pin, unsigned from, unsigned to)
{
	struct nb_pool pool = {
		.key = f->host->snapshot.queues[queue].key, .rule = NB_RULE_WRITTEN, .pin = pin};

	for (unsigned cpu = from; cpu <= to; cpu++)
		nb_cpumask_add(&pool.cpus, cpu);
	nb_written_adopt(&f->host->memory, &pool);
}

/* Five queues on CPU 1 of a node of four CPUs: too many, but two are pinned there. The ban does not
 * leave the pin a CPU. */
static void what_another_program_pinned_stays_unless_it_may_not(void **state)
{
	struct fixture *f = *state;
	unsigned first = nb_host_add_nic(f->host, 0, 5, 1, 500);

	write_limit(f, first, true, 1, 1);
	write_limit(f, first + 3, true, 1, 1);
	place(f);
	assert_true(f->moves->len > 0);
	for (unsigned i = 0; i < f->moves->len; i++)
		assert_true(move(f, i)->key.index != 0 && move(f, i)->key.index != 3);
	assert_true(f->board.queues[first].pinned);
	for (unsigned i = 0; i < f->moves->len; i++)
		nb_host_place(f->host, first + move(f, i)->key.index, move(f, i)->cpu_to);
	nb_cpumask_add(&f->host->policy.banned, 1);
	place(f);
	assert_int_equal(f->moves->len, 2);
}

/* Not before the other program has come to rest. */
static void what_another_program_limited_is_placed_inside(void **state)
{
	struct fixture *f = *state;
	unsigned first = nb_host_add_nic(f->host, 0, 4, 1, 500);
	uint64_t rest_nsec;

	for (unsigned i = 0; i < 4; i++)
		nb_host_place(f->host, first + i, i < 2 ? i : 2 + i);
	place(f);
	nb_host_place(f->host, first, 4);
	f->host->snapshot.queues[first].n_allowed = 2;
	f->host->snapshot.queues[first].affinity_cpu = -1;
	write_limit(f, first, false, 4, 5);
	f->host->memory.queues[first].fresh = true;
	rest_nsec = f->host->snapshot.taken_nsec + 10 * NB_NSEC_PER_SEC;
	f->host->memory.queues[first].yielded_until_nsec = rest_nsec;
	while (f->host->snapshot.taken_nsec + NB_NSEC_PER_SEC < rest_nsec) {
		place(f);
		assert_int_equal(f->moves->len, 0);
	}
	place(f);
	assert_int_equal(f->moves->len, 1);
	assert_in_range(move(f, 0)->cpu_to, 4, 5);
}

/* The first queue may use one CPU alone; the others are a fair share on each of theirs. */
static void queues_of_a_nic_are_placed_each_in_its_own_pool(void **state)
{
	struct fixture *f = *state;
	unsigned first = nb_host_add_nic(f->host, NB_NODE_NONE, 9, 0, 500);
	struct nb_pool pool = {.key = f->host->snapshot.queues[first].key,
			       .rule = NB_RULE_CONFIGURED};
	unsigned n_on[8] = {};

	nb_cpumask_add(&pool.cpus, 5);
	f->host->machine.pools = (struct nb_pools){&pool, 1};
	place(f);
	for (unsigned i = 0; i < f->moves->len; i++) {
		assert_true((move(f, i)->cpu_to == 5) ==
				    (nb_queue_key_compare(move(f, i)->key, pool.key) == 0) ||
			    move(f, i)->reason == NB_REASON_COLLAPSED);
		n_on[move(f, i)->cpu_to]++;
	}
	assert_int_equal(f->moves->len, 8);
	assert_int_equal(move(f, 0)->cpu_to, 5);
	assert_int_equal(n_on[5], 2);
}

static void without_loads_only_what_may_not_stay_is_moved(void **state)
{
	struct fixture *f = *state;
	unsigned first = nb_host_add_nic(f->host, 0, 4, 1, 500);

	nb_host_place(f->host, first, 0);
	look(f);
	nb_place_obey(&f->board, f->moves);
	assert_int_equal(f->moves->len, 0);
	nb_host_isolate(f->host, 0);
	look(f);
	nb_place_obey(&f->board, f->moves);
	assert_int_equal(f->moves->len, 1);
	assert_int_equal(move(f, 0)->reason, NB_REASON_INELIGIBLE);
	assert_int_equal(move(f, 0)->cpu_from, 0);
}

static void where_it_made_things_worse_is_better_than_where_it_may_not_be(void **state)
{
	struct fixture *f = *state;
	unsigned first = nb_host_add_nic(f->host, 0, 1, 0, 500);

	place(f);
	f->host->memory.queues[first].shunned_cpu = 1;
	f->host->memory.queues[first].shunned_until_nsec = UINT64_MAX;
	nb_cpumask_add(&f->host->snapshot.default_affinity, 1);
	place(f);
	assert_int_equal(f->moves->len, 1);
	assert_int_equal(move(f, 0)->cpu_to, 1);
}

static void does_nothing_where_no_cpu_is_eligible(void **state)
{
	struct fixture *f = *state;

	for (unsigned i = 0; i < 8; i++)
		nb_host_isolate(f->host, i);
	nb_host_add_nic(f->host, 0, 4, 0, 0);
	place(f);
	assert_int_equal(f->moves->len, 0);
}

static void leaves_queues_that_may_not_move(void **state)
{
	struct fixture *f = *state;
	unsigned first = nb_host_add_nic(f->host, 0, 4, 0, 0);

	for (unsigned i = 0; i < 4; i++)
		f->host->snapshot.queues[first + i].settable = false;
	place(f);
	assert_int_equal(f->moves->len, 0);
}

static void tries_again_less_and_less_often(void **state)
{
	struct fixture *f = *state;
	unsigned first = nb_host_add_nic(f->host, 0, 1, 2, 0);
	struct nb_queue_memory *queue;

	nb_host_isolate(f->host, 2);
	place(f);
	assert_int_equal(f->moves->len, 1);
	queue = &f->host->memory.queues[first];
	queue->moved_nsec = f->host->snapshot.taken_nsec;
	queue->failures = 1;
	f->host->snapshot.taken_nsec += f->host->policy.cooldown_nsec;
	place(f);
	assert_int_equal(f->moves->len, 0);
	f->host->snapshot.taken_nsec += f->host->policy.cooldown_nsec;
	place(f);
	assert_int_equal(f->moves->len, 1);
}

static void puts_two_queues_of_one_cpu_apart(void **state)
{
	struct fixture *f = *state;

	nb_host_add_nic(f->host, 1, 2, 2, 0);
	place(f);
	assert_int_equal(f->moves->len, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_HOST(spreads_over_the_node_of_the_nic),
		WITH_HOST(takes_any_node_where_its_own_has_no_eligible_cpu),
		WITH_HOST(leaves_what_is_spread_as_it_is),
		WITH_HOST(pins_a_queue_whose_mask_allows_several_cpus),
		WITH_HOST(keeps_off_a_cpu_that_an_application_fills),
		WITH_HOST(a_cpu_that_comes_free_gets_its_share),
		WITH_HOST(a_cpu_that_is_free_for_a_moment_gets_none),
		WITH_HOST(a_cpu_that_an_application_half_fills_gets_none),
		WITH_HOST(a_queue_is_given_away_once),
		WITH_HOST(queues_under_way_count_where_they_go),
		WITH_HOST(after_its_dwell_a_placement_is_final),
		WITH_HOST(what_was_not_placed_is_not_given_away),
		WITH_HOST(moderate_loads_do_not_upset_the_numbers),
		WITH_HOST(saturated_queues_are_not_too_many_if_it_is_known_what_they_want),
		WITH_HOST(too_many_are_not_sent_where_packets_are_lost_already),
		WITH_HOST(looks_at_a_nic_once),
		WITH_HOST(rescues_a_queue_from_a_cpu_banned_later),
		WITH_HOST(a_queue_that_was_just_moved_leaves_a_banned_cpu_at_once),
		WITH_HOST(what_cannot_be_moved_is_not_ordered_away),
		WITH_HOST(a_new_ban_overrules_a_yield),
		WITH_HOST(what_another_program_pinned_stays_unless_it_may_not),
		WITH_HOST(what_another_program_limited_is_placed_inside),
		WITH_HOST(queues_of_a_nic_are_placed_each_in_its_own_pool),
		WITH_HOST(without_loads_only_what_may_not_stay_is_moved),
		WITH_HOST(where_it_made_things_worse_is_better_than_where_it_may_not_be),
		WITH_HOST(does_nothing_where_no_cpu_is_eligible),
		WITH_HOST(leaves_queues_that_may_not_move),
		WITH_HOST(tries_again_less_and_less_often),
		WITH_HOST(puts_two_queues_of_one_cpu_apart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

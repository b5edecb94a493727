/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plan/initial.h"

#include "unit/plan/fixture.h"

static int set_up(void **state)
{
	return begin_with(state, nb_host_new(4, 1, 1));
}

/* Of the host's only NIC. */
static struct nb_initial begin(struct fixture *f)
{
	struct nb_initial initial = {.board = &f->board};

	look(f);
	initial.queues = f->board.queues;
	initial.n_queues = f->board.n_queues;
	initial.domain = f->board.queues[0].domain;
	assert_true(nb_initial_begin(&initial));
	return initial;
}

static void take_all_off(struct nb_initial *initial)
{
	for (unsigned i = 0; i < initial->n; i++)
		nb_initial_take_off(initial, &initial->queues[i], NB_REASON_COLLAPSED);
}

static unsigned candidate_of(const struct nb_initial *initial, unsigned queue)
{
	for (unsigned i = 0; i < initial->taken_off->len; i++) {
		const struct nb_taken_off *entry =
			&g_array_index(initial->taken_off, struct nb_taken_off, i);

		if (entry->queue == &initial->queues[queue])
			return entry->target;
	}
	return NB_NOWHERE;
}

static void counts_who_sits_where(void **state)
{
	struct fixture *f = *state;
	unsigned first = nb_host_add_nic(f->host, 0, 5, 0, 0);
	struct nb_initial initial;

	nb_host_place(f->host, first + 4, 3);
	initial = begin(f);
	assert_int_equal(nb_initial_fair_share(&initial, 0), 2);
	assert_int_equal(initial.on_cpu[0], 4);
	assert_int_equal(initial.on_cpu[3], 1);
	assert_true(nb_initial_is_crowded(&initial, 0));
	assert_false(nb_initial_is_crowded(&initial, 3));
	nb_initial_end(&initial);
}

static uint32_t weight_of(const struct nb_initial *initial, unsigned i)
{
	return g_array_index(initial->taken_off, struct nb_taken_off, i).weight;
}

/* 12 queues for CPUs that do 3 together. */
static void a_fair_share_goes_by_capacity(void **state)
{
	struct fixture *f = *state;
	struct nb_initial initial;

	nb_host_add_nic(f->host, 0, 12, 0, 0);
	nb_host_set_capacity(f->host, 2, 5000);
	nb_host_set_capacity(f->host, 3, 5000);
	initial = begin(f);
	assert_int_equal(nb_initial_fair_share(&initial, 0), 4);
	assert_int_equal(nb_initial_fair_share(&initial, 3), 2);
	assert_int_equal(nb_initial_room(&initial, false), 4 + 2 + 2);
	take_all_off(&initial);
	nb_initial_choose(&initial);
	for (unsigned i = 0; i < 12; i++)
		assert_int_equal(weight_of(&initial, i), 500);
	assert_int_equal(initial.on_cpu[0], 4);
	assert_int_equal(initial.on_cpu[1], 4);
	assert_int_equal(initial.on_cpu[2], 2);
	assert_int_equal(initial.on_cpu[3], 2);
	nb_initial_end(&initial);
}

static void room_is_what_cpus_lack_to_a_fair_share(void **state)
{
	struct fixture *f = *state;
	unsigned first = nb_host_add_nic(f->host, 0, 8, 0, 0);
	struct nb_initial initial;

	nb_host_place(f->host, first, 1);
	f->host->fixed[2] = 9000;
	initial = begin(f);
	/* One on CPU 1 and two on CPU 3; CPU 0 has seven. */
	assert_int_equal(nb_initial_room(&initial, false), 3);
	assert_int_equal(nb_initial_room(&initial, true), 2);
	nb_initial_end(&initial);
}

static void a_cpu_that_may_not_be_used_has_no_room(void **state)
{
	struct fixture *f = *state;
	struct nb_initial initial;

	nb_host_isolate(f->host, 3);
	nb_host_add_nic(f->host, 0, 3, 0, 0);
	initial = begin(f);
	assert_int_equal(nb_initial_room(&initial, false), 2);
	nb_initial_end(&initial);
}

static void the_costliest_gets_the_best_candidate(void **state)
{
	struct fixture *f = *state;
	unsigned first = nb_host_add_nic(f->host, 0, 4, 0, 1000);
	struct nb_initial initial;

	f->host->fixed[0] = 3000;
	f->host->fixed[1] = 2000;
	f->host->fixed[2] = 1000;
	f->host->time[first + 2] = 3000;
	initial = begin(f);
	take_all_off(&initial);
	nb_initial_choose(&initial);
	assert_int_equal(candidate_of(&initial, 2), 3);
	for (unsigned i = 0; i < 4; i++)
		assert_int_equal(initial.on_cpu[i], 1);
	nb_initial_end(&initial);
}

static void choosing_leaves_the_board_as_it_was(void **state)
{
	struct fixture *f = *state;
	struct nb_initial initial;

	nb_host_add_nic(f->host, 0, 4, 0, 1000);
	initial = begin(f);
	take_all_off(&initial);
	assert_int_equal(f->board.cpus[0].queues, 0);
	nb_initial_choose(&initial);
	assert_int_equal(f->board.cpus[0].queues, 4000);
	assert_int_equal(f->board.cpus[0].n_queues, 4);
	nb_initial_move(&initial, f->moves);
	assert_int_equal(f->moves->len, 3);
	assert_int_equal(f->board.cpus[0].queues, 1000);
	nb_initial_end(&initial);
}

static void staying_is_a_move_where_the_mask_allows_others(void **state)
{
	struct fixture *f = *state;
	unsigned first = nb_host_add_nic(f->host, 0, 1, 2, 0);
	struct nb_initial initial;

	f->host->snapshot.queues[first].n_allowed = 4;
	initial = begin(f);
	take_all_off(&initial);
	nb_initial_choose(&initial);
	nb_initial_move(&initial, f->moves);
	assert_int_equal(f->moves->len, 1);
	assert_int_equal(move(f, 0)->cpu_to, 2);
	nb_initial_end(&initial);
}

static void nothing_begins_where_no_cpu_is_eligible(void **state)
{
	struct fixture *f = *state;
	struct nb_initial initial = {.board = &f->board};

	for (unsigned i = 0; i < 4; i++)
		nb_host_isolate(f->host, i);
	nb_host_add_nic(f->host, 0, 4, 0, 0);
	look(f);
	initial.queues = f->board.queues;
	initial.n_queues = f->board.n_queues;
	initial.domain = f->board.queues[0].domain;
	assert_false(nb_initial_begin(&initial));
}

/* Five of a large CPU. */
static void an_idle_queue_counts_for_more_on_a_small_cpu(void **state)
{
	struct fixture *f = *state;
	struct nb_initial initial;

	nb_host_add_nic(f->host, 0, 1, 2, 0);
	nb_host_set_capacity(f->host, 2, 2500);
	initial = begin(f);
	take_all_off(&initial);
	assert_int_equal(weight_of(&initial, 0), 2000);
	nb_initial_choose(&initial);
	nb_initial_end(&initial);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_HOST(counts_who_sits_where),
		WITH_HOST(a_fair_share_goes_by_capacity),
		WITH_HOST(room_is_what_cpus_lack_to_a_fair_share),
		WITH_HOST(a_cpu_that_may_not_be_used_has_no_room),
		WITH_HOST(the_costliest_gets_the_best_candidate),
		WITH_HOST(choosing_leaves_the_board_as_it_was),
		WITH_HOST(staying_is_a_move_where_the_mask_allows_others),
		WITH_HOST(nothing_begins_where_no_cpu_is_eligible),
		WITH_HOST(an_idle_queue_counts_for_more_on_a_small_cpu),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

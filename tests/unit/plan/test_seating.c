/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plan/seating.h"

#include "unit/plan/fixture.h"

static int set_up(void **state)
{
	return begin_with(state, nb_host_new(4, 1, 1));
}

/* Of the host's only NIC. */
static struct nb_seating begin(struct fixture *f)
{
	struct nb_seating seating = {.board = &f->board};

	look(f);
	seating.queues = f->board.queues;
	seating.n = f->board.n_queues;
	assert_true(nb_seating_begin(&seating));
	return seating;
}

static void take_all_off(struct nb_seating *seating)
{
	for (unsigned i = 0; i < seating->n; i++)
		nb_seating_take_off(seating, &seating->queues[i], NB_REASON_COLLAPSED);
}

static unsigned seat_of(const struct nb_seating *seating, unsigned queue)
{
	for (unsigned i = 0; i < seating->taken_off->len; i++) {
		const struct nb_taken_off *entry =
			&g_array_index(seating->taken_off, struct nb_taken_off, i);

		if (entry->queue == &seating->queues[queue])
			return entry->seat;
	}
	return NB_NOWHERE;
}

static void counts_who_sits_where(void **state)
{
	struct fixture *f = *state;
	unsigned first = nb_host_add_nic(f->host, 0, 5, 0, 0);
	struct nb_seating seating;

	nb_host_place(f->host, first + 4, 3);
	seating = begin(f);
	assert_int_equal(seating.fair_share, 2);
	assert_int_equal(seating.on_cpu[0], 4);
	assert_int_equal(seating.on_cpu[3], 1);
	assert_int_equal(nb_seating_most(&seating), 4);
	nb_seating_end(&seating);
}

static void room_is_what_cpus_lack_to_a_fair_share(void **state)
{
	struct fixture *f = *state;
	unsigned first = nb_host_add_nic(f->host, 0, 8, 0, 0);
	struct nb_seating seating;

	nb_host_place(f->host, first, 1);
	f->host->rest[2] = 9000;
	seating = begin(f);
	/* One on CPU 1 and two on CPU 3; CPU 0 has seven. */
	assert_int_equal(nb_seating_room(&seating, false), 3);
	assert_int_equal(nb_seating_room(&seating, true), 2);
	nb_seating_end(&seating);
}

static void a_cpu_that_may_not_be_used_has_no_room(void **state)
{
	struct fixture *f = *state;
	struct nb_seating seating;

	nb_host_isolate(f->host, 3);
	nb_host_add_nic(f->host, 0, 3, 0, 0);
	seating = begin(f);
	assert_int_equal(nb_seating_room(&seating, false), 2);
	nb_seating_end(&seating);
}

static void the_costliest_gets_the_best_seat(void **state)
{
	struct fixture *f = *state;
	unsigned first = nb_host_add_nic(f->host, 0, 4, 0, 1000);
	struct nb_seating seating;

	f->host->rest[0] = 3000;
	f->host->rest[1] = 2000;
	f->host->rest[2] = 1000;
	f->host->cost[first + 2] = 3000;
	seating = begin(f);
	take_all_off(&seating);
	nb_seating_choose(&seating);
	assert_int_equal(seat_of(&seating, 2), 3);
	for (unsigned i = 0; i < 4; i++)
		assert_int_equal(seating.on_cpu[i], 1);
	nb_seating_end(&seating);
}

static void choosing_leaves_the_board_as_it_was(void **state)
{
	struct fixture *f = *state;
	struct nb_seating seating;

	nb_host_add_nic(f->host, 0, 4, 0, 1000);
	seating = begin(f);
	take_all_off(&seating);
	assert_int_equal(f->board.cpus[0].queues, 0);
	nb_seating_choose(&seating);
	assert_int_equal(f->board.cpus[0].queues, 4000);
	assert_int_equal(f->board.cpus[0].n_queues, 4);
	nb_seating_move(&seating, f->moves);
	assert_int_equal(f->moves->len, 3);
	assert_int_equal(f->board.cpus[0].queues, 1000);
	nb_seating_end(&seating);
}

static void staying_is_a_move_where_the_mask_allows_others(void **state)
{
	struct fixture *f = *state;
	unsigned first = nb_host_add_nic(f->host, 0, 1, 2, 0);
	struct nb_seating seating;

	f->host->snapshot.queues[first].n_allowed = 4;
	seating = begin(f);
	take_all_off(&seating);
	nb_seating_choose(&seating);
	nb_seating_move(&seating, f->moves);
	assert_int_equal(f->moves->len, 1);
	assert_int_equal(move(f, 0)->cpu_to, 2);
	nb_seating_end(&seating);
}

static void nothing_begins_where_no_cpu_is_eligible(void **state)
{
	struct fixture *f = *state;
	struct nb_seating seating = {.board = &f->board};

	for (unsigned i = 0; i < 4; i++)
		nb_host_isolate(f->host, i);
	nb_host_add_nic(f->host, 0, 4, 0, 0);
	look(f);
	seating.queues = f->board.queues;
	seating.n = f->board.n_queues;
	assert_false(nb_seating_begin(&seating));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_HOST(counts_who_sits_where),
		WITH_HOST(room_is_what_cpus_lack_to_a_fair_share),
		WITH_HOST(a_cpu_that_may_not_be_used_has_no_room),
		WITH_HOST(the_costliest_gets_the_best_seat),
		WITH_HOST(choosing_leaves_the_board_as_it_was),
		WITH_HOST(staying_is_a_move_where_the_mask_allows_others),
		WITH_HOST(nothing_begins_where_no_cpu_is_eligible),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plan/repack.h"

#include "unit/plan/fixture.h"

#define GAIN 350u

static int set_up(void **state)
{
	return begin_with(state, nb_host_new(4, 1, 1));
}

static unsigned add_queue(struct fixture *f, unsigned cpu, uint32_t cost)
{
	return nb_host_add_nic(f->host, NB_NODE_NONE, 1, cpu, cost);
}

/* CPU 0 has an application and a queue that is more than a CPU beside others can take on. */
static unsigned add_what_no_step_helps(struct fixture *f)
{
	unsigned big = add_queue(f, 0, 7900);

	f->host->fixed[0] = 2000;
	for (unsigned cpu = 1; cpu < 4; cpu++)
		for (unsigned i = 0; i < 3; i++)
			add_queue(f, cpu, 2200);
	return big;
}

static bool repack(struct fixture *f)
{
	const struct nb_domain *domain;

	look(f);
	domain = domain_of(f, 0);
	return nb_repack(&f->board, &f->host->memory, domain, GAIN, f->moves);
}

static uint32_t hottest(const struct fixture *f)
{
	uint32_t hottest = 0;

	for (unsigned i = 0; i < f->board.n_cpus; i++)
		hottest = MAX(hottest, nb_board_load(&f->board, i));
	return hottest;
}

static void packs_what_no_single_step_helps(void **state)
{
	struct fixture *f = *state;
	unsigned big = add_what_no_step_helps(f);

	assert_true(repack(f));
	assert_true(hottest(f) <= 8800);
	assert_int_equal(nb_queue_key_compare(move(f, 0)->key, f->host->machine.queues[big].key),
			 0);
	for (unsigned i = 0; i < f->moves->len; i++)
		assert_int_equal(move(f, i)->reason, NB_REASON_REPACK);
	/* The big one, and the three that were there. */
	assert_int_equal(f->moves->len, 4);
}

/* As measured CPU 0 would gain 2.5 % by an exchange. It wants more than it gets. */
static void takes_saturated_queues_to_want_more(void **state)
{
	struct fixture *f = *state;

	for (unsigned i = 0; i < 2; i++)
		nb_host_stick(f->host, add_queue(f, 0, 5000), 0);
	add_queue(f, 1, 6400);
	add_queue(f, 2, 6400);
	add_queue(f, 3, 4750);
	assert_true(repack(f));
	assert_int_equal(f->moves->len, 1);
	assert_int_equal(move(f, 0)->load, 5000);
	assert_int_equal(move(f, 0)->cpu_to, 3);
}

static void takes_them_to_want_what_is_known(void **state)
{
	struct fixture *f = *state;

	for (unsigned i = 0; i < 2; i++)
		nb_host_stick(f->host, add_queue(f, 0, 5000), 0);
	add_queue(f, 1, 6400);
	add_queue(f, 2, 6400);
	add_queue(f, 3, 4750);
	look(f);
	for (unsigned i = 0; i < 2; i++)
		f->host->loads.queues[i].wanted = 5100;
	lay_out(f);
	assert_false(nb_repack(&f->board, &f->host->memory, domain_of(f, 0), GAIN, f->moves));
	assert_int_equal(nb_board_load(&f->board, 0), 10200);
}

static void add_queue_beside_application(struct fixture *f, uint32_t fixed_elsewhere)
{
	add_queue(f, 0, 4900);
	f->host->fixed[0] = 5000;
	for (unsigned cpu = 1; cpu < 4; cpu++)
		f->host->fixed[cpu] = fixed_elsewhere;
}

/* That its application may want more is a guess, and gains nothing by itself. */
static void moves_nothing_by_a_guess_alone(void **state)
{
	struct fixture *f = *state;

	add_queue_beside_application(f, 4910);
	assert_false(repack(f));
	assert_int_equal(f->moves->len, 0);
}

/* It gains as little, but then it is known what all of them want. */
static void makes_room_on_a_full_cpu_where_none_is_full_afterwards(void **state)
{
	struct fixture *f = *state;

	add_queue_beside_application(f, 4700);
	assert_true(repack(f));
}

static void helps_a_hot_cpu_too(void **state)
{
	struct fixture *f = *state;

	add_what_no_step_helps(f);
	f->host->fixed[0] = 1000;
	assert_true(repack(f));
	assert_true(hottest(f) <= 7900);
}

/* A tenth of a CPU is not to be had. */
static void moves_nothing_for_a_little(void **state)
{
	struct fixture *f = *state;

	add_what_no_step_helps(f);
	f->host->fixed[0] = 900;
	assert_false(repack(f));
}

/* Two queues and a bit on CPU 0; the others are busy with something else. */
static bool repack_two(struct fixture *f, uint32_t cost, uint32_t fixed_elsewhere)
{
	for (unsigned i = 0; i < 2; i++)
		add_queue(f, 0, cost);
	f->host->fixed[0] = 500;
	for (unsigned cpu = 1; cpu < 4; cpu++)
		f->host->fixed[cpu] = fixed_elsewhere;
	return repack(f);
}

static void a_tenth_is_enough(void **state)
{
	assert_true(repack_two(*state, 4300, 3800));
}

static void less_is_not(void **state)
{
	assert_false(repack_two(*state, 4300, 3801));
}

static void but_it_is_where_a_cpu_is_full_no_more(void **state)
{
	assert_true(repack_two(*state, 4700, 4750));
}

static void as_far_as_that_is_no_noise(void **state)
{
	assert_false(repack_two(*state, 4700, 4751));
}

/* MinimumGain= may be half of a CPU, and at rest twice as much is asked for. */
static void no_repacking_gains_a_whole_cpu(void **state)
{
	struct fixture *f = *state;

	for (unsigned i = 0; i < 2; i++)
		add_queue(f, 0, NB_WHOLE / 2);
	look(f);
	assert_false(nb_repack(&f->board, &f->host->memory, domain_of(f, 0), NB_WHOLE, f->moves));
	f->host->memory.repack_tries = 0;
	assert_true(
		nb_repack(&f->board, &f->host->memory, domain_of(f, 0), NB_WHOLE / 2, f->moves));
}

/* A NIC of node 0 has two queues on CPU 0, and what is on CPU 1 may as well be on the other node.
 */
static void queues_that_may_go_anywhere_make_room(void **state)
{
	struct fixture *f = *state;
	const struct nb_domain *domain;

	nb_host_free(f->host);
	f->host = nb_host_new(4, 1, 2);
	nb_host_add_nic(f->host, 0, 2, 0, 4100);
	for (unsigned i = 0; i < 4; i++)
		add_queue(f, 1, 1500);
	look(f);
	domain = domain_of(f, 0);
	assert_true(nb_repack(&f->board, &f->host->memory, domain, GAIN, f->moves));
	assert_true(hottest(f) <= 5600);
	for (unsigned i = 0; i < f->moves->len; i++)
		assert_true(move(f, i)->load == 1500 || move(f, i)->cpu_to <= 1);
}

/* The largest load first would put one of them on CPU 0, where one of the node has to go then. */
static void queues_that_may_go_anywhere_are_placed_last(void **state)
{
	struct fixture *f = *state;

	nb_host_free(f->host);
	f->host = nb_host_new(4, 1, 2);
	for (unsigned cpu = 0; cpu < 2; cpu++) {
		nb_host_add_nic(f->host, 0, 1, cpu, 4000);
		add_queue(f, cpu, 6000);
	}
	assert_true(repack(f));
	assert_true(hottest(f) <= 6000);
}

/* Then the small ones of the nodes would be all over, and the large ones beside them. */
static void unless_they_are_the_large_ones(void **state)
{
	struct fixture *f = *state;

	nb_host_free(f->host);
	f->host = nb_host_new(6, 1, 2);
	for (unsigned cpu = 0; cpu < 2; cpu++)
		add_queue(f, cpu, 6800);
	for (unsigned cpu = 0; cpu < 6; cpu++)
		nb_host_add_nic(f->host, (int)cpu / 3, 1, cpu, 2800);
	assert_true(repack(f));
	assert_true(hottest(f) <= 8400);
}

/* It goes where it likes, and queues would follow it about. */
static void does_not_run_from_an_application(void **state)
{
	struct fixture *f = *state;

	add_queue(f, 0, 1500);
	f->host->fixed[0] = 8500;
	assert_false(repack(f));
}

/* What RPS hands to CPU 0 keeps it full; that it has no queue any more makes it no cooler. */
static void takes_no_cpu_for_relieved_that_stays_as_full(void **state)
{
	struct fixture *f = *state;

	f->host->fixed[0] = 9400;
	nb_host_stick(f->host, add_queue(f, 0, 400), 0);
	add_queue(f, 1, 5000);
	assert_false(repack(f));
	assert_int_equal(f->host->memory.repack_tries, 1);
}

/* Beside it there is next to nothing: elsewhere it would be as hot. */
static void a_queue_that_fills_a_cpu_stays(void **state)
{
	struct fixture *f = *state;

	add_queue(f, 0, 9500);
	f->host->fixed[0] = 100;
	f->host->fixed[1] = f->host->fixed[2] = f->host->fixed[3] = 100;
	add_queue(f, 0, 400);
	assert_false(repack(f));
	assert_int_equal(f->host->memory.repack_tries, 0);
}

static void regards_no_dwell_but_what_may_not_move(void **state)
{
	struct fixture *f = *state;
	unsigned big = add_what_no_step_helps(f);
	struct nb_queue_memory *memory;

	nb_memory_sync(&f->host->memory, &f->host->snapshot);
	memory = &f->host->memory.queues[big];
	memory->yielded_until_nsec = UINT64_MAX;
	repack(f);
	for (unsigned i = 0; i < f->moves->len; i++)
		assert_int_equal(move(f, i)->load, 2200);

	memory->yielded_until_nsec = 0;
	memory->moved_nsec = f->host->snapshot.taken_nsec;
	f->host->memory.repack_tries = 0;
	assert_true(repack(f));
	assert_int_equal(move(f, 0)->load, 7900);
}

static void waits_twice_as_long_after_each_try(void **state)
{
	struct fixture *f = *state;

	add_what_no_step_helps(f);
	for (unsigned try = 0; try < 4; try++) {
		unsigned waited = 1;

		while (!repack(f))
			waited++;
		assert_int_equal(waited, try == 0 ? 1 : 1 << try);
	}
}

static void waits_for_what_was_just_done_to_show(void **state)
{
	struct fixture *f = *state;

	add_what_no_step_helps(f);
	f->host->memory.last_moves_nsec = f->host->snapshot.taken_nsec + NB_NSEC_PER_SEC / 2;
	assert_false(repack(f));
	assert_true(repack(f));
}

/* What is tried is tried on the board. */
static void leaves_the_board_as_it_was_when_there_is_nothing_to_gain(void **state)
{
	struct fixture *f = *state;

	for (unsigned i = 0; i < 2; i++)
		nb_host_stick(f->host, add_queue(f, 0, 5000), 0);
	for (unsigned cpu = 1; cpu < 4; cpu++)
		add_queue(f, cpu, 8900);
	look(f);
	f->host->loads.cpus[3].starved = 200;
	lay_out(f);
	assert_false(nb_repack(&f->board, &f->host->memory, domain_of(f, 0), GAIN, f->moves));
	assert_int_equal(nb_board_load(&f->board, 0), 10000);
	assert_int_equal(nb_board_load(&f->board, 1), 8900);
	assert_int_equal(nb_board_load(&f->board, 2), 8900);
	assert_int_equal(nb_board_load(&f->board, 3), 9100);
}

/* The queues of CPU 3 spilled there, and have the rest of their node to return to. */
static void what_spilled_stays_where_it_is(void **state)
{
	struct fixture *f = *state;

	add_what_no_step_helps(f);
	for (unsigned cpu = 0; cpu < 4; cpu++)
		f->host->machine.topology.cpus[cpu].node = cpu == 3;
	for (unsigned i = 0; i < f->host->machine.n_nics; i++) {
		f->host->machine.nics[i].node = 0;
		f->host->machine.nics[i].spill = true;
	}
	assert_true(repack(f));
	for (unsigned i = 0; i < f->moves->len; i++) {
		assert_int_not_equal(move(f, i)->cpu_from, 3);
		assert_int_not_equal(move(f, i)->cpu_to, 3);
	}
}

/* CPU 1 is small: the 79 of CPU 0 are too much for it, and so are three of 22. */
static void packs_by_what_queues_are_where_they_go(void **state)
{
	struct fixture *f = *state;
	unsigned big = add_what_no_step_helps(f);

	nb_host_set_capacity(f->host, 1, 5000);
	for (unsigned i = 0; i < 3; i++)
		nb_host_place(f->host, big + 1 + i, 2 + i % 2);
	assert_true(repack(f));
	assert_int_equal(nb_queue_key_compare(move(f, 0)->key, f->host->machine.queues[big].key),
			 0);
	assert_true(move(f, 0)->cpu_to >= 2);
	/* Two of 22 are 88 there. */
	assert_true(hottest(f) <= 8800);
}

/* 80 of a small CPU are 40 of a large one: they need not be what makes a CPU hot. */
static void what_makes_a_small_cpu_hot_may_be_packed(void **state)
{
	struct fixture *f = *state;
	unsigned big = add_queue(f, 0, 4000);

	f->host->fixed[0] = 500;
	nb_host_set_capacity(f->host, 0, 5000);
	for (unsigned i = 0; i < 9; i++)
		add_queue(f, 1 + i % 3, 1700);
	assert_true(repack(f));
	assert_int_equal(nb_queue_key_compare(move(f, 0)->key, f->host->machine.queues[big].key),
			 0);
	assert_true(hottest(f) <= 7500);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_HOST(what_spilled_stays_where_it_is),
		WITH_HOST(packs_what_no_single_step_helps),
		WITH_HOST(takes_saturated_queues_to_want_more),
		WITH_HOST(takes_them_to_want_what_is_known),
		WITH_HOST(moves_nothing_by_a_guess_alone),
		WITH_HOST(makes_room_on_a_full_cpu_where_none_is_full_afterwards),
		WITH_HOST(helps_a_hot_cpu_too),
		WITH_HOST(moves_nothing_for_a_little),
		WITH_HOST(a_tenth_is_enough),
		WITH_HOST(less_is_not),
		WITH_HOST(but_it_is_where_a_cpu_is_full_no_more),
		WITH_HOST(as_far_as_that_is_no_noise),
		WITH_HOST(no_repacking_gains_a_whole_cpu),
		WITH_HOST(queues_that_may_go_anywhere_make_room),
		WITH_HOST(queues_that_may_go_anywhere_are_placed_last),
		WITH_HOST(unless_they_are_the_large_ones),
		WITH_HOST(does_not_run_from_an_application),
		WITH_HOST(takes_no_cpu_for_relieved_that_stays_as_full),
		WITH_HOST(a_queue_that_fills_a_cpu_stays),
		WITH_HOST(regards_no_dwell_but_what_may_not_move),
		WITH_HOST(waits_twice_as_long_after_each_try),
		WITH_HOST(waits_for_what_was_just_done_to_show),
		WITH_HOST(leaves_the_board_as_it_was_when_there_is_nothing_to_gain),
		WITH_HOST(packs_by_what_queues_are_where_they_go),
		WITH_HOST(what_makes_a_small_cpu_hot_may_be_packed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plan/board.h"

#include "unit/plan/fixture.h"

/* Four CPUs in two cores: 0 and 2, 1 and 3. */
static int set_up(void **state)
{
	struct nb_host *host = nb_host_new(4, 2, 1);

	nb_host_add_nic(host, NB_NODE_NONE, 2, 0, 1000);
	return begin_with(state, host);
}

static void load_counts_the_weighted_sibling(void **state)
{
	struct fixture *f = *state;
	uint32_t own, sibling;

	f->host->fixed[2] = 4000;
	look(f);
	own = nb_board_own(&f->board.cpus[0]);
	sibling = nb_board_own(&f->board.cpus[2]);
	assert_true(own > 0 && sibling > own);
	assert_int_equal(nb_board_load(&f->board, 0), own + sibling * 65 / 100);
	assert_int_equal(nb_board_load(&f->board, 2), sibling + own * 65 / 100);
	assert_int_equal(nb_board_load(&f->board, 1), 0);
}

static void placing_moves_cost_and_count(void **state)
{
	struct fixture *f = *state;

	look(f);
	nb_board_place(&f->board, &f->board.queues[1], 3);
	assert_int_equal(nb_board_own(&f->board.cpus[0]), 1000);
	assert_int_equal(nb_board_own(&f->board.cpus[3]), 1000);
	assert_int_equal(f->board.cpus[3].n_queues, 1);
	nb_board_place(&f->board, &f->board.queues[1], NB_NOWHERE);
	assert_int_equal(nb_board_own(&f->board.cpus[3]), 0);
	assert_int_equal(f->board.cpus[3].n_queues, 0);
}

static void finds_cpus_by_id_also_with_holes(void **state)
{
	struct fixture *f = *state;

	nb_host_set_offline(f->host, 1);
	look(f);
	assert_int_equal(f->board.n_cpus, 3);
	assert_int_equal(nb_board_find_cpu(&f->board, 2), 1);
	assert_int_equal(nb_board_find_cpu(&f->board, 1), NB_NOWHERE);
	assert_int_equal(nb_board_find_cpu(&f->board, -1), NB_NOWHERE);
}

static unsigned count_listed(const struct nb_board *board, unsigned cpu)
{
	unsigned n = 0;

	NB_BOARD_FOREACH_QUEUE(i, board, cpu)
	{
		assert_int_equal(board->queues[i].cpu, cpu);
		n++;
	}
	assert_int_equal(n, board->cpus[cpu].n_queues);
	return n;
}

static void lists_the_queues_of_each_cpu(void **state)
{
	struct fixture *f = *state;

	nb_host_add_nic(f->host, NB_NODE_NONE, 3, 0, 10);
	look(f);
	assert_int_equal(count_listed(&f->board, 0), 5);
	nb_board_place(&f->board, &f->board.queues[2], 1);
	nb_board_place(&f->board, &f->board.queues[0], 1);
	nb_board_place(&f->board, &f->board.queues[4], 1);
	assert_int_equal(count_listed(&f->board, 0), 2);
	assert_int_equal(count_listed(&f->board, 1), 3);
	nb_board_place(&f->board, &f->board.queues[0], NB_NOWHERE);
	assert_int_equal(count_listed(&f->board, 1), 2);
}

static void panic_shortens_a_dwell(void **state)
{
	struct fixture *f = *state;
	struct nb_queue_memory *memory;

	look(f);
	memory = f->board.queues[0].memory;
	memory->moved_nsec = f->board.now_nsec;
	f->board.now_nsec += f->host->policy.dwell_nsec / 3;
	assert_true(nb_board_dwells(&f->board, &f->board.queues[0]));
	f->board.cpus[0].panics = true;
	assert_false(nb_board_dwells(&f->board, &f->board.queues[0]));
}

static void what_moves_while_costs_are_not_known_yet_dwells_for_a_cooldown(void **state)
{
	struct fixture *f = *state;
	struct nb_queue_memory *memory;

	look(f);
	memory = f->board.queues[0].memory;
	memory->moved_nsec = f->board.now_nsec;
	memory->pending = (struct nb_pending){.settling = true,
					      .since_nsec = f->board.now_nsec,
					      .move = {.reason = NB_REASON_BALANCE}};
	f->board.now_nsec += f->host->policy.cooldown_nsec - 1;
	assert_true(nb_board_dwells(&f->board, &f->board.queues[0]));
	f->board.now_nsec++;
	assert_false(nb_board_dwells(&f->board, &f->board.queues[0]));
	memory->failures = 1;
	assert_false(nb_board_dwells(&f->board, &f->board.queues[0]));
	memory->failures = 2;
	assert_true(nb_board_dwells(&f->board, &f->board.queues[0]));
}

static void a_queue_left_its_last_cpus_lately(void **state)
{
	struct fixture *f = *state;
	struct nb_board_queue *queue;

	look(f);
	queue = &f->board.queues[0];
	assert_false(nb_board_left_lately(&f->board, queue, 0));
	queue->memory->departures[0] = (struct nb_departure){.cpu = 3, .nsec = f->board.now_nsec};
	queue->memory->departures[NB_DEPARTURES - 1] =
		(struct nb_departure){.cpu = 1, .nsec = f->board.now_nsec};
	f->board.now_nsec += 2 * f->host->policy.dwell_nsec;
	assert_true(nb_board_left_lately(&f->board, queue, 3));
	assert_true(nb_board_left_lately(&f->board, queue, 1));
	assert_false(nb_board_left_lately(&f->board, queue, 0));
	f->board.now_nsec++;
	assert_false(nb_board_left_lately(&f->board, queue, 3));
}

static void a_queue_does_not_return_where_it_left_in_vain_before_its_cost_was_known(void **state)
{
	struct fixture *f = *state;
	struct nb_queue_memory *memory;
	struct nb_board_queue *queue;

	look(f);
	queue = &f->board.queues[0];
	memory = queue->memory;
	memory->pending = (struct nb_pending){
		.settling = true, .since_nsec = f->board.now_nsec, .move.cpu_from = 3};
	assert_false(nb_board_left_lately(&f->board, queue, 3));
	memory->failures = 1;
	f->board.now_nsec += 2 * f->host->policy.dwell_nsec;
	assert_true(nb_board_left_lately(&f->board, queue, 3));
	assert_false(nb_board_left_lately(&f->board, queue, 1));
	memory->pending.settling = false;
	assert_false(nb_board_left_lately(&f->board, queue, 3));
	memory->pending.settling = true;
	f->board.now_nsec++;
	assert_false(nb_board_left_lately(&f->board, queue, 3));
}

static void a_queue_stays_that_never_moves_or_not_for_long(void **state)
{
	struct fixture *f = *state;
	struct nb_board_queue *queue;

	look(f);
	queue = &f->board.queues[0];
	queue->memory->moved_nsec = f->board.now_nsec;
	assert_false(nb_board_stays(&f->board, queue));
	queue->memory->failures = 2;
	assert_true(nb_board_stays(&f->board, queue));
	f->board.now_nsec += 3 * f->host->policy.dwell_nsec;
	assert_false(nb_board_stays(&f->board, queue));
	queue->memory->refused = true;
	look(f);
	assert_true(nb_board_stays(&f->board, &f->board.queues[0]));
}

/* As long as what drove it away is there it is not to come back. */
static void a_queue_may_return_when_the_application_that_drove_it_away_has_ended(void **state)
{
	struct fixture *f = *state;
	struct nb_queue_memory *memory;
	struct nb_board_queue *queue;

	f->host->fixed[3] = 3500;
	look(f);
	queue = &f->board.queues[0];
	memory = queue->memory;
	memory->moved_nsec = f->board.now_nsec;
	memory->departures[0] =
		(struct nb_departure){.cpu = 3, .nsec = f->board.now_nsec, .applications = 5000};
	f->board.now_nsec += f->host->policy.cooldown_nsec;
	assert_true(nb_board_left_lately(&f->board, queue, 3));
	assert_true(nb_board_dwells(&f->board, queue));
	f->board.cpus[3].applications.most--;
	assert_false(nb_board_left_lately(&f->board, queue, 3));
	assert_false(nb_board_dwells(&f->board, queue));
	/* Others may have taken its time. */
	f->board.cpus[3].window_busy = f->host->policy.panic + 1;
	assert_true(nb_board_left_lately(&f->board, queue, 3));
	f->board.cpus[3].window_busy = f->host->policy.panic;
	assert_false(nb_board_left_lately(&f->board, queue, 3));
	/* Not what failed, and not what went for another reason, or later. */
	memory->failures = 1;
	assert_true(nb_board_left_lately(&f->board, queue, 3));
	memory->failures = 0;
	memory->departures[0].applications = 0;
	assert_true(nb_board_left_lately(&f->board, queue, 3));
	assert_true(nb_board_dwells(&f->board, queue));
}

static void a_queue_stays_that_nothing_gets_to_follow(void **state)
{
	struct fixture *f = *state;
	struct nb_board_queue *queue;

	f->host->time[0] = 9000;
	nb_host_stick(f->host, 0, 0);
	nb_host_place(f->host, 0, 1);
	look(f);
	queue = &f->board.queues[0];
	queue->memory->unstick_tries = NB_BOARD_BELIEVED_TRIES - 1;
	assert_false(nb_board_stays(&f->board, queue));
	queue->memory->unstick_tries++;
	assert_true(nb_board_stays(&f->board, queue));
	queue->saturated = false;
	assert_false(nb_board_stays(&f->board, queue));
}

/* Back and forth loses nothing to rounding. */
static void a_load_is_more_on_a_smaller_cpu(void **state)
{
	struct fixture *f = *state;
	struct nb_board_queue *queue;
	uint32_t load;

	nb_host_set_capacity(f->host, 1, 3333);
	look(f);
	queue = &f->board.queues[0];
	load = queue->load;
	assert_true(f->board.hybrid);
	for (unsigned i = 0; i < 100; i++) {
		nb_board_place(&f->board, queue, 1);
		assert_int_equal(queue->load, (uint64_t)load * NB_WHOLE / 3333);
		assert_int_equal(f->board.cpus[1].queues, queue->load);
		assert_int_equal(nb_board_load_on(&f->board, queue, 0), load);
		nb_board_place(&f->board, queue, 0);
		assert_int_equal(queue->load, load);
	}
	assert_int_equal(nb_board_whole_load(queue), load);
}

static void a_mean_goes_by_capacity(void **state)
{
	struct fixture *f = *state;
	uint64_t sum = 0, capacities = 0;

	nb_host_set_capacity(f->host, 1, 2500);
	f->host->fixed[0] = 1000;
	f->host->fixed[1] = 9000;
	look(f);
	for (unsigned i = 0; i < f->board.n_cpus; i++) {
		sum += (uint64_t)nb_board_load(&f->board, i) * f->board.cpus[i].capacity;
		capacities += f->board.cpus[i].capacity;
	}
	assert_int_equal(domain_of(f, 0)->mean, sum / capacities);
	assert_int_equal(nb_board_mean(&f->board, f->board.queues[0].domain), sum / capacities);
	assert_int_equal(domain_of(f, 0)->capacity, NB_WHOLE);
}

static unsigned coolest_for(struct fixture *f, unsigned queue)
{
	look(f);
	nb_board_place(&f->board, &f->board.queues[queue], NB_NOWHERE);
	return nb_board_coolest(&f->board, &f->board.queues[queue]);
}

/* On CPUs 1 and 3: 10 and 30, or 10 and 60 if they are small. On CPU 0 others have 20: 35 and 30.
 */
static void the_coolest_cpu_is_the_one_that_is_so_with_the_queue(void **state)
{
	struct fixture *f = *state;
	unsigned big = nb_host_add_nic(f->host, NB_NODE_NONE, 1, 0, 3000);

	f->host->policy.sibling_weight = 0;
	for (unsigned i = 0; i < 4; i++)
		f->host->fixed[i] = i % 2 ? 1000 : 1500;
	assert_int_equal(coolest_for(f, big), 1);
	nb_host_set_capacity(f->host, 1, 5000);
	assert_int_equal(coolest_for(f, big), 3);
	nb_host_set_capacity(f->host, 3, 5000);
	assert_int_equal(coolest_for(f, big), 0);
}

static void steer(struct fixture *f, unsigned queue, uint64_t cpus)
{
	struct nb_cpumask mask = {.words = {cpus}};

	nb_host_set_rps(f->host, queue, &mask);
}

/* One queue shares its packets out to the CPUs 1 and 2, another with three times as many hands all
 * to CPU 1, a third has no mask. */
static void a_backlog_is_of_queues_by_the_packets_that_they_hand_over(void **state)
{
	struct fixture *f = *state;
	unsigned other = nb_host_add_nic(f->host, NB_NODE_NONE, 1, 0, 3000);
	unsigned third = nb_host_add_nic(f->host, NB_NODE_NONE, 1, 0, 3000);
	const struct nb_board_queue *queues;

	f->host->time[0] = 1000;
	look(f);
	queues = f->board.queues;
	f->board.cpus[1].backlog = 7000;
	/* Nobody knows whose it is. */
	assert_int_equal(nb_board_handed(&f->board, &queues[0], 1), 7000);

	steer(f, 0, 0x6);
	steer(f, other, 0x2);
	look(f);
	queues = f->board.queues;
	f->board.cpus[1].backlog = 7000;
	f->board.cpus[2].backlog = 500;
	f->board.cpus[3].backlog = 400;
	assert_int_equal(nb_board_handed(&f->board, &queues[0], 1), 1000);
	assert_int_equal(nb_board_handed(&f->board, &queues[other], 1), 6000);
	assert_int_equal(nb_board_handed(&f->board, &queues[third], 1), 0);
	assert_int_equal(nb_board_handed(&f->board, &queues[0], 2), 500);
	assert_int_equal(nb_board_handed(&f->board, &queues[other], 2), 0);
	assert_int_equal(nb_board_handed(&f->board, &queues[0], 3), 400);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_HOST(load_counts_the_weighted_sibling),
		WITH_HOST(placing_moves_cost_and_count),
		WITH_HOST(finds_cpus_by_id_also_with_holes),
		WITH_HOST(lists_the_queues_of_each_cpu),
		WITH_HOST(panic_shortens_a_dwell),
		WITH_HOST(what_moves_while_costs_are_not_known_yet_dwells_for_a_cooldown),
		WITH_HOST(a_queue_left_its_last_cpus_lately),
		WITH_HOST(a_queue_does_not_return_where_it_left_in_vain_before_its_cost_was_known),
		WITH_HOST(a_queue_stays_that_never_moves_or_not_for_long),
		WITH_HOST(a_queue_may_return_when_the_application_that_drove_it_away_has_ended),
		WITH_HOST(a_queue_stays_that_nothing_gets_to_follow),
		WITH_HOST(a_load_is_more_on_a_smaller_cpu),
		WITH_HOST(a_mean_goes_by_capacity),
		WITH_HOST(the_coolest_cpu_is_the_one_that_is_so_with_the_queue),
		WITH_HOST(a_backlog_is_of_queues_by_the_packets_that_they_hand_over),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plan/spill.h"

#include "base/spells.h"
#include "unit/plan/fixture.h"

#define GAIN 350u

/* Two nodes of two CPUs. Each CPU of the first has an application and two queues of a NIC there. */
static int set_up(void **state)
{
	struct nb_host *host = nb_host_new(4, 1, 2);

	nb_host_add_nic(host, 0, 4, 0, 2000);
	nb_host_place(host, 2, 1);
	nb_host_place(host, 3, 1);
	host->machine.nics[0].spill = true;
	host->fixed[0] = host->fixed[1] = 4500;
	host->memory.begun_nsec = host->snapshot.taken_nsec;
	return begin_with(state, host);
}

static bool is_noted(const struct fixture *f)
{
	return nb_spells_find(&f->host->memory.full_nodes, 2) != NULL;
}

static void look_at_nodes(struct fixture *f)
{
	look(f);
	nb_spill_look(&f->board, &f->host->memory, GAIN);
}

static bool spill_after(struct fixture *f, unsigned seconds)
{
	for (unsigned i = 0; i < seconds; i++)
		look_at_nodes(f);
	return nb_spill_any(&f->board, &f->host->memory, GAIN, f->moves);
}

static void a_full_node_is_noted(void **state)
{
	struct fixture *f = *state;

	look_at_nodes(f);
	assert_true(is_noted(f));
}

static void a_node_is_full_if_its_mean_is_hot(void **state)
{
	struct fixture *f = *state;

	f->host->fixed[1] = 1500;
	look_at_nodes(f);
	assert_false(is_noted(f));
	f->host->fixed[1] = 1502;
	look_at_nodes(f);
	assert_true(is_noted(f));
}

static void a_node_is_not_full_if_no_other_has_time(void **state)
{
	struct fixture *f = *state;

	f->host->fixed[2] = f->host->fixed[3] = 4600;
	look_at_nodes(f);
	assert_false(is_noted(f));
	/* 4500 + 2000 and a quarter of that is just hot. */
	f->host->fixed[3] = 4500;
	look_at_nodes(f);
	assert_true(is_noted(f));
}

static void small_queues_are_no_relief(void **state)
{
	struct fixture *f = *state;

	f->host->fixed[0] = f->host->fixed[1] = 7500;
	for (unsigned i = 0; i < 4; i++)
		f->host->time[i] = 990;
	look_at_nodes(f);
	assert_false(is_noted(f));
	f->host->time[3] = 1000;
	look_at_nodes(f);
	assert_true(is_noted(f));
}

static void what_may_not_leave_is_no_relief(void **state)
{
	struct fixture *f = *state;
	struct nb_pool pool = {.key = {2, NB_EVERY_QUEUE}, .rule = NB_RULE_CONFIGURED};

	nb_cpumask_add(&pool.cpus, 0);
	nb_cpumask_add(&pool.cpus, 1);
	f->host->machine.pools = (struct nb_pools){&pool, 1};
	look_at_nodes(f);
	assert_false(is_noted(f));
	for (unsigned i = 0; i < 4; i++)
		f->host->snapshot.queues[i].settable = false;
	f->host->machine.pools = (struct nb_pools){};
	look_at_nodes(f);
	assert_false(is_noted(f));
}

static void one_node_has_no_other(void **state)
{
	struct fixture *f = *state;

	for (unsigned i = 0; i < 4; i++)
		f->host->machine.topology.cpus[i].node = NB_NODE_NONE;
	f->host->fixed[2] = f->host->fixed[3] = 9000;
	look_at_nodes(f);
	assert_false(f->board.domains[0].far);
	assert_false(is_noted(f));
}

static void a_queue_leaves_when_its_node_has_been_full_for_a_cooldown(void **state)
{
	struct fixture *f = *state;

	assert_false(spill_after(f, 5));
	assert_true(spill_after(f, 1));
	assert_int_equal(f->moves->len, 2);
	for (unsigned i = 0; i < 2; i++) {
		assert_int_equal(move(f, i)->reason, NB_REASON_SPILL);
		assert_int_equal(move(f, i)->cpu_from, i);
		assert_int_equal(move(f, i)->cpu_to, 2 + i);
	}
	assert_int_equal(nb_board_mean(&f->board, 0), 6500);
}

static void as_many_leave_as_make_it_full(void **state)
{
	struct fixture *f = *state;

	f->host->fixed[0] = f->host->fixed[1] = 6000;
	assert_true(spill_after(f, 6));
	assert_int_equal(f->moves->len, 3);
}

static void nothing_leaves_without_leave(void **state)
{
	struct fixture *f = *state;

	f->host->machine.nics[0].spill = false;
	assert_false(spill_after(f, 60));
	assert_true(is_noted(f));
}

/* Both are of the same node. */
static void only_what_may_leave_does(void **state)
{
	struct fixture *f = *state;
	unsigned other = nb_host_add_nic(f->host, 0, 1, 0, 3000);
	unsigned small = nb_host_add_nic(f->host, 0, 1, 1, 500);

	assert_true(spill_after(f, 6));
	for (unsigned i = 0; i < f->moves->len; i++)
		assert_int_equal(move(f, i)->key.ifindex, 2);
	assert_non_null(nb_spells_find(&f->host->memory.full_nodes,
				       f->host->machine.queues[other].key.ifindex));
	assert_null(nb_spells_find(&f->host->memory.full_nodes,
				   f->host->machine.queues[small].key.ifindex));
}

static void what_dwells_stays(void **state)
{
	struct fixture *f = *state;

	look(f);
	for (unsigned i = 0; i < 4; i++)
		f->host->memory.queues[i].moved_nsec = f->host->snapshot.taken_nsec;
	assert_false(spill_after(f, 8));
	assert_true(is_noted(f));
	assert_true(spill_after(f, 40));
}

/* Queue 0 went to CPU 2 just now. */
static struct nb_queue_memory *send_away(struct fixture *f)
{
	nb_host_place(f->host, 0, 2);
	look(f);
	f->host->memory.queues[0].spills = 1;
	f->host->memory.queues[0].spilled_nsec = f->host->snapshot.taken_nsec;
	return &f->host->memory.queues[0];
}

static bool returns_after(struct fixture *f, uint64_t nsec)
{
	f->host->snapshot.taken_nsec =
		f->host->memory.queues[0].spilled_nsec + nsec - NB_NSEC_PER_SEC;
	look(f);
	return nb_spill_back(&f->board, &f->host->memory, f->moves);
}

static void a_queue_returns_after_a_minute_if_there_is_room(void **state)
{
	struct fixture *f = *state;

	f->host->fixed[0] = f->host->fixed[1] = 1000;
	send_away(f);
	assert_false(returns_after(f, 59 * NB_NSEC_PER_SEC));
	assert_true(returns_after(f, 60 * NB_NSEC_PER_SEC));
	assert_int_equal(f->moves->len, 1);
	assert_int_equal(move(f, 0)->reason, NB_REASON_RETURN);
	assert_int_equal(move(f, 0)->cpu_to, 0);
}

static void room_is_well_below_hot_on_its_cpu_and_on_the_mean(void **state)
{
	struct fixture *f = *state;

	f->host->fixed[0] = 2001;
	f->host->fixed[1] = 500;
	send_away(f);
	/* 2001 + 2 × 2000 is above 60 %, though the mean is not. */
	assert_false(returns_after(f, 100 * NB_NSEC_PER_SEC));
	f->host->fixed[0] = 2000;
	f->host->fixed[1] = 2000;
	assert_true(returns_after(f, 101 * NB_NSEC_PER_SEC));
	f->host->fixed[0] = 1000;
	f->host->fixed[1] = 3002;
	assert_false(returns_after(f, 102 * NB_NSEC_PER_SEC));
	f->host->fixed[1] = 3000;
	assert_true(returns_after(f, 103 * NB_NSEC_PER_SEC));
}

static void who_had_to_leave_again_soon_waits_twice_as_long(void **state)
{
	struct fixture *f = *state;
	struct nb_queue_memory *queue;

	for (unsigned i = 1; i < 4; i++)
		f->host->snapshot.queues[i].settable = false;
	assert_true(spill_after(f, 6));
	queue = &f->host->memory.queues[0];
	assert_int_equal(queue->spills, 1);
	queue->spilled_nsec -= 100 * NB_NSEC_PER_SEC;
	assert_true(spill_after(f, 1));
	assert_int_equal(queue->spills, 2);
	assert_int_equal(queue->spilled_nsec, f->host->snapshot.taken_nsec);
	f->host->fixed[0] = f->host->fixed[1] = 1000;
	nb_host_place(f->host, 0, 2);
	assert_false(returns_after(f, 119 * NB_NSEC_PER_SEC));
	assert_true(returns_after(f, 120 * NB_NSEC_PER_SEC));
	queue->spills = 100;
	assert_false(returns_after(f, 63 * 60 * NB_NSEC_PER_SEC));
	assert_true(returns_after(f, 64 * 60 * NB_NSEC_PER_SEC));
}

static void who_was_home_for_long_begins_anew(void **state)
{
	struct fixture *f = *state;
	struct nb_queue_memory *queue = send_away(f);

	nb_host_place(f->host, 0, 0);
	for (unsigned i = 1; i < 4; i++)
		f->host->snapshot.queues[i].settable = false;
	queue->spills = 2;
	queue->spilled_nsec -= 235 * NB_NSEC_PER_SEC;
	assert_true(spill_after(f, 6));
	assert_int_equal(queue->spills, 1);
}

static void what_was_elsewhere_without_leave_stays_there(void **state)
{
	struct fixture *f = *state;

	f->host->machine.nics[0].spill = false;
	f->host->fixed[0] = f->host->fixed[1] = 0;
	send_away(f);
	assert_false(returns_after(f, 1000 * NB_NSEC_PER_SEC));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_HOST(a_full_node_is_noted),
		WITH_HOST(a_node_is_full_if_its_mean_is_hot),
		WITH_HOST(a_node_is_not_full_if_no_other_has_time),
		WITH_HOST(small_queues_are_no_relief),
		WITH_HOST(what_may_not_leave_is_no_relief),
		WITH_HOST(one_node_has_no_other),
		WITH_HOST(a_queue_leaves_when_its_node_has_been_full_for_a_cooldown),
		WITH_HOST(as_many_leave_as_make_it_full),
		WITH_HOST(nothing_leaves_without_leave),
		WITH_HOST(only_what_may_leave_does),
		WITH_HOST(what_dwells_stays),
		WITH_HOST(a_queue_returns_after_a_minute_if_there_is_room),
		WITH_HOST(room_is_well_below_hot_on_its_cpu_and_on_the_mean),
		WITH_HOST(who_had_to_leave_again_soon_waits_twice_as_long),
		WITH_HOST(who_was_home_for_long_begins_anew),
		WITH_HOST(what_was_elsewhere_without_leave_stays_there),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

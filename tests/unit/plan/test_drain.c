/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plan/drain.h"

#include "unit/plan/fixture.h"

#define SEC NB_NSEC_PER_SEC

/* Eight CPUs, a NIC of four queues, all polled on CPU 0 and full. */
static int set_up(void **state)
{
	struct nb_host *host = nb_host_new(8, 1, 1);

	nb_host_add_nic(host, NB_NODE_NONE, 4, 0, 2500);
	nb_memory_sync(&host->memory, &host->snapshot);
	return begin_with(state, host);
}

/* A queue was moved, but its NAPI polls on CPU 0. */
static void get_stuck(struct fixture *f, unsigned queue, unsigned cpu_to)
{
	struct nb_pending *pending = &f->host->memory.queues[queue].pending;

	*pending = (struct nb_pending){
		.active = true, .stuck = true, .move = {.cpu_from = 0, .cpu_to = cpu_to}};
}

static bool drain(struct fixture *f)
{
	look(f);
	return nb_drain(&f->board, &f->host->memory, f->changes);
}

static const struct nb_rps_change *change(const struct fixture *f, unsigned i)
{
	return &g_array_index(f->changes, struct nb_rps_change, i);
}

static void assert_change(const struct fixture *f, unsigned i, unsigned queue, unsigned cpu)
{
	assert_int_equal(change(f, i)->key.index, queue);
	assert_int_equal(change(f, i)->reason, NB_REASON_RPS_UNSTICK);
	assert_int_equal(nb_cpumask_count(&change(f, i)->to), 1);
	assert_true(nb_cpumask_has(&change(f, i)->to, cpu));
}

/* As applying them would. */
static void remember(struct fixture *f)
{
	for (unsigned i = 0; i < f->changes->len; i++) {
		struct nb_rps_memory *rps = nb_memory_get_rps(&f->host->memory, change(f, i)->key);

		rps->cpus = change(f, i)->to;
		rps->unsticks = true;
		nb_host_set_rps(f->host, change(f, i)->key.index, &change(f, i)->to);
	}
}

static void without_a_stuck_queue_nothing_is_drained(void **state)
{
	assert_false(drain(*state));
}

static void every_queue_of_the_cpu_hands_its_packets_on(void **state)
{
	struct fixture *f = *state;

	get_stuck(f, 1, 5);
	get_stuck(f, 2, 6);
	assert_true(drain(f));
	assert_int_equal(f->changes->len, 4);
	/* Those that stay hand on to where the others go, in turn. */
	assert_change(f, 0, 0, 5);
	assert_change(f, 1, 1, 5);
	assert_change(f, 2, 2, 6);
	assert_change(f, 3, 3, 5);
}

static void queues_of_other_cpus_and_idle_ones_are_left_alone(void **state)
{
	struct fixture *f = *state;

	nb_host_place(f->host, 0, 3);
	f->host->cost[3] = 50;
	get_stuck(f, 1, 5);
	assert_true(drain(f));
	assert_int_equal(f->changes->len, 2);
	assert_change(f, 0, 1, 5);
	assert_change(f, 1, 2, 5);
}

static void it_is_asked_for_once(void **state)
{
	struct fixture *f = *state;

	get_stuck(f, 1, 5);
	assert_true(drain(f));
	remember(f);
	assert_false(drain(f));
}

static void drain_for_two(struct fixture *f)
{
	get_stuck(f, 1, 5);
	get_stuck(f, 2, 6);
	assert_true(drain(f));
	remember(f);
}

static void assert_all_unstuck(struct fixture *f)
{
	assert_true(drain(f));
	assert_int_equal(f->changes->len, 4);
	for (unsigned i = 0; i < 4; i++)
		assert_int_equal(change(f, i)->reason, NB_REASON_RPS_UNSTUCK);
}

static void the_masks_go_together_when_the_last_one_follows(void **state)
{
	struct fixture *f = *state;

	drain_for_two(f);
	nb_host_place(f->host, 1, 5);
	f->host->memory.queues[1].pending.stuck = false;
	assert_false(drain(f));
	f->host->memory.queues[2].pending.active = false;
	assert_all_unstuck(f);
	for (unsigned i = 0; i < 4; i++) {
		assert_true(nb_cpumask_empty(&change(f, i)->to));
		assert_false(nb_cpumask_empty(&change(f, i)->from));
	}
}

static void someone_elses_mask_stays(void **state)
{
	struct fixture *f = *state;
	struct nb_cpumask theirs = {};

	nb_cpumask_add(&theirs, 7);
	nb_host_set_rps(f->host, 2, &theirs);
	get_stuck(f, 1, 5);
	assert_true(drain(f));
	assert_int_equal(f->changes->len, 3);
	assert_change(f, 2, 3, 5);
}

static void without_rps_a_stuck_queue_is_only_waited_for(void **state)
{
	struct fixture *f = *state;

	f->host->policy.rps = false;
	get_stuck(f, 1, 5);
	assert_false(drain(f));
}

static void masks_go_also_when_rps_was_switched_off(void **state)
{
	struct fixture *f = *state;

	get_stuck(f, 1, 5);
	assert_true(drain(f));
	remember(f);
	f->host->policy.rps = false;
	f->host->memory.queues[1].pending.active = false;
	assert_true(drain(f));
	assert_int_equal(f->changes->len, 4);
}

/* As a restart finds what was set: the masks alone, by key. */
static void adopt(struct fixture *f)
{
	struct nb_memory *memory = &f->host->memory;
	uint64_t now_nsec = f->host->snapshot.taken_nsec;

	nb_memory_clear(memory);
	nb_memory_sync(memory, &f->host->snapshot);
	for (unsigned i = 0; i < f->host->snapshot.n_queues; i++)
		nb_memory_adopt_queue(memory, f->host->snapshot.queues[i].key,
				      (unsigned)f->host->snapshot.queues[i].affinity_cpu);
	for (unsigned i = 0; i < f->changes->len; i++)
		nb_memory_adopt_rps(memory, change(f, i)->key, &change(f, i)->to, now_nsec);
}

static void a_restart_takes_the_masks_back_with_the_true_reason(void **state)
{
	struct fixture *f = *state;

	drain_for_two(f);
	nb_host_place(f->host, 1, 5);
	nb_host_place(f->host, 2, 6);
	adopt(f);
	assert_all_unstuck(f);
}

static void a_restart_keeps_masks_that_share_work(void **state)
{
	struct fixture *f = *state;
	struct nb_rps_change shares = {.key = f->host->snapshot.queues[0].key};

	nb_cpumask_add(&shares.to, 5);
	g_array_append_val(f->changes, shares);
	nb_host_set_rps(f->host, 0, &shares.to);
	nb_host_place(f->host, 1, 5);
	adopt(f);
	assert_false(drain(f));
}

static void a_cpu_is_not_drained_again_at_once(void **state)
{
	struct fixture *f = *state;
	struct nb_memory *memory = &f->host->memory;
	uint64_t rest_nsec = f->host->policy.rps_dwell_nsec / 3;

	get_stuck(f, 1, 5);
	memory->queues[0].drained_nsec = f->host->snapshot.taken_nsec + SEC;
	assert_false(drain(f));
	nb_host_tick(f->host, rest_nsec - 2 * SEC);
	assert_false(drain(f));
	assert_true(drain(f));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_HOST(without_a_stuck_queue_nothing_is_drained),
		WITH_HOST(every_queue_of_the_cpu_hands_its_packets_on),
		WITH_HOST(queues_of_other_cpus_and_idle_ones_are_left_alone),
		WITH_HOST(it_is_asked_for_once),
		WITH_HOST(the_masks_go_together_when_the_last_one_follows),
		WITH_HOST(someone_elses_mask_stays),
		WITH_HOST(without_rps_a_stuck_queue_is_only_waited_for),
		WITH_HOST(a_restart_takes_the_masks_back_with_the_true_reason),
		WITH_HOST(a_restart_keeps_masks_that_share_work),
		WITH_HOST(a_cpu_is_not_drained_again_at_once),
		WITH_HOST(masks_go_also_when_rps_was_switched_off),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fixture.h"

#include "rehearse/stage.h"

struct stand {
	struct nb_cpu cpus[3];
	struct nb_queue queues[2];
	struct nb_machine machine;
	uint32_t fixed[3], backlog[3], dropped[3];
	uint32_t time[2], threaded[2], pinned[2], deferred[2];
	int places[2];
	struct nb_trace_frame frame;
	struct nb_stage *stage;
};

static int set_up(void **state)
{
	struct stand *stand = g_new0(struct stand, 1);

	for (unsigned i = 0; i < 3; i++)
		stand->cpus[i] = (struct nb_cpu){.id = i, .capacity = NB_WHOLE};
	for (unsigned i = 0; i < 2; i++)
		stand->queues[i] = (struct nb_queue){
			.key = {1, i}, .has_rx = true, .n_irqs = 1, .irqs = {40 + i}};
	stand->machine = (struct nb_machine){
		.generation = 1,
		.topology = {.cpus = stand->cpus, .n_cpus = 3},
		.queues = stand->queues,
		.n_queues = 2,
	};
	stand->frame = (struct nb_trace_frame){
		.taken_nsec = SEC,
		.window_nsec = SEC,
		.machine = &stand->machine,
		.fixed = stand->fixed,
		.backlog = stand->backlog,
		.time = stand->time,
		.cpus = stand->places,
		.threaded = stand->threaded,
		.pinned = stand->pinned,
		.deferred = stand->deferred,
		.dropped = stand->dropped,
	};
	stand->stage = nb_stage_new();
	*state = stand;
	return 0;
}

static int tear_down(void **state)
{
	struct stand *stand = *state;

	nb_stage_free(stand->stage);
	g_free(stand);
	return 0;
}

static void put(struct stand *stand, unsigned queue, unsigned cpu)
{
	struct nb_move move = {.key = {1, queue}, .cpu_to = cpu};
	struct nb_plan plan = PLAN_OF(MOVE(&move));

	nb_stage_obey(stand->stage, &plan);
	assert_int_equal(plan.changes[0].outcome, NB_OUTCOME_APPLIED);
}

static void shows_where_time_went(void **state)
{
	struct stand *stand = *state;
	const struct nb_snapshot *snapshot;

	stand->time[0] = 3000;
	stand->fixed[0] = 2000;
	stand->backlog[0] = 500;
	nb_stage_begin(stand->stage, &stand->frame);
	snapshot = nb_stage_advance(stand->stage, &stand->frame);
	assert_int_equal(snapshot->grade, NB_GRADE_REPLAYED);
	assert_true(snapshot->queues[0].time_nsec == SEC / 10 * 3);
	assert_true(snapshot->cpus[0].queues_nsec == SEC / 10 * 3);
	assert_true(snapshot->cpus[0].backlog_nsec == SEC / 20);
	assert_true(snapshot->cpus[0].softirq_nsec == SEC / 20 * 7);
	assert_true(snapshot->cpus[0].user_nsec == SEC / 20 * 3);
	assert_true(snapshot->cpus[0].idle_nsec == SEC / 2);
	assert_true(snapshot->cpus[1].idle_nsec == SEC);
}

static void work_goes_where_its_queue_was_put(void **state)
{
	struct stand *stand = *state;
	const struct nb_snapshot *snapshot;

	stand->time[0] = 3000;
	nb_stage_begin(stand->stage, &stand->frame);
	nb_stage_advance(stand->stage, &stand->frame);
	put(stand, 0, 2);
	stand->frame.taken_nsec = 2 * SEC;
	snapshot = nb_stage_advance(stand->stage, &stand->frame);
	assert_int_equal(snapshot->queues[0].affinity_cpu, 2);
	assert_int_equal(snapshot->queues[0].polled_cpu, 2);
	assert_true(snapshot->cpus[0].queues_nsec == SEC / 10 * 3);
	assert_true(snapshot->cpus[2].queues_nsec == SEC / 10 * 3);
}

static void no_cpu_does_more_than_it_can(void **state)
{
	struct stand *stand = *state;
	const struct nb_snapshot *snapshot;

	stand->time[0] = 9000;
	stand->time[1] = 6000;
	stand->fixed[0] = 4000;
	nb_stage_begin(stand->stage, &stand->frame);
	snapshot = nb_stage_advance(stand->stage, &stand->frame);
	assert_true(snapshot->cpus[0].queues_nsec <= SEC);
	assert_true(snapshot->cpus[0].queues_nsec > SEC / 100 * 99);
	assert_true(snapshot->cpus[0].queues_nsec + snapshot->cpus[0].user_nsec +
			    snapshot->cpus[0].idle_nsec ==
		    SEC);
	assert_true(snapshot->queues[0].time_nsec > snapshot->queues[1].time_nsec);
}

static void drops_end_where_a_cpu_is_relieved(void **state)
{
	struct stand *stand = *state;
	const struct nb_snapshot *snapshot;

	stand->time[0] = stand->time[1] = 5000;
	stand->dropped[0] = 7;
	nb_stage_begin(stand->stage, &stand->frame);
	snapshot = nb_stage_advance(stand->stage, &stand->frame);
	assert_int_equal(snapshot->cpus[0].dropped, 7);
	put(stand, 1, 1);
	snapshot = nb_stage_advance(stand->stage, &stand->frame);
	assert_int_equal(snapshot->cpus[0].dropped, 7);
}

static void a_queue_that_was_reset_is_where_the_trace_has_it(void **state)
{
	struct stand *stand = *state;
	struct nb_queue queues[2];
	struct nb_machine after;

	nb_stage_begin(stand->stage, &stand->frame);
	put(stand, 0, 2);
	put(stand, 1, 2);
	memcpy(queues, stand->queues, sizeof(queues));
	queues[1].irqs[0] = 99;
	after = stand->machine;
	after.generation = 2;
	after.queues = queues;
	stand->frame.machine = &after;
	stand->places[1] = 1;
	nb_stage_advance(stand->stage, &stand->frame);
	assert_int_equal(nb_stage_places(stand->stage)[0], 2);
	assert_int_equal(nb_stage_places(stand->stage)[1], 1);
}

static void a_queue_whose_cpu_went_is_where_the_trace_has_it(void **state)
{
	struct stand *stand = *state;
	struct nb_machine after;

	nb_stage_begin(stand->stage, &stand->frame);
	put(stand, 0, 2);
	after = stand->machine;
	after.generation = 2;
	after.topology.n_cpus = 2;
	stand->frame.machine = &after;
	stand->places[0] = 1;
	nb_stage_advance(stand->stage, &stand->frame);
	assert_int_equal(nb_stage_places(stand->stage)[0], 1);
}

static void what_nobody_may_move_cannot_be_set(void **state)
{
	struct stand *stand = *state;
	const struct nb_snapshot *snapshot;

	stand->pinned[1] = 1;
	snapshot = nb_stage_begin(stand->stage, &stand->frame);
	assert_true(snapshot->queues[0].settable);
	assert_false(snapshot->queues[1].settable);
}

static void what_a_timer_polls_raises_no_interrupt(void **state)
{
	struct stand *stand = *state;
	const struct nb_snapshot *snapshot;

	stand->time[0] = stand->time[1] = 3000;
	stand->deferred[1] = 1;
	nb_stage_begin(stand->stage, &stand->frame);
	snapshot = nb_stage_advance(stand->stage, &stand->frame);
	assert_int_equal(snapshot->queues[0].interrupts, 1);
	assert_false(snapshot->queues[0].defers);
	assert_int_equal(snapshot->queues[1].interrupts, 0);
	assert_true(snapshot->queues[1].defers);
}

static void what_threads_poll_is_no_work_of_an_interrupt(void **state)
{
	struct stand *stand = *state;
	const struct nb_snapshot *snapshot;

	stand->threaded[1] = 5000;
	nb_stage_begin(stand->stage, &stand->frame);
	snapshot = nb_stage_advance(stand->stage, &stand->frame);
	assert_int_equal(snapshot->queues[0].threaded_nsec, 0);
	assert_int_equal(snapshot->queues[1].threaded_nsec, SEC / 2);
	assert_int_equal(snapshot->queues[1].time_nsec, 0);
}

static void rps_is_only_rehearsed(void **state)
{
	struct stand *stand = *state;
	struct nb_rps_change change = {.key = {1, 0}};
	struct nb_plan plan = PLAN_OF(STEER(&change));

	set_outcome(&plan, NB_OUTCOME_APPLIED);
	nb_stage_begin(stand->stage, &stand->frame);
	nb_stage_obey(stand->stage, &plan);
	assert_int_equal(plan.changes[0].outcome, NB_OUTCOME_REHEARSED);
}

/* A trace does not say to which entry of an RSS table a packet belonged. */
static void no_packets_are_counted_by_bucket(void **state)
{
	struct stand *stand = *state;
	struct nb_plan plan = {.count_buckets = 1};

	assert_false(nb_stage_begin(stand->stage, &stand->frame)->buckets.able);
	nb_stage_obey(stand->stage, &plan);
	assert_false(nb_stage_advance(stand->stage, &stand->frame)->buckets.able);
}

static void an_rss_table_is_only_rehearsed(void **state)
{
	struct stand *stand = *state;
	struct nb_rss_change change = {.key.ifindex = 1, .queues = {.words = {1}}};
	struct nb_plan plan = PLAN_OF(REDIRECT(&change));

	set_outcome(&plan, NB_OUTCOME_APPLIED);
	nb_stage_begin(stand->stage, &stand->frame);
	nb_stage_obey(stand->stage, &plan);
	assert_int_equal(plan.changes[0].outcome, NB_OUTCOME_REHEARSED);
}

static void it_takes_longer_on_a_smaller_cpu(void **state)
{
	struct stand *stand = *state;
	const struct nb_snapshot *snapshot;

	stand->cpus[2].capacity = 5000;
	stand->time[0] = 3000;
	nb_stage_begin(stand->stage, &stand->frame);
	nb_stage_advance(stand->stage, &stand->frame);
	put(stand, 0, 2);
	put(stand, 1, 2);
	stand->time[1] = 3000;
	stand->frame.taken_nsec = 2 * SEC;
	snapshot = nb_stage_advance(stand->stage, &stand->frame);
	/* 60 and 60 do not fit. */
	assert_true(snapshot->queues[0].time_nsec > SEC / 10 * 3 + SEC / 100 * 49);
	assert_true(snapshot->cpus[2].queues_nsec > SEC / 100 * 99);
	assert_true(snapshot->cpus[2].queues_nsec <= SEC);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define T(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
		T(shows_where_time_went),
		T(work_goes_where_its_queue_was_put),
		T(no_cpu_does_more_than_it_can),
		T(drops_end_where_a_cpu_is_relieved),
		T(a_queue_that_was_reset_is_where_the_trace_has_it),
		T(a_queue_whose_cpu_went_is_where_the_trace_has_it),
		T(what_nobody_may_move_cannot_be_set),
		T(what_a_timer_polls_raises_no_interrupt),
		T(what_threads_poll_is_no_work_of_an_interrupt),
		T(rps_is_only_rehearsed),
		T(no_packets_are_counted_by_bucket),
		T(an_rss_table_is_only_rehearsed),
#undef T
		cmocka_unit_test_setup_teardown(it_takes_longer_on_a_smaller_cpu, set_up,
						tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

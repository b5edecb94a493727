/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "host.h"

#define MSEC (NB_NSEC_PER_SEC / 1000)

static void begins_with_version_and_machine(void **state)
{
	struct host *host = *state;

	assert_string_equal(host_second(host), "nicbalance-trace 2\n"
					       "machine 8 unknown\n"
					       "isolated nohz-full 3\n"
					       "cpu 0 0 0 0\n"
					       "cpu 1 0 0 0\n"
					       "cpu 2 2 0 0\n"
					       "cpu 3 2 0 0\n"
					       "nic 1 igb 0 3 3 1\n"
					       "nic 2 - - 1 0 0\n"
					       "queue 1 0-2 rt 1\n"
					       "queue 2 0 r 2\n"
					       "window 1000 1000 measured\n"
					       "end\n");
}

/* The second window of a host, without its first and its last line. */
static void assert_tells(struct host *host, const char *lines)
{
	g_autofree char *expected =
		g_strconcat("window 2000 1000 measured\n", lines, "end\n", NULL);

	host_second(host);
	assert_string_equal(host_second(host), expected);
}

static void tells_of_each_cpu_and_queue(void **state)
{
	struct host *host = *state;

	host->cpu_loads[0].window_fixed = 1;
	host->cpu_loads[1].window_backlog = 2;
	host->cpu_loads[2].dropped = 2;
	host->cpu_loads[2].nic_dropped = 1;
	host->queue_loads[0].window_time = 4;
	host->queue_loads[1].cpu = 5;
	host->queue_loads[2].cpu = -1;
	host->states[2].settable = false;
	host->queue_loads[3].window_threaded = 6;
	host->queue_loads[1].deferred = true;
	assert_tells(host, "cpu-fixed 1 0 0 0\n"
			   "cpu-backlog 0 2 0 0\n"
			   "cpu-dropped 0 0 3 0\n"
			   "queue-time 4 0 0 0\n"
			   "queue-cpu 0 5 - 0\n"
			   "queue-pinned 0 0 1 0\n"
			   "queue-threaded 0 0 0 6\n"
			   "queue-deferred 0 1 0 0\n");
}

/* As a container runtime orders it: with a window of the machine that was there before. */
static void tells_who_may_use_what_when_that_changes(void **state)
{
	struct host *host = *state;
	struct nb_pool pool = {.key = {2, 1}, .rule = NB_RULE_CONFIGURED};

	host_second(host);
	nb_cpumask_add(&host->snapshot.default_affinity, 0);
	nb_cpumask_add(&host->snapshot.default_affinity, 2);
	nb_cpumask_add(&pool.cpus, 2);
	host->machine.pools = (struct nb_pools){&pool, 1};
	assert_non_null(strstr(host_second(host), "queue 2 0 r 2\n"
						  "pool 1.1 2\n"
						  "pool 1 0,2\n"
						  "pool 2 0,2\n"
						  "window 2000 "));
	assert_string_equal(host_second(host), "window 3000 1000 measured\nend\n");
	nb_cpumask_clear(&host->snapshot.default_affinity);
	host->machine.pools.n = 0;
	assert_non_null(strstr(host_second(host), "queue 2 0 r 2\n"
						  "window 4000 "));
}

static void tells_the_grade_of_each_window(void **state)
{
	struct host *host = *state;

	host_second(host);
	host->snapshot.grade = NB_GRADE_ESTIMATED;
	assert_string_equal(host_second(host), "window 2000 1000 estimated\nend\n");
}

static void tells_the_masks_that_are_set(void **state)
{
	struct host *host = *state;

	host->rps[0].key = (struct nb_queue_key){.ifindex = 2, .index = 1};
	nb_cpumask_add(&host->rps[0].cpus, 1);
	nb_cpumask_add(&host->rps[0].cpus, 2);
	host->rps[1].key = (struct nb_queue_key){.ifindex = 7, .index = 0};
	nb_cpumask_add(&host->rps[1].cpus, 0);
	host->snapshot.n_rps = 2;
	assert_tells(host, "rps 1.1 1-2\nrps 2.0 0\n");
	nb_cpumask_clear(&host->rps[0].cpus);
	assert_string_equal(host_second(host), "window 3000 1000 measured\nrps 2.0 0\nend\n");
	host->rps[1].key.ifindex = 5; /* out of scope */
	assert_string_equal(host_second(host), "window 4000 1000 measured\nend\n");
}

static void tells_the_moves_that_were_made_alone(void **state)
{
	struct host *host = *state;

	host_second(host);
	host->moves[0] = (struct nb_move){
		.key = {.ifindex = 2, .index = 1},
		.reason = NB_REASON_BALANCE,
		.cpu_from = 0,
		.cpu_to = 2,
		.load = 1,
		.source_before = 2,
		.source_after = 3,
		.target_before = 4,
		.target_after = 5,
	};
	host->moves[1] = (struct nb_move){.key = {.ifindex = 7}, .cpu_from = -1, .cpu_to = 1};
	for (unsigned i = 0; i < 2; i++)
		host->changes[i] = nb_change_of_move(NB_KIND_QUEUE, &host->moves[i]);
	host->plan.n_changes = 2;
	host->changes[0].outcome = NB_OUTCOME_APPLIED;
	host->changes[1].outcome = NB_OUTCOME_REFUSED;
	assert_string_equal(host_second(host), "window 2000 1000 measured\n"
					       "move 1.1 0 2 balance 1 2 3 4 5\nend\n");
	host->changes[0].outcome = NB_OUTCOME_REHEARSED;
	host->changes[1].outcome = NB_OUTCOME_APPLIED;
	assert_string_equal(host_second(host), "window 3000 1000 measured\n"
					       "move 2.0 - 1 collapsed 0 0 0 0 0\nend\n");
}

static void note(struct host *host, uint32_t irq, enum nb_event event, int from, int to)
{
	const struct nb_record record = {
		.event = event,
		.reason = event == NB_EVENT_MOVED ? NB_REASON_DEVICE_CROWDED : _NB_REASON_INVALID,
		.key = nb_device_irq_key(irq),
		.handlers = "secret",
		.cpu_from = from,
		.cpu_to = to,
	};

	nb_trace_note_device_irq(host->writer, &record);
}

static void tells_what_happened_to_interrupts_of_other_devices_without_their_names(void **state)
{
	struct host *host = *state;

	host_second(host);
	note(host, 41, NB_EVENT_MOVED, 0, 2);
	note(host, 7, NB_EVENT_YIELDED, 3, -1);
	note(host, 41, NB_EVENT_RESTORED, 2, 0);
	assert_string_equal(host_second(host), "window 2000 1000 measured\n"
					       "device-irq 41 moved 0 2 device-crowded\n"
					       "device-irq 7 yielded 3 -\n"
					       "device-irq 41 restored 2 0\n"
					       "end\n");
	assert_string_equal(host_second(host), "window 3000 1000 measured\nend\n");
}

static void what_was_noted_waits_for_a_window(void **state)
{
	struct host *host = *state;

	host_second(host);
	note(host, 7, NB_EVENT_YIELDED, 3, 1);
	assert_string_equal(host_window(host, 0), "");
	assert_string_equal(host_second(host), "window 2000 1000 measured\n"
					       "device-irq 7 yielded 3 1\nend\n");
}

static void a_rescan_that_found_nothing_new_is_not_told(void **state)
{
	struct host *host = *state;

	host_second(host);
	host->machine.generation++;
	assert_string_equal(host_second(host), "window 2000 1000 measured\nend\n");
	assert_string_equal(host_second(host), "window 3000 1000 measured\nend\n");
}

static void a_new_machine_is_told(void **state)
{
	struct host *host = *state;

	host->queue_loads[0].window_time = 1;
	host_second(host);
	host->machine.generation++;
	host->machine.n_queues = 3;
	host->machine.n_nics = 1;
	assert_string_equal(host_second(host), "machine 8 unknown\n"
					       "isolated nohz-full 3\n"
					       "cpu 0 0 0 0\n"
					       "cpu 1 0 0 0\n"
					       "cpu 2 2 0 0\n"
					       "cpu 3 2 0 0\n"
					       "nic 1 igb 0 3 3 1\n"
					       "queue 1 0-2 rt 1\n"
					       "window 2000 1000 measured\n"
					       "queue-time 1 0 0\n"
					       "end\n");
}

static void rounding_of_times_does_not_add_up(void **state)
{
	struct host *host = *state;

	host_window(host, MSEC);
	assert_string_equal(host_window(host, MSEC * 3 / 2), "window 2 1 measured\nend\n");
	assert_string_equal(host_window(host, MSEC * 3 / 2), "window 4 2 measured\nend\n");
	assert_string_equal(host_window(host, 1), "window 5 1 measured\nend\n");
	assert_string_equal(host_window(host, MSEC * 3), "window 7 2 measured\nend\n");
}

static void time_without_a_window_is_a_gap(void **state)
{
	struct host *host = *state;

	host_second(host);
	assert_string_equal(host_window(host, 0), "");
	host->loads.taken_nsec += 250 * MSEC;
	assert_string_equal(host_second(host), "window 2250 1000 measured\nend\n");
}

static void what_cannot_be_is_cut(void **state)
{
	struct host *host = *state;
	g_autoptr(nb_trace) trace = NULL;
	g_autofree char *error = NULL;
	struct nb_trace_frame frame;

	host->queue_loads[0].window_time = UINT32_MAX;
	host_second(host);
	assert_int_equal(nb_trace_parse(host->text->str, host->text->len, &trace, &error), 0);
	nb_trace_frame(trace, 0, &frame);
	assert_int_equal(frame.time[0], INT32_MAX);
}

#define HOST_TEST(test) cmocka_unit_test_setup_teardown(test, host_set_up, host_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		HOST_TEST(begins_with_version_and_machine),
		HOST_TEST(tells_of_each_cpu_and_queue),
		HOST_TEST(tells_who_may_use_what_when_that_changes),
		HOST_TEST(tells_the_grade_of_each_window),
		HOST_TEST(tells_the_masks_that_are_set),
		HOST_TEST(tells_the_moves_that_were_made_alone),
		HOST_TEST(tells_what_happened_to_interrupts_of_other_devices_without_their_names),
		HOST_TEST(what_was_noted_waits_for_a_window),
		HOST_TEST(a_rescan_that_found_nothing_new_is_not_told),
		HOST_TEST(a_new_machine_is_told),
		HOST_TEST(rounding_of_times_does_not_add_up),
		HOST_TEST(time_without_a_window_is_a_gap),
		HOST_TEST(what_cannot_be_is_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

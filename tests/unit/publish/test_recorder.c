/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "publish/recorder.h"

#include "nicbalance/interface.h"
#include "support/support.h"

#include <string.h>

#define SEC NB_NSEC_PER_SEC

static struct nb_cpu cpus[1];
static struct nb_machine machine = {
	.generation = 1,
	.topology = {.n_possible = 1, .cpus = cpus, .n_cpus = 1},
};

/* The second that ends at so many seconds, in which the CPU did so much. */
static void second(struct nb_recorder *recorder, uint64_t at, uint32_t rest)
{
	struct nb_cpu_load load = {.window_fixed = rest};
	struct nb_snapshot snapshot = {.taken_nsec = at * SEC, .machine = &machine};
	struct nb_loads loads = {
		.taken_nsec = at * SEC, .window_nsec = SEC, .cpus = &load, .n_cpus = 1};
	struct nb_rules rules;

	nb_rules_init(&rules, &snapshot, NULL, NULL);
	nb_recorder_add(recorder, &snapshot, &rules, &loads, &(struct nb_plan){0});
}

static struct nb_recorded read_at(struct nb_recorder *recorder, uint64_t at, uint64_t cursor)
{
	struct nb_recorded recorded;

	nb_recorder_read(recorder, cursor, at * SEC, &recorded);
	return recorded;
}

static void what_comes_after_the_first_call_is_told_once(void **state)
{
	g_autoptr(nb_recorder) recorder = nb_recorder_new();
	struct nb_recorded recorded;

	(void)state;
	second(recorder, 99, 1);
	recorded = read_at(recorder, 100, 0);
	assert_false(recorded.lost);
	assert_string_equal(recorded.text, "");
	second(recorder, 101, 1);
	recorded = read_at(recorder, 101, recorded.cursor);
	assert_true(g_str_has_prefix(recorded.text, "nicbalance-trace 2\n"));
	assert_true(g_str_has_suffix(recorded.text, "\nend\n"));
	recorded = read_at(recorder, 101, recorded.cursor);
	assert_string_equal(recorded.text, "");
	second(recorder, 102, 1);
	second(recorder, 103, 1);
	recorded = read_at(recorder, 103, recorded.cursor);
	assert_string_equal(recorded.text, "window 2000 1000 estimated\ncpu-fixed 1\nend\n"
					   "window 3000 1000 estimated\ncpu-fixed 1\nend\n");
}

static void tell(struct nb_recorder *recorder, enum nb_kind kind, struct nb_queue_key key,
		 enum nb_outcome outcome)
{
	const struct nb_record record = {
		.event = NB_EVENT_RESTORED,
		.kind = kind,
		.outcome = outcome,
		.key = key,
		.cpu_from = 1,
		.cpu_to = -1,
	};

	nb_recorder_tell(recorder, &record);
}

static void of_what_is_told_it_keeps_what_was_done_to_interrupts_of_no_queue(void **state)
{
	g_autoptr(nb_recorder) recorder = nb_recorder_new();
	const struct nb_queue_key disk = nb_device_irq_key(41), queue = {.ifindex = 2, .index = 3};
	struct nb_recorded recorded;

	(void)state;
	tell(recorder, NB_KIND_DEVICE_IRQ, disk, NB_OUTCOME_APPLIED);
	recorded = read_at(recorder, 100, 0);
	tell(recorder, NB_KIND_DEVICE_IRQ, disk, NB_OUTCOME_APPLIED);
	tell(recorder, NB_KIND_DEVICE_IRQ, disk, NB_OUTCOME_REFUSED);
	tell(recorder, NB_KIND_RSS, (struct nb_queue_key){}, NB_OUTCOME_APPLIED);
	tell(recorder, NB_KIND_QUEUE, queue, NB_OUTCOME_APPLIED);
	second(recorder, 101, 1);
	second(recorder, 102, 1);
	recorded = read_at(recorder, 102, recorded.cursor);
	assert_true(g_str_has_prefix(recorded.text, "nicbalance-trace 2\nmachine "));
	assert_true(g_str_has_suffix(recorded.text,
				     "\ndevice-irq 41 restored 1 -\nend\n"
				     "window 2000 1000 estimated\ncpu-fixed 1\nend\n"));
	assert_null(strstr(strstr(recorded.text, "device-irq") + 1, "device-irq"));
}

static void whoever_comes_later_gets_a_beginning(void **state)
{
	g_autoptr(nb_recorder) recorder = nb_recorder_new();
	struct nb_recorded first, later;

	(void)state;
	first = read_at(recorder, 100, 0);
	second(recorder, 101, 1);
	first = read_at(recorder, 101, first.cursor);
	later = read_at(recorder, 101, 0);
	second(recorder, 102, 1);
	later = read_at(recorder, 102, later.cursor);
	assert_true(g_str_has_prefix(later.text, "nicbalance-trace 2\n"));
	first = read_at(recorder, 102, first.cursor);
	assert_string_equal(first.text, later.text);
}

static void is_kept_for_as_long_as_someone_asks(void **state)
{
	g_autoptr(nb_recorder) recorder = nb_recorder_new();
	struct nb_recorded recorded, later;

	(void)state;
	assert_false(nb_recorder_is_on(recorder));
	recorded = read_at(recorder, 100, 0);
	assert_true(nb_recorder_is_on(recorder));
	second(recorder, 100 + NB_BUS_WATCH_SEC, 1);
	later = read_at(recorder, 100 + NB_BUS_WATCH_SEC, recorded.cursor);
	assert_false(later.lost);
	assert_true(*later.text);
	second(recorder, 101 + 2 * NB_BUS_WATCH_SEC, 1);
	assert_false(nb_recorder_is_on(recorder));
	recorded = read_at(recorder, 101 + 2 * NB_BUS_WATCH_SEC, later.cursor);
	assert_true(recorded.lost);
	assert_string_equal(recorded.text, "");
	second(recorder, 102 + 2 * NB_BUS_WATCH_SEC, 1);
	recorded = read_at(recorder, 102 + 2 * NB_BUS_WATCH_SEC, recorded.cursor);
	assert_false(recorded.lost);
	assert_true(g_str_has_prefix(recorded.text, "nicbalance-trace 2\n"));
}

static void a_cursor_of_an_earlier_daemon_is_known_to_be_so(void **state)
{
	g_autoptr(nb_recorder) earlier = nb_recorder_new(), recorder = nb_recorder_new();
	struct nb_recorded recorded;

	(void)state;
	recorded = read_at(earlier, 100, 0);
	read_at(recorder, 101, 0);
	second(recorder, 102, 1);
	assert_true(read_at(recorder, 102, recorded.cursor).lost);
	assert_true(read_at(recorder, 102, UINT64_MAX).lost);
}

static void holds_so_much_and_no_more(void **state)
{
	g_autoptr(nb_recorder) recorder = nb_recorder_new();
	struct nb_recorded recorded = read_at(recorder, 1, 0), late;
	uint64_t at;

	(void)state;
	for (at = 2; at < 10; at++)
		second(recorder, at, 1);
	late = read_at(recorder, at, recorded.cursor);
	/* All within one second: the clock of the cycles stands still. */
	for (unsigned i = 0; i < 50000; i++)
		second(recorder, at, i);
	assert_true(read_at(recorder, at, recorded.cursor).lost);
	assert_true(read_at(recorder, at, late.cursor).lost);
}

static void those_who_keep_up_lose_nothing(void **state)
{
	g_autoptr(nb_recorder) recorder = nb_recorder_new();
	struct nb_recorded recorded = read_at(recorder, 1, 0);

	(void)state;
	for (unsigned i = 0; i < 50000; i++) {
		second(recorder, 2 + i, i % 7 * 100);
		recorded = read_at(recorder, 2 + i, recorded.cursor);
		assert_false(recorded.lost);
		assert_true(*recorded.text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_comes_after_the_first_call_is_told_once),
		cmocka_unit_test(of_what_is_told_it_keeps_what_was_done_to_interrupts_of_no_queue),
		cmocka_unit_test(whoever_comes_later_gets_a_beginning),
		cmocka_unit_test(is_kept_for_as_long_as_someone_asks),
		cmocka_unit_test(a_cursor_of_an_earlier_daemon_is_known_to_be_so),
		cmocka_unit_test(holds_so_much_and_no_more),
		cmocka_unit_test(those_who_keep_up_lose_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fixture.h"

#include "rehearse/records.h"
#include "rehearse/rehearsal.h"

static struct nb_nic nics[1] = {{.ifindex = 2, .name = "eth0"}};
static struct nb_queue queues[1] = {{.key = {2, 0}, .n_irqs = 1, .irqs = {41}}};
static const struct nb_machine machine = {
	.nics = nics, .n_nics = 1, .queues = queues, .n_queues = 1};

static void move(struct nb_rehearsal *rehearsal, uint64_t sec, int from, unsigned to,
		 enum nb_outcome outcome)
{
	struct nb_scene scene = {.at_nsec = sec * SEC, .machine = &machine};
	struct nb_move move = {.key = {2, 0}, .cpu_from = from, .cpu_to = to};
	struct nb_plan plan = PLAN_OF(MOVE(&move));

	set_outcome(&plan, outcome);
	nb_records_add_outcomes(rehearsal, &scene, &plan);
}

static void says_which_interrupt_of_which_nic(void **state)
{
	g_autoptr(nb_rehearsal) rehearsal = nb_rehearsal_new();

	(void)state;
	move(rehearsal, 5, 0, 1, NB_OUTCOME_APPLIED);
	assert_string_equal(record_at(rehearsal, 0)->netdev, "eth0");
	assert_int_equal(record_at(rehearsal, 0)->irqs[0], 41);
	assert_true(record_at(rehearsal, 0)->realtime_usec == 5 * G_USEC_PER_SEC);
	assert_int_equal(record_at(rehearsal, 0)->effect, NB_EFFECT_PENDING);
}

static void back_within_a_minute_is_ping_pong(void **state)
{
	g_autoptr(nb_rehearsal) rehearsal = nb_rehearsal_new();

	(void)state;
	move(rehearsal, 10, 0, 1, NB_OUTCOME_APPLIED);
	move(rehearsal, 40, 1, 2, NB_OUTCOME_APPLIED);
	assert_int_equal(rehearsal->n_ping_pongs, 0);
	move(rehearsal, 70, 2, 0, NB_OUTCOME_APPLIED);
	assert_int_equal(rehearsal->n_ping_pongs, 1);
	assert_int_equal(rehearsal->n_moves, 3);
}

static void later_it_is_not(void **state)
{
	g_autoptr(nb_rehearsal) rehearsal = nb_rehearsal_new();

	(void)state;
	move(rehearsal, 10, 0, 1, NB_OUTCOME_APPLIED);
	move(rehearsal, 71, 1, 0, NB_OUTCOME_APPLIED);
	assert_int_equal(rehearsal->n_ping_pongs, 0);
}

static void what_was_not_written_moved_nothing(void **state)
{
	g_autoptr(nb_rehearsal) rehearsal = nb_rehearsal_new();

	(void)state;
	move(rehearsal, 10, 0, 1, NB_OUTCOME_REFUSED);
	move(rehearsal, 20, 1, 0, NB_OUTCOME_APPLIED);
	assert_int_equal(rehearsal->n_moves, 1);
	assert_int_equal(rehearsal->n_ping_pongs, 0);
	assert_int_equal(record_at(rehearsal, 0)->effect, NB_EFFECT_NONE);
}

static void a_finding_completes_the_last_move(void **state)
{
	g_autoptr(nb_rehearsal) rehearsal = nb_rehearsal_new();
	g_autoptr(GArray) findings = g_array_new(FALSE, FALSE, sizeof(struct nb_finding));
	struct nb_scene scene = {.at_nsec = 13 * SEC, .machine = &machine};
	struct nb_finding finding = {.event = NB_EVENT_MOVED,
				     .key = {2, 0},
				     .effect = NB_EFFECT_STUCK,
				     .measured = NB_UNMEASURED};

	(void)state;
	move(rehearsal, 10, 0, 1, NB_OUTCOME_APPLIED);
	move(rehearsal, 11, 1, 2, NB_OUTCOME_APPLIED);
	g_array_append_val(findings, finding);
	nb_records_add_findings(rehearsal, &scene, findings);
	assert_int_equal(record_at(rehearsal, 1)->effect, NB_EFFECT_STUCK);
	g_array_index(findings, struct nb_finding, 0).effect = NB_EFFECT_WORKED;
	g_array_index(findings, struct nb_finding, 0).measured = 1234;
	nb_records_add_findings(rehearsal, &scene, findings);
	assert_int_equal(record_at(rehearsal, 0)->effect, NB_EFFECT_PENDING);
	assert_int_equal(record_at(rehearsal, 1)->effect, NB_EFFECT_WORKED);
	assert_int_equal(record_at(rehearsal, 1)->measured, 1234);
	assert_int_equal(rehearsal->records->len, 2);
}

static void an_rss_table_that_is_only_rehearsed_is_told_once(void **state)
{
	g_autoptr(nb_rehearsal) rehearsal = nb_rehearsal_new();
	struct nb_scene scene = {.at_nsec = SEC, .machine = &machine};
	struct nb_rss_change change = {
		.key.ifindex = 2, .reason = NB_REASON_RSS_EMPTY, .queues = {.words = {1}}};
	struct nb_plan plan = PLAN_OF(REDIRECT(&change));

	(void)state;
	for (unsigned i = 0; i < 3; i++)
		nb_records_add_outcomes(rehearsal, &scene, &plan);
	assert_int_equal(rehearsal->records->len, 1);
	assert_int_equal(record_at(rehearsal, 0)->event, NB_EVENT_REDIRECTED);
	assert_string_equal(record_at(rehearsal, 0)->rss_queues, "0");
	set_outcome(&plan, NB_OUTCOME_APPLIED);
	nb_records_add_outcomes(rehearsal, &scene, &plan);
	assert_int_equal(rehearsal->records->len, 2);
	assert_int_equal(rehearsal->n_moves, 0);
}

static void entries_that_would_move_are_told_once(void **state)
{
	static const uint32_t from[] = {0, 1, 0, 1}, to[] = {0, 1, 1, 1};
	g_autoptr(nb_rehearsal) rehearsal = nb_rehearsal_new();
	struct nb_scene scene = {.at_nsec = SEC, .machine = &machine};
	struct nb_rss_change change = {.key.ifindex = 2,
				       .reason = NB_REASON_RSS_SPREAD,
				       .from = from,
				       .to = to,
				       .n_entries = 4,
				       .n_moved = 1};
	struct nb_plan plan = PLAN_OF(REDIRECT(&change));

	(void)state;
	nb_records_add_outcomes(rehearsal, &scene, &plan);
	change.n_moved = 2;
	nb_records_add_outcomes(rehearsal, &scene, &plan);
	assert_int_equal(rehearsal->records->len, 1);
	assert_int_equal(record_at(rehearsal, 0)->rss_moved, 1);
	assert_int_equal(record_at(rehearsal, 0)->rss_entries, 4);
	assert_string_equal(record_at(rehearsal, 0)->rss_queues, "0-1");
	change = (struct nb_rss_change){.key.ifindex = 2, .reason = NB_REASON_RSS_CALM};
	nb_records_add_outcomes(rehearsal, &scene, &plan);
	assert_int_equal(rehearsal->records->len, 2);
}

static void a_yield_says_whose_cpu_it_was(void **state)
{
	g_autoptr(nb_rehearsal) rehearsal = nb_rehearsal_new();
	g_autoptr(GArray) findings = g_array_new(FALSE, FALSE, sizeof(struct nb_finding));
	struct nb_scene scene = {.at_nsec = SEC, .machine = &machine};
	struct nb_finding finding = {
		.event = NB_EVENT_YIELDED, .key = {2, 0}, .cpu_ours = 3, .cpu_theirs = -1};

	(void)state;
	g_array_append_val(findings, finding);
	nb_records_add_findings(rehearsal, &scene, findings);
	assert_int_equal(record_at(rehearsal, 0)->event, NB_EVENT_YIELDED);
	assert_int_equal(record_at(rehearsal, 0)->cpu_from, 3);
	assert_int_equal(record_at(rehearsal, 0)->cpu_to, -1);
	assert_int_equal(rehearsal->n_moves, 0);
}

static void other_devices_interrupts_keep_their_numbers_and_count_as_no_queues(void **state)
{
	g_autoptr(nb_rehearsal) rehearsal = nb_rehearsal_new();
	const struct nb_trace_device_irq others[] = {
		{.irq = 41, .event = NB_EVENT_MOVED, .reason = NB_REASON_DEVICE_HOT, .cpu_to = 1},
		{.irq = 41, .event = NB_EVENT_MOVED, .reason = NB_REASON_DEVICE_HOT, .cpu_from = 1},
		{.irq = 41, .event = NB_EVENT_YIELDED, .reason = _NB_REASON_INVALID, .cpu_to = -1},
	};
	const struct nb_trace_frame frame = {.taken_nsec = 5 * SEC,
					     .machine = &machine,
					     .device_irqs = others,
					     .n_device_irqs = G_N_ELEMENTS(others)};

	(void)state;
	nb_records_add_device_irqs(rehearsal, &frame);
	assert_int_equal(rehearsal->records->len, 3);
	assert_true(record_at(rehearsal, 0)->realtime_usec == 5 * G_USEC_PER_SEC);
	assert_int_equal(record_at(rehearsal, 0)->irqs[0], 41);
	assert_int_equal(record_at(rehearsal, 0)->reason, NB_REASON_DEVICE_HOT);
	assert_int_equal(record_at(rehearsal, 0)->effect, NB_EFFECT_NONE);
	assert_int_equal(record_at(rehearsal, 0)->cpu_to, 1);
	assert_int_equal(record_at(rehearsal, 2)->event, NB_EVENT_YIELDED);
	assert_int_equal(record_at(rehearsal, 2)->cpu_to, -1);
	assert_int_equal(rehearsal->n_moves, 0);
	assert_int_equal(rehearsal->n_ping_pongs, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(says_which_interrupt_of_which_nic),
		cmocka_unit_test(back_within_a_minute_is_ping_pong),
		cmocka_unit_test(later_it_is_not),
		cmocka_unit_test(what_was_not_written_moved_nothing),
		cmocka_unit_test(a_finding_completes_the_last_move),
		cmocka_unit_test(an_rss_table_that_is_only_rehearsed_is_told_once),
		cmocka_unit_test(entries_that_would_move_are_told_once),
		cmocka_unit_test(a_yield_says_whose_cpu_it_was),
		cmocka_unit_test(
			other_devices_interrupts_keep_their_numbers_and_count_as_no_queues),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

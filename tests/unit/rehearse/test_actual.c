/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fixture.h"

#include "support/rewrite_trace.h"

#define LOADED \
	"[Host]\nLengthSec=4\nCPUs=4\n[Nic eth0]\nQueues=2\n[Traffic eth0]\nPacketsPerSec=100k\n"

/* The trace of LOADED with queue 0 on another CPU from its third window on, moved by the daemon or
 * by someone else. */
static struct nb_trace *with_a_change(bool by_us)
{
	g_autoptr(nb_trace) trace = recorded(LOADED);
	g_autoptr(nb_trace_writer) writer = nb_trace_writer_new();
	g_autoptr(GString) text = g_string_new(NULL);
	struct nb_move move = {.key = {.ifindex = 1},
			       .reason = NB_REASON_BALANCE,
			       .cpu_from = 0,
			       .cpu_to = 3,
			       .source_before = 9000,
			       .source_after = 4000};

	for (unsigned i = 0; i < nb_trace_n_frames(trace); i++) {
		struct nb_trace_frame frame;
		int elsewhere[2];

		nb_trace_frame(trace, i, &frame);
		move.key = frame.machine->queues[0].key;
		elsewhere[0] = i < 2 ? frame.cpus[0] : 3;
		elsewhere[1] = frame.cpus[1];
		frame.cpus = elsewhere;
		frame.moves = &move;
		frame.n_moves = by_us && i == 1;
		nb_rewrite_frame(&frame, writer, text);
	}
	return trace_of(text->str);
}

static void tells_a_recorded_move_once(void **state)
{
	g_autoptr(nb_trace) trace = with_a_change(true);
	g_autoptr(nb_rehearsal) actual = nb_rehearse_actual(trace);

	(void)state;
	assert_int_equal(actual->n_moves, 1);
	assert_int_equal(actual->records->len, 1);
	assert_int_equal(record_at(actual, 0)->reason, NB_REASON_BALANCE);
	assert_int_equal(record_at(actual, 0)->cpu_to, 3);
	assert_int_equal(record_at(actual, 0)->predicted, 4000);
	assert_true(record_at(actual, 0)->realtime_usec == 2 * G_USEC_PER_SEC);
}

static void finds_what_others_moved(void **state)
{
	g_autoptr(nb_trace) trace = with_a_change(false);
	g_autoptr(nb_rehearsal) actual = nb_rehearse_actual(trace);

	(void)state;
	assert_int_equal(actual->n_moves, 1);
	assert_int_equal(record_at(actual, 0)->reason, _NB_REASON_INVALID);
	assert_int_equal(record_at(actual, 0)->cpu_from, 0);
	assert_int_equal(record_at(actual, 0)->cpu_to, 3);
	assert_true(record_at(actual, 0)->realtime_usec == 2 * G_USEC_PER_SEC);
}

static void work_is_counted_where_it_was_done(void **state)
{
	g_autoptr(nb_trace) trace = with_a_change(false);
	g_autoptr(nb_rehearsal) actual = nb_rehearse_actual(trace);

	(void)state;
	assert_true(demand_at(actual, 1, 0) > 100);
	assert_true(demand_at(actual, 2, 0) < 100);
	assert_true(demand_at(actual, 2, 3) > 100);
	assert_int_equal(second_at(actual, 2)->verdict, NB_VERDICT_UNKNOWN);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tells_a_recorded_move_once),
		cmocka_unit_test(finds_what_others_moved),
		cmocka_unit_test(work_is_counted_where_it_was_done),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

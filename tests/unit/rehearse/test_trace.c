/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fixture.h"

static struct nb_rehearsal *replayed(const struct nb_trace *trace)
{
	struct nb_policy policy = nb_host_default_policy();

	return nb_rehearse_trace(trace, &policy);
}

static void a_calm_trace_comes_out_as_it_was(void **state)
{
	g_autoptr(nb_trace) trace = recorded(CALM);
	g_autoptr(nb_rehearsal) actual = nb_rehearse_actual(trace);
	g_autoptr(nb_rehearsal) other = replayed(trace);

	(void)state;
	assert_int_equal(other->records->len, 0);
	assert_int_equal(other->seconds->len, actual->seconds->len);
	assert_memory_equal(other->demand->data, actual->demand->data,
			    actual->demand->len * sizeof(uint32_t));
}

static void a_collapsed_placement_is_put_right(void **state)
{
	g_autoptr(nb_trace) trace = recorded(COLLAPSED);
	g_autoptr(nb_rehearsal) actual = nb_rehearse_actual(trace);
	g_autoptr(nb_rehearsal) other = replayed(trace);

	(void)state;
	assert_int_equal(actual->n_moves, 0);
	assert_true(second_at(actual, 50)->hottest > 9000);
	assert_int_equal(other->n_moves, 7);
	assert_int_equal(record_at(other, 0)->effect, NB_EFFECT_WORKED);
	assert_int_equal(record_at(other, 0)->n_irqs, 0);
	assert_true(second_at(other, 50)->hottest < 3000);
}

static void what_was_done_stays_the_same(void **state)
{
	g_autoptr(nb_trace) trace = recorded(COLLAPSED);
	g_autoptr(nb_rehearsal) actual = nb_rehearse_actual(trace);
	g_autoptr(nb_rehearsal) other = replayed(trace);

	(void)state;
	for (unsigned second = 0; second < actual->seconds->len; second++) {
		uint32_t before = 0, after = 0;

		for (unsigned cpu = 0; cpu < actual->n_cpus; cpu++) {
			before += demand_at(actual, second, cpu);
			after += demand_at(other, second, cpu);
		}
		assert_int_equal(before, after);
	}
}

static void a_cpu_that_was_relieved_drops_nothing_more(void **state)
{
	g_autoptr(nb_trace) trace = recorded(COLLAPSED);
	g_autoptr(nb_rehearsal) actual = nb_rehearse_actual(trace);
	g_autoptr(nb_rehearsal) other = replayed(trace);

	(void)state;
	assert_true(other->dropped <= actual->dropped);
	assert_true(second_at(other, 50)->dropped == 0);
}

/* One queue that fills its CPU: RPS is thought of, but a trace cannot tell what it would do. */
static void rps_is_told_once_and_not_done(void **state)
{
	g_autoptr(nb_trace) trace = recorded("[Host]\nLengthSec=200\nCPUs=4\n"
					     "[Nic eth0]\nQueues=1\nFollows=yes\n"
					     "[Traffic eth0]\nPacketsPerSec=1.3M\n");
	g_autoptr(nb_rehearsal) other = replayed(trace);

	(void)state;
	assert_int_equal(other->records->len, 1);
	assert_int_equal(record_at(other, 0)->event, NB_EVENT_STEERED);
	assert_int_equal(record_at(other, 0)->outcome, NB_OUTCOME_REHEARSED);
	assert_true(second_at(other, 199)->hottest > 9000);
}

/* Two queues on a CPU that an application fills, the other two on one each. */
static struct nb_trace *filled(bool threaded)
{
	g_autoptr(GString) text = g_string_new(
		"nicbalance-trace 2\nmachine 4 tick\ncpu 0 0 0 0\ncpu 1 1 0 0\ncpu 2 2 0 0\n"
		"cpu 3 3 0 0\nnic 1 igb 0 4 4 0\nqueue 1 0-3 rt 1\n");

	for (unsigned i = 1; i <= 20; i++)
		g_string_append_printf(text,
				       "window %u 1000 measured\ncpu-fixed 7000 0 0 0\n"
				       "queue-time 1500 1500 1500 1500\nqueue-cpu 0 0 1 2\n%send\n",
				       1000 * i,
				       threaded ? "queue-threaded 3000 3000 3000 3000\n" : "");
	return trace_of(text->str);
}

static void queues_that_threads_poll_stay(void **state)
{
	g_autoptr(nb_trace) polled = filled(false), threaded = filled(true);
	g_autoptr(nb_rehearsal) moves = replayed(polled), stays = replayed(threaded);

	(void)state;
	assert_true(moves->n_moves > 0);
	assert_int_equal(stays->n_moves, 0);
}

static void other_devices_interrupts_move_in_both_as_they_did(void **state)
{
	g_autoptr(nb_trace) trace = trace_of(
		"nicbalance-trace 2\nmachine 2 tick\ncpu 0 0 0 0\ncpu 1 1 0 0\n"
		"window 1000 1000 measured\nend\nwindow 2000 1000 measured\n"
		"device-irq 41 moved 0 1 device-crowded\nend\nwindow 3000 1000 measured\nend\n");
	g_autoptr(nb_rehearsal) actual = nb_rehearse_actual(trace);
	g_autoptr(nb_rehearsal) other = replayed(trace);
	struct nb_rehearsal *runs[] = {actual, other};

	(void)state;
	for (size_t i = 0; i < G_N_ELEMENTS(runs); i++) {
		assert_int_equal(runs[i]->records->len, 1);
		assert_true(nb_key_is_device_irq(record_at(runs[i], 0)->key));
		assert_int_equal(record_at(runs[i], 0)->reason, NB_REASON_DEVICE_CROWDED);
		assert_true(record_at(runs[i], 0)->realtime_usec == 2 * G_USEC_PER_SEC);
		assert_int_equal(second_at(runs[i], 1)->n_records, 1);
		assert_int_equal(second_at(runs[i], 2)->n_records, 0);
	}
}

static void a_trace_without_windows_is_empty(void **state)
{
	g_autoptr(nb_trace) trace = trace_of("nicbalance-trace 2\n");
	g_autoptr(nb_rehearsal) actual = nb_rehearse_actual(trace);
	g_autoptr(nb_rehearsal) other = replayed(trace);

	(void)state;
	assert_int_equal(actual->seconds->len, 0);
	assert_int_equal(other->seconds->len, 0);
	assert_int_equal(other->n_cpus, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_calm_trace_comes_out_as_it_was),
		cmocka_unit_test(a_collapsed_placement_is_put_right),
		cmocka_unit_test(what_was_done_stays_the_same),
		cmocka_unit_test(a_cpu_that_was_relieved_drops_nothing_more),
		cmocka_unit_test(rps_is_told_once_and_not_done),
		cmocka_unit_test(queues_that_threads_poll_stay),
		cmocka_unit_test(other_devices_interrupts_move_in_both_as_they_did),
		cmocka_unit_test(a_trace_without_windows_is_empty),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "trace/store.h"

#include "support/support.h"

static void holds_what_it_gave(void **state)
{
	g_autoptr(nb_trace) trace = nb_trace_new();
	int32_t *row = nb_trace_hold(trace, 4 * sizeof(*row));

	(void)state;
	assert_non_null(row);
	assert_int_equal(row[3], 0);
	assert_int_equal(trace->held, 16);
	assert_non_null(nb_trace_hold(trace, 0));
}

static void there_is_an_end_to_it(void **state)
{
	g_autoptr(nb_trace) trace = nb_trace_new();

	(void)state;
	trace->held = NB_TRACE_HELD_MAX - 8;
	assert_null(nb_trace_hold(trace, 9));
	assert_non_null(nb_trace_hold(trace, 8));
	assert_null(nb_trace_hold(trace, 1));
}

static void queues_of_machines_count(void **state)
{
	g_autoptr(nb_trace) trace = nb_trace_new();
	struct nb_trace_fields fields = {.at = "1 tick"};
	struct nb_trace_machine *machine = NULL;

	(void)state;
	fields.end = fields.at + strlen(fields.at);
	assert_null(nb_trace_machine_begin(&fields, &machine));
	g_array_set_size(machine->queues, 10);
	nb_trace_add_machine(trace, machine);
	assert_int_equal(trace->held, 10 * sizeof(struct nb_queue));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(holds_what_it_gave),
		cmocka_unit_test(there_is_an_end_to_it),
		cmocka_unit_test(queues_of_machines_count),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

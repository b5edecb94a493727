/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "trace/machine_read.h"

#include "support/support.h"

#include <string.h>

/* Takes lines, the first of which begins the machine. The first fault, or NULL. */
static const char *take(const char *const *lines, struct nb_trace_machine **ret)
{
	const char *fault = NULL;

	for (unsigned i = 0; !fault && lines[i]; i++) {
		struct nb_trace_fields fields = {lines[i], lines[i] + strlen(lines[i])};
		struct nb_trace_field word;

		assert_true(nb_trace_take(&fields, &word));
		fault = i == 0 ? nb_trace_machine_begin(&fields, ret)
			       : nb_trace_machine_line_of(&word)(*ret, &fields);
		if (!fault)
			assert_true(nb_trace_at_end(&fields));
	}
	return fault ? fault : nb_trace_machine_seal(*ret, 7);
}

static void makes_a_machine(void **state)
{
	static const char *const lines[] = {
		"machine 16 precise",
		"isolated domain 8-9",
		"isolated cpuset 9",
		"cpu 0 0 0 1",
		"cpu 8 8 0 -",
		"capacity 4600 8",
		"nic 1 igb 1 3 2 1",
		"nic 4 - - 1 0 0",
		"queue 1 0-2 rt 1",
		"queue 4 7 r 2",
		"spill 4",
		"steer 4 -",
		"steer 1 0,8",
		"pool 1.2 8",
		"pool 1 0,8",
		"virtual 4",
		NULL,
	};
	g_autoptr(nb_trace_machine) made = NULL;
	const struct nb_machine *machine;

	(void)state;
	assert_null(take(lines, &made));
	machine = &made->machine;
	assert_int_equal(machine->generation, 7);
	assert_int_equal(machine->accounting, NB_ACCOUNTING_PRECISE);
	assert_int_equal(machine->topology.n_possible, 16);
	assert_int_equal(machine->topology.n_cpus, 2);
	assert_int_equal(machine->topology.cpus[1].id, 8);
	assert_int_equal(machine->topology.cpus[1].node, NB_NODE_NONE);
	assert_int_equal(machine->topology.cpus[0].capacity, NB_WHOLE);
	assert_int_equal(machine->topology.cpus[1].capacity, 4600);
	assert_true(nb_cpumask_has(&machine->topology.online, 8));
	assert_int_equal(nb_cpumask_count(&machine->topology.isolated), 2);
	assert_int_equal(nb_cpumask_count(&machine->topology.isolated_by[NB_ISOLATION_CPUSET]), 1);
	assert_int_equal(machine->n_nics, 2);
	assert_string_equal(machine->nics[0].driver, "igb");
	assert_string_equal(machine->nics[1].name, "nic4");
	assert_string_equal(machine->nics[1].driver, "");
	assert_int_equal(machine->nics[0].scope, NB_SCOPE_IN);
	assert_int_equal(machine->nics[1].scope, NB_SCOPE_STEERED);
	assert_false(machine->nics[0].spill);
	assert_true(machine->nics[1].spill);
	assert_int_equal(machine->n_queues, 4);
	assert_int_equal(machine->queues[2].key.index, 2);
	assert_true(machine->queues[3].has_rx && !machine->queues[3].has_tx);
	assert_int_equal(machine->queues[3].n_irqs, 2);
	assert_int_equal(machine->rps_pools.n, 2);
	assert_int_equal(machine->rps_pools.rows[0].key.ifindex, 1);
	assert_int_equal(nb_cpumask_count(&machine->rps_pools.rows[0].cpus), 2);
	assert_int_equal(machine->rps_pools.rows[1].key.index, NB_EVERY_QUEUE);
	assert_true(nb_cpumask_empty(&machine->rps_pools.rows[1].cpus));
	assert_int_equal(machine->pools.n, 2);
	assert_int_equal(machine->pools.rows[0].key.index, 2);
	assert_int_equal(nb_cpumask_only(&machine->pools.rows[0].cpus), 8);
	assert_int_equal(machine->pools.rows[1].key.index, NB_EVERY_QUEUE);
	assert_int_equal(nb_cpumask_count(&machine->pools.rows[1].cpus), 2);
}

static void pools_ascend(void **state)
{
	static const char *const lines[] = {"machine 8 tick",
					    "cpu 2 2 2 0",
					    "nic 2 igb 0 1 1 1",
					    "queue 2 5-6 rt 1",
					    "pool 2 1",
					    "pool 2.5 1",
					    NULL};
	g_autoptr(nb_trace_machine) made = NULL;

	(void)state;
	assert_string_equal(take(lines, &made), "pools must ascend");
}

static void no_two_queues_share_an_interrupt(void **state)
{
	static const char *const lines[] = {"machine 1 tick",
					    "cpu 0 0 0 0",
					    "nic 1 a - 9 9 0",
					    "nic 2 a - 9 9 0",
					    "queue 1 0-8 rt 2",
					    "queue 2 0-8 rt 2",
					    NULL};
	g_autoptr(nb_trace_machine) made = NULL;

	(void)state;
	assert_null(take(lines, &made));
	for (unsigned i = 0; i < 36; i++)
		for (unsigned j = 0; j < i; j++)
			assert_int_not_equal(made->machine.queues[i / 2].irqs[i % 2],
					     made->machine.queues[j / 2].irqs[j % 2]);
}

static void assert_fault_in(const char *line, const char *expected)
{
	const char *const lines[] = {"machine 8 tick", "cpu 2 2 2 0", "nic 2 igb 0 1 1 1",
				     "queue 2 5 rt 1", line,          NULL};
	g_autoptr(nb_trace_machine) made = NULL;
	const char *fault = take(lines, &made);

	assert_non_null(fault);
	assert_string_equal(fault, expected);
}

static void says_what_is_wrong(void **state)
{
	(void)state;
	assert_fault_in("isolated", "no reason for isolation");
	assert_fault_in("isolated tea 1", "an unknown reason for isolation");
	assert_fault_in("isolated domain x", "not a list of CPUs");
	assert_fault_in("cpu 8 0 0 0", "not a possible CPU");
	assert_fault_in("cpu 2 0 0 0", "CPUs must ascend");
	assert_fault_in("cpu 3 0", "no CPU that names the core, or the last-level cache");
	assert_fault_in("cpu 3 0 0 x", "not a node");
	assert_fault_in("capacity 10001 2", "not a capacity in basis points of the largest CPU");
	assert_fault_in("capacity 624 2", "not a capacity in basis points of the largest CPU");
	assert_fault_in("capacity 5000 x", "not a list of CPUs");
	assert_fault_in("capacity 5000 2-3", "not CPUs above");
	assert_fault_in("nic 0 igb 0 1 1 1", "not a number of a NIC");
	assert_fault_in("nic 2 igb 0 1 1 1", "NICs must ascend");
	assert_fault_in("nic 3 a_name_that_is_longer_than_any_driver 0 1 1 1",
			"not the name of a driver");
	assert_fault_in("nic 3 igb 0 1 1",
			"not the numbers of receive, transmit and other vectors");
	assert_fault_in("queue 3 0 rt 1", "not the number of a NIC above");
	assert_fault_in("queue 2 9-8 rt 1", "not an index of a queue, nor a range");
	assert_fault_in("queue 2 5 rt 1", "queues must ascend");
	assert_fault_in("queue 2 6 tr 1", "neither rt nor r, t or -");
	assert_fault_in("queue 2 6 rt 3", "not a number of interrupts");
	assert_fault_in("queue 2 6-65535 rt 1", "more queues than any host has");
	assert_fault_in("spill x", "not a number of a NIC");
	assert_fault_in("spill 3", "not the number of a NIC above");
	assert_fault_in("virtual x", "not a number of a NIC");
	assert_fault_in("virtual 3", "not the number of a NIC above");
	assert_fault_in("steer 3 1", "not the number of a NIC above");
	assert_fault_in("steer 2", "not a list of CPUs");
	assert_fault_in("pool 3.5 1", "not a queue of a NIC above, or such a NIC");
	assert_fault_in("pool x 1", "not a queue of a NIC above, or such a NIC");
	assert_fault_in("pool 2.5", "not a list of CPUs");
}

static void a_machine_is_not_any_size(void **state)
{
	static const char *const wrong[] = {"0 tick", "8193 tick", "08 tick", "8", "8 clock"};

	(void)state;
	for (size_t i = 0; i < G_N_ELEMENTS(wrong); i++) {
		struct nb_trace_fields fields = {wrong[i], wrong[i] + strlen(wrong[i])};
		struct nb_trace_machine *made = NULL;

		assert_non_null(nb_trace_machine_begin(&fields, &made));
		assert_null(made);
	}
}

static void other_words_are_not_about_machines(void **state)
{
	struct nb_trace_field word = {"cpus", 4};

	(void)state;
	assert_null(nb_trace_machine_line_of(&word));
	word.len = 2;
	assert_null(nb_trace_machine_line_of(&word));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(makes_a_machine),
		cmocka_unit_test(pools_ascend),
		cmocka_unit_test(no_two_queues_share_an_interrupt),
		cmocka_unit_test(says_what_is_wrong),
		cmocka_unit_test(a_machine_is_not_any_size),
		cmocka_unit_test(other_words_are_not_about_machines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

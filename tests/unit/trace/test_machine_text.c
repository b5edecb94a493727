/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "trace/machine_text.h"

#include "base/pools.h"
#include "host.h"

static GArray *number(GArray *numbers, const int *ifindexes, unsigned n)
{
	struct nb_nic nics[4] = {0};
	struct nb_machine machine = {.nics = nics, .n_nics = n};

	for (unsigned i = 0; i < n; i++)
		nics[i].ifindex = ifindexes[i];
	nb_trace_number_nics(numbers, &machine);
	return numbers;
}

static void a_nic_keeps_its_number(void **state)
{
	g_autoptr(GArray) numbers = g_array_new(FALSE, FALSE, sizeof(int));

	(void)state;
	number(numbers, (int[]){3, 8}, 2);
	assert_int_equal(nb_trace_nic_number(numbers, 3), 1);
	assert_int_equal(nb_trace_nic_number(numbers, 8), 2);
	number(numbers, (int[]){8, 9}, 2);
	assert_int_equal(nb_trace_nic_number(numbers, 8), 2);
	assert_int_equal(nb_trace_nic_number(numbers, 9), 3);
	assert_int_equal(nb_trace_nic_number(numbers, 4), 0);
}

static void numbers_ascend_even_if_that_takes_new_ones(void **state)
{
	g_autoptr(GArray) numbers = g_array_new(FALSE, FALSE, sizeof(int));

	(void)state;
	number(numbers, (int[]){3, 8}, 2);
	number(numbers, (int[]){3, 5, 8}, 3);
	assert_int_equal(nb_trace_nic_number(numbers, 3), 1);
	assert_int_equal(nb_trace_nic_number(numbers, 5), 2);
	assert_int_equal(nb_trace_nic_number(numbers, 8), 3);
}

static void what_is_out_of_scope_has_no_number(void **state)
{
	struct host *host = *state;
	g_autoptr(GArray) numbers = g_array_new(FALSE, FALSE, sizeof(int));

	nb_trace_number_nics(numbers, &host->machine);
	assert_int_equal(numbers->len, 2);
	assert_int_equal(nb_trace_nic_number(numbers, 5), 0);
}

static void a_driver_is_one_word(void **state)
{
	struct host *host = *state;
	g_autoptr(GArray) numbers = g_array_new(FALSE, FALSE, sizeof(int));

	strcpy(host->nics[0].driver, "my nic\n");
	nb_trace_number_nics(numbers, &host->machine);
	nb_trace_append_machine(&host->machine, numbers, host->text);
	assert_non_null(strstr(host->text->str, "\nnic 1 my_nic_ 0 3 3 1\n"));
}

static void each_kind_of_smaller_cpus_is_told(void **state)
{
	struct host *host = *state;
	g_autoptr(GArray) numbers = g_array_new(FALSE, FALSE, sizeof(int));

	nb_trace_number_nics(numbers, &host->machine);
	nb_trace_append_machine(&host->machine, numbers, host->text);
	assert_null(strstr(host->text->str, "capacity"));
	host->topology_cpus[0].capacity = 4000;
	host->topology_cpus[2].capacity = 7000;
	host->topology_cpus[3].capacity = 4000;
	nb_trace_append_machine(&host->machine, numbers, host->text);
	assert_non_null(strstr(host->text->str, "\ncapacity 7000 2\ncapacity 4000 0,3\nnic "));
}

static void a_nic_that_may_leave_its_node_is_told(void **state)
{
	struct host *host = *state;
	g_autoptr(GArray) numbers = g_array_new(FALSE, FALSE, sizeof(int));

	nb_trace_number_nics(numbers, &host->machine);
	nb_trace_append_machine(&host->machine, numbers, host->text);
	assert_null(strstr(host->text->str, "spill"));
	for (unsigned i = 0; i < host->machine.n_nics; i++)
		host->nics[i].spill = true;
	nb_trace_append_machine(&host->machine, numbers, host->text);
	assert_non_null(strstr(host->text->str, "\nspill 1\nspill 2\nqueue "));
}

static void a_device_without_hardware_is_told(void **state)
{
	struct host *host = *state;
	g_autoptr(GArray) numbers = g_array_new(FALSE, FALSE, sizeof(int));

	nb_trace_number_nics(numbers, &host->machine);
	nb_trace_append_machine(&host->machine, numbers, host->text);
	assert_null(strstr(host->text->str, "virtual"));
	host->nics[1].scope = NB_SCOPE_STEERED;
	nb_trace_number_nics(numbers, &host->machine);
	nb_trace_append_machine(&host->machine, numbers, host->text);
	assert_non_null(strstr(host->text->str, "\nvirtual 2\n"));
}

static void where_rps_may_go_is_told(void **state)
{
	struct host *host = *state;
	g_autoptr(GArray) numbers = g_array_new(FALSE, FALSE, sizeof(int));
	struct nb_pool pool = {.key = {host->nics[0].ifindex, NB_EVERY_QUEUE},
			       .cpus = {.words = {0x6}}};

	nb_pools_set(&host->machine.rps_pools, &pool);
	nb_trace_number_nics(numbers, &host->machine);
	nb_trace_append_machine(&host->machine, numbers, host->text);
	assert_non_null(strstr(host->text->str, "\nsteer 1 1-2\nqueue "));
	nb_cpumask_clear(&pool.cpus);
	nb_pools_set(&host->machine.rps_pools, &pool);
	nb_trace_append_machine(&host->machine, numbers, host->text);
	assert_non_null(strstr(host->text->str, "\nsteer 1 -\nqueue "));
	nb_pools_clear(&host->machine.rps_pools);
}

static void queues_that_differ_have_lines_of_their_own(void **state)
{
	struct host *host = *state;
	g_autoptr(GArray) numbers = g_array_new(FALSE, FALSE, sizeof(int));

	host->queues[1].has_tx = false;
	host->queues[2].key.index = 9;
	nb_trace_number_nics(numbers, &host->machine);
	nb_trace_append_machine(&host->machine, numbers, host->text);
	assert_non_null(strstr(host->text->str, "queue 1 0 rt 1\n"
						"queue 1 1 r 1\n"
						"queue 1 9 rt 1\n"
						"queue 2 0 r 2\n"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_nic_keeps_its_number),
		cmocka_unit_test(numbers_ascend_even_if_that_takes_new_ones),
		cmocka_unit_test_setup_teardown(what_is_out_of_scope_has_no_number, host_set_up,
						host_tear_down),
		cmocka_unit_test_setup_teardown(a_driver_is_one_word, host_set_up, host_tear_down),
		cmocka_unit_test_setup_teardown(each_kind_of_smaller_cpus_is_told, host_set_up,
						host_tear_down),
		cmocka_unit_test_setup_teardown(a_nic_that_may_leave_its_node_is_told, host_set_up,
						host_tear_down),
		cmocka_unit_test_setup_teardown(a_device_without_hardware_is_told, host_set_up,
						host_tear_down),
		cmocka_unit_test_setup_teardown(where_rps_may_go_is_told, host_set_up,
						host_tear_down),
		cmocka_unit_test_setup_teardown(queues_that_differ_have_lines_of_their_own,
						host_set_up, host_tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/find.h"

#include "support/host.h"
#include "support/support.h"

/* Four CPUs without CPU 1, two NICs of two queues (ifindex 2 and 3). */
static int set_up(void **state)
{
	struct nb_host *host = nb_host_new(4, 1, 1);

	nb_host_add_nic(host, NB_NODE_NONE, 2, 0, 1000);
	nb_host_add_nic(host, NB_NODE_NONE, 2, 3, 2000);
	nb_host_set_offline(host, 1);
	nb_host_tick(host, NB_NSEC_PER_SEC);
	*state = host;
	return 0;
}

static int tear_down(void **state)
{
	nb_host_free(*state);
	return 0;
}

static void finds_devices_by_ifindex(void **state)
{
	const struct nb_host *host = *state;

	assert_string_equal(nb_machine_find_nic(&host->machine, 3)->name, "eth1");
	assert_string_equal(nb_machine_netdev(&host->machine, 2), "eth0");
	assert_null(nb_machine_find_nic(&host->machine, 4));
	assert_string_equal(nb_machine_netdev(&host->machine, 1), "");
}

static void finds_what_a_nic_dropped_by_its_ifindex(void **state)
{
	struct nb_host *host = *state;
	struct nb_nic_state states[] = {{.ifindex = 2}, {.ifindex = 3, .missed = 7}};
	const struct nb_nic_load loads[] = {{.ifindex = 2}, {.ifindex = 3, .dropped_per_sec = 9}};

	assert_null(nb_snapshot_find_nic(&host->snapshot, 3));
	assert_null(nb_loads_find_nic(&host->loads, 3));
	host->snapshot.nics = states;
	host->loads.nics = loads;
	host->snapshot.n_nics = host->loads.n_nics = 2;
	assert_int_equal(nb_snapshot_find_nic(&host->snapshot, 3)->missed, 7);
	assert_int_equal(nb_loads_find_nic(&host->loads, 3)->dropped_per_sec, 9);
	assert_null(nb_snapshot_find_nic(&host->snapshot, 4));
	assert_null(nb_loads_find_nic(&host->loads, 1));
}

static void finds_queues_by_key(void **state)
{
	const struct nb_host *host = *state;
	struct nb_queue_key there = {.ifindex = 3, .index = 1}, gone = {.ifindex = 3, .index = 2};

	assert_int_equal(nb_machine_find_queue(&host->machine, there)->irqs[0], 103);
	assert_int_equal(nb_snapshot_find_queue(&host->snapshot, there)->effective_cpu, 3);
	assert_int_equal(nb_loads_find_queue(&host->loads, there)->time, 2000);
	assert_null(nb_machine_find_queue(&host->machine, gone));
	assert_null(nb_snapshot_find_queue(&host->snapshot, gone));
	assert_null(nb_loads_find_queue(&host->loads, gone));
}

static void finds_the_queue_that_an_interrupt_serves(void **state)
{
	struct nb_host *host = *state;

	host->machine.queues[1].n_irqs = 2;
	host->machine.queues[1].irqs[1] = 77;
	assert_ptr_equal(nb_machine_find_served(&host->machine, 103), &host->machine.queues[3]);
	assert_ptr_equal(nb_machine_find_served(&host->machine, 77), &host->machine.queues[1]);
	assert_null(nb_machine_find_served(&host->machine, 0));
}

static void finds_cpus_by_id_and_not_by_position(void **state)
{
	const struct nb_host *host = *state;

	assert_int_equal(nb_loads_find_cpu(&host->loads, 3)->queues, 4000);
	assert_null(nb_loads_find_cpu(&host->loads, 1));
}

static void an_rps_mask_that_is_off_is_not_found(void **state)
{
	struct nb_host *host = *state;
	struct nb_cpumask mask = {};

	assert_null(nb_snapshot_find_rps(&host->snapshot, host->snapshot.queues[2].key));
	nb_cpumask_add(&mask, 2);
	nb_host_set_rps(host, 2, &mask);
	nb_host_set_rps(host, 0, &mask);
	assert_true(nb_cpumask_equal(
		nb_snapshot_find_rps(&host->snapshot, host->snapshot.queues[2].key), &mask));
	assert_null(nb_snapshot_find_rps(&host->snapshot, host->snapshot.queues[1].key));
}

static void an_interrupt_without_a_queue_is_a_devices(void **state)
{
	struct nb_host *host = *state;
	const struct nb_queue *queue = &host->machine.queues[2];

	assert_int_equal(nb_queue_key_compare(nb_machine_key_of_irq(&host->machine, queue->irqs[0]),
					      queue->key),
			 0);
	assert_int_equal(nb_queue_key_compare(nb_machine_key_of_irq(&host->machine, 9999),
					      nb_device_irq_key(9999)),
			 0);
}

static void the_thread_of_a_queue_is_told_or_polled_last(void **state)
{
	struct nb_host *host = *state;

	assert_int_equal(nb_snapshot_thread(&host->snapshot, 0), 0);
	host->snapshot.queues[0].thread = 70;
	assert_int_equal(nb_snapshot_thread(&host->snapshot, 0), 70);
	host->machine.queues[0].thread = 71;
	assert_int_equal(nb_snapshot_thread(&host->snapshot, 0), 71);
	host->machine.queues[0].thread = 0;
	host->snapshot.n_queues = 0;
	assert_int_equal(nb_snapshot_thread(&host->snapshot, 0), 0);
}

static void an_empty_snapshot_has_nothing(void **state)
{
	const struct nb_snapshot empty = {};

	(void)state;
	assert_null(nb_snapshot_find_cpu(&empty, 0));
	assert_null(nb_snapshot_find_queue(&empty, (struct nb_queue_key){}));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(finds_devices_by_ifindex, set_up, tear_down),
		cmocka_unit_test_setup_teardown(finds_what_a_nic_dropped_by_its_ifindex, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(finds_queues_by_key, set_up, tear_down),
		cmocka_unit_test_setup_teardown(finds_the_queue_that_an_interrupt_serves, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(an_interrupt_without_a_queue_is_a_devices, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(finds_cpus_by_id_and_not_by_position, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(an_rps_mask_that_is_off_is_not_found, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(the_thread_of_a_queue_is_told_or_polled_last,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(an_empty_snapshot_has_nothing, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

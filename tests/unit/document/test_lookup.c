/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "support/support.h"

#include "document/lookup.h"

static struct nb_nic nics[] = {{.ifindex = 1, .name = "lo"}, {.ifindex = 4, .name = "eth0"}};
static struct nb_machine machine = {.nics = nics, .n_nics = G_N_ELEMENTS(nics)};

static const struct nb_queue_key first = {4, 0}, second = {4, 1}, unknown = {4, 2};

static void missing_parts_are_found_empty(void **state)
{
	struct nb_policy policy = {0};
	struct nb_status status = {.policy = &policy};
	struct nb_cpumask eligible;

	(void)state;
	nb_status_eligible(&status, &eligible);
	assert_true(nb_cpumask_empty(&eligible));
	assert_null(nb_status_machine(&status));
	assert_null(nb_status_find_queue(&status, first));
	assert_null(nb_status_find_queue_load(&status, first));
	assert_null(nb_status_find_queue_memory(&status, first));
	assert_null(nb_status_find_cpu_load(&status, 0));
	assert_null(nb_status_find_rps(&status, first));
	assert_int_equal(nb_status_queue_cpu(&status, first), -1);
	assert_false(nb_status_is_future(&status, UINT64_MAX));
}

static void a_device_that_is_gone_has_no_name(void **state)
{
	(void)state;
	assert_string_equal(nb_machine_netdev(&machine, 4), "eth0");
	assert_string_equal(nb_machine_netdev(&machine, 3), "");
}

/* After a rescan the loads may still be those of the machine before. */
static void rows_are_paired_by_key_not_by_position(void **state)
{
	struct nb_queue_state states[] = {{.key = first}, {.key = second}};
	struct nb_queue_load loads_of[] = {{.key = second, .cpu = 6}};
	struct nb_loads loads = {.queues = loads_of, .n_queues = 1};
	struct nb_snapshot snapshot = {.machine = &machine, .queues = states, .n_queues = 2};
	struct nb_status status = {.snapshot = &snapshot, .loads = &loads};

	(void)state;
	assert_null(nb_status_find_queue_load(&status, first));
	assert_ptr_equal(nb_status_find_queue_load(&status, second), &loads_of[0]);
	assert_ptr_equal(nb_status_find_queue(&status, second), &states[1]);
	assert_null(nb_status_find_queue(&status, unknown));
}

static void a_queue_is_where_it_was_measured_else_delivered_else_allowed(void **state)
{
	struct nb_queue_state states[] = {{.key = first, .effective_cpu = 2, .affinity_cpu = 1}};
	struct nb_queue_load loads_of[] = {{.key = first, .cpu = 3}};
	struct nb_loads loads = {.queues = loads_of, .n_queues = 1};
	struct nb_snapshot snapshot = {.machine = &machine, .queues = states, .n_queues = 1};
	struct nb_status status = {.snapshot = &snapshot, .loads = &loads};

	(void)state;
	assert_int_equal(nb_status_queue_cpu(&status, first), 3);
	loads_of[0].cpu = -1;
	assert_int_equal(nb_status_queue_cpu(&status, first), 2);
	states[0].effective_cpu = -1;
	assert_int_equal(nb_status_queue_cpu(&status, first), 1);
}

static void isolated_and_banned_cpus_are_not_eligible(void **state)
{
	struct nb_machine four = {0};
	struct nb_snapshot snapshot = {.machine = &four};
	struct nb_pool pool = {.key = {4, NB_EVERY_QUEUE}, .rule = NB_RULE_CONFIGURED};
	struct nb_allowed allowed;
	struct nb_policy policy = {0};
	struct nb_status status = {.snapshot = &snapshot, .policy = &policy};
	struct nb_cpumask eligible;

	(void)state;
	for (unsigned cpu = 0; cpu < 4; cpu++)
		nb_cpumask_add(&four.topology.online, cpu);
	nb_cpumask_add(&four.topology.isolated, 1);
	nb_cpumask_add(&policy.banned, 2);

	nb_status_eligible(&status, &eligible);
	assert_int_equal(nb_cpumask_count(&eligible), 2);
	assert_true(nb_cpumask_has(&eligible, 0));
	assert_true(nb_cpumask_has(&eligible, 3));
	nb_status_allow(&status, first, &allowed);
	assert_true(nb_cpumask_equal(&allowed.cpus, &eligible));
	nb_cpumask_add(&pool.cpus, 3);
	four.pools = (struct nb_pools){&pool, 1};
	nb_status_allow(&status, first, &allowed);
	assert_int_equal(nb_cpumask_only(&allowed.cpus), 3);
	nb_status_eligible(&status, &eligible);
	assert_int_equal(nb_cpumask_count(&eligible), 2);
	nb_cpumask_add(&snapshot.default_affinity, 0);
	nb_status_eligible(&status, &eligible);
	assert_int_equal(nb_cpumask_only(&eligible), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(missing_parts_are_found_empty),
		cmocka_unit_test(a_device_that_is_gone_has_no_name),
		cmocka_unit_test(rows_are_paired_by_key_not_by_position),
		cmocka_unit_test(a_queue_is_where_it_was_measured_else_delivered_else_allowed),
		cmocka_unit_test(isolated_and_banned_cpus_are_not_eligible),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is kept on this side of the kernel: which interrupt has which counters. */
#include "bpf/probe_internal.h"
#include "support/support.h"

#include <errno.h>
#include <string.h>

#define MAX_IRQS 4

struct bench {
	nb_probe *probe;
	struct nb_probe_irq irqs[MAX_IRQS];
	struct nb_probe_totals totals;
	struct nb_probe_control control;
};

static int setup(void **state)
{
	struct bench *bench = g_new0(struct bench, 1);

	bench->probe = g_new0(struct nb_probe, 1);
	bench->probe->irqs = bench->irqs;
	bench->probe->max_irqs = MAX_IRQS;
	bench->probe->totals = &bench->totals;
	bench->probe->control = &bench->control;
	*state = bench;
	return 0;
}

static int teardown(void **state)
{
	struct bench *bench = *state;

	nb_probe_free(bench->probe);
	g_free(bench);
	return 0;
}

static int scope(struct bench *bench, const uint32_t *irqs, unsigned n)
{
	return nb_probe_set_scope(bench->probe, NULL, 0, irqs, n);
}

static void an_interrupt_in_scope_has_counters_with_its_number(void **state)
{
	struct bench *bench = *state;
	const uint32_t irqs[] = {40, 0, 41};

	assert_int_equal(scope(bench, irqs, 3), 0);
	for (unsigned i = 0; i < 3; i++) {
		int position = nb_probe_find_irq(bench->probe, irqs[i]);

		assert_in_range(position, 0, 2);
		assert_int_equal(bench->irqs[position].irq, irqs[i]);
	}
}

static void what_is_not_in_scope_is_not_found(void **state)
{
	struct bench *bench = *state;
	const uint32_t irqs[] = {40, 41};

	assert_int_equal(nb_probe_find_irq(bench->probe, 40), -1);
	assert_int_equal(scope(bench, irqs, 2), 0);
	assert_int_equal(nb_probe_find_irq(bench->probe, 42), -1);
	assert_int_equal(scope(bench, irqs + 1, 1), 0);
	assert_int_equal(nb_probe_find_irq(bench->probe, 40), -1);
	assert_true(nb_probe_find_irq(bench->probe, 41) >= 0);
}

static void whoever_returns_finds_his_counters(void **state)
{
	struct bench *bench = *state;
	const uint32_t irqs[] = {40, 41, 42};
	int position;

	assert_int_equal(scope(bench, irqs, 2), 0);
	position = nb_probe_find_irq(bench->probe, 40);
	bench->irqs[position].count = 7;
	assert_int_equal(scope(bench, irqs + 1, 2), 0);
	assert_int_equal(scope(bench, irqs, 3), 0);
	assert_int_equal(nb_probe_find_irq(bench->probe, 40), position);
	assert_int_equal(bench->irqs[position].count, 7);
	assert_int_equal(bench->probe->n_irqs, 3);
}

static void an_interrupt_named_twice_is_one(void **state)
{
	struct bench *bench = *state;
	const uint32_t irqs[] = {40, 40, 40, 40, 40};

	assert_int_equal(scope(bench, irqs, 5), 0);
	assert_int_equal(bench->probe->n_irqs, 1);
}

static void used_up_counters_are_told(void **state)
{
	struct bench *bench = *state;
	const uint32_t first[] = {1, 2, 3}, second[] = {4, 5};

	assert_int_equal(scope(bench, first, 3), 0);
	assert_int_equal(scope(bench, second, 2), -ENOSPC);
	assert_true(nb_probe_find_irq(bench->probe, 4) >= 0);
	assert_int_equal(nb_probe_find_irq(bench->probe, 5), -1);
}

static void a_napi_that_found_no_counters_is_told(void **state)
{
	struct bench *bench = *state;

	assert_int_equal(scope(bench, NULL, 0), 0);
	bench->totals.lost = 1;
	assert_int_equal(scope(bench, NULL, 0), -ENOSPC);
}

/* The programs look none up where there is none. */
static void tunnels_are_counted_up_to_as_many_as_there_is_room_for(void **state)
{
	struct bench *bench = *state;
	int ifindexes[NB_PROBE_TUNNELS_MAX + 1] = {0};

	assert_int_equal(scope(bench, NULL, 0), 0);
	assert_int_equal(nb_probe_set_tunnels(bench->probe, ifindexes, 3), 0);
	assert_int_equal(bench->control.n_tunnels, 3);
	assert_int_equal(nb_probe_set_tunnels(bench->probe, ifindexes, G_N_ELEMENTS(ifindexes)), 0);
	assert_int_equal(bench->control.n_tunnels, NB_PROBE_TUNNELS_MAX);
	assert_int_equal(nb_probe_set_tunnels(bench->probe, NULL, 0), 0);
	assert_int_equal(bench->control.n_tunnels, 0);
}

static void virtual_devices_have_places_of_their_own(void **state)
{
	struct bench *bench = *state;
	const int two[NB_PROBE_VIRTUALS_MAX] = {0, 9, 0, 10}, none[NB_PROBE_VIRTUALS_MAX] = {0};

	assert_int_equal(scope(bench, NULL, 0), 0);
	assert_int_equal(nb_probe_set_virtuals(bench->probe, two), 0);
	assert_memory_equal(bench->probe->virtuals, two, sizeof(two));
	assert_int_equal(nb_probe_set_virtuals(bench->probe, none), 0);
	assert_memory_equal(bench->probe->virtuals, none, sizeof(none));
}

int main(void)
{
#define WITH_BENCH(test) cmocka_unit_test_setup_teardown(test, setup, teardown)
	const struct CMUnitTest tests[] = {
		WITH_BENCH(an_interrupt_in_scope_has_counters_with_its_number),
		WITH_BENCH(what_is_not_in_scope_is_not_found),
		WITH_BENCH(whoever_returns_finds_his_counters),
		WITH_BENCH(an_interrupt_named_twice_is_one),
		WITH_BENCH(used_up_counters_are_told),
		WITH_BENCH(a_napi_that_found_no_counters_is_told),
		WITH_BENCH(tunnels_are_counted_up_to_as_many_as_there_is_room_for),
		WITH_BENCH(virtual_devices_have_places_of_their_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

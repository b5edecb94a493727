/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The flags that the programs read; what they do with them is in tests/kernel. */
#include "bpf/probe_internal.h"
#include "support/fake_probe.h"
#include "support/support.h"

#define CPUS 4

static int setup(void **state)
{
	*state = nb_fake_probe_new(CPUS);
	return 0;
}

static int teardown(void **state)
{
	nb_fake_probe_free(*state);
	return 0;
}

static void a_probe_is_detached_at_first_and_measures_nothing(void **state)
{
	struct nb_probe *probe = *state;

	assert_false(nb_probe_is_attached(probe));
	assert_false(nb_probe_measures(probe));
	assert_int_equal(nb_probe_attach(probe), 0);
	assert_true(nb_probe_is_attached(probe));
	assert_false(nb_probe_measures(probe));
}

static void each_slice_has_a_number_of_its_own_that_is_not_zero(void **state)
{
	struct nb_probe *probe = *state;
	uint32_t first;

	probe->n_slices = UINT32_MAX - 1;
	nb_probe_measure(probe, true);
	first = probe->control->slice;
	nb_probe_measure(probe, true);
	assert_int_equal(probe->control->slice, first);
	nb_probe_measure(probe, false);
	assert_int_equal(probe->control->slice, 0);
	nb_probe_measure(probe, true);
	assert_int_not_equal(probe->control->slice, 0);
	assert_int_not_equal(probe->control->slice, first);
}

static void what_is_detached_does_not_measure(void **state)
{
	struct nb_probe *probe = *state;

	assert_int_equal(nb_probe_attach(probe), 0);
	nb_probe_measure(probe, true);
	nb_probe_detach(probe);
	assert_false(nb_probe_is_attached(probe));
	assert_int_equal(probe->control->slice, 0);
}

static void these_cpus_are_skipped_and_no_others(void **state)
{
	struct nb_probe *probe = *state;
	struct nb_cpumask cpus = {0};

	nb_cpumask_add(&cpus, 1);
	nb_probe_skip_cpus(probe, &cpus);
	for (unsigned i = 0; i < CPUS; i++)
		assert_int_equal(probe->control->skipped[i], i == 1);
	nb_probe_skip_cpus(probe, &(struct nb_cpumask){0});
	assert_int_equal(probe->control->skipped[1], 0);
}

int main(void)
{
#define WITH_PROBE(test) cmocka_unit_test_setup_teardown(test, setup, teardown)
	const struct CMUnitTest tests[] = {
		WITH_PROBE(a_probe_is_detached_at_first_and_measures_nothing),
		WITH_PROBE(each_slice_has_a_number_of_its_own_that_is_not_zero),
		WITH_PROBE(what_is_detached_does_not_measure),
		WITH_PROBE(these_cpus_are_skipped_and_no_others),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

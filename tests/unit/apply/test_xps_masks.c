/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "apply/xps_masks.h"

#include "base/cpumask_text.h"
#include "support/support.h"

#define N 2

static void parse(const char *const lists[N], struct nb_cpumask *masks)
{
	for (unsigned i = 0; i < N; i++)
		assert_int_equal(nb_cpumask_parse_list(lists[i], strlen(lists[i]), &masks[i]), 0);
}

/* On CPUs 0-4. */
static bool are_drivers(const char *a, const char *b, const char *found_a, const char *found_b)
{
	const struct nb_cpumask online = {.words = {0x1f}};
	struct nb_cpumask masks[N], found[N];

	parse((const char *const[N]){a, b}, masks);
	parse((const char *const[N]){found_a, found_b}, found);
	return nb_xps_are_drivers(masks, found, N, &online);
}

static void no_mask_is_unset_only_if_all_are(void **state)
{
	struct nb_cpumask masks[N] = {};

	(void)state;
	assert_true(nb_xps_are_unset(masks, N));
	nb_cpumask_add(&masks[1], 0);
	assert_false(nb_xps_are_unset(masks, N));
}

static void one_cpu_each_where_the_interrupt_was(void **state)
{
	(void)state;
	assert_true(are_drivers("0", "1", "0", "1"));
	assert_true(are_drivers("0", "1", "0-4", "0-4"));
	assert_false(are_drivers("1", "0", "0", "1"));
	assert_false(are_drivers("0", "0", "0-4", "0-4"));
	assert_false(are_drivers("0", "", "0-4", "0-4"));
}

static void all_cpus_in_equal_parts(void **state)
{
	(void)state;
	assert_true(are_drivers("0-2", "3-4", "0-2", "3-4"));
	assert_true(are_drivers("0,2", "1,3-4", "0-4", "0-4"));
	assert_false(are_drivers("0-3", "4", "0-4", "0-4"));
	assert_false(are_drivers("0-1", "2-3", "0-4", "0-4")); /* and 4? */
	assert_false(are_drivers("0-2", "2-4", "0-4", "0-4"));
	assert_false(are_drivers("0-2", "3-4", "0-1", "3-4"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_mask_is_unset_only_if_all_are),
		cmocka_unit_test(one_cpu_each_where_the_interrupt_was),
		cmocka_unit_test(all_cpus_in_equal_parts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

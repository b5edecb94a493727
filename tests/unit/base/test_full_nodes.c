/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/full_nodes.h"

#include "support/support.h"

#include <glib.h>

#define SEC NB_NSEC_PER_SEC

static void what_goes_on_is_one_and_worth_telling_after_minutes(void **state)
{
	struct nb_memory memory = {};

	(void)state;
	for (unsigned sec = 1; sec <= 180; sec += sec % 2 ? 15 : 1) {
		nb_full_nodes_note(&memory, 3, sec * SEC);
		nb_full_nodes_expire(&memory, (sec + 15) * SEC);
		assert_int_equal(nb_full_node_lasts_nsec(nb_full_nodes_find(&memory, 3)), 0);
	}
	nb_full_nodes_note(&memory, 3, 181 * SEC);
	assert_int_equal(nb_full_node_lasts_nsec(nb_full_nodes_find(&memory, 3)), 180 * SEC);
	g_free(memory.full_nodes);
}

static void a_pause_ends_it(void **state)
{
	struct nb_memory memory = {};

	(void)state;
	nb_full_nodes_note(&memory, 3, SEC);
	nb_full_nodes_expire(&memory, 16 * SEC);
	assert_non_null(nb_full_nodes_find(&memory, 3));
	nb_full_nodes_expire(&memory, 16 * SEC + 1);
	assert_null(nb_full_nodes_find(&memory, 3));
	assert_int_equal(nb_full_nodes_note(&memory, 3, 60 * SEC)->since_nsec, 60 * SEC);
	g_free(memory.full_nodes);
}

static void each_nic_has_its_own(void **state)
{
	struct nb_memory memory = {};

	(void)state;
	nb_full_nodes_note(&memory, 5, 2 * SEC);
	nb_full_nodes_note(&memory, 3, 4 * SEC);
	nb_full_nodes_note(&memory, 9, 12 * SEC);
	assert_int_equal(memory.full_nodes[0].ifindex, 3);
	assert_null(nb_full_nodes_find(&memory, 4));
	nb_full_nodes_expire(&memory, 22 * SEC);
	assert_int_equal(memory.n_full_nodes, 1);
	assert_non_null(nb_full_nodes_find(&memory, 9));
	g_free(memory.full_nodes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_goes_on_is_one_and_worth_telling_after_minutes),
		cmocka_unit_test(a_pause_ends_it),
		cmocka_unit_test(each_nic_has_its_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

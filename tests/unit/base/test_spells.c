/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/spells.h"

#include "nicbalance/units.h"
#include "support/support.h"

#include <glib.h>

#define SEC NB_NSEC_PER_SEC

static void what_goes_on_is_one_and_worth_telling_after_minutes(void **state)
{
	struct nb_spells spells = {};

	(void)state;
	for (unsigned sec = 1; sec <= 180; sec += sec % 2 ? 15 : 1) {
		nb_spells_note(&spells, 3, sec * SEC);
		nb_spells_expire(&spells, (sec + 15) * SEC, 15 * SEC);
		assert_int_equal(nb_spells_last_nsec(&spells, 3, 180 * SEC), 0);
	}
	nb_spells_note(&spells, 3, 181 * SEC);
	assert_int_equal(nb_spells_last_nsec(&spells, 3, 180 * SEC), 180 * SEC);
	g_free(spells.rows);
}

static void a_pause_ends_it(void **state)
{
	struct nb_spells spells = {};

	(void)state;
	nb_spells_note(&spells, 3, SEC);
	nb_spells_expire(&spells, 16 * SEC, 15 * SEC);
	assert_non_null(nb_spells_find(&spells, 3));
	nb_spells_expire(&spells, 16 * SEC + 1, 15 * SEC);
	assert_null(nb_spells_find(&spells, 3));
	assert_int_equal(nb_spells_note(&spells, 3, 60 * SEC)->since_nsec, 60 * SEC);
	g_free(spells.rows);
}

static void each_nic_has_its_own(void **state)
{
	struct nb_spells spells = {};

	(void)state;
	nb_spells_note(&spells, 5, 2 * SEC);
	nb_spells_note(&spells, 3, 4 * SEC);
	nb_spells_note(&spells, 9, 12 * SEC);
	assert_int_equal(spells.rows[0].ifindex, 3);
	assert_null(nb_spells_find(&spells, 4));
	nb_spells_expire(&spells, 22 * SEC, 15 * SEC);
	assert_int_equal(spells.n, 1);
	assert_non_null(nb_spells_find(&spells, 9));
	g_free(spells.rows);
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

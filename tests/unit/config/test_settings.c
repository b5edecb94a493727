/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config/settings.h"
#include "support/support.h"

#include <errno.h>
#include <string.h>

static void finds_every_row_by_its_names(void **state)
{
	(void)state;
	for (unsigned i = 0; i < nb_settings_count(); i++) {
		const struct nb_setting *setting = nb_settings_row(i);

		assert_int_equal(nb_settings_find(setting->section, setting->key), i);
		assert_true(nb_settings_has_section(setting->section));
	}
	assert_int_equal(nb_settings_find("Balance", "Enabled"), -ENOENT);
	assert_int_equal(nb_settings_find("balance", "Hot"), -ENOENT);
	assert_false(nb_settings_has_section("Balanse"));
}

static void keeps_the_rows_of_a_section_together(void **state)
{
	unsigned n_changes = 0, n_sections = 0;

	(void)state;
	for (unsigned i = 0; i < nb_settings_count(); i++) {
		bool first = true;

		n_changes += i == 0 || !g_str_equal(nb_settings_row(i)->section,
						    nb_settings_row(i - 1)->section);
		for (unsigned j = 0; j < i; j++)
			first = first && !g_str_equal(nb_settings_row(i)->section,
						      nb_settings_row(j)->section);
		n_sections += first;
	}
	assert_int_equal(n_changes, n_sections);
}

static void gives_every_row_a_field_of_its_own(void **state)
{
	(void)state;
	for (unsigned i = 0; i < nb_settings_count(); i++) {
		for (unsigned j = 0; j < i; j++) {
			const struct nb_setting *a = nb_settings_row(i), *b = nb_settings_row(j);

			if (a->record == b->record)
				assert_true(a->offset >= b->offset + b->size ||
					    b->offset >= a->offset + a->size);
		}
	}
}

static void says_in_one_line_what_each_row_is(void **state)
{
	(void)state;
	for (unsigned i = 0; i < nb_settings_count(); i++) {
		const char *summary = nb_settings_row(i)->summary;

		assert_true(strlen(summary) > 10);
		assert_true(strlen(summary) < 80);
		assert_null(strchr(summary, '\n'));
	}
}

static void knows_what_the_settings_of_a_section_belong_to(void **state)
{
	(void)state;
	assert_int_equal(nb_settings_record("Device"), NB_SETTING_OF_DEVICE);
	assert_int_equal(nb_settings_record("Interrupt"), NB_SETTING_OF_INTERRUPT);
	assert_int_equal(nb_settings_record("Balance"), NB_SETTING_OF_CONFIG);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_every_row_by_its_names),
		cmocka_unit_test(keeps_the_rows_of_a_section_together),
		cmocka_unit_test(gives_every_row_a_field_of_its_own),
		cmocka_unit_test(says_in_one_line_what_each_row_is),
		cmocka_unit_test(knows_what_the_settings_of_a_section_belong_to),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

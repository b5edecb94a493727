/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config/config.h"
#include "config/draft.h"
#include "support/support.h"

static void shows_every_default_as_it_stands_in_the_table(void **state)
{
	g_autoptr(nb_config) config = nb_config_new_default();

	(void)state;
	assert_true(nb_config_n_settings() > 0);
	for (unsigned i = 0; i < nb_config_n_settings(); i++) {
		g_autofree char *value = nb_config_value(config, i);

		assert_string_equal(value, nb_settings_row(i)->record == NB_SETTING_OF_CONFIG
						   ? nb_config_default(i)
						   : "");
	}
}

static void names_every_setting(void **state)
{
	(void)state;
	for (unsigned i = 0; i < nb_config_n_settings(); i++) {
		assert_true(g_ascii_isupper(nb_config_section(i)[0]));
		assert_true(g_ascii_isupper(nb_config_key(i)[0]));
		assert_non_null(nb_config_default(i));
		assert_true(nb_config_summary(i)[0] != '\0');
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(shows_every_default_as_it_stands_in_the_table),
		cmocka_unit_test(names_every_setting),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

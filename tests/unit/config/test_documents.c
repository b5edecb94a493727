/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The shipped file and the manual page say what the table says. */

#include "config/settings.h"
#include "fixture.h"

#include <string.h>

#define MAIN "etc/nicbalance/nicbalance.conf"

static char *read_source(const char *path)
{
	return nb_tmp_read(NB_SOURCE_DIR, path);
}

static struct nb_config *load(struct machine *machine, const char *text)
{
	struct nb_config *config = NULL;
	char *error = NULL;

	nb_tmp_write(machine->dir, MAIN, text);
	if (nb_config_load(machine->root, NULL, &config, &error) < 0)
		fail_msg("%s", error);
	return config;
}

static void assert_defaults(const struct nb_config *config)
{
	for (unsigned i = 0; i < nb_config_n_settings(); i++) {
		g_autofree char *value = nb_config_value(config, i);

		if (nb_settings_row(i)->record == NB_SETTING_OF_CONFIG)
			assert_string_equal(value, nb_config_default(i));
	}
	for (unsigned i = 0; i < config->devices.n_rules; i++) {
		assert_false(config->devices.rules[i].ignore);
		assert_null(config->devices.rules[i].interrupts);
		assert_true(nb_cpumask_empty(&config->devices.rules[i].cpus));
		assert_int_equal(config->devices.rules[i].node, NB_NODE_UNSET);
	}
	for (unsigned i = 0; i < config->devices.interrupts.n_rules; i++) {
		assert_false(config->devices.interrupts.rules[i].ignore);
		assert_true(nb_cpumask_empty(&config->devices.interrupts.rules[i].cpus));
	}
}

/* "#Key=Value" and "#[Section]" are settings; "# text" is a comment. */
static char *take_comments_off(const char *text)
{
	g_auto(GStrv) lines = g_strsplit(text, "\n", -1);

	for (char **line = lines; *line; line++)
		if ((*line)[0] == '#' && (g_ascii_isalpha((*line)[1]) || (*line)[1] == '['))
			memmove(*line, *line + 1, strlen(*line));
	return g_strjoinv("\n", lines);
}

static void the_shipped_file_changes_nothing(void **state)
{
	g_autofree char *text = read_source("conf/nicbalance.conf");
	g_autoptr(nb_config) config = load(*state, text);

	assert_defaults(config);
	assert_int_equal(config->devices.n_rules, 0);
	for (unsigned i = 0; i < nb_config_n_settings(); i++)
		assert_null(g_ptr_array_index(config->origins, i));
}

static void the_shipped_file_shows_every_default(void **state)
{
	g_autofree char *text = read_source("conf/nicbalance.conf");
	g_autofree char *bare = take_comments_off(text);
	g_autoptr(nb_config) config = load(*state, bare);

	assert_defaults(config);
	assert_int_equal(config->devices.n_rules, 1);
	assert_int_equal(config->devices.interrupts.n_rules, 1);
	for (unsigned i = 0; i < nb_config_n_settings(); i++)
		if (*nb_config_default(i) != '\0')
			assert_non_null(g_ptr_array_index(config->origins, i));
}

/* The part of a text from one heading to the next; NULL when it is not there. */
static char *cut_section(const char *text, const char *heading, const char *next)
{
	const char *start = strstr(text, heading);
	const char *end;

	if (!start)
		return NULL;
	start += strlen(heading);
	end = strstr(start, next);
	return g_strndup(start, end ? (size_t)(end - start) : strlen(start));
}

static void the_shipped_file_holds_every_key_in_its_section(void **state)
{
	g_autofree char *text = read_source("conf/nicbalance.conf");

	(void)state;
	for (unsigned i = 0; i < nb_config_n_settings(); i++) {
		bool is_rule = nb_settings_row(i)->record != NB_SETTING_OF_CONFIG;
		g_autofree char *heading = g_strdup_printf(
			"\n%s[%s%s", is_rule ? "#" : "", nb_config_section(i), is_rule ? " " : "]");
		g_autofree char *section = cut_section(text, heading, "\n[");
		g_autofree char *line =
			g_strdup_printf("\n#%s=%s\n", nb_config_key(i), nb_config_default(i));

		assert_non_null(section);
		if (!strstr(section, line))
			fail_msg("no line %s in [%s]", line, nb_config_section(i));
	}
}

static void the_manual_page_explains_every_key_with_its_default(void **state)
{
	g_autofree char *text = read_source("man/nicbalance.conf.5.scd");

	(void)state;
	for (unsigned i = 0; i < nb_config_n_settings(); i++) {
		const char *initial = nb_config_default(i);
		g_autofree char *heading =
			g_strdup_printf("\n# [%s] SECTION\n", nb_config_section(i));
		g_autofree char *section = cut_section(text, heading, "\n# ");
		g_autofree char *key = g_strdup_printf("\n*%s=*\n", nb_config_key(i));
		g_autofree char *entry = section ? cut_section(section, key, "=*\n") : NULL;
		g_autofree char *words = NULL;

		if (!entry)
			fail_msg("no entry for %s in [%s]", nb_config_key(i), nb_config_section(i));
		words = *initial != '\0' ? g_strdup_printf("Default *%s*.", initial)
					 : g_strdup("Default none.");
		g_strdelimit(entry, "\n\t", ' ');
		if (!strstr(entry, words))
			fail_msg("the entry for %s does not say: %s", nb_config_key(i), words);
	}
}

static void the_manual_page_has_no_key_that_is_not_one(void **state)
{
	g_autofree char *text = read_source("man/nicbalance.conf.5.scd");
	unsigned n_entries = 0;

	(void)state;
	for (const char *at = text; (at = strstr(at, "=*\n")); at++)
		n_entries += at[3] == '\t';
	assert_int_equal(n_entries, nb_config_n_settings());
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		MACHINE_TEST(the_shipped_file_changes_nothing),
		MACHINE_TEST(the_shipped_file_shows_every_default),
		cmocka_unit_test(the_shipped_file_holds_every_key_in_its_section),
		cmocka_unit_test(the_manual_page_explains_every_key_with_its_default),
		cmocka_unit_test(the_manual_page_has_no_key_that_is_not_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

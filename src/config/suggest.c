/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config/suggest.h"

#include "config/settings.h"

#include <string.h>

#define FAR UINT_MAX

/* Levenshtein distance without regard to case, one row at a time. */
static unsigned edit_distance(const char *a, const char *b)
{
	size_t n = strlen(b);
	g_autofree unsigned *row = g_new(unsigned, n + 1);

	for (unsigned j = 0; j <= n; j++)
		row[j] = j;
	for (unsigned i = 0; a[i] != '\0'; i++) {
		unsigned diagonal = row[0];

		row[0] = i + 1;
		for (unsigned j = 0; j < n; j++) {
			bool same = g_ascii_tolower(a[i]) == g_ascii_tolower(b[j]);
			unsigned replaced = diagonal + !same;

			diagonal = row[j + 1];
			row[j + 1] = MIN(replaced, MIN(row[j], row[j + 1]) + 1);
		}
	}
	return row[n];
}

/* FAR when nobody would take word for known. Half a word counts ("Interval" for IntervalSec). */
static unsigned distance(const char *word, const char *known)
{
	size_t word_len = strlen(word), known_len = strlen(known);
	unsigned d;

	if (word_len > 2 * known_len)
		return FAR;
	d = edit_distance(word, known);
	if (d <= known_len / 3)
		return d;
	if (word_len >= 3 && g_ascii_strncasecmp(word, known, word_len) == 0)
		return d;
	return FAR;
}

char *nb_suggest_section(const char *section)
{
	g_autoptr(GString) names = g_string_new("the sections are");
	const char *nearest = NULL, *last = "";
	unsigned nearest_distance = FAR;

	for (unsigned i = 0; i < nb_settings_count(); i++) {
		const char *name = nb_settings_row(i)->section;
		unsigned d = distance(section, name);

		if (d < nearest_distance) {
			nearest = name;
			nearest_distance = d;
		}
		if (!g_str_equal(name, last))
			g_string_append_printf(
				names, "%s [%s%s]", *last != '\0' ? "," : "", name,
				nb_settings_row(i)->record != NB_SETTING_OF_CONFIG ? " MATCH" : "");
		last = name;
	}
	if (!nearest)
		return g_string_free(g_steal_pointer(&names), FALSE);
	return g_strdup_printf("did you mean [%s]?", nearest);
}

static char *list_keys(const char *section)
{
	GString *keys = g_string_new(NULL);

	for (unsigned i = 0; i < nb_settings_count(); i++)
		if (g_str_equal(nb_settings_row(i)->section, section))
			g_string_append_printf(keys, "%s%s=", keys->len > 0 ? ", " : "",
					       nb_settings_row(i)->key);
	return g_string_free(keys, FALSE);
}

char *nb_suggest_key(const char *section, const char *key)
{
	const struct nb_setting *nearest = NULL;
	unsigned nearest_distance = FAR;
	g_autofree char *keys = NULL;

	for (unsigned i = 0; i < nb_settings_count(); i++) {
		const struct nb_setting *setting = nb_settings_row(i);
		bool elsewhere = !g_str_equal(setting->section, section);
		unsigned d = distance(key, setting->key);

		if (d == FAR || d + elsewhere >= nearest_distance)
			continue;
		nearest = setting;
		nearest_distance = d + elsewhere;
	}
	if (nearest && g_str_equal(nearest->section, section))
		return g_strdup_printf("did you mean %s=?", nearest->key);
	if (nearest)
		return g_strdup_printf("did you mean %s= in section [%s]?", nearest->key,
				       nearest->section);
	keys = list_keys(section);
	return g_strdup_printf("its keys are %s", keys);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config/check.h"

#include "config/settings.h"

#include <assert.h>

/* One setting bounds another of its type from below. */
static const struct relation {
	const char *section; /* of both */
	const char *greater;
	const char *lesser;
	bool strictly;
} relations[] = {
	/* Panic shortens what Hot starts. */
	{"Balance", "Panic", "Hot", true},
	{"Balance", "CooldownSec", "PanicCooldownSec", false},
	/* A complete sample is part of a cycle. */
	{"Daemon", "CompleteSampleSec", "IntervalSec", false},
};

static const char *origin_of(const struct nb_config *config, int row)
{
	return g_ptr_array_index(config->origins, (unsigned)row);
}

static char *explain(const struct nb_config *config, const struct relation *relation, int greater,
		     int lesser)
{
	g_autofree char *greater_text = nb_config_value(config, (unsigned)greater);
	g_autofree char *lesser_text = nb_config_value(config, (unsigned)lesser);
	const char *greater_origin = origin_of(config, greater);
	const char *lesser_origin = origin_of(config, lesser);

	/* Bounds and defaults agree, so one of the two was written somewhere. */
	if (greater_origin)
		return g_strdup_printf("%s: %s=%s is %s %s=%s (%s); raise %s= or lower %s=",
				       greater_origin, relation->greater, greater_text,
				       relation->strictly ? "not above" : "below", relation->lesser,
				       lesser_text, lesser_origin ? lesser_origin : "the default",
				       relation->greater, relation->lesser);
	return g_strdup_printf(
		"%s: %s=%s is %s %s=%s (the default); lower %s= or raise %s=", lesser_origin,
		relation->lesser, lesser_text, relation->strictly ? "not below" : "above",
		relation->greater, greater_text, relation->lesser, relation->greater);
}

void nb_config_check(const struct nb_config *config, const bool *broken, GPtrArray *faults)
{
	for (unsigned i = 0; i < G_N_ELEMENTS(relations); i++) {
		const struct relation *relation = &relations[i];
		int greater = nb_settings_find(relation->section, relation->greater);
		int lesser = nb_settings_find(relation->section, relation->lesser);
		uint64_t high, low;

		assert(greater >= 0 && lesser >= 0);
		if (broken[greater] || broken[lesser])
			continue;
		high = nb_setting_number(nb_settings_row((unsigned)greater), config);
		low = nb_setting_number(nb_settings_row((unsigned)lesser), config);
		if (high < low || (relation->strictly && high == low))
			g_ptr_array_add(faults, explain(config, relation, greater, lesser));
	}
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config/draft.h"

#include "config/settings.h"

#include <assert.h>

struct nb_config *nb_config_new_default(void)
{
	struct nb_config *config = g_new0(struct nb_config, 1);

	config->origins = g_ptr_array_new_with_free_func(g_free);
	g_ptr_array_set_size(config->origins, (int)nb_settings_count());
	for (unsigned i = 0; i < nb_settings_count(); i++) {
		const struct nb_setting *setting = nb_settings_row(i);
		int r = setting->per_device ? 0 : nb_setting_assign(setting, config, "");

		/* A default that does not parse is a bug of the table. */
		assert(r == 0);
		(void)r;
	}
	return config;
}

struct nb_device_rule *nb_config_device_rule(struct nb_config *config, const char *match)
{
	struct nb_device_rules *devices = &config->devices;
	struct nb_device_rule *rule;

	for (unsigned i = 0; i < devices->n_rules; i++)
		if (g_str_equal(devices->rules[i].match, match))
			return &devices->rules[i];

	devices->rules = g_renew(struct nb_device_rule, devices->rules, devices->n_rules + 1);
	rule = &devices->rules[devices->n_rules++];
	*rule = (struct nb_device_rule){.match = g_strdup(match)};
	return rule;
}

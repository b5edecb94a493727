/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config/config.h"

#include "config/settings.h"

void nb_config_free(struct nb_config *config)
{
	if (!config)
		return;
	for (unsigned i = 0; i < config->devices.n_rules; i++) {
		g_free(config->devices.rules[i].match);
		g_free(config->devices.rules[i].interrupts);
	}
	g_free(config->devices.rules);
	g_ptr_array_unref(config->origins);
	g_free(config);
}

unsigned nb_config_n_settings(void)
{
	return nb_settings_count();
}

const char *nb_config_section(unsigned row)
{
	return nb_settings_row(row)->section;
}

const char *nb_config_key(unsigned row)
{
	return nb_settings_row(row)->key;
}

const char *nb_config_default(unsigned row)
{
	return nb_settings_row(row)->initial;
}

const char *nb_config_summary(unsigned row)
{
	return nb_settings_row(row)->summary;
}

/* "eth*: yes, tun0: yes": of the sections that do not say the default. */
static char *format_rules(const struct nb_device_rules *devices, const struct nb_setting *setting)
{
	GString *text = g_string_new(NULL);

	for (unsigned i = 0; i < devices->n_rules; i++) {
		g_autofree char *value = nb_setting_format(setting, &devices->rules[i]);

		if (!g_str_equal(value, setting->initial))
			g_string_append_printf(text, "%s%s: %s", text->len > 0 ? ", " : "",
					       devices->rules[i].match, value);
	}
	return g_string_free(text, FALSE);
}

char *nb_config_value(const struct nb_config *config, unsigned row)
{
	const struct nb_setting *setting = nb_settings_row(row);

	if (setting->per_device)
		return format_rules(&config->devices, setting);
	return nb_setting_format(setting, config);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config/config.h"

#include "config/settings.h"

void nb_interrupt_rules_clear(struct nb_interrupt_rules *rules)
{
	for (unsigned i = 0; i < rules->n_rules; i++)
		g_free(rules->rules[i].match);
	g_clear_pointer(&rules->rules, g_free);
	rules->n_rules = 0;
}

void nb_device_rules_clear(struct nb_device_rules *devices)
{
	for (unsigned i = 0; i < devices->n_rules; i++) {
		g_free(devices->rules[i].match);
		g_free(devices->rules[i].interrupts);
	}
	g_clear_pointer(&devices->rules, g_free);
	devices->n_rules = 0;
	nb_interrupt_rules_clear(&devices->interrupts);
}

void nb_config_free(struct nb_config *config)
{
	if (!config)
		return;
	nb_device_rules_clear(&config->devices);
	g_free(config->profile);
	g_ptr_array_unref(config->origins);
	g_free(config);
}

unsigned nb_config_n_settings(void)
{
	return nb_settings_count();
}

int nb_config_find(const char *section, const char *key)
{
	return nb_settings_find(section, key);
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
static void add_rule(GString *text, const struct nb_setting *setting, const char *match,
		     const void *rule)
{
	g_autofree char *value = nb_setting_format(setting, rule);

	if (!g_str_equal(value, setting->initial))
		g_string_append_printf(text, "%s%s: %s", text->len > 0 ? ", " : "", match, value);
}

static char *format_device_rules(const struct nb_device_rules *devices,
				 const struct nb_setting *setting)
{
	GString *text = g_string_new(NULL);

	for (unsigned i = 0; i < devices->n_rules; i++)
		add_rule(text, setting, devices->rules[i].match, &devices->rules[i]);
	return g_string_free(text, FALSE);
}

static char *format_interrupt_rules(const struct nb_interrupt_rules *interrupts,
				    const struct nb_setting *setting)
{
	GString *text = g_string_new(NULL);

	for (unsigned i = 0; i < interrupts->n_rules; i++)
		add_rule(text, setting, interrupts->rules[i].match, &interrupts->rules[i]);
	return g_string_free(text, FALSE);
}

char *nb_config_value(const struct nb_config *config, unsigned row)
{
	const struct nb_setting *setting = nb_settings_row(row);

	switch (setting->record) {
	case NB_SETTING_OF_CONFIG:
		return nb_setting_format(setting, config);
	case NB_SETTING_OF_DEVICE:
		return format_device_rules(&config->devices, setting);
	case NB_SETTING_OF_INTERRUPT:
		return format_interrupt_rules(&config->devices.interrupts, setting);
	}
	g_assert_not_reached();
}

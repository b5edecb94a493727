/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config/draft.h"

#include "base/rows.h"

#include <assert.h>

static void set_defaults(enum nb_setting_record kind, void *record)
{
	for (unsigned i = 0; i < nb_settings_count(); i++) {
		const struct nb_setting *setting = nb_settings_row(i);
		int r = setting->record == kind ? nb_setting_assign(setting, record, "") : 0;

		/* A default that does not parse is a bug of the table. */
		assert(r == 0);
		(void)r;
	}
}

struct nb_config *nb_config_new_default(void)
{
	struct nb_config *config = g_new0(struct nb_config, 1);

	config->origins = g_ptr_array_new_with_free_func(g_free);
	g_ptr_array_set_size(config->origins, (int)nb_settings_count());
	set_defaults(NB_SETTING_OF_CONFIG, config);
	return config;
}

struct nb_device_rule *nb_config_device_rule(struct nb_config *config, const char *match)
{
	struct nb_device_rules *devices = &config->devices;
	struct nb_device_rule *rule;

	for (unsigned i = 0; i < devices->n_rules; i++)
		if (g_str_equal(devices->rules[i].match, match))
			return &devices->rules[i];

	devices->rules =
		nb_rows_insert(devices->rules, &devices->n_rules, devices->n_rules, sizeof(*rule));
	rule = &devices->rules[devices->n_rules - 1];
	rule->match = g_strdup(match);
	set_defaults(NB_SETTING_OF_DEVICE, rule);
	return rule;
}

struct nb_interrupt_rule *nb_config_interrupt_rule(struct nb_interrupt_rules *rules,
						   const char *match)
{
	struct nb_interrupt_rule *rule;

	for (unsigned i = 0; i < rules->n_rules; i++)
		if (g_str_equal(rules->rules[i].match, match))
			return &rules->rules[i];

	rules->rules = nb_rows_insert(rules->rules, &rules->n_rules, rules->n_rules, sizeof(*rule));
	rule = &rules->rules[rules->n_rules - 1];
	rule->match = g_strdup(match);
	set_defaults(NB_SETTING_OF_INTERRUPT, rule);
	return rule;
}

static bool has_device_rule(const struct nb_device_rules *devices, const char *match)
{
	for (unsigned i = 0; i < devices->n_rules; i++)
		if (g_str_equal(devices->rules[i].match, match))
			return true;
	return false;
}

static bool has_interrupt_rule(const struct nb_interrupt_rules *interrupts, const char *match)
{
	for (unsigned i = 0; i < interrupts->n_rules; i++)
		if (g_str_equal(interrupts->rules[i].match, match))
			return true;
	return false;
}

void nb_config_append_rules(struct nb_config *config, struct nb_device_rules *rules)
{
	for (unsigned i = 0; i < rules->n_rules; i++) {
		struct nb_device_rule *from = &rules->rules[i], *to;

		if (has_device_rule(&config->devices, from->match))
			continue;
		to = nb_config_device_rule(config, from->match);
		g_free(g_steal_pointer(&to->match));
		*to = *from;
		*from = (struct nb_device_rule){};
	}
	for (unsigned i = 0; i < rules->interrupts.n_rules; i++) {
		struct nb_interrupt_rule *from = &rules->interrupts.rules[i], *to;

		if (has_interrupt_rule(&config->devices.interrupts, from->match))
			continue;
		to = nb_config_interrupt_rule(&config->devices.interrupts, from->match);
		g_free(g_steal_pointer(&to->match));
		*to = *from;
		*from = (struct nb_interrupt_rule){};
	}
	nb_device_rules_clear(rules);
}

void *nb_config_record(struct nb_config *config, enum nb_setting_record kind, const char *match)
{
	switch (kind) {
	case NB_SETTING_OF_CONFIG:
		return config;
	case NB_SETTING_OF_DEVICE:
		return nb_config_device_rule(config, match);
	case NB_SETTING_OF_INTERRUPT:
		return nb_config_interrupt_rule(&config->devices.interrupts, match);
	}
	g_assert_not_reached();
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* A configuration while it is being put together. Pure. */

#include "config/config.h"
#include "config/settings.h"

/* Every setting at its default; no rules. */
struct nb_config *nb_config_new_default(void);

/* The rule of the section [Device match] or [Interrupt match], made at the end when there is none.
 * Borrowed, and valid until the next call. */
struct nb_device_rule *nb_config_device_rule(struct nb_config *config, const char *match);
struct nb_interrupt_rule *nb_config_interrupt_rule(struct nb_interrupt_rules *rules,
						   const char *match);
/* Behind the rules that are there, but for those with the same argument as one of these. Takes
 * them. */
void nb_config_append_rules(struct nb_config *config, struct nb_device_rules *rules);
/* What the settings of a section are fields of: config itself, or such a rule. */
void *nb_config_record(struct nb_config *config, enum nb_setting_record kind, const char *match);

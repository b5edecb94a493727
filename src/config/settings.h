/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* The one table of all settings, and how a text becomes the field of a struct. Pure. */

#include "config/config.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum nb_setting_type {
	NB_SETTING_SHARE,
	NB_SETTING_SPAN,
	NB_SETTING_BOOLEAN,
	NB_SETTING_COUNT,
	NB_SETTING_MODE,
	NB_SETTING_CPUS,
	NB_SETTING_GLOB,
	NB_SETTING_NODE,
	NB_SETTING_FOUND,
	NB_SETTING_CHANNELS,
	NB_SETTING_UDP_HASH,
	NB_SETTING_PROFILE,
};

/* What a setting is a field of. */
enum nb_setting_record {
	NB_SETTING_OF_CONFIG,    /* struct nb_config */
	NB_SETTING_OF_DEVICE,    /* struct nb_device_rule */
	NB_SETTING_OF_INTERRUPT, /* struct nb_interrupt_rule */
};

/* Bounds and default are written as in a file; bounds are included. */
struct nb_setting {
	const char *section;
	const char *key;
	enum nb_setting_type type;
	enum nb_setting_record record;
	size_t offset;     /* of the field */
	size_t size;       /* of the field, where it is a number */
	const char *least; /* NULL: unbounded */
	const char *most;
	const char *initial; /* the default */
	const char *summary;
};

unsigned nb_settings_count(void);
const struct nb_setting *nb_settings_row(unsigned row);
/* The row, or -ENOENT. */
int nb_settings_find(const char *section, const char *key);
bool nb_settings_has_section(const char *section);
/* What the settings of a section that exists are fields of. Those of rules are written [section
 * ARGUMENT]. */
enum nb_setting_record nb_settings_record(const char *section);

/* Parses text into the field of record: the nb_config, or the rule.
 * An empty text is the default. Returns 0, -EINVAL: not of its type, -ERANGE: out of bounds; the
 * field is untouched on failure. */
int nb_setting_assign(const struct nb_setting *setting, void *record, const char *text);
/* The sentence for such a failure, with what to write instead; caller frees. */
char *nb_setting_explain(const struct nb_setting *setting, const char *text, int error);
/* The field as it would stand in a file; caller frees. */
char *nb_setting_format(const struct nb_setting *setting, const void *record);
/* The field of a row whose type is a number. */
uint64_t nb_setting_number(const struct nb_setting *setting, const void *record);

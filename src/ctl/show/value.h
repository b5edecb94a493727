/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* Fields of an object of the document. What is absent, null or of another type is unknown. Pure. */

#include <jansson.h>
#include <stdint.h>

/* "" when unknown; borrowed. */
static inline const char *nb_value_text(const json_t *object, const char *name)
{
	const char *text = json_string_value(json_object_get(object, name));

	return text ? text : "";
}

/* 0 when unknown. */
static inline uint64_t nb_value_count(const json_t *object, const char *name)
{
	json_int_t count = json_integer_value(json_object_get(object, name));

	return count > 0 ? (uint64_t)count : 0;
}

/* Percent as basis points; UINT32_MAX when unknown. */
static inline uint32_t nb_value_share(const json_t *object, const char *name)
{
	const json_t *value = json_object_get(object, name);
	double percent = json_number_value(value);

	if (!json_is_number(value) || percent < 0 || percent >= UINT32_MAX / 100.0)
		return UINT32_MAX;
	return (uint32_t)(percent * 100 + 0.5);
}

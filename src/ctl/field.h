/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* The field of a row that a column shows. Pure. */

#include "ctl/cell.h"

static inline const void *nb_field_at(const struct nb_column *column, const void *row)
{
	return (const char *)row + column->offset;
}

static inline const char *nb_field_text(const struct nb_column *column, const void *row)
{
	return *(const char *const *)nb_field_at(column, row);
}

static inline uint32_t nb_field_u32(const struct nb_column *column, const void *row)
{
	return *(const uint32_t *)nb_field_at(column, row);
}

static inline uint64_t nb_field_u64(const struct nb_column *column, const void *row)
{
	return *(const uint64_t *)nb_field_at(column, row);
}

static inline int nb_field_int(const struct nb_column *column, const void *row)
{
	return *(const int *)nb_field_at(column, row);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* One field of a row, for people and for programs. Reads the time zone and today's date for
 * NB_CELL_TIME; otherwise pure. Callers free (g_free). */

#include "ctl/rows.h"

#include <stddef.h>

/* The type of a field, and how it is written: text / JSON. */
enum nb_cell {
	NB_CELL_TEXT,   /* const char *; "-" when empty */
	NB_CELL_WORDS,  /* const char *, "a,b"; / ["a", "b"] */
	NB_CELL_NUMBER, /* uint32_t */
	NB_CELL_NUMBER64,
	NB_CELL_COUNT32, /* uint32_t; "12.3k" / 12300 */
	NB_CELL_COUNT64,
	NB_CELL_ID,          /* int32_t, negative when unknown; "-" / null */
	NB_CELL_CPU,         /* int32_t, NB_CPU_ALL for all together; "ALL" / null */
	NB_CELL_FLAG,        /* int; "yes", "no" / true, false */
	NB_CELL_SHARE,       /* uint32_t in basis points, UINT32_MAX when unknown; "45" / 45.12 */
	NB_CELL_SMALL_SHARE, /* the same, with a tenth below 10 % */
	NB_CELL_IRQS,        /* struct nb_irq_list; "41,42" / [41, 42] */
	NB_CELL_TIME,        /* uint64_t, microseconds of CLOCK_REALTIME; "05:12:33" / UTC */
	NB_CELL_SPAN,        /* uint64_t, microseconds; "1:05:12" / 3912.000 */
	NB_CELL_BOUND,       /* struct nb_bound; "<16", ">=4194304" / 16, null */
	NB_CELL_BAR,         /* struct nb_bar */
};

/* name is what -o takes; json is NULL for what programs do not need. */
struct nb_column {
	const char *name;
	const char *heading;
	const char *json;
	enum nb_cell cell;
	size_t offset;
	unsigned flags;
};

/* Printed by -o and in JSON alone. */
#define NB_COLUMN_EXTRA (1u << 0)
/* For the eye: on a terminal alone, unless -o names it. */
#define NB_COLUMN_SCREEN (1u << 1)
/* Coloured by its share. */
#define NB_COLUMN_HEAT (1u << 2)
/* May be broken into lines. */
#define NB_COLUMN_WRAP (1u << 3)
/* Of shares that are zero on most hosts: printed where one is not, or -o names it. */
#define NB_COLUMN_RARE (1u << 4)

char *nb_cell_text(const struct nb_column *column, const void *row);
void nb_cell_append_json(GString *out, const struct nb_column *column, const void *row);
bool nb_cell_is_right_aligned(enum nb_cell cell);
/* Of a column of shares. */
uint32_t nb_cell_share(const struct nb_column *column, const void *row);

/* "05:12:33" today, "2026-01-01 05:12:33" on another day; local time. */
char *nb_time_text(uint64_t realtime_usec);
/* "1:05:12": hours, minutes, seconds. */
char *nb_span_text(uint64_t usec);

/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* One field of a row of the document, for people. Reads the time zone and today's date for
 * NB_CELL_TIME; otherwise pure. Callers free (g_free). */

#include <glib.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

/* How a field is written. What is unknown is "-". */
enum nb_cell {
	NB_CELL_TEXT,        /* as it is; "-" when empty; true and false are "yes" and "no" */
	NB_CELL_WORDS,       /* an array: "a,b" */
	NB_CELL_NUMBER,      /* or an array of numbers: "41,42" */
	NB_CELL_COUNT,       /* "12.3k" */
	NB_CELL_CPU,         /* "ALL" when it is null */
	NB_CELL_SHARE,       /* percent: "45" */
	NB_CELL_SMALL_SHARE, /* the same, with a tenth below 10 % */
	NB_CELL_TIME,        /* RFC 3339: "05:12:33" */
	NB_CELL_SPAN,        /* seconds: "1:05:12" */
	NB_CELL_BOUND,       /* "<16"; of a row with "runs" null is ">=4194304" */
	NB_CELL_BAR,         /* of "queues-percent" and "fixed-percent" of its row */
};

/* name is what -o takes, field the name in the document; "" for what programs do not need. */
struct nb_column {
	const char *name;
	const char *heading;
	const char *field;
	enum nb_cell cell;
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
/* Of numbers that are zero on most hosts: printed where one is not, or -o names it. */
#define NB_COLUMN_RARE (1u << 4)

char *nb_cell_text(const struct nb_column *column, const json_t *row);
bool nb_column_is_right_aligned(const struct nb_column *column);

/* Microseconds of CLOCK_REALTIME; 0 when text is no time. */
uint64_t nb_time_parse(const char *text);
/* "05:12:33" today, "2026-01-01 05:12:33" on another day; local time. */
char *nb_time_text(uint64_t realtime_usec);
/* "1:05:12": hours, minutes, seconds. */
char *nb_span_text(uint64_t usec);

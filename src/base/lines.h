/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* The form of the files that are kept over a restart: a first line with the format and its version,
 * then one entry a line. What was damaged is told, and the rest counts. Pure. */

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>

/* Takes a line, without its end. False: it is damaged. */
typedef bool (*nb_take_line)(const char *line, void *userdata);

/* Hands each line after the first to take, and appends the number of each that is damaged, an
 * unsigned from 1, to damaged: one with a NUL, and a last one without its end, which was truncated.
 * With another header none is taken, and all are damaged. */
void nb_lines_each(const char *text, size_t len, const char *header, nb_take_line take,
		   void *userdata, GArray *damaged);

/* "3, 7"; caller frees. */
char *nb_lines_describe(const GArray *numbers);

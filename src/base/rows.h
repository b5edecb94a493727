/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* A few rows of plain data in a given order, that come and go one by one. */

#include <stddef.h>

/* Makes room for one more of n rows before row at; it is all zero. Returns the rows, which may have
 * moved; NULL and 0 is where they begin. Free with g_free(). */
void *nb_rows_insert(void *rows, unsigned *n, unsigned at, size_t size);
void nb_rows_remove(void *rows, unsigned *n, unsigned at, size_t size);

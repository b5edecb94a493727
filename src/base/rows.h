/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* A few rows of plain data in a given order, inserted and removed one by one. */

#include <stddef.h>

/* Inserts a row, all zero, before row at of n rows. Returns the rows, which may have moved; start
 * with NULL and 0. Free with g_free(). */
void *nb_rows_insert(void *rows, unsigned *n, unsigned at, size_t size);
void nb_rows_remove(void *rows, unsigned *n, unsigned at, size_t size);

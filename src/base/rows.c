/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/rows.h"

#include <assert.h>
#include <glib.h>
#include <string.h>

void *nb_rows_insert(void *rows, unsigned *n, unsigned at, size_t size)
{
	char *all, *row;

	assert(at <= *n);
	all = g_realloc_n(rows, (size_t)*n + 1, size);
	row = all + at * size;
	memmove(row + size, row, (*n - at) * size);
	memset(row, 0, size);
	(*n)++;
	return all;
}

void nb_rows_remove(void *rows, unsigned *n, unsigned at, size_t size)
{
	char *row = (char *)rows + at * size;

	assert(at < *n);
	(*n)--;
	memmove(row, row + size, (*n - at) * size);
}

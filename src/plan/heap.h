/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* A binary heap of indices: the one that comes before all others is at the top. For choices of
 * which most often only a few are made. Pure. */

#include <glib.h>
#include <stdbool.h>

/* A strict order. */
typedef bool nb_before_fn(const void *context, unsigned a, unsigned b);

typedef struct nb_heap {
	GArray *items; /* of unsigned; filled by the caller */
	nb_before_fn *before;
	const void *context;
} nb_heap;

/* Makes a heap of items in any order. */
void nb_heap_arrange(const struct nb_heap *heap);
/* The top one; there must be one. */
unsigned nb_heap_top(const struct nb_heap *heap);
/* The top one comes later than it did: puts it where it belongs. */
void nb_heap_settle_top(const struct nb_heap *heap);
void nb_heap_remove_top(const struct nb_heap *heap);

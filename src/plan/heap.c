/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plan/heap.h"

#include <assert.h>

static unsigned *item(const struct nb_heap *heap, unsigned at)
{
	return &g_array_index(heap->items, unsigned, at);
}

static bool comes_before(const struct nb_heap *heap, unsigned a, unsigned b)
{
	return heap->before(heap->context, *item(heap, a), *item(heap, b));
}

static void sift_down(const struct nb_heap *heap, unsigned at)
{
	unsigned n = heap->items->len;

	for (;;) {
		unsigned child = 2 * at + 1, swapped;

		if (child + 1 < n && comes_before(heap, child + 1, child))
			child++;
		if (child >= n || !comes_before(heap, child, at))
			return;
		swapped = *item(heap, at);
		*item(heap, at) = *item(heap, child);
		*item(heap, child) = swapped;
		at = child;
	}
}

void nb_heap_arrange(const struct nb_heap *heap)
{
	for (unsigned i = heap->items->len / 2; i-- > 0;)
		sift_down(heap, i);
}

unsigned nb_heap_top(const struct nb_heap *heap)
{
	assert(heap->items->len > 0);
	return *item(heap, 0);
}

void nb_heap_settle_top(const struct nb_heap *heap)
{
	sift_down(heap, 0);
}

void nb_heap_remove_top(const struct nb_heap *heap)
{
	assert(heap->items->len > 0);
	*item(heap, 0) = *item(heap, heap->items->len - 1);
	g_array_set_size(heap->items, heap->items->len - 1);
	sift_down(heap, 0);
}

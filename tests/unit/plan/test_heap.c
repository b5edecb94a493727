/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plan/heap.h"

#include "support/meter.h"
#include "support/support.h"

#define N 200u

static bool comes_before(const void *context, unsigned a, unsigned b)
{
	const unsigned *keys = context;

	return keys[a] != keys[b] ? keys[a] < keys[b] : a < b;
}

/* Keys of which several are alike. */
static struct nb_heap make_heap(unsigned keys[static N])
{
	struct nb_heap heap = {g_array_new(FALSE, FALSE, sizeof(unsigned)), comes_before, keys};
	uint64_t random = 7;

	for (unsigned i = 0; i < N; i++) {
		keys[i] = nb_random_below(&random, N / 3);
		g_array_append_val(heap.items, i);
	}
	nb_heap_arrange(&heap);
	return heap;
}

static void assert_taken_in_order(const struct nb_heap *heap)
{
	unsigned last = nb_heap_top(heap);

	for (nb_heap_remove_top(heap); heap->items->len; nb_heap_remove_top(heap)) {
		assert_true(comes_before(heap->context, last, nb_heap_top(heap)));
		last = nb_heap_top(heap);
	}
}

static void what_is_taken_comes_in_order(void **state)
{
	unsigned keys[N];
	struct nb_heap heap = make_heap(keys);

	(void)state;
	assert_taken_in_order(&heap);
	g_array_unref(heap.items);
}

static void a_top_one_that_comes_later_now_gives_way(void **state)
{
	unsigned keys[N];
	struct nb_heap heap = make_heap(keys);

	(void)state;
	for (unsigned i = 0; i < 3 * N; i++) {
		keys[nb_heap_top(&heap)] += i % 5;
		nb_heap_settle_top(&heap);
	}
	assert_taken_in_order(&heap);
	g_array_unref(heap.items);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_taken_comes_in_order),
		cmocka_unit_test(a_top_one_that_comes_later_now_gives_way),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

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

/* Each of the N once, none before one that comes before it. */
static void assert_taken_in_order(const struct nb_heap *heap)
{
	bool taken[N] = {false};
	unsigned last = 0, n = 0;

	for (; heap->items->len > 0; n++, nb_heap_remove_top(heap)) {
		unsigned top = nb_heap_top(heap);

		assert_true(top < N && !taken[top]);
		assert_true(n == 0 || comes_before(heap->context, last, top));
		taken[top] = true;
		last = top;
	}
	assert_int_equal(n, N);
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

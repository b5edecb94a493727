/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "trace/deltas.h"

#include "support/support.h"

#include <errno.h>
#include <string.h>

#define N 5

static void assert_code(const int32_t *from, const int32_t *to, const char *expected)
{
	g_autoptr(GString) text = g_string_new(NULL);

	nb_trace_append_deltas('r', from, to, N, text);
	assert_string_equal(text->str, expected);
}

static void nothing_new_takes_no_line(void **state)
{
	const int32_t row[N] = {1, 2, 3, 4, 5};

	(void)state;
	assert_code(row, row, "");
}

/* The first: 011 1 010 and five bits of padding. */
static void is_written_as_the_manual_says(void **state)
{
	const int32_t from[N] = {0, 0, 0, 0, 0};

	(void)state;
	assert_code(from, (int32_t[N]){1, 0, -1, 0, 0}, "r0dA\n");
	assert_code(from, (int32_t[N]){0, 0, 0, 0, 1}, "r09g\n");
	assert_code(from, (int32_t[N]){100, -100, 100, -100, 0}, "r85HH5HH\n");
}

static void assert_comes_back(const int32_t *from, const int32_t *to, unsigned n)
{
	g_autoptr(GString) text = g_string_new(NULL);
	g_autofree int32_t *row = g_memdup2(from, n * sizeof(*from));

	nb_trace_append_deltas('r', from, to, n, text);
	assert_int_equal(nb_trace_apply_deltas(text->str + 1, text->len - 2, row, n), 0);
	assert_memory_equal(row, to, n * sizeof(*to));
}

static void whatever_was_written_is_read(void **state)
{
	enum { LONG = 200 };
	g_autoptr(GRand) random = g_rand_new_with_seed(1);
	int32_t from[LONG] = {0}, to[LONG];

	(void)state;
	for (unsigned i = 0; i < 2000; i++) {
		unsigned bits = (unsigned)g_rand_int_range(random, 1, 32);
		unsigned n = (unsigned)g_rand_int_range(random, 1, LONG + 1);

		for (unsigned j = 0; j < n; j++)
			to[j] = (int32_t)(g_rand_int(random) >> (32 - bits));
		to[g_rand_int_range(random, 0, (gint32)n)] = INT32_MAX - 1;
		from[0] = to[0] ^ 1;
		assert_comes_back(from, to, n);
		memcpy(from, to, sizeof(from));
	}
	assert_comes_back((int32_t[]){INT32_MAX, -1, INT32_MIN}, (int32_t[]){-1, INT32_MAX, 0}, 3);
}

static int apply(const char *code)
{
	int32_t row[N] = {0};

	return nb_trace_apply_deltas(code, strlen(code), row, N);
}

static void what_is_no_code_is_refused(void **state)
{
	/* clang-format off */
	static const char *const wrong[] = {
		"", "0", "a", "xd", "0d A", "0d-A",	/* no order, or no letters */
		"0A", "0dAA",				/* a letter of padding alone */
		"0//",					/* more numbers than there are */
		"9B", "0AAAAAE",			/* ends amid a number */
		"0AAAAAP/////", "9AAAA//////",		/* beyond 32 bits */
	};
	/* clang-format on */

	(void)state;
	assert_int_equal(apply("0dA"), 0);
	assert_int_equal(apply("0+"), 0);
	for (size_t i = 0; i < G_N_ELEMENTS(wrong); i++)
		if (apply(wrong[i]) != -EBADMSG)
			fail_msg("\"%s\" is a code", wrong[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_new_takes_no_line),
		cmocka_unit_test(is_written_as_the_manual_says),
		cmocka_unit_test(whatever_was_written_is_read),
		cmocka_unit_test(what_is_no_code_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

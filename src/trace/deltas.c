/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "trace/deltas.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

/* RFC 4648, section 4. */
static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
#define N_LETTERS (sizeof(letters) - 1)
#define LETTER_BITS 6u

/* The order of an exponential Golomb code is one digit. */
#define ORDERS 10u

/* No number of 32 bits has more zeros in front. */
#define ZEROS_MAX 32u

/* 0, -1, 1, -2, 2 … become 0, 1, 2, 3, 4 … */
static uint32_t to_unsigned(int32_t from, int32_t to)
{
	int32_t delta = (int32_t)((uint32_t)to - (uint32_t)from);

	return (uint32_t)delta << 1 ^ (delta < 0 ? UINT32_MAX : 0);
}

static uint32_t to_delta(uint32_t value)
{
	return value >> 1 ^ (value & 1 ? UINT32_MAX : 0);
}

static uint64_t quotient(uint32_t value, unsigned order)
{
	return ((uint64_t)value >> order) + 1;
}

static unsigned width(uint64_t number)
{
	return 64 - (unsigned)__builtin_clzll(number);
}

static uint64_t length(const int32_t *from, const int32_t *to, unsigned n, unsigned order)
{
	uint64_t bits = 0;

	for (unsigned i = 0; i < n; i++)
		bits += 2 * width(quotient(to_unsigned(from[i], to[i]), order)) - 1 + order;
	return bits;
}

static unsigned best_order(const int32_t *from, const int32_t *to, unsigned n)
{
	uint64_t shortest = UINT64_MAX;
	unsigned best = 0;

	for (unsigned order = 0; order < ORDERS; order++) {
		uint64_t bits = length(from, to, n, order);

		if (bits < shortest) {
			shortest = bits;
			best = order;
		}
	}
	return best;
}

struct bit_writer {
	GString *text;
	unsigned letter;
	unsigned n_bits; /* of that letter */
};

/* The n lowest bits of value, highest first. */
static void put(struct bit_writer *writer, uint64_t value, unsigned n)
{
	while (n-- > 0) {
		writer->letter = writer->letter << 1 | (unsigned)(value >> n & 1);
		if (++writer->n_bits < LETTER_BITS)
			continue;
		g_string_append_c(writer->text, letters[writer->letter]);
		writer->letter = 0;
		writer->n_bits = 0;
	}
}

static void put_number(struct bit_writer *writer, uint32_t value, unsigned order)
{
	uint64_t number = quotient(value, order);

	put(writer, 0, width(number) - 1);
	put(writer, number, width(number));
	put(writer, value, order);
}

void nb_trace_append_deltas(char letter, const int32_t *from, const int32_t *to, unsigned n,
			    GString *text)
{
	struct bit_writer writer = {.text = text};
	unsigned order;

	while (n > 0 && from[n - 1] == to[n - 1])
		n--;
	if (n == 0)
		return;

	order = best_order(from, to, n);
	g_string_append_c(text, letter);
	g_string_append_c(text, (char)('0' + order));
	for (unsigned i = 0; i < n; i++)
		put_number(&writer, to_unsigned(from[i], to[i]), order);
	if (writer.n_bits > 0)
		put(&writer, 0, LETTER_BITS - writer.n_bits);
	g_string_append_c(text, '\n');
}

struct bit_reader {
	const char *at, *end;
	unsigned letter;
	unsigned n_bits; /* left of that letter */
};

static uint64_t bits_left(const struct bit_reader *reader)
{
	return (uint64_t)(reader->end - reader->at) * LETTER_BITS + reader->n_bits;
}

/* There are as many. */
static uint64_t get(struct bit_reader *reader, unsigned n)
{
	uint64_t value = 0;

	while (n-- > 0) {
		if (reader->n_bits == 0) {
			const char *letter = memchr(letters, *reader->at++, N_LETTERS);

			reader->letter = (unsigned)(letter - letters);
			reader->n_bits = LETTER_BITS;
		}
		value = value << 1 | (reader->letter >> --reader->n_bits & 1);
	}
	return value;
}

/* Positive, 0 at the end, or -EBADMSG. */
static int get_number(struct bit_reader *reader, unsigned order, uint32_t *ret)
{
	bool begun = false;
	unsigned zeros = 0;
	uint64_t value;

	while (!begun && bits_left(reader) > 0) {
		begun = get(reader, 1);
		zeros += !begun;
	}
	if (!begun)
		return zeros < LETTER_BITS ? 0 : -EBADMSG;
	if (zeros > ZEROS_MAX || bits_left(reader) < zeros + order)
		return -EBADMSG;

	value = (UINT64_C(1) << zeros | get(reader, zeros)) - 1;
	value = value << order | get(reader, order);
	if (value > UINT32_MAX)
		return -EBADMSG;
	*ret = (uint32_t)value;
	return 1;
}

static bool all_letters(const char *code, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (!memchr(letters, code[i], N_LETTERS))
			return false;
	return true;
}

int nb_trace_apply_deltas(const char *code, size_t len, int32_t *numbers, unsigned n)
{
	struct bit_reader reader = {.at = code + 1, .end = code + len};
	unsigned order, at = 0;
	uint32_t value;
	int r;

	if (len < 2 || !g_ascii_isdigit(code[0]) || !all_letters(code + 1, len - 1))
		return -EBADMSG;
	order = (unsigned)(code[0] - '0');
	while ((r = get_number(&reader, order, &value)) > 0) {
		if (at == n)
			return -EBADMSG;
		numbers[at] = (int32_t)((uint32_t)numbers[at] + to_delta(value));
		at++;
	}
	return r;
}

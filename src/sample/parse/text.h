/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* A place in a text that is being parsed. Pure. The take functions move it behind what they took,
 * and leave it anywhere inside when they return false. */

#include <errno.h>
#include <glib.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

struct nb_text {
	const char *p;
	const char *end;
};

static inline struct nb_text nb_text_of(const char *text, size_t len)
{
	return (struct nb_text){text, text + len};
}

/* The next line without its newline. Returns 1, 0 at the end, or -EBADMSG for a line without
 * newline: the kernel ends each with one, so the text was cut. */
static inline int nb_text_take_line(struct nb_text *text, struct nb_text *ret_line)
{
	const char *newline;

	if (text->p == text->end)
		return 0;
	newline = memchr(text->p, '\n', (size_t)(text->end - text->p));
	if (!newline)
		return -EBADMSG;
	*ret_line = (struct nb_text){text->p, newline};
	text->p = newline + 1;
	return 1;
}

static inline void nb_text_skip_blanks(struct nb_text *text)
{
	while (text->p < text->end && (*text->p == ' ' || *text->p == '\t'))
		text->p++;
}

/* Whether nothing but blanks is left. */
static inline bool nb_text_at_end(struct nb_text *text)
{
	nb_text_skip_blanks(text);
	return text->p == text->end;
}

static inline bool nb_text_take(struct nb_text *text, const char *word)
{
	size_t len = strlen(word);

	if ((size_t)(text->end - text->p) < len || memcmp(text->p, word, len) != 0)
		return false;
	text->p += len;
	return true;
}

/* So many decimal digits fit into 64 bits, whichever they are. */
#define NB_TEXT_DIGITS_MAX 19

/* Decimal digits right here; false without any, with more than fit, or beyond max. */
static inline bool nb_text_take_number(struct nb_text *text, uint64_t max, uint64_t *ret)
{
	const char *start = text->p;
	uint64_t value = 0;
	unsigned digit;

	for (; text->p < text->end && (digit = (unsigned char)*text->p - (unsigned)'0') < 10;
	     text->p++)
		value = value * 10 + digit;
	*ret = value;
	return text->p > start && text->p - start <= NB_TEXT_DIGITS_MAX && value <= max;
}

/* A number behind blanks that ends with the line or at another blank. */
static inline bool nb_text_take_field(struct nb_text *text, uint64_t max, uint64_t *ret)
{
	nb_text_skip_blanks(text);
	return nb_text_take_number(text, max, ret) &&
	       (text->p == text->end || *text->p == ' ' || *text->p == '\t');
}

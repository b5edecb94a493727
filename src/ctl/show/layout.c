/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ctl/show/layout.h"

/* Below this a sentence is no pleasure to read. */
#define WRAP_WIDTH_MIN 24

char *nb_layout_wrap(const char *text, size_t width)
{
	g_auto(GStrv) words = g_strsplit(text, " ", -1);
	GString *wrapped = g_string_new(NULL);
	size_t used = 0;

	for (unsigned i = 0; words[i]; i++) {
		size_t len = (size_t)g_utf8_strlen(words[i], -1);

		if (i > 0 && used + 1 + len > width) {
			g_string_append_c(wrapped, '\n');
			used = 0;
		} else if (i > 0) {
			g_string_append_c(wrapped, ' ');
			used++;
		}
		g_string_append(wrapped, words[i]);
		used += len;
	}
	return g_string_free(wrapped, FALSE);
}

static size_t natural_width(const GPtrArray *texts, const GPtrArray *columns, unsigned i)
{
	const struct nb_column *column = columns->pdata[i];
	size_t width = (size_t)g_utf8_strlen(column->heading, -1);

	for (unsigned cell = i; cell < texts->len; cell += columns->len)
		width = MAX(width, (size_t)g_utf8_strlen(texts->pdata[cell], -1));
	return width;
}

static bool wraps(const GPtrArray *columns, unsigned i)
{
	return ((const struct nb_column *)columns->pdata[i])->flags & NB_COLUMN_WRAP;
}

static void wrap_column(GPtrArray *texts, unsigned n_columns, unsigned i, size_t width)
{
	for (unsigned cell = i; cell < texts->len; cell += n_columns) {
		g_autofree char *text = texts->pdata[cell];

		texts->pdata[cell] = nb_layout_wrap(text, width);
	}
}

/* Of the columns that do not wrap, with a space behind each column but the last. */
static size_t fixed_width(const size_t *naturals, const GPtrArray *columns)
{
	size_t width = columns->len - 1;

	for (unsigned i = 0; i < columns->len; i++)
		if (!wraps(columns, i))
			width += naturals[i];
	return width;
}

/* A column takes what it needs while enough is left for those behind it, and its fair share in any
 * case. */
static size_t width_of(const size_t *naturals, const GPtrArray *columns, unsigned i, size_t left)
{
	size_t behind = 0;
	unsigned n_left = 1;

	for (unsigned j = i + 1; j < columns->len; j++) {
		if (!wraps(columns, j))
			continue;
		behind += MIN(naturals[j], WRAP_WIDTH_MIN);
		n_left++;
	}
	return MIN(naturals[i], MAX(left / n_left, left > behind ? left - behind : 0));
}

void nb_layout_fit(GPtrArray *texts, const GPtrArray *columns, size_t terminal_width)
{
	g_autofree size_t *naturals = g_new(size_t, columns->len);
	size_t fixed, left;

	for (unsigned i = 0; i < columns->len; i++)
		naturals[i] = natural_width(texts, columns, i);
	fixed = fixed_width(naturals, columns);
	left = terminal_width > fixed ? terminal_width - fixed : 0;
	for (unsigned i = 0; i < columns->len; i++) {
		size_t width;

		if (!wraps(columns, i))
			continue;
		width = width_of(naturals, columns, i, left);
		wrap_column(texts, columns->len, i, width);
		left -= MIN(left, width);
	}
}

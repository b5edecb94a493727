/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/lines.h"

#include <string.h>

void nb_lines_each(const char *text, size_t len, const char *header, nb_take_line take,
		   void *userdata, GArray *damaged)
{
	const char *end = text + len;
	unsigned number = 1;
	bool known = false;

	while (text < end) {
		const char *newline = memchr(text, '\n', (size_t)(end - text));
		size_t n = newline ? (size_t)(newline - text) : (size_t)(end - text);
		g_autofree char *line = g_strndup(text, n);
		bool whole = newline && strlen(line) == n;

		if (number == 1)
			known = whole && g_str_equal(line, header);
		if (number == 1 ? !known : !whole || !known || !take(line, userdata))
			g_array_append_val(damaged, number);
		text += n + (newline ? 1 : 0);
		number++;
	}
	/* An empty file was truncated before its first line. */
	if (len == 0)
		g_array_append_val(damaged, number);
}

char *nb_lines_describe(const GArray *numbers)
{
	GString *text = g_string_new(NULL);

	for (unsigned i = 0; i < numbers->len; i++)
		g_string_append_printf(text, "%s%u", i > 0 ? ", " : "",
				       g_array_index(numbers, unsigned, i));
	return g_string_free(text, FALSE);
}

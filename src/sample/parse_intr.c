/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sample/parse.h"
#include "sample/text.h"

/* fs/proc/stat.c show_stat() and show_all_irqs(): first the sum, then a number for each interrupt
 * from 0 on, those that do not exist too. */
static int parse_line(struct nb_text *line, GArray *ret_counts)
{
	uint64_t value;

	if (!nb_text_take_field(line, UINT64_MAX, &value))
		return -EBADMSG;
	g_array_set_size(ret_counts, 0);
	while (!nb_text_at_end(line)) {
		uint32_t count;

		if (!nb_text_take_field(line, UINT32_MAX, &value))
			return -EBADMSG;
		count = (uint32_t)value;
		g_array_append_val(ret_counts, count);
	}
	return 0;
}

int nb_parse_intr(const char *text, size_t len, GArray *ret_counts)
{
	struct nb_text rest = nb_text_of(text, len), line;

	while (nb_text_take_line(&rest, &line) > 0)
		if (nb_text_take(&line, "intr "))
			return parse_line(&line, ret_counts);
	return -EBADMSG;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sample/parse/parse.h"
#include "sample/parse/text.h"

/* A name behind blanks; false at the end of the line. */
static bool take_name(struct nb_text *line, struct nb_text *ret)
{
	if (nb_text_at_end(line))
		return false;
	ret->p = line->p;
	while (line->p < line->end && *line->p != ' ')
		line->p++;
	ret->end = line->p;
	return true;
}

static bool is_name(const struct nb_text *text, const char *name)
{
	return (size_t)(text->end - text->p) == strlen(name) &&
	       memcmp(text->p, name, strlen(name)) == 0;
}

/* Two lines of as many columns (net/ipv4/proc.c netstat_seq_show()). */
static int find_column(struct nb_text names, struct nb_text values, const char *name, uint64_t *ret)
{
	struct nb_text column;

	while (take_name(&names, &column)) {
		if (!nb_text_take_field(&values, UINT64_MAX, ret))
			return -EBADMSG;
		if (is_name(&column, name))
			return 0;
	}
	return -ENOENT;
}

static bool take_group(struct nb_text *line, const char *group)
{
	return nb_text_take(line, group) && nb_text_take(line, ":");
}

int nb_parse_netstat(const char *text, size_t len, const char *group, const char *name,
		     uint64_t *ret)
{
	struct nb_text rest = nb_text_of(text, len), names, values;
	int r;

	while ((r = nb_text_take_line(&rest, &names)) > 0) {
		if (nb_text_take_line(&rest, &values) <= 0)
			return -EBADMSG;
		if (!take_group(&names, group))
			continue;
		if (!take_group(&values, group))
			return -EBADMSG;
		return find_column(names, values, name, ret);
	}
	return r < 0 ? r : -ENOENT;
}

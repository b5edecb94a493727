/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/cpumask_text.h"

#include <errno.h>
#include <glib.h>

#define GROUP_BITS 32u
#define GROUP_DIGITS 8u

static size_t trimmed(const char *text, size_t len)
{
	while (len > 0 && g_ascii_isspace(text[len - 1]))
		len--;
	return len;
}

/* Adds the bits of one group of hex digits, group 0 being the least significant. */
static int add_group(struct nb_cpumask *mask, const char *text, size_t len, unsigned group)
{
	uint64_t bits = 0;

	if (len == 0 || len > GROUP_DIGITS)
		return -EINVAL;
	for (size_t i = 0; i < len; i++) {
		if (!g_ascii_isxdigit(text[i]))
			return -EINVAL;
		bits = bits << 4 | (unsigned)g_ascii_xdigit_value(text[i]);
	}
	if (bits == 0)
		return 0;
	if (group >= NB_CPUS_MAX / GROUP_BITS)
		return -ERANGE;
	mask->words[group / 2] |= bits << (group % 2 * GROUP_BITS);
	return 0;
}

int nb_cpumask_parse_mask(const char *text, size_t len, struct nb_cpumask *ret)
{
	struct nb_cpumask mask = {0};
	unsigned n_groups = 0;
	size_t end = trimmed(text, len);
	bool more = true;
	int r;

	/* From the end, for only there is the weight of a group known. */
	while (more) {
		size_t start = end;

		while (start > 0 && text[start - 1] != ',')
			start--;
		r = add_group(&mask, text + start, end - start, n_groups);
		if (r < 0)
			return r;
		n_groups++;
		more = start > 0;
		end = more ? start - 1 : 0;
	}

	*ret = mask;
	return 0;
}

char *nb_cpumask_format_mask(const struct nb_cpumask *mask)
{
	GString *text = g_string_new(NULL);

	for (unsigned i = NB_CPUS_MAX / GROUP_BITS; i-- > 0;) {
		uint32_t bits = (uint32_t)(mask->words[i / 2] >> (i % 2 * GROUP_BITS));

		if (bits || text->len > 0 || i == 0)
			g_string_append_printf(text, "%08x%s", bits, i > 0 ? "," : "");
	}
	return g_string_free(text, FALSE);
}

/* One decimal number at *p, which moves behind it. */
static int take_number(const char **p, const char *end, unsigned *ret)
{
	unsigned value = 0;

	if (*p == end || !g_ascii_isdigit(**p))
		return -EINVAL;
	for (; *p < end && g_ascii_isdigit(**p); (*p)++) {
		value = value * 10 + (unsigned)(**p - '0');
		if (value > NB_CPUS_MAX)
			return -ERANGE;
	}
	*ret = value;
	return 0;
}

static bool take_char(const char **p, const char *end, char c)
{
	if (*p == end || **p != c)
		return false;
	(*p)++;
	return true;
}

/* "first[-last[:used/group]]": of each group of CPUs the first used ones. */
static int take_range(const char **p, const char *end, struct nb_cpumask *mask)
{
	unsigned first, last, used = 1, group = 1;
	int r;

	r = take_number(p, end, &first);
	if (r < 0)
		return r;
	last = first;
	if (take_char(p, end, '-')) {
		r = take_number(p, end, &last);
		if (r < 0)
			return r;
		if (take_char(p, end, ':')) {
			r = take_number(p, end, &used);
			if (r < 0)
				return r;
			if (!take_char(p, end, '/'))
				return -EINVAL;
			r = take_number(p, end, &group);
			if (r < 0)
				return r;
		}
	}
	/* lib/bitmap-str.c bitmap_check_region() */
	if (first > last || group == 0 || used > group)
		return -EINVAL;
	if (last >= NB_CPUS_MAX)
		return -ERANGE;

	for (unsigned cpu = first; cpu <= last; cpu++)
		if ((cpu - first) % group < used)
			nb_cpumask_add(mask, cpu);
	return 0;
}

int nb_cpumask_parse_list(const char *text, size_t len, struct nb_cpumask *ret)
{
	struct nb_cpumask mask = {0};
	const char *p = text, *end = text + trimmed(text, len);
	static const char none[] = "(null)";
	int r;

	if (p == end || ((size_t)(end - p) == strlen(none) && memcmp(p, none, strlen(none)) == 0)) {
		*ret = mask;
		return 0;
	}

	do {
		r = take_range(&p, end, &mask);
		if (r < 0)
			return r;
	} while (take_char(&p, end, ','));
	if (p != end)
		return -EINVAL;

	*ret = mask;
	return 0;
}

char *nb_cpumask_format_list(const struct nb_cpumask *mask)
{
	GString *text = g_string_new(NULL);

	for (unsigned first = nb_cpumask_next(mask, 0); first < NB_CPUS_MAX;) {
		unsigned last = first;

		while (nb_cpumask_has(mask, last + 1))
			last++;
		g_string_append_printf(text, "%s%u", text->len > 0 ? "," : "", first);
		if (last > first)
			g_string_append_printf(text, "-%u", last);
		first = nb_cpumask_next(mask, last + 1);
	}
	return g_string_free(text, FALSE);
}

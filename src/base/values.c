/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/values.h"

#include "nicbalance/units.h"

#include <errno.h>
#include <glib.h>
#include <inttypes.h>
#include <string.h>

#define DIGITS "0123456789"

/* Multiplies by ten and adds: value = 10 × value + digit. */
static int push_digit(uint64_t *value, uint64_t digit)
{
	if (__builtin_mul_overflow(*value, 10, value) ||
	    __builtin_add_overflow(*value, digit, value))
		return -ERANGE;
	return 0;
}

/* "12" or "1.5" in units of unit; a fraction must come out even. */
static int parse_decimal(const char *text, size_t len, uint64_t unit, uint64_t *ret)
{
	const char *point = memchr(text, '.', len);
	size_t n_whole = point ? (size_t)(point - text) : len;
	uint64_t whole = 0, fraction = 0;

	if (n_whole == 0 || (point && n_whole + 1 == len))
		return -EINVAL;
	for (size_t i = 0; i < n_whole; i++) {
		if (!g_ascii_isdigit(text[i]))
			return -EINVAL;
		if (push_digit(&whole, (uint64_t)(text[i] - '0')) < 0)
			return -ERANGE;
	}
	if (__builtin_mul_overflow(whole, unit, &whole))
		return -ERANGE;

	for (size_t i = n_whole + 1; i < len; i++) {
		uint64_t digit = (uint64_t)(text[i] - '0');

		if (!g_ascii_isdigit(text[i]))
			return -EINVAL;
		if (digit != 0 && (unit == 0 || unit % 10 != 0))
			return -EINVAL;
		unit /= 10;
		fraction += digit * unit;
	}
	if (__builtin_add_overflow(whole, fraction, &whole))
		return -ERANGE;

	*ret = whole;
	return 0;
}

int nb_share_parse(const char *text, uint64_t *ret_bp)
{
	size_t len = strlen(text);

	if (len == 0 || text[len - 1] != '%')
		return -EINVAL;
	return parse_decimal(text, len - 1, NB_WHOLE / 100, ret_bp);
}

char *nb_share_format(uint64_t bp)
{
	unsigned hundredths = (unsigned)(bp % 100);
	uint64_t percent = bp / 100;

	if (hundredths == 0)
		return g_strdup_printf("%" PRIu64 "%%", percent);
	if (hundredths % 10 == 0)
		return g_strdup_printf("%" PRIu64 ".%u%%", percent, hundredths / 10);
	return g_strdup_printf("%" PRIu64 ".%02u%%", percent, hundredths);
}

/* Largest first: so they are formatted. The first name of each is the one that is written. */
static const struct {
	const char *names[5];
	uint64_t nsec;
} span_units[] = {
	{{"d", "day", "days"}, 86400 * NB_NSEC_PER_SEC},
	{{"h", "hr", "hour", "hours"}, 3600 * NB_NSEC_PER_SEC},
	{{"min", "m", "minute", "minutes"}, 60 * NB_NSEC_PER_SEC},
	{{"s", "sec", "second", "seconds"}, NB_NSEC_PER_SEC},
	{{"ms", "msec"}, 1000 * NB_NSEC_PER_USEC},
	{{"us", "usec"}, NB_NSEC_PER_USEC},
	{{"ns", "nsec"}, 1},
};

static uint64_t find_unit(const char *name, size_t len)
{
	if (len == 0)
		return NB_NSEC_PER_SEC;
	for (unsigned i = 0; i < G_N_ELEMENTS(span_units); i++)
		for (const char *const *known = span_units[i].names; *known; known++)
			if (strlen(*known) == len && memcmp(name, *known, len) == 0)
				return span_units[i].nsec;
	return 0;
}

/* One "30s" of "1min 30s", with the white space behind it. */
static int parse_span_part(const char **text, uint64_t *ret_nsec)
{
	size_t n_number = strspn(*text, DIGITS ".");
	const char *name = *text + n_number + strspn(*text + n_number, " ");
	size_t n_name = 0;
	uint64_t unit;
	int r;

	while (g_ascii_isalpha(name[n_name]))
		n_name++;
	unit = find_unit(name, n_name);
	if (unit == 0)
		return -EINVAL;
	r = parse_decimal(*text, n_number, unit, ret_nsec);
	if (r < 0)
		return r;

	*text = name + n_name + strspn(name + n_name, " ");
	return 0;
}

int nb_span_parse(const char *text, uint64_t *ret_nsec)
{
	uint64_t total = 0;

	do {
		uint64_t part;
		int r = parse_span_part(&text, &part);

		if (r < 0)
			return r;
		if (__builtin_add_overflow(total, part, &total))
			return -ERANGE;
	} while (*text != '\0');

	*ret_nsec = total;
	return 0;
}

char *nb_span_format(uint64_t nsec)
{
	g_autoptr(GString) text = g_string_new(NULL);

	for (unsigned i = 0; i < G_N_ELEMENTS(span_units); i++) {
		uint64_t n = nsec / span_units[i].nsec;

		nsec %= span_units[i].nsec;
		if (n > 0)
			g_string_append_printf(text, "%s%" PRIu64 "%s", text->len > 0 ? " " : "", n,
					       span_units[i].names[0]);
	}
	if (text->len == 0)
		g_string_append(text, "0");
	return g_string_free(g_steal_pointer(&text), FALSE);
}

int nb_boolean_parse(const char *text, uint64_t *ret)
{
	static const char *const words[] = {"no", "yes", "false", "true", "off", "on", "0", "1"};

	for (unsigned i = 0; i < G_N_ELEMENTS(words); i++) {
		if (g_ascii_strcasecmp(text, words[i]) == 0) {
			*ret = i % 2;
			return 0;
		}
	}
	return -EINVAL;
}

char *nb_boolean_format(uint64_t value)
{
	return g_strdup(value ? "yes" : "no");
}

int nb_count_parse(const char *text, uint64_t *ret)
{
	size_t len = strlen(text);
	uint64_t unit = 1;

	if (g_str_has_suffix(text, "k"))
		unit = 1000;
	else if (g_str_has_suffix(text, "M"))
		unit = 1000000;
	return parse_decimal(text, unit > 1 ? len - 1 : len, unit, ret);
}

char *nb_count_format(uint64_t value)
{
	return g_strdup_printf("%" PRIu64, value);
}

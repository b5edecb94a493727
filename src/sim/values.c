/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim/values.h"

#include "nicbalance/units.h"

#include <errno.h>
#include <glib.h>
#include <string.h>

static int push_digit(uint64_t *value, char digit)
{
	if (__builtin_mul_overflow(*value, 10, value) ||
	    __builtin_add_overflow(*value, (uint64_t)(digit - '0'), value))
		return -ERANGE;
	return 0;
}

static unsigned count_digits(const char *text)
{
	unsigned n = 0;

	while (g_ascii_isdigit(text[n]))
		n++;
	return n;
}

/* The number in front of *text as whole and digits behind the point; *text is then what follows. */
static int take_number(const char **text, uint64_t unit, uint64_t *ret)
{
	unsigned n_whole = count_digits(*text);
	const char *at = *text;
	uint64_t whole = 0, fraction = 0;

	if (n_whole == 0)
		return -EINVAL;
	for (; n_whole > 0; n_whole--)
		if (push_digit(&whole, *at++) < 0)
			return -ERANGE;
	if (__builtin_mul_overflow(whole, unit, &whole))
		return -ERANGE;
	if (*at == '.') {
		unsigned n_digits = count_digits(++at);

		if (n_digits == 0)
			return -EINVAL;
		for (; n_digits > 0; n_digits--) {
			if (*at != '0' && unit % 10 != 0)
				return -EINVAL;
			unit /= 10;
			fraction += (uint64_t)(*at++ - '0') * unit;
		}
	}
	if (__builtin_add_overflow(whole, fraction, ret))
		return -ERANGE;
	*text = at;
	return 0;
}

struct unit {
	const char *name;
	uint64_t value;
};

/* The unit that *text begins with, which must be a whole word; *text is then what follows. */
static const struct unit *take_unit(const struct unit *units, unsigned n_units, const char **text)
{
	unsigned len = 0;

	while (g_ascii_isalpha((*text)[len]) || (*text)[len] == '%')
		len++;
	for (unsigned i = 0; i < n_units; i++) {
		if (strlen(units[i].name) == len && memcmp(units[i].name, *text, len) == 0) {
			*text += len;
			return &units[i];
		}
	}
	return NULL;
}

/* One number with its unit. The unit stands behind the number, whose digits need it. */
static int take_quantity(const char **text, const struct unit *units, unsigned n_units,
			 uint64_t *ret)
{
	const struct unit *unit;
	const char *end = *text, *next;
	uint64_t value;
	int r;

	while (g_ascii_isdigit(*end) || *end == '.')
		end++;
	next = end;
	unit = take_unit(units, n_units, &next);
	if (!unit)
		return -EINVAL;
	r = take_number(text, unit->value, &value);
	if (r < 0)
		return r;
	if (*text != end)
		return -EINVAL;

	*text = next;
	*ret = value;
	return 0;
}

static int parse_quantity(const char *text, const struct unit *units, unsigned n_units,
			  uint64_t *ret)
{
	uint64_t value;
	int r = take_quantity(&text, units, n_units, &value);

	if (r < 0)
		return r;
	if (*text != '\0')
		return -EINVAL;
	*ret = value;
	return 0;
}

int nb_sim_parse_count(const char *text, uint64_t *ret)
{
	static const struct unit units[] = {{"", 1}, {"k", 1000}, {"M", 1000000}};

	return parse_quantity(text, units, G_N_ELEMENTS(units), ret);
}

int nb_sim_parse_share(const char *text, uint64_t *ret_bp)
{
	static const struct unit units[] = {{"%", NB_WHOLE / 100}};

	return parse_quantity(text, units, G_N_ELEMENTS(units), ret_bp);
}

int nb_sim_parse_span(const char *text, uint64_t *ret_nsec)
{
	static const struct unit units[] = {
		{"", NB_NSEC_PER_SEC},         {"ns", 1},
		{"us", NB_NSEC_PER_USEC},      {"ms", 1000 * NB_NSEC_PER_USEC},
		{"s", NB_NSEC_PER_SEC},        {"min", 60 * NB_NSEC_PER_SEC},
		{"h", 3600 * NB_NSEC_PER_SEC},
	};
	uint64_t total = 0;

	do {
		uint64_t part;
		int r = take_quantity(&text, units, G_N_ELEMENTS(units), &part);

		if (r < 0)
			return r;
		if (__builtin_add_overflow(total, part, &total))
			return -ERANGE;
		while (*text == ' ')
			text++;
	} while (*text != '\0');

	*ret_nsec = total;
	return 0;
}

int nb_sim_parse_boolean(const char *text, uint64_t *ret)
{
	static const char *const words[] = {"no", "yes", "false", "true", "off", "on", "0", "1"};

	for (unsigned i = 0; i < G_N_ELEMENTS(words); i++) {
		if (strcmp(text, words[i]) == 0) {
			*ret = i % 2;
			return 0;
		}
	}
	return -EINVAL;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sample/pattern.h"
#include "nicbalance/netdev.h"

#include <glib.h>
#include <string.h>

struct match {
	const struct nb_pattern_names *names;
	unsigned number;
};

static bool match_rest(struct match *match, const char *pattern, const char *text);

static bool match_word(struct match *match, const char *rest, const char *text, const char *word)
{
	size_t len = strlen(word);

	return len > 0 && strncmp(text, word, len) == 0 && match_rest(match, rest, text + len);
}

static bool is_other_interface(const struct match *match, const char *text, size_t len)
{
	for (const char *const *other = match->names->other_ifnames; *other; other++)
		if (strlen(*other) == len && strncmp(*other, text, len) == 0)
			return true;
	return false;
}

static bool match_ifname(struct match *match, const char *rest, const char *text)
{
	size_t len = strnlen(text, NB_IFNAME_MAX - 1);

	if (match_word(match, rest, text, match->names->ifname))
		return true;
	if (!match->names->other_ifnames)
		return false;
	for (; len > 0; len--)
		if (!is_other_interface(match, text, len) && match_rest(match, rest, text + len))
			return true;
	return false;
}

static bool match_number(struct match *match, const char *rest, const char *text)
{
	unsigned number = 0;
	const char *p = text;

	for (; g_ascii_isdigit(*p); p++) {
		if (number > 99999)
			return false;
		number = number * 10 + (unsigned)(*p - '0');
	}
	if (p == text)
		return false;
	match->number = number;
	return match_rest(match, rest, p);
}

static bool match_any(struct match *match, const char *rest, const char *text)
{
	for (size_t len = strlen(text) + 1; len-- > 0;)
		if (match_rest(match, rest, text + len))
			return true;
	return false;
}

static bool match_rest(struct match *match, const char *pattern, const char *text)
{
	for (; *pattern; pattern++, text++) {
		if (*pattern == '*')
			return match_any(match, pattern + 1, text);
		if (g_str_has_prefix(pattern, "{if}"))
			return match_ifname(match, pattern + strlen("{if}"), text);
		if (g_str_has_prefix(pattern, "{pci}"))
			return match_word(match, pattern + strlen("{pci}"), text,
					  match->names->pci);
		if (g_str_has_prefix(pattern, "{dev}"))
			return match_word(match, pattern + strlen("{dev}"), text,
					  match->names->device);
		if (g_str_has_prefix(pattern, "{n}"))
			return match_number(match, pattern + strlen("{n}"), text);
		if (*pattern != *text)
			return false;
	}
	return *text == '\0';
}

bool nb_pattern_match(const char *pattern, const char *text, const struct nb_pattern_names *names,
		      unsigned *ret_number)
{
	struct match match = {.names = names};

	if (!match_rest(&match, pattern, text))
		return false;
	*ret_number = match.number;
	return true;
}

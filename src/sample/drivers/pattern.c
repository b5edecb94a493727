/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sample/drivers/pattern.h"
#include "nicbalance/netdev.h"

#include <string.h>

#define NUMBER_MAX 999999u

struct match {
	const struct nb_pattern_names *names;
	unsigned number;
};

/* What was matched so far, and the place where it may be tried otherwise. */
struct place {
	const char *pattern;
	const char *text;
};

static bool match_fixed(struct match *match, struct place at);

/* Takes a word of the pattern itself, such as "{n}". */
static bool take_place(struct place *at, const char *word)
{
	size_t len = strlen(word);

	if (strncmp(at->pattern, word, len) != 0)
		return false;
	at->pattern += len;
	return true;
}

static bool take_word(struct place *at, const char *word)
{
	size_t len = strlen(word);

	if (len == 0 || strncmp(at->text, word, len) != 0)
		return false;
	at->text += len;
	return true;
}

static bool take_number(struct place *at, unsigned *ret)
{
	const char *start = at->text;
	unsigned number = 0, digit;

	for (; (digit = (unsigned char)*at->text - (unsigned)'0') < 10; at->text++) {
		number = number * 10 + digit;
		if (number > NUMBER_MAX)
			return false;
	}
	if (at->text == start)
		return false;
	*ret = number;
	return true;
}

static bool is_other_interface(const struct match *match, const char *text, size_t len)
{
	for (const char *const *other = match->names->other_ifnames; *other; other++)
		if (strncmp(*other, text, len) == 0 && (*other)[len] == '\0')
			return true;
	return false;
}

/* Whether it is worth while to look whether a pattern fits a text that begins so. */
static bool may_fit(const char *pattern, char first)
{
	return *pattern == first || *pattern == '*' || *pattern == '{';
}

/* The name it has, or any it may have had: the longest that leaves the rest to fit. */
static bool match_ifname(struct match *match, struct place at)
{
	size_t len = strnlen(at.text, NB_IFNAME_MAX - 1);
	struct place behind = at;

	if (take_word(&behind, match->names->ifname) && match_fixed(match, behind))
		return true;
	if (!match->names->other_ifnames)
		return false;
	for (; len > 0; len--)
		if (may_fit(at.pattern, at.text[len]) &&
		    match_fixed(match, (struct place){at.pattern, at.text + len}) &&
		    !is_other_interface(match, at.text, len))
			return true;
	return false;
}

/* One character or place of the pattern. {if} is not among them, for it takes the rest along. */
static bool match_one(struct match *match, struct place *at)
{
	if (*at->pattern == '{') {
		if (take_place(at, "{n}"))
			return take_number(at, &match->number);
		if (take_place(at, "{pci}"))
			return take_word(at, match->names->pci);
		if (take_place(at, "{dev}"))
			return take_word(at, match->names->device);
	}
	if (*at->pattern != *at->text || *at->text == '\0')
		return false;
	at->pattern++;
	at->text++;
	return true;
}

/* What stands between two stars ends the sooner, the sooner it begins. So once a star is reached,
 * only what it stands for needs to be tried, not the stars before it. */
static bool match_fixed(struct match *match, struct place at)
{
	struct place star = {0};

	while (*at.pattern || *at.text) {
		if (*at.pattern == '*') {
			at.pattern++;
			star = at;
			continue;
		}
		if (*at.pattern == '{' && take_place(&at, "{if}")) {
			if (match_ifname(match, at))
				return true;
		} else if (match_one(match, &at)) {
			continue;
		}
		if (!star.pattern || *star.text == '\0')
			return false;
		star.text++;
		at = star;
	}
	return true;
}

bool nb_pattern_match(const char *pattern, const char *text, const struct nb_pattern_names *names,
		      unsigned *ret_number)
{
	struct match match = {.names = names};

	if (!match_fixed(&match, (struct place){pattern, text}))
		return false;
	*ret_number = match.number;
	return true;
}

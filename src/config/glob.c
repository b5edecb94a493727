/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config/glob.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* text follows the "[" of "[:digit:]", "[=a=]" or "[.-.]". What follows the whole; NULL: it is none
 * of these, or not closed. */
static const char *skip_class(const char *text)
{
	char kind = *text;

	if (kind != ':' && kind != '=' && kind != '.')
		return NULL;
	for (text++; *text != '\0'; text++)
		if (text[0] == kind && text[1] == ']')
			return text + 2;
	return NULL;
}

/* Of a bracket: a class, a character, or one with a backslash. */
static const char *skip_element(const char *text)
{
	const char *behind = *text == '[' ? skip_class(text + 1) : NULL;

	if (behind)
		return behind;
	return text + (*text == '\\' && text[1] != '\0' ? 2 : 1);
}

static bool is_unknown_class(const char *text, const char *behind)
{
	static const char *const classes[] = {"alnum", "alpha", "blank", "cntrl",
					      "digit", "graph", "lower", "print",
					      "punct", "space", "upper", "xdigit"};
	size_t length = (size_t)(behind - text);

	if (length < strlen("[::]") || text[0] != '[' || text[1] != ':')
		return false;
	length -= strlen("[::]");
	for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); i++)
		if (strlen(classes[i]) == length && memcmp(classes[i], text + 2, length) == 0)
			return false;
	return true;
}

/* Of one ASCII character; which order others have depends on the locale. */
static bool ends_before_it_begins(const char *low, const char *high)
{
	const unsigned char *from = (const unsigned char *)low + (*low == '\\');
	const unsigned char *to = (const unsigned char *)high + (*high == '\\');

	return *low != '[' && *high != '[' && *from < 0x80 && *to < *from;
}

/* text follows a "[". What is wrong up to its "]"; NULL: nothing, and *ret_behind follows that. */
static const char *explain_bracket(const char *text, const char **ret_behind)
{
	static const char not_closed[] =
		"a [ is not closed; close it with ], or write \\[ for the character";

	if (*text == '!' || *text == '^')
		text++;
	if (*text == '\0')
		return not_closed;
	/* A "]" at the beginning stands for itself: "[]x]". */
	do {
		const char *element = text;

		text = skip_element(element);
		if (is_unknown_class(element, text))
			return "no class of characters has this name; [[:digit:]] and [[:alpha:]] "
			       "are two of those in regex(7)";
		if (text[0] != '-' || text[1] == ']' || text[1] == '\0')
			continue;
		if (ends_before_it_begins(element, text + 1))
			return "a range in [ ] ends before it begins, and so has no character; "
			       "swap its ends";
		text = skip_element(text + 1);
	} while (*text != '\0' && *text != ']');
	*ret_behind = text + 1;
	return *text == ']' ? NULL : not_closed;
}

const char *nb_glob_explain(const char *text)
{
	if (*text == '"' || *text == '\'')
		return "quotes would be part of the name; leave them out";
	for (const char *at = text; *at != '\0'; at++) {
		if ((*at == '#' || *at == ';') && (at == text || at[-1] == ' ' || at[-1] == '\t'))
			return "a comment cannot follow a value; write it on a line of its own, "
			       "or \\# and \\; for the characters";
		if (*at == '[') {
			const char *fault = explain_bracket(at + 1, &at);

			if (fault)
				return fault;
			at--;
		}
		if (*at == '\\' && *++at == '\0')
			return "nothing follows the last \\; write \\\\ for the character";
	}
	return NULL;
}

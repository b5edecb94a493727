/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config/glob.h"

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

/* text follows a "[". What follows its "]"; NULL: there is none. */
static const char *skip_bracket(const char *text)
{
	if (*text == '!' || *text == '^')
		text++;
	/* The first one stands for itself: "[]x]". */
	if (*text == ']')
		text++;
	while (*text != '\0' && *text != ']') {
		const char *behind = *text == '[' ? skip_class(text + 1) : NULL;

		if (behind)
			text = behind;
		else
			text += *text == '\\' && text[1] != '\0' ? 2 : 1;
	}
	return *text == ']' ? text + 1 : NULL;
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
			at = skip_bracket(at + 1);
			if (!at)
				return "a [ is not closed; close it with ], or write \\[ for the "
				       "character";
			at--;
		}
		if (*at == '\\' && *++at == '\0')
			return "nothing follows the last \\; write \\\\ for the character";
	}
	return NULL;
}

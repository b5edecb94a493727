/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/ini.h"

#include <string.h>

enum section_state { SECTION_NONE, SECTION_KNOWN, SECTION_BROKEN };

struct nb_ini {
	char *text; /* our copy: lines and words are cut in place */
	size_t len;
	size_t offset;
	unsigned line;
	enum section_state section;
};

struct nb_ini *nb_ini_new(const char *text, size_t len)
{
	static const char mark[] = "\xef\xbb\xbf";
	struct nb_ini *ini = g_new0(struct nb_ini, 1);

	ini->text = g_malloc(len + 1);
	if (len > 0)
		memcpy(ini->text, text, len);
	ini->text[len] = '\0';
	ini->len = len;
	if (g_str_has_prefix(ini->text, mark))
		ini->offset = strlen(mark);
	return ini;
}

void nb_ini_free(struct nb_ini *ini)
{
	if (!ini)
		return;
	g_free(ini->text);
	g_free(ini);
}

static char *cut_line(struct nb_ini *ini, size_t *ret_len)
{
	char *line = ini->text + ini->offset;
	char *end = memchr(line, '\n', ini->len - ini->offset);

	*ret_len = end ? (size_t)(end - line) : ini->len - ini->offset;
	line[*ret_len] = '\0';
	ini->offset += *ret_len + (end ? 1 : 0);
	ini->line++;
	return line;
}

static const char *find_bad_bytes(const char *line, size_t len)
{
	if (len > NB_INI_LINE_MAX)
		return "the line is longer than 4096 bytes; check that this is the file that was meant";
	if (memchr(line, '\0', len))
		return "the line holds a NUL byte; save the file as plain UTF-8 text";
	if (!g_utf8_validate(line, (gssize)len, NULL))
		return "the line is not valid UTF-8; save the file as plain UTF-8 text";
	return NULL;
}

static bool set_fault(struct nb_ini_item *item, const char *fault)
{
	item->kind = NB_INI_FAULT;
	item->name = "";
	item->value = fault;
	return true;
}

/* The last bracket of the line closes it, so that a glob in it may have brackets of its own. */
static bool read_section(struct nb_ini *ini, char *line, struct nb_ini_item *item)
{
	size_t len = strlen(line);
	char *name, *rest;

	ini->section = SECTION_BROKEN;
	if (line[len - 1] != ']')
		return set_fault(item, "the section header does not end in ]; "
				       "write it on a line of its own, as [Name]");
	line[len - 1] = '\0';
	name = g_strstrip(line + 1);
	if (*name == '\0')
		return set_fault(item, "the section has no name; write it as [Name]");

	ini->section = SECTION_KNOWN;
	rest = name + strcspn(name, " \t");
	if (*rest != '\0')
		*rest++ = '\0';
	item->kind = NB_INI_SECTION;
	item->name = name;
	item->value = g_strstrip(rest);
	return true;
}

static bool read_assignment(struct nb_ini *ini, char *line, struct nb_ini_item *item)
{
	char *equals = strchr(line, '=');

	if (line[strlen(line) - 1] == '\\')
		return set_fault(item, "a line cannot be continued with a backslash; "
				       "write the whole value on one line");
	if (!equals)
		return set_fault(item, "the line is neither a section nor an assignment; "
				       "write Key=Value, or # in front of a comment");
	if (equals == line)
		return set_fault(item, "there is no key before =; write Key=Value");
	if (ini->section == SECTION_NONE)
		return set_fault(item, "the assignment stands before the first section; "
				       "write its section above it, as [Name]");
	if (ini->section == SECTION_BROKEN)
		return false;

	*equals = '\0';
	item->kind = NB_INI_ASSIGNMENT;
	item->name = g_strchomp(line);
	item->value = g_strchug(equals + 1);
	return true;
}

static bool read_line(struct nb_ini *ini, char *line, size_t len, struct nb_ini_item *item)
{
	const char *fault = find_bad_bytes(line, len);

	line = g_strstrip(line);
	if (fault) {
		if (*line == '[')
			ini->section = SECTION_BROKEN;
		return set_fault(item, fault);
	}
	if (*line == '\0' || *line == '#' || *line == ';')
		return false;
	if (*line == '[')
		return read_section(ini, line, item);
	return read_assignment(ini, line, item);
}

bool nb_ini_next(struct nb_ini *ini, struct nb_ini_item *ret)
{
	while (ini->offset < ini->len) {
		size_t len;
		char *line = cut_line(ini, &len);
		struct nb_ini_item item = {.line = ini->line};

		if (!read_line(ini, line, len, &item))
			continue;
		*ret = item;
		return true;
	}
	return false;
}

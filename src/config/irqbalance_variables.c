/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config/irqbalance_variables.h"

#include <stdbool.h>
#include <string.h>

static const char *const names[_NB_IRQBALANCE_VARIABLE_MAX] = {
	[NB_IRQBALANCE_MASK] = "IRQBALANCE_BANNED_CPUS",
	[NB_IRQBALANCE_LIST] = "IRQBALANCE_BANNED_CPULIST",
	[NB_IRQBALANCE_ARGUMENTS] = "IRQBALANCE_ARGS",
	[NB_IRQBALANCE_COMMAND] = "ExecStart",
};

const char *nb_irqbalance_variable_name(enum nb_irqbalance_variable variable)
{
	return names[variable];
}

static void take_back(struct nb_irqbalance_value *value)
{
	g_clear_pointer(&value->text, g_free);
	g_clear_pointer(&value->origin, g_free);
}

void nb_irqbalance_variables_clear(struct nb_irqbalance_variables *variables)
{
	for (unsigned i = 0; i < _NB_IRQBALANCE_VARIABLE_MAX; i++)
		take_back(&variables->values[i]);
	g_clear_pointer(&variables->files, g_ptr_array_unref);
}

/* One line, those that a backslash joins to it included. */
struct line {
	char *text; /* without white space around it */
	const char *path;
	unsigned number; /* of the first; 1 is that of the file */
};

typedef void (*line_handler)(struct nb_irqbalance_variables *variables, const struct line *line,
			     void *userdata);

static void for_each_line(struct nb_irqbalance_variables *variables, const char *path,
			  const char *text, size_t len, line_handler handle, void *userdata)
{
	g_autofree char *copy = g_strndup(text, len);
	g_auto(GStrv) lines = g_strsplit(copy, "\n", -1);
	g_autoptr(GString) whole = g_string_new(NULL);
	unsigned first = 0;

	for (unsigned i = 0; lines[i]; i++) {
		if (whole->len == 0)
			first = i;
		g_string_append(whole, lines[i]);
		if (g_str_has_suffix(lines[i], "\\") && lines[i + 1]) {
			whole->str[whole->len - 1] = ' ';
			continue;
		}
		handle(variables, &(struct line){g_strstrip(whole->str), path, first + 1},
		       userdata);
		g_string_truncate(whole, 0);
	}
}

/* Cuts "name = value" in two; NULL: it is none, or a comment. */
static char *cut(char *text)
{
	char *equals = strchr(text, '=');

	if (!equals || *text == '#' || *text == ';')
		return NULL;
	*equals = '\0';
	g_strchomp(text);
	return equals + 1;
}

static void assign(struct nb_irqbalance_value *value, const char *text, const struct line *line)
{
	take_back(value);
	value->text = g_strdup(text);
	value->origin = g_strdup_printf("%s:%u", line->path, line->number);
}

static void assign_variable(struct nb_irqbalance_variables *variables, const char *name,
			    const char *text, const struct line *line)
{
	for (unsigned i = 0; i < NB_IRQBALANCE_COMMAND; i++)
		if (g_str_equal(name, names[i]))
			assign(&variables->values[i], text, line);
}

/* Without the quotes around it. */
static char *unquote(char *text)
{
	size_t len;

	g_strstrip(text);
	len = strlen(text);
	if (len >= 2 && (text[0] == '"' || text[0] == '\'') && text[len - 1] == text[0]) {
		text[len - 1] = '\0';
		text++;
	}
	return g_strstrip(text);
}

static void read_file_line(struct nb_irqbalance_variables *variables, const struct line *line,
			   void *userdata)
{
	char *value = cut(line->text);

	(void)userdata;
	if (value)
		assign_variable(variables, line->text, unquote(value), line);
}

void nb_irqbalance_variables_add_file(struct nb_irqbalance_variables *variables, const char *path,
				      const char *text, size_t len)
{
	for_each_line(variables, path, text, len, read_file_line, NULL);
}

static void set_environment(struct nb_irqbalance_variables *variables, const char *value,
			    const struct line *line)
{
	g_auto(GStrv) words = NULL;

	for (unsigned i = 0; *value == '\0' && i < NB_IRQBALANCE_COMMAND; i++)
		take_back(&variables->values[i]);
	if (!g_shell_parse_argv(value, NULL, &words, NULL))
		return;
	for (char **word = words; *word; word++) {
		char *text = cut(*word);

		if (text)
			assign_variable(variables, *word, g_strstrip(text), line);
	}
}

/* A minus in front says that it may be missing. */
static void add_environment_file(struct nb_irqbalance_variables *variables, const char *value)
{
	if (*value == '\0')
		g_clear_pointer(&variables->files, g_ptr_array_unref);
	if (*value == '-')
		value++;
	if (*value != '/' || strpbrk(value, "%*?["))
		return;
	if (!variables->files)
		variables->files = g_ptr_array_new_with_free_func(g_free);
	g_ptr_array_add(variables->files, g_strdup(value));
}

static void read_unit_line(struct nb_irqbalance_variables *variables, const struct line *line,
			   void *userdata)
{
	bool *in_service = userdata;
	char *value;

	if (*line->text == '[')
		*in_service = g_str_equal(line->text, "[Service]");
	value = cut(line->text);
	if (!value || !*in_service)
		return;
	g_strchug(value);
	if (g_str_equal(line->text, "Environment"))
		set_environment(variables, value, line);
	else if (g_str_equal(line->text, "EnvironmentFile"))
		add_environment_file(variables, value);
	else if (g_str_equal(line->text, names[NB_IRQBALANCE_COMMAND]))
		assign(&variables->values[NB_IRQBALANCE_COMMAND], value, line);
}

void nb_irqbalance_variables_add_unit(struct nb_irqbalance_variables *variables, const char *path,
				      const char *text, size_t len)
{
	bool in_service = false;

	for_each_line(variables, path, text, len, read_unit_line, &in_service);
}

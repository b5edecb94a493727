/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which columns are printed. */
#include "ctl/show/table.h"

#include <errno.h>
#include <strings.h>

static bool is_in_use(const struct nb_column *column, const json_t *rows)
{
	for (size_t i = 0; i < json_array_size(rows); i++)
		if (json_number_value(json_object_get(json_array_get(rows, i), column->field)) > 0)
			return true;
	return false;
}

static bool is_usual(const struct nb_column *column, const struct nb_style *style,
		     const json_t *rows)
{
	if (column->flags & NB_COLUMN_EXTRA)
		return false;
	if (column->flags & NB_COLUMN_SCREEN)
		return style->screen && style->utf8;
	if (column->flags & NB_COLUMN_RARE)
		return is_in_use(column, rows);
	return true;
}

GPtrArray *nb_columns_usual(const struct nb_form *form, const struct nb_style *style,
			    const json_t *rows)
{
	GPtrArray *columns = g_ptr_array_new();

	for (size_t i = 0; i < form->n_columns; i++)
		if (is_usual(&form->columns[i], style, rows))
			g_ptr_array_add(columns, (gpointer)&form->columns[i]);
	return columns;
}

char *nb_columns_names(const struct nb_form *form)
{
	GString *names = g_string_new(NULL);

	for (size_t i = 0; i < form->n_columns; i++)
		g_string_append_printf(names, "%s%s", i ? ", " : "", form->columns[i].name);
	return g_string_free(names, FALSE);
}

static const struct nb_column *find(const struct nb_form *form, const char *name)
{
	for (size_t i = 0; i < form->n_columns; i++)
		if (strcasecmp(form->columns[i].name, name) == 0)
			return &form->columns[i];
	return NULL;
}

static char *explain(const struct nb_form *form, const char *name)
{
	g_autofree char *names = nb_columns_names(form);

	return g_strdup_printf("there is no column \"%s\"; there are %s", name, names);
}

int nb_columns_select(const struct nb_form *form, const struct nb_style *style, const char *text,
		      GPtrArray **ret, char **ret_error)
{
	bool adds = text[0] == '+';
	g_autoptr(GPtrArray) columns =
		adds ? nb_columns_usual(form, style, NULL) : g_ptr_array_new();
	g_auto(GStrv) names = g_strsplit(text + adds, ",", -1);

	for (unsigned i = 0; names[i]; i++) {
		const struct nb_column *column = find(form, g_strstrip(names[i]));

		if (!column) {
			*ret_error = explain(form, names[i]);
			return -EINVAL;
		}
		g_ptr_array_add(columns, (gpointer)column);
	}
	if (columns->len == 0) {
		*ret_error = explain(form, "");
		return -EINVAL;
	}
	*ret = g_steal_pointer(&columns);
	return 0;
}

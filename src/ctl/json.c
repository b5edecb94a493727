/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ctl/json.h"

#include <stdio.h>

GString *nb_json_begin(void)
{
	return g_string_new("{");
}

static void add_name(GString *json, const char *name)
{
	g_string_append_printf(json, "%s\n  \"%s\": ", json->len > 1 ? "," : "", name);
}

/* One row a line: for people who look, and for diff. */
static void append_object(GString *json, const GPtrArray *columns, const void *row)
{
	const char *comma = "";

	g_string_append_c(json, '{');
	for (unsigned i = 0; i < columns->len; i++) {
		const struct nb_column *column = columns->pdata[i];

		if (!column->json)
			continue;
		g_string_append_printf(json, "%s\"%s\": ", comma, column->json);
		nb_cell_append_json(json, column, row);
		comma = ", ";
	}
	g_string_append_c(json, '}');
}

void nb_json_add_object(GString *json, const struct nb_form *form, const GArray *rows)
{
	g_autoptr(GPtrArray) columns = nb_columns_json(form);

	add_name(json, form->name);
	append_object(json, columns, nb_row_at(rows, 0));
}

void nb_json_add_array(GString *json, const struct nb_form *form, const GArray *rows,
		       const GPtrArray *columns)
{
	g_autoptr(GPtrArray) all = nb_columns_json(form);

	add_name(json, form->name);
	g_string_append_c(json, '[');
	for (unsigned i = 0; i < rows->len; i++) {
		g_string_append(json, i ? ",\n    " : "\n    ");
		append_object(json, columns ? columns : all, nb_row_at(rows, i));
	}
	g_string_append(json, rows->len ? "\n  ]" : "]");
}

void nb_json_end(GString *json)
{
	g_string_append(json, "\n}\n");
	fputs(json->str, stdout);
	g_string_free(json, TRUE);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ctl/show/table.h"

#include "ctl/show/layout.h"
#include "ctl/show/value.h"
#include "document/document.h"
#include "document/json.h"

#include <langinfo.h>
#include <libsmartcols/libsmartcols.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* A CPU or a queue at half of one CPU deserves attention. */
#define WARM_BASIS_POINTS 5000

/* https://no-color.org: set and not empty. */
void nb_style_detect(struct nb_style *ret)
{
	const char *no_color = getenv("NO_COLOR");
	const char *terminal = getenv("TERM");

	*ret = (struct nb_style){
		.screen = isatty(STDOUT_FILENO),
		.utf8 = g_str_equal(nl_langinfo(CODESET), "UTF-8"),
		.hot = UINT32_MAX,
	};
	/* What calls itself dumb prints escape sequences as they are: a log, the shell of an
	 * editor. */
	ret->colour = ret->screen && !(no_color && *no_color) && g_strcmp0(terminal, "dumb") != 0;
}

static const char *heat(uint32_t share, const struct nb_style *style)
{
	if (share == UINT32_MAX || share < WARM_BASIS_POINTS)
		return NULL;
	return share >= style->hot ? "red" : "yellow";
}

static void add_column(struct libscols_table *table, const struct nb_column *column,
		       const struct nb_style *style)
{
	bool wraps = style->screen && column->flags & NB_COLUMN_WRAP;
	int flags = 0;
	struct libscols_column *added;

	if (nb_column_is_right_aligned(column))
		flags |= SCOLS_FL_RIGHT;
	if (wraps)
		flags |= SCOLS_FL_WRAP;
	added = scols_table_new_column(table, column->heading, 0, flags);
	if (!wraps)
		return;
	scols_column_set_safechars(added, "\n");
	scols_column_set_wrapfunc(added, scols_wrapnl_chunksize, scols_wrapnl_nextchunk, NULL);
}

static void add_cell(struct libscols_line *line, unsigned i, const struct nb_column *column,
		     const json_t *row, const char *text, const struct nb_style *style)
{
	scols_line_set_data(line, i, text);
	if (column->flags & NB_COLUMN_HEAT)
		scols_cell_set_color(scols_line_get_cell(line, i),
				     heat(nb_value_share(row, column->field), style));
}

/* The arrow is the one sign beyond ASCII that a sentence of the daemon holds. */
static char *cell_text(const struct nb_column *column, const json_t *row,
		       const struct nb_style *style)
{
	g_autofree char *text = nb_cell_text(column, row);
	g_auto(GStrv) parts = NULL;

	if (style->utf8)
		return g_steal_pointer(&text);
	parts = g_strsplit(text, "→", -1);
	return g_strjoinv("->", parts);
}

/* Row by row. */
static GPtrArray *cell_texts(const json_t *rows, const GPtrArray *columns,
			     const struct nb_style *style)
{
	GPtrArray *texts = g_ptr_array_new_with_free_func(g_free);

	for (size_t i = 0; i < json_array_size(rows); i++)
		for (unsigned j = 0; j < columns->len; j++)
			g_ptr_array_add(texts, cell_text(columns->pdata[j], json_array_get(rows, i),
							 style));
	return texts;
}

static void fill(struct libscols_table *table, const json_t *rows, const GPtrArray *columns,
		 const struct nb_style *style)
{
	g_autoptr(GPtrArray) texts = cell_texts(rows, columns, style);

	if (style->screen)
		nb_layout_fit(texts, columns, scols_table_get_termwidth(table));
	for (unsigned i = 0; i < columns->len; i++)
		add_column(table, columns->pdata[i], style);
	for (size_t i = 0; i < json_array_size(rows); i++) {
		struct libscols_line *line = scols_table_new_line(table, NULL);

		for (unsigned j = 0; j < columns->len; j++)
			add_cell(line, j, columns->pdata[j], json_array_get(rows, i),
				 texts->pdata[i * columns->len + j], style);
	}
}

void nb_table_print(const struct nb_form *form, const json_t *rows, const GPtrArray *columns,
		    const struct nb_style *style)
{
	g_autoptr(GPtrArray) usual = nb_columns_usual(form, style, rows);
	struct libscols_table *table = scols_new_table();

	scols_table_enable_noheadings(table, style->noheadings);
	scols_table_enable_colors(table, style->colour);
	fill(table, rows, columns ? columns : usual, style);
	scols_print_table(table);
	scols_unref_table(table);
}

void nb_table_print_title(const char *title, const struct nb_style *style)
{
	putchar('\n');
	if (!style->noheadings)
		printf(style->colour ? "\033[1m%s\033[0m\n" : "%s\n", title);
}

json_t *nb_form_rows(const struct nb_form *form, const json_t *document)
{
	const json_t *parent = form->parent ? json_object_get(document, form->parent) : document;

	return json_object_get(parent, form->name);
}

void nb_json_print(const json_t *document)
{
	g_autofree char *text = nb_document_print(document);

	fputs(text, stdout);
}

static json_t *field_of(const json_t *row, const struct nb_column *column)
{
	json_t *field = json_object_get(row, column->field);

	return field ? json_incref(field) : json_null();
}

static json_t *chosen_fields(const json_t *row, const GPtrArray *columns)
{
	json_t *chosen = json_object();

	for (unsigned i = 0; i < columns->len; i++) {
		const struct nb_column *column = columns->pdata[i];

		if (*column->field)
			nb_json_set(chosen, column->field, field_of(row, column));
	}
	return chosen;
}

void nb_table_print_json(const struct nb_form *form, const json_t *rows, const GPtrArray *columns)
{
	json_t *document = json_object(), *printed = json_array(), *parent = document;

	for (size_t i = 0; i < json_array_size(rows); i++) {
		json_t *row = json_array_get(rows, i);

		nb_json_append(printed, columns ? chosen_fields(row, columns) : json_incref(row));
	}
	nb_json_set(document, "version", json_integer(NB_DOCUMENT_VERSION));
	if (form->parent) {
		parent = json_object();
		nb_json_set(document, form->parent, parent);
	}
	nb_json_set(parent, form->name, printed);
	nb_json_print(document);
	json_decref(document);
}

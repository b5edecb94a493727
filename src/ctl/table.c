/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ctl/table.h"

#include "ctl/layout.h"

#include <langinfo.h>
#include <libsmartcols/libsmartcols.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* A CPU or a queue at half of one CPU deserves a look. */
#define WARM_PERMYRIAD 5000

/* https://no-color.org: set and not empty. */
void nb_style_detect(struct nb_style *ret)
{
	const char *no_color = getenv("NO_COLOR");

	*ret = (struct nb_style){
		.screen = isatty(STDOUT_FILENO),
		.utf8 = g_str_equal(nl_langinfo(CODESET), "UTF-8"),
		.hot = UINT32_MAX,
	};
	ret->colour = ret->screen && !(no_color && *no_color);
}

static const char *heat(uint32_t share, const struct nb_style *style)
{
	if (share == UINT32_MAX || share < WARM_PERMYRIAD)
		return NULL;
	return share >= style->hot ? "red" : "yellow";
}

static void add_column(struct libscols_table *table, const struct nb_column *column,
		       const struct nb_style *style)
{
	bool wraps = style->screen && column->flags & NB_COLUMN_WRAP;
	int flags = 0;
	struct libscols_column *added;

	if (nb_cell_is_right_aligned(column->cell))
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
		     const void *row, const char *text, const struct nb_style *style)
{
	scols_line_set_data(line, i, text);
	if (column->flags & NB_COLUMN_HEAT)
		scols_cell_set_color(scols_line_get_cell(line, i),
				     heat(nb_cell_share(column, row), style));
}

/* The arrow is the one sign beyond ASCII that a sentence of the daemon holds. */
static char *cell_text(const struct nb_column *column, const void *row,
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
static GPtrArray *cell_texts(const GArray *rows, const GPtrArray *columns,
			     const struct nb_style *style)
{
	GPtrArray *texts = g_ptr_array_new_with_free_func(g_free);

	for (unsigned i = 0; i < rows->len; i++)
		for (unsigned j = 0; j < columns->len; j++)
			g_ptr_array_add(texts,
					cell_text(columns->pdata[j], nb_row_at(rows, i), style));
	return texts;
}

static void fill(struct libscols_table *table, const GArray *rows, const GPtrArray *columns,
		 const struct nb_style *style)
{
	g_autoptr(GPtrArray) texts = cell_texts(rows, columns, style);

	if (style->screen)
		nb_layout_fit(texts, columns, scols_table_get_termwidth(table));
	for (unsigned i = 0; i < columns->len; i++)
		add_column(table, columns->pdata[i], style);
	for (unsigned i = 0; i < rows->len; i++) {
		struct libscols_line *line = scols_table_new_line(table, NULL);

		for (unsigned j = 0; j < columns->len; j++)
			add_cell(line, j, columns->pdata[j], nb_row_at(rows, i),
				 texts->pdata[i * columns->len + j], style);
	}
}

void nb_table_print(const struct nb_form *form, const GArray *rows, const GPtrArray *columns,
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

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ctl/table.h"

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

static void add_column(struct libscols_table *table, const struct nb_column *column)
{
	int flags = 0;

	if (nb_cell_is_right_aligned(column->cell))
		flags |= SCOLS_FL_RIGHT;
	if (column->flags & NB_COLUMN_WRAP)
		flags |= SCOLS_FL_WRAP;
	scols_table_new_column(table, column->heading, 0, flags);
}

static void add_row(struct libscols_table *table, const GPtrArray *columns, const void *row,
		    const struct nb_style *style)
{
	struct libscols_line *line = scols_table_new_line(table, NULL);

	for (unsigned i = 0; i < columns->len; i++) {
		const struct nb_column *column = columns->pdata[i];
		g_autofree char *text = nb_cell_text(column, row);

		scols_line_set_data(line, i, text);
		if (column->flags & NB_COLUMN_HEAT)
			scols_cell_set_color(scols_line_get_cell(line, i),
					     heat(nb_cell_share(column, row), style));
	}
}

void nb_table_print(const struct nb_form *form, const GArray *rows, const GPtrArray *columns,
		    const struct nb_style *style)
{
	g_autoptr(GPtrArray) usual = nb_columns_usual(form, style);
	struct libscols_table *table = scols_new_table();
	guint row_size = g_array_get_element_size((GArray *)rows);

	if (!columns)
		columns = usual;
	scols_table_enable_noheadings(table, style->noheadings);
	scols_table_enable_colors(table, style->colour);
	for (unsigned i = 0; i < columns->len; i++)
		add_column(table, columns->pdata[i]);
	for (unsigned i = 0; i < rows->len; i++)
		add_row(table, columns, rows->data + i * row_size, style);
	scols_print_table(table);
	scols_unref_table(table);
}

void nb_table_print_title(const char *title, const struct nb_style *style)
{
	if (style->noheadings)
		return;
	printf(style->colour ? "\n\033[1m%s\033[0m\n" : "\n%s\n", title);
}

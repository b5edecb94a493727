/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* Rows of the document as a table or as JSON on stdout. The columns are data: see columns.h. */

#include "ctl/show/cell.h"

/* Where rows of one type are in a document, and what they look like. */
struct nb_form {
	const char *parent; /* the object that holds them; NULL: the document itself */
	const char *name;
	const struct nb_column *columns;
	size_t n_columns;
};

struct nb_style {
	bool screen; /* stdout is a terminal */
	bool utf8;
	bool colour;
	bool noheadings;
	uint32_t hot; /* basis points: from here on a share is red */
};

/* What stdout can show. */
void nb_style_detect(struct nb_style *ret);

/* Borrowed. */
json_t *nb_form_rows(const struct nb_form *form, const json_t *document);

/* The columns to print (const struct nb_column *): the usual ones, or those that text names, as -o
 * takes it: "NIC,CPU" or, with the usual ones, "+CPU". Rare columns are usual only for rows (may be
 * NULL) that have something to show there. Caller unrefs. */
GPtrArray *nb_columns_usual(const struct nb_form *form, const struct nb_style *style,
			    const json_t *rows);
/* -EINVAL and a sentence when a name is not known. */
int nb_columns_select(const struct nb_form *form, const struct nb_style *style, const char *text,
		      GPtrArray **ret, char **ret_error);
/* "NIC, QUEUE, …" */
char *nb_columns_names(const struct nb_form *form);

/* columns NULL: the usual ones. */
void nb_table_print(const struct nb_form *form, const json_t *rows, const GPtrArray *columns,
		    const struct nb_style *style);
/* The line above a table. */
void nb_table_print_title(const char *title, const struct nb_style *style);

/* A document as it is. */
void nb_json_print(const json_t *document);
/* One of rows alone, at their place; columns NULL: with all fields. */
void nb_table_print_json(const struct nb_form *form, const json_t *rows, const GPtrArray *columns);

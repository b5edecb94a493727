/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* Rows as one JSON object. Not by libsmartcols, which knows neither an object in an object nor, up
 * to 2.37, an array in a row. */

#include "ctl/table.h"

GString *nb_json_begin(void);
/* The first row as an object; columns NULL: all that JSON shows. */
void nb_json_add_object(GString *json, const struct nb_form *form, const GArray *rows);
void nb_json_add_array(GString *json, const struct nb_form *form, const GArray *rows,
		       const GPtrArray *columns);
/* Prints and frees. */
void nb_json_end(GString *json);

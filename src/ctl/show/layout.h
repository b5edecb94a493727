/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* Long sentences broken at words, so that a table fits the terminal: libsmartcols breaks inside
 * words. Pure. */

#include "ctl/show/cell.h"

/* texts (char *, owned): the cells, row by row; those of NB_COLUMN_WRAP get line breaks. */
void nb_layout_fit(GPtrArray *texts, const GPtrArray *columns, size_t terminal_width);

/* text in lines of at most width characters; a longer word stays whole. Caller frees (g_free). */
char *nb_layout_wrap(const char *text, size_t width);

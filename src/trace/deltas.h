/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* How a row of numbers changed, in as few letters as can be: nicbalance-trace(5), CODE. Pure. */

#include <glib.h>
#include <stdint.h>

/* Appends a line that begins with letter; nothing when nothing changed. */
void nb_trace_append_deltas(char letter, const int32_t *from, const int32_t *to, unsigned n,
			    GString *text);

/* Changes n numbers by what stands behind the letter. -EBADMSG: that is no code, or one for more
 * numbers; they are undefined then. */
int nb_trace_apply_deltas(const char *code, size_t len, int32_t *numbers, unsigned n);

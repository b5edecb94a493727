/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* How numbers are written in a configuration and in a scenario, to and fro. Pure. Parsers return 0,
 * -EINVAL when the text is no such value, or -ERANGE when no integer of ours holds it; *ret is then
 * untouched. Formatted texts are parsed back to the same value; caller frees (g_free). */

#include <stdint.h>

/* "70%", "2.5%": basis points. Finer than 0.01% is -EINVAL. */
int nb_share_parse(const char *text, uint64_t *ret_bp);
char *nb_share_format(uint64_t bp);

/* Time spans as in systemd.time(7) from nanoseconds to days: "30s", "1min 30s", "250ms", "1.5h"; a
 * number without a unit counts seconds. */
int nb_span_parse(const char *text, uint64_t *ret_nsec);
char *nb_span_format(uint64_t nsec);

/* yes, true, on, 1; no, false, off, 0; upper or lower case. */
int nb_boolean_parse(const char *text, uint64_t *ret);
char *nb_boolean_format(uint64_t value);

/* "16", "20k", "1.5M". */
int nb_count_parse(const char *text, uint64_t *ret);
char *nb_count_format(uint64_t value);

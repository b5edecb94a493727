/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* The kernel's two text forms of a CPU set: the hex mask ("00000001,80000000") and the list
 * ("0-3,8"). Pure. Parsers ignore white space at the end and leave *ret untouched on failure. */

#include "nicbalance/cpumask.h"

#include <stddef.h>

/* Groups of at most eight hex digits, most significant first (lib/bitmap.c bitmap_parse).
 * -EINVAL: not a mask; -ERANGE: a CPU at or above NB_CPUS_MAX. */
int nb_cpumask_parse_mask(const char *text, size_t len, struct nb_cpumask *ret);

/* As few groups as there must be: the kernel takes those it is not given for zero, and answers
 * EOVERFLOW to one too many (lib/bitmap.c). Caller frees (g_free). */
char *nb_cpumask_format_mask(const struct nb_cpumask *mask);

/* "0-3,8", also with strides "0-15:2/4"; empty text and "(null)" (nohz_full before 7.2) are the
 * empty set. Errors as above. */
int nb_cpumask_parse_list(const char *text, size_t len, struct nb_cpumask *ret);
/* Caller frees (g_free); "" for the empty set. */
char *nb_cpumask_format_list(const struct nb_cpumask *mask);

/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* Values of knobs: sets of CPUs as the kernel prints them. Pure. */

#include "nicbalance/cpumask.h"

/* Whether both are the same set, however many groups they have. False if one is no mask. */
bool nb_mask_same(const char *a, const char *b);

/* set with exactly as many groups as like has, which the kernel requires. Caller frees (g_free).
 * -ERANGE: a CPU of the set does not fit, the machine has changed; else as nb_cpumask_parse_mask()
 * of like. */
int nb_mask_format_like(const char *like, const struct nb_cpumask *set, char **ret);

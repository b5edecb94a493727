/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* Values of knobs: sets of CPUs as the kernel prints them. Pure. */

#include "nicbalance/cpumask.h"

/* Whether both are the same set, however many groups they have. False if one is no mask. */
bool nb_mask_same(const char *a, const char *b);

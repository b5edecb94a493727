/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "apply/mask.h"

#include "base/cpumask_text.h"

bool nb_mask_same(const char *a, const char *b)
{
	struct nb_cpumask x, y;

	return nb_cpumask_parse_mask(a, strlen(a), &x) == 0 &&
	       nb_cpumask_parse_mask(b, strlen(b), &y) == 0 && nb_cpumask_equal(&x, &y);
}

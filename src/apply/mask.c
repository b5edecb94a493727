/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "apply/mask.h"

#include "base/cpumask_text.h"

#include <errno.h>

#define GROUP_BITS 32u

bool nb_mask_same(const char *a, const char *b)
{
	struct nb_cpumask x, y;

	return nb_cpumask_parse_mask(a, strlen(a), &x, NULL) == 0 &&
	       nb_cpumask_parse_mask(b, strlen(b), &y, NULL) == 0 && nb_cpumask_equal(&x, &y);
}

int nb_mask_format_like(const char *like, const struct nb_cpumask *set, char **ret)
{
	struct nb_cpumask ignored;
	unsigned n_groups;
	int r;

	r = nb_cpumask_parse_mask(like, strlen(like), &ignored, &n_groups);
	if (r < 0)
		return r;
	if (nb_cpumask_next(set, n_groups * GROUP_BITS) != NB_CPUS_MAX)
		return -ERANGE;

	*ret = nb_cpumask_format_mask(set, n_groups);
	return 0;
}

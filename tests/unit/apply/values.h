/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* Values of knobs, as the masks that the kernel shows. */

#include "apply/value.h"
#include "base/cpumask_text.h"
#include "support/support.h"

/* Caller unrefs. */
static inline GBytes *value_of(const char *mask)
{
	struct nb_cpumask cpus;

	assert_int_equal(nb_cpumask_parse_mask(mask, strlen(mask), &cpus), 0);
	return nb_value_of_cpus(&cpus);
}

static inline void assert_value(GBytes *value, const char *mask)
{
	g_autoptr(GBytes) expected = value_of(mask);

	assert_true(g_bytes_equal(value, expected));
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What reads as a mask is written as one that reads the same. */

#include "base/cpumask_text.h"
#include "fuzz/fuzz.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	g_autofree char *text = NULL;
	struct nb_cpumask mask, untouched, again;

	memset(&mask, 0x5a, sizeof(mask));
	untouched = mask;
	if (nb_cpumask_parse_mask((const char *)data, size, &mask) < 0) {
		FUZZ_CLAIM(nb_cpumask_equal(&mask, &untouched));
		return 0;
	}

	text = nb_cpumask_format_mask(&mask);
	FUZZ_CLAIM(nb_cpumask_parse_mask(text, strlen(text), &again) == 0);
	FUZZ_CLAIM(nb_cpumask_equal(&mask, &again));
	return 0;
}

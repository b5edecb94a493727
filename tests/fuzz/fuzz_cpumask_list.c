/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What reads as a list is written as one that reads the same, and then does not change any more. */

#include "base/cpumask_text.h"
#include "fuzz/fuzz.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	g_autofree char *text = NULL, *text_again = NULL;
	struct nb_cpumask mask, untouched, again;

	memset(&mask, 0x5a, sizeof(mask));
	untouched = mask;
	if (nb_cpumask_parse_list((const char *)data, size, &mask) < 0) {
		FUZZ_CLAIM(nb_cpumask_equal(&mask, &untouched));
		return 0;
	}

	text = nb_cpumask_format_list(&mask);
	FUZZ_CLAIM(nb_cpumask_parse_list(text, strlen(text), &again) == 0);
	FUZZ_CLAIM(nb_cpumask_equal(&mask, &again));
	text_again = nb_cpumask_format_list(&again);
	FUZZ_CLAIM(strcmp(text, text_again) == 0);
	return 0;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What reads as a value is written as one that reads the same. */

#include "base/values.h"
#include "fuzz/fuzz.h"

#include <errno.h>
#include <stdlib.h>

typedef int (*parse_fn)(const char *text, uint64_t *ret);
typedef char *(*format_fn)(uint64_t value);

static void check(const char *text, parse_fn parse, format_fn format)
{
	g_autofree char *again = NULL;
	uint64_t value = 4711, value_again;
	int r = parse(text, &value);

	if (r < 0) {
		FUZZ_CLAIM(r == -EINVAL || r == -ERANGE);
		FUZZ_CLAIM(value == 4711);
		return;
	}
	again = format(value);
	FUZZ_CLAIM(parse(again, &value_again) == 0);
	FUZZ_CLAIM(value_again == value);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	g_autofree char *text = g_strndup((const char *)data, size);

	check(text, nb_share_parse, nb_share_format);
	check(text, nb_span_parse, nb_span_format);
	check(text, nb_boolean_parse, nb_boolean_format);
	check(text, nb_count_parse, nb_count_format);
	return 0;
}

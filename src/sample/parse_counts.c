/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sample/parse.h"
#include "sample/text.h"

int nb_parse_cpu_counts(const char *text, size_t len, uint32_t *ret_counts, unsigned n_counts)
{
	struct nb_text rest = nb_text_of(text, len);
	uint64_t count;

	for (unsigned i = 0; i < n_counts; i++) {
		if ((i > 0 && !nb_text_take(&rest, ",")) ||
		    !nb_text_take_number(&rest, UINT32_MAX, &count))
			return -EBADMSG;
		ret_counts[i] = (uint32_t)count;
	}
	return nb_text_take(&rest, "\n") && rest.p == rest.end ? 0 : -EBADMSG;
}

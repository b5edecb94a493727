/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is kept of damaged rows is written as sound ones. */

#include "claims/written_text.h"
#include "fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	g_autoptr(GArray) damaged = g_array_new(FALSE, FALSE, sizeof(unsigned));
	g_autoptr(GArray) damaged_again = g_array_new(FALSE, FALSE, sizeof(unsigned));
	g_autoptr(GArray) rows = nb_written_parse((const char *)data, size, damaged);
	g_autofree char *text = nb_written_format(rows);
	g_autoptr(GArray) again = nb_written_parse(text, strlen(text), damaged_again);
	g_autofree char *text_again = nb_written_format(again);

	for (unsigned i = 0; i < rows->len; i++) {
		const struct nb_written_row *row = &g_array_index(rows, struct nb_written_row, i);

		FUZZ_CLAIM(!nb_cpumask_empty(&row->pool.cpus));
		FUZZ_CLAIM(row->pool.rule == NB_RULE_WRITTEN);
		FUZZ_CLAIM(row->target.type == NB_TARGET_QUEUE ||
			   row->target.type == NB_TARGET_IRQ);
	}
	FUZZ_CLAIM(damaged_again->len == 0);
	FUZZ_CLAIM(strcmp(text, text_again) == 0);
	return 0;
}

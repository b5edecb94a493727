/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A text of an RSS table that is taken is written the same, so that tables compare by their texts.
 */

#include "apply/table.h"
#include "fuzz/fuzz.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	g_autofree char *text = g_strndup((const char *)data, size);
	g_autoptr(GArray) entries = g_array_new(FALSE, FALSE, sizeof(uint32_t));
	g_autoptr(GBytes) value = NULL;
	g_autofree char *again = NULL;
	struct nb_cpumask queues;
	int r = nb_table_parse(text, &value);

	FUZZ_CLAIM(r == 0 || r == -EINVAL);
	if (r < 0)
		return 0;
	nb_table_entries(value, entries);
	nb_table_queues(entries, &queues);
	FUZZ_CLAIM(nb_cpumask_empty(&queues) == (entries->len == 0));
	again = nb_table_format(value);
	FUZZ_CLAIM(strcmp(again, text) == 0);
	return 0;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is kept of a damaged baseline is written as a sound one, and names no path of its own. */

#include "apply/baseline_text.h"
#include "fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

static void check_entry(const struct nb_baseline_entry *entry)
{
	FUZZ_CLAIM(entry->found && entry->before && entry->ours);
	if (entry->knob.type == NB_KNOB_THREAD)
		FUZZ_CLAIM(g_str_has_prefix(entry->knob.name, "napi/") && entry->knob.vector &&
			   *entry->knob.vector && entry->knob.queue.ifindex >= 0);
	else if (entry->knob.type != NB_KNOB_IRQ)
		FUZZ_CLAIM(*entry->knob.name && !strchr(entry->knob.name, '/') &&
			   entry->knob.queue.ifindex >= 0);
	FUZZ_CLAIM(nb_irq_is_channel(entry->knob.irq) == (entry->knob.type == NB_KNOB_VMBUS) ||
		   entry->knob.type == NB_KNOB_IRQ);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	g_autoptr(GArray) damaged = g_array_new(FALSE, FALSE, sizeof(unsigned));
	g_autoptr(GArray) damaged_again = g_array_new(FALSE, FALSE, sizeof(unsigned));
	g_autoptr(nb_baseline) baseline = nb_baseline_parse((const char *)data, size, damaged);
	g_autofree char *text = nb_baseline_format(baseline);
	g_autoptr(nb_baseline) again = nb_baseline_parse(text, strlen(text), damaged_again);
	g_autofree char *text_again = nb_baseline_format(again);

	for (unsigned i = 0; i < nb_baseline_count(baseline); i++)
		check_entry(nb_baseline_get(baseline, i));
	FUZZ_CLAIM(damaged_again->len == 0);
	FUZZ_CLAIM(strcmp(text, text_again) == 0);
	return 0;
}

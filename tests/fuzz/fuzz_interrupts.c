/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Every row of /proc/interrupts that is told has the header's CPUs and lies within the text. */

#include "fuzz/fuzz.h"
#include "sample/parse/parse.h"

#include <errno.h>
#include <stdlib.h>

struct seen {
	const char *text;
	size_t len;
	uint64_t sum;
};

static void take(const struct nb_interrupt_row *row, void *userdata)
{
	struct seen *seen = userdata;

	for (unsigned i = 0; i < row->n_counts; i++)
		seen->sum += (uint64_t)row->counts[i] + row->cpus[i];
	if (row->actions_len) {
		FUZZ_CLAIM(row->actions >= seen->text);
		FUZZ_CLAIM(row->actions + row->actions_len <= seen->text + seen->len);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct seen seen = {.text = (const char *)data, .len = size};
	int r = nb_parse_interrupts(seen.text, size, take, &seen);

	FUZZ_CLAIM(r == 0 || r == -EBADMSG);
	return 0;
}

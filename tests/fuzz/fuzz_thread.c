/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whatever proc/PID holds, only what can be one line of the baseline is a NAPI thread. */

#include "apply/thread.h"
#include "fuzz/fuzz.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* As files are read: with a NUL behind them. */
	g_autofree char *text = g_malloc0(size + 1);
	struct nb_thread thread = {};
	struct nb_cpumask cpus;
	int r;

	if (size > 0)
		memcpy(text, data, size);
	r = nb_thread_parse_stat(text, size, &thread);
	FUZZ_CLAIM(r == 0 || r == -EBADMSG || r == -ENOENT);
	FUZZ_CLAIM((r == 0) == g_str_has_prefix(thread.name, "napi/"));
	FUZZ_CLAIM(!strpbrk(thread.name, "\n\t"));
	r = nb_thread_parse_status(text, size, &cpus);
	FUZZ_CLAIM(r == 0 || r == -EBADMSG);
	return 0;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* per_cpu_count of one interrupt: four CPUs, never a write to a fifth. */

#include "fuzz/fuzz.h"
#include "sample/parse/parse.h"

#include <errno.h>
#include <stdlib.h>

#define N_CPUS 4

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint32_t counts[N_CPUS + 1] = {[N_CPUS] = 0x5a5a5a5a};
	int r = nb_parse_cpu_counts((const char *)data, size, counts, N_CPUS);

	FUZZ_CLAIM(r == 0 || r == -EBADMSG);
	FUZZ_CLAIM(counts[N_CPUS] == 0x5a5a5a5a);
	return 0;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whatever /proc/softirqs holds, the CPUs asked for stay the same CPUs. */

#include "fuzz/fuzz.h"
#include "sample/parse/parse.h"

#include <errno.h>
#include <stdlib.h>

#define N_CPUS 4

static void note_cpu(unsigned cpu, const uint32_t counts[_NB_SOFTIRQ_MAX], void *userdata)
{
	(void)counts;
	(void)userdata;
	FUZZ_CLAIM(cpu < NB_CPUS_MAX);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const unsigned ids[N_CPUS] = {0, 1, 2, 5};
	struct nb_cpu_counters cpus[N_CPUS] = {0};
	int r;

	for (unsigned i = 0; i < N_CPUS; i++)
		cpus[i].id = ids[i];
	r = nb_parse_softirqs((const char *)data, size, cpus, N_CPUS);
	FUZZ_CLAIM(r == 0 || r == -EBADMSG || r == -ESTALE);
	for (unsigned i = 0; i < N_CPUS; i++)
		FUZZ_CLAIM(cpus[i].id == ids[i]);
	r = nb_parse_softirq_kinds((const char *)data, size, note_cpu, NULL);
	FUZZ_CLAIM(r == 0 || r == -EBADMSG);
	return 0;
}

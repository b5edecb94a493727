/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "verify/judging.h"

#include "base/find.h"

uint32_t nb_judging_busy(const struct nb_judging *judging, int cpu)
{
	const struct nb_cpu_load *load =
		cpu < 0 ? NULL : nb_loads_find_cpu(judging->loads, (unsigned)cpu);

	return load ? load->window_busy : 0;
}

uint32_t nb_judging_fixed(const struct nb_judging *judging, int cpu)
{
	const struct nb_cpu_load *load =
		cpu < 0 ? NULL : nb_loads_find_cpu(judging->loads, (unsigned)cpu);

	return load ? load->window_fixed : 0;
}

void nb_judging_yield(const struct nb_judging *judging, struct nb_finding *finding,
		      uint64_t *until_nsec)
{
	finding->event = NB_EVENT_YIELDED;
	*until_nsec = judging->snapshot->taken_nsec + judging->policy->yield_nsec;
	g_array_append_vals(judging->findings, finding, 1);
}

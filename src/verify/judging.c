/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "verify/judging.h"

#include "base/find.h"
#include "base/pools.h"
#include "base/written.h"

/* NULL: there is none, or no load of it. */
static const struct nb_cpu_load *find_cpu(const struct nb_judging *judging, int cpu)
{
	return cpu < 0 ? NULL : nb_loads_find_cpu(judging->loads, (unsigned)cpu);
}

uint32_t nb_judging_busy(const struct nb_judging *judging, int cpu)
{
	const struct nb_cpu_load *load = find_cpu(judging, cpu);

	return load ? load->window_busy : 0;
}

uint32_t nb_judging_fixed(const struct nb_judging *judging, int cpu)
{
	const struct nb_cpu_load *load = find_cpu(judging, cpu);

	return load ? load->window_fixed : 0;
}

uint32_t nb_judging_applications(const struct nb_judging *judging, int cpu)
{
	const struct nb_cpu_load *load = find_cpu(judging, cpu);

	return load ? nb_cpu_load_applications(load).least : 0;
}

/* Runs from before the move tell nothing of it. */
static uint32_t delay_of(const struct nb_judging *judging, int cpu, uint64_t since_nsec,
			 bool *known)
{
	const struct nb_cpu_load *load = find_cpu(judging, cpu);
	uint64_t passed_nsec = judging->snapshot->taken_nsec - since_nsec;

	if (!load || !load->delay_known || load->delay_msec * NB_NSEC_PER_MSEC > passed_nsec)
		return 0;
	*known = true;
	return load->delay_usec;
}

bool nb_judging_delay(const struct nb_judging *judging, const struct nb_pending *pending,
		      uint32_t *ret_usec)
{
	const struct nb_move *move = &pending->move;
	bool known = false;
	uint32_t source = delay_of(judging, move->cpu_from, pending->since_nsec, &known);
	uint32_t target = delay_of(judging, (int)move->cpu_to, pending->since_nsec, &known);

	if (known)
		*ret_usec = MAX(source, target);
	return known;
}

static void report(const struct nb_judging *judging, struct nb_finding *finding)
{
	finding->event = NB_EVENT_YIELDED;
	g_array_append_vals(judging->findings, finding, 1);
}

void nb_judging_yield(const struct nb_judging *judging, struct nb_finding *finding,
		      uint64_t *until_nsec)
{
	*until_nsec = judging->snapshot->taken_nsec + judging->policy->yield_nsec;
	report(judging, finding);
}

/* Once, then after 2, 4, 8 … in a row. */
static bool is_news(const struct nb_affinity_memory *affinity)
{
	return (affinity->in_a_row & (affinity->in_a_row - 1)) == 0;
}

/* What is wide and was ours may be what the other program wants to have for itself: it is left
 * alone for long. What narrows says what it wants, and what was not ours may be balanced like
 * everything else, as soon as the other program has come to rest. */
const struct nb_pool *nb_judging_yield_affinity(const struct nb_judging *judging,
						struct nb_finding *finding,
						struct nb_affinity_memory *affinity,
						uint64_t *until_nsec)
{
	const struct nb_pool *limit = nb_pools_find(&judging->memory->written, finding->key);
	bool was_ours = finding->cpu_ours >= 0;

	affinity->unjudged = false;
	if (!limit && was_ours) {
		nb_judging_yield(judging, finding, until_nsec);
		return NULL;
	}
	*until_nsec =
		judging->snapshot->taken_nsec + nb_written_rest_nsec(affinity, judging->policy);
	if (!limit)
		return NULL;
	finding->limited_to = limit->cpus;
	if (!was_ours)
		finding->cpu_ours = affinity->cpu_before;
	if (was_ours || is_news(affinity))
		report(judging, finding);
	return limit;
}

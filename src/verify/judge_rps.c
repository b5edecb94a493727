/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "verify/judges.h"

#include "base/find.h"

#include <assert.h>

/* The hottest of the queue's CPU and those of its mask, in this window. */
static uint32_t hottest_of(const struct nb_judging *judging, const struct nb_rps_memory *rps,
			   int cpu)
{
	uint32_t hottest = nb_judging_busy(judging, cpu);

	NB_CPUMASK_FOREACH (id, &rps->cpus)
		hottest = MAX(hottest, nb_judging_busy(judging, (int)id));
	return hottest;
}

/* Steered work in a window, as load of the largest CPU: of all CPUs, and of the one with most. */
struct handed {
	uint32_t all, most;
};

static struct handed steered_of(const struct nb_judging *judging, const struct nb_rps_memory *rps)
{
	const struct nb_topology *topology = &judging->snapshot->machine->topology;
	struct handed handed = {};

	NB_CPUMASK_FOREACH (id, &rps->cpus) {
		const struct nb_cpu_load *load = nb_loads_find_cpu(judging->loads, id);
		uint32_t backlog =
			nb_capacity_convert(load ? load->window_backlog : 0,
					    nb_topology_capacity(topology, (int)id), NB_WHOLE);

		handed.most = MAX(handed.most, backlog);
		handed.all += backlog;
	}
	return handed;
}

/* A CPU of the mask is full of steered work, and the others do next to nothing. */
static bool is_one_flow(const struct nb_judging *judging, const struct nb_rps_memory *rps,
			struct handed handed)
{
	if (handed.most < handed.all / 10 * 9)
		return false;
	NB_CPUMASK_FOREACH (id, &rps->cpus) {
		const struct nb_cpu_load *load = nb_loads_find_cpu(judging->loads, id);

		if (load && load->window_busy > judging->policy->panic &&
		    load->window_backlog > load->window_busy / 2)
			return true;
	}
	return false;
}

/* No CPU of the mask has done most of the steered work: it is not one flow. A single window would
 * not tell. Sharing with the queue's own CPU always helps a little. */
static bool is_shared(const struct nb_rps_memory *rps)
{
	const struct nb_rps_trial *trial = &rps->trial;
	uint64_t most = rps->own ? trial->steered_sum / 10 * 9 : trial->steered_sum / 4 * 3;

	return trial->most_sum < most;
}

/* A CPU that was full had more to do than it could, and all of them together may, too: then it is
 * enough that they share the work. */
static bool helped(const struct nb_judging *judging, const struct nb_rps_memory *rps)
{
	const struct nb_rps_trial *trial = &rps->trial;
	uint32_t since;

	assert(trial->measured_msec > 0);
	since = (uint32_t)(trial->hottest_sum / trial->measured_msec);
	return since + judging->policy->minimum_gain <= trial->before ||
	       (trial->before > judging->policy->panic && is_shared(rps));
}

static void fail(struct nb_rps_memory *rps, unsigned failures)
{
	rps->trial.active = false;
	rps->no_gain = true;
	rps->failures += failures;
}

void nb_judge_trial(const struct nb_judging *judging, struct nb_rps_memory *rps)
{
	const struct nb_queue_load *queue = nb_loads_find_queue(judging->loads, rps->key);
	struct nb_rps_trial *trial = &rps->trial;
	uint64_t msec = judging->loads->window_nsec / NB_NSEC_PER_MSEC;
	struct handed handed;

	if (!trial->active || !queue || nb_cpumask_empty(&rps->cpus))
		return;
	trial->measured_msec += msec;
	trial->hottest_sum += hottest_of(judging, rps, queue->cpu) * msec;
	handed = steered_of(judging, rps);
	trial->steered_sum += handed.all * msec;
	trial->most_sum += handed.most * msec;
	if (is_one_flow(judging, rps, handed)) {
		fail(rps, 2);
		return;
	}
	if (trial->measured_msec * NB_NSEC_PER_MSEC < NB_VERIFY_NSEC - NB_VERIFY_SLACK_NSEC)
		return;
	if (!helped(judging, rps)) {
		fail(rps, 1);
		return;
	}
	trial->active = false;
	rps->no_gain = false;
	rps->failures = 0;
}

void nb_judge_rps(const struct nb_judging *judging, struct nb_rps_memory *rps)
{
	const struct nb_cpumask *now = nb_snapshot_find_rps(judging->snapshot, rps->key);
	struct nb_finding finding = {
		.key = rps->key,
		.kind = NB_KIND_RPS,
		.cpu_ours = -1,
		.cpu_theirs = -1,
		.rps_ours = rps->cpus,
		.rps_theirs = now ? *now : (struct nb_cpumask){},
	};

	if (nb_cpumask_empty(&rps->cpus) ||
	    nb_cpumask_equal(&finding.rps_ours, &finding.rps_theirs))
		return;
	nb_cpumask_clear(&rps->cpus);
	nb_judging_yield(judging, &finding, &rps->yielded_until_nsec);
}

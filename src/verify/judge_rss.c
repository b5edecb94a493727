/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "verify/judges.h"

#include "base/rss_table.h"

#include <assert.h>

/* Of a CPU that was full: so many more packets must be received, in percent. */
#define MORE_PACKETS 5u

static void measure(const struct nb_judging *judging, struct nb_rss_memory *rss)
{
	const struct nb_loads *loads = judging->loads;
	uint64_t msec = loads->window_nsec / NB_NSEC_PER_MSEC, packets = 0;
	uint32_t hottest = 0;

	for (unsigned i = 0; i < loads->n_queues; i++) {
		const struct nb_queue_load *queue = &loads->queues[i];

		if (queue->key.ifindex != rss->ifindex)
			continue;
		hottest = MAX(hottest, nb_judging_busy(judging, queue->cpu));
		packets += queue->rx_packets_per_sec;
	}
	rss->trial.measured_msec += msec;
	rss->trial.hottest_sum += hottest * msec;
	rss->trial.packets_sum += packets * msec;
}

/* A CPU that was full had more to do than it could, and may still: then it is enough that the NIC's
 * queues receive more. */
static bool helped(const struct nb_judging *judging, const struct nb_rss_trial *trial)
{
	uint64_t hottest, packets;

	assert(trial->measured_msec > 0);
	hottest = trial->hottest_sum / trial->measured_msec;
	packets = trial->packets_sum / trial->measured_msec;
	return hottest + judging->policy->minimum_gain <= trial->before ||
	       (trial->before > judging->policy->panic &&
		packets * 100 >= trial->packets_per_sec_before * (100 + MORE_PACKETS));
}

static void report(const struct nb_judging *judging, const struct nb_rss_memory *rss)
{
	const struct nb_finding finding = {
		.event = NB_EVENT_REDIRECTED,
		.kind = NB_KIND_RSS,
		.key.ifindex = rss->ifindex,
		.effect = rss->no_gain ? NB_EFFECT_NO_GAIN : NB_EFFECT_WORKED,
		.measured = (uint32_t)(rss->trial.hottest_sum / rss->trial.measured_msec),
	};

	g_array_append_val(judging->findings, finding);
}

void nb_judge_table(const struct nb_judging *judging, struct nb_rss_memory *rss)
{
	struct nb_rss_trial *trial = &rss->trial;

	if (!trial->active)
		return;
	measure(judging, rss);
	if (trial->measured_msec * NB_NSEC_PER_MSEC < NB_VERIFY_NSEC - NB_VERIFY_SLACK_NSEC)
		return;
	trial->active = false;
	rss->no_gain = !helped(judging, trial);
	rss->failures = rss->no_gain ? rss->failures + 1 : 0;
	report(judging, rss);
}

void nb_judge_rss(const struct nb_judging *judging, struct nb_rss_memory *rss)
{
	const struct nb_bucket_counts *counts = &judging->snapshot->buckets;
	struct nb_finding finding = {
		.key.ifindex = rss->ifindex,
		.kind = NB_KIND_RSS,
		.cpu_ours = -1,
		.cpu_theirs = -1,
	};

	if (!rss->spread || counts->ifindex != rss->ifindex || counts->n == 0 ||
	    rss->spread == nb_table_digest(counts->queues, counts->n))
		return;
	rss->spread = 0;
	rss->trial.active = false;
	rss->no_gain = false;
	nb_judging_yield(judging, &finding, &rss->yielded_until_nsec);
}

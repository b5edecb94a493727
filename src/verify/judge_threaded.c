/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "verify/judges.h"

#include <assert.h>

/* So many percent of packets, more or fewer, are no matter of chance. */
#define NOTICEABLE 5u

/* The CPU that was hot, and each on which one of the threads ran that is worth a step. */
static void measure(const struct nb_judging *judging, const struct nb_threaded_memory *threaded,
		    struct nb_threaded_trial *trial)
{
	const struct nb_loads *loads = judging->loads;
	uint64_t msec = loads->window_nsec / NB_NSEC_PER_MSEC, packets = 0, time = 0;
	uint32_t hottest = nb_judging_busy(judging, trial->cpu);

	for (unsigned i = 0; i < loads->n_queues; i++) {
		const struct nb_queue_load *queue = &loads->queues[i];

		if (!nb_queue_key_covers(threaded->key, queue->key))
			continue;
		packets += queue->rx_packets_per_sec;
		time += queue->window_time + queue->window_threaded;
		if (queue->window_threaded >= judging->policy->minimum_gain)
			hottest = MAX(
				hottest,
				nb_judging_busy(judging, judging->snapshot->queues[i].thread_cpu));
	}
	trial->measured_msec += msec;
	trial->hottest_sum += hottest * msec;
	trial->packets_sum += packets * msec;
	trial->time_sum += time * msec;
}

/* A thread is woken for each packet where softirqs take several at once, and takes longer. */
static uint32_t softirq_share(const struct nb_judging *judging,
			      const struct nb_threaded_memory *threaded)
{
	const struct nb_threaded_trial *trial = &threaded->trial;
	uint64_t time = trial->time_sum / trial->measured_msec;
	uint64_t packets = trial->packets_sum / trial->measured_msec;
	uint64_t by_softirqs;

	if (time < judging->policy->minimum_gain || trial->packets_per_sec_before == 0)
		return 0;
	by_softirqs = threaded->load * packets / trial->packets_per_sec_before;
	return (uint32_t)MIN(by_softirqs * NB_WHOLE / time, UINT32_MAX);
}

/* A thread that has to wait for applications leaves its CPU cooler, too, and loses packets. One
 * that was full had more to do than it could: there it is enough that more is received. */
static bool helped(const struct nb_judging *judging, const struct nb_threaded_trial *trial)
{
	uint64_t hottest, packets;

	assert(trial->measured_msec > 0);
	hottest = trial->hottest_sum / trial->measured_msec;
	packets = trial->packets_sum / trial->measured_msec;
	if (trial->before > judging->policy->panic &&
	    packets * 100 >= trial->packets_per_sec_before * (100 + NOTICEABLE))
		return true;
	return hottest + judging->policy->minimum_gain <= trial->before &&
	       packets * 100 >= trial->packets_per_sec_before * (100 - NOTICEABLE);
}

static void report(const struct nb_judging *judging, const struct nb_threaded_memory *threaded)
{
	const struct nb_finding finding = {
		.event = NB_EVENT_STEERED,
		.kind = NB_KIND_THREADED,
		.key = threaded->key,
		.effect = threaded->no_gain ? NB_EFFECT_NO_GAIN : NB_EFFECT_WORKED,
		.measured = (uint32_t)(threaded->trial.hottest_sum / threaded->trial.measured_msec),
	};

	g_array_append_val(judging->findings, finding);
}

void nb_judge_threaded(const struct nb_judging *judging, struct nb_threaded_memory *threaded)
{
	struct nb_threaded_trial *trial = &threaded->trial;

	if (!trial->active)
		return;
	measure(judging, threaded, trial);
	if (trial->measured_msec * NB_NSEC_PER_MSEC < NB_VERIFY_NSEC - NB_VERIFY_SLACK_NSEC)
		return;
	trial->active = false;
	threaded->no_gain = !helped(judging, trial);
	threaded->failures = threaded->no_gain ? threaded->failures + 1 : 0;
	threaded->softirq_share = softirq_share(judging, threaded);
	report(judging, threaded);
}

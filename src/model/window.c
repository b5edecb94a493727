/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/window.h"

#include "base/find.h"
#include "nicbalance/units.h"

void nb_window_resize(struct nb_window *window, unsigned n_cpus, unsigned n_queues)
{
	window->times = g_renew(struct nb_cpu_time, window->times, n_cpus);
	window->splits = g_renew(struct nb_cpu_split, window->splits, n_cpus);
	window->other_shares = g_renew(uint32_t, window->other_shares, n_cpus);
	window->n_cpus = n_cpus;
	window->works = g_renew(struct nb_queue_work, window->works, n_queues);
	window->n_queues = n_queues;
}

void nb_window_clear(struct nb_window *window)
{
	g_clear_pointer(&window->times, g_free);
	g_clear_pointer(&window->splits, g_free);
	g_clear_pointer(&window->other_shares, g_free);
	g_clear_pointer(&window->works, g_free);
}

/* Rows of one machine stand at the same place; across a rescan they are looked for by key. */
static const struct nb_cpu_counters *cpu_before(const struct nb_snapshot *prev,
						const struct nb_snapshot *cur, unsigned i)
{
	return prev->machine == cur->machine ? &prev->cpus[i]
					     : nb_snapshot_find_cpu(prev, cur->cpus[i].id);
}

static const struct nb_queue_state *queue_before(const struct nb_snapshot *prev,
						 const struct nb_snapshot *cur, unsigned i)
{
	return prev->machine == cur->machine ? &prev->queues[i]
					     : nb_snapshot_find_queue(prev, cur->queues[i].key);
}

/* All that a CPU did for the network. A CPU that ran no network softirq spent nothing on it. */
static uint64_t network_nsec(const struct nb_cpu_time *time)
{
	return time->net_rx || time->net_tx ? time->softirq_nsec + time->irq_nsec : 0;
}

static void count_cpu(struct nb_window *window, unsigned i, const struct nb_cpu_counters *before,
		      const struct nb_cpu_counters *now, uint64_t elapsed_nsec)
{
	struct nb_cpu_time time = {};

	if (before)
		time = nb_cpu_time_between(before, now, elapsed_nsec);
	window->times[i] = time;
	window->splits[i] = (struct nb_cpu_split){
		.id = now->id,
		.measured = before,
		.network_nsec = network_nsec(&time),
		.processed = time.processed,
	};
}

static void time_cpu(struct nb_window *window, unsigned i, const struct nb_cpu_counters *before,
		     const struct nb_cpu_counters *now, uint64_t elapsed_nsec, uint64_t times_nsec)
{
	struct nb_cpu_split *split = &window->splits[i];

	window->times[i] = (struct nb_cpu_time){};
	*split = (struct nb_cpu_split){.id = now->id, .measured = before};
	if (!before)
		return;
	if (times_nsec)
		window->other_shares[i] = nb_cpu_other_share(before, now, times_nsec);
	window->times[i] = nb_cpu_time_timed(before, now, window->other_shares[i], elapsed_nsec);
	split->queues_nsec = nb_growth(before->queues_nsec, now->queues_nsec);
	split->backlog_nsec = nb_growth(before->backlog_nsec, now->backlog_nsec);
}

static void measure_cpus(struct nb_window *window, const struct nb_snapshot *prev,
			 const struct nb_snapshot *cur)
{
	uint64_t elapsed_nsec = cur->taken_nsec - prev->taken_nsec;
	uint64_t times_nsec = nb_growth(prev->times_nsec, cur->times_nsec);

	for (unsigned i = 0; i < cur->n_cpus; i++) {
		const struct nb_cpu_counters *before = cpu_before(prev, cur, i);

		if (nb_grade_is_timed(cur->grade))
			time_cpu(window, i, before, &cur->cpus[i], elapsed_nsec, times_nsec);
		else
			count_cpu(window, i, before, &cur->cpus[i], elapsed_nsec);
	}
}

/* Where its interrupts are delivered. Where they landed is the next best word, its mask the last.
 */
static int serving_cpu(const struct nb_queue_state *queue)
{
	if (queue->effective_cpu >= 0)
		return queue->effective_cpu;
	return queue->landed_cpu >= 0 ? queue->landed_cpu : queue->affinity_cpu;
}

static bool counts_packets(const struct nb_machine *machine, int ifindex)
{
	const struct nb_nic *nic = nb_machine_find_nic(machine, ifindex);

	return nic && nic->packets != NB_PACKETS_NONE;
}

/* Where its NAPI is polled, as far as its interrupts tell. One that takes packets while none lands
 * anywhere is never done: it is polled where it was, wherever its interrupt has been moved since.
 * Between audits nothing new is known. */
static int counted_cpu(const struct nb_snapshot *cur, const struct nb_queue_state *now,
		       uint64_t rx_packets, int cpu_before)
{
	if (cur->audited && now->landed_cpu >= 0)
		return now->landed_cpu;
	if (cpu_before >= 0 && (!cur->audited || (rx_packets && now->landed_cpu == -1)))
		return cpu_before;
	return serving_cpu(now);
}

static void count_queue(const struct nb_snapshot *cur, const struct nb_queue_state *before,
			const struct nb_queue_state *now, int cpu_before,
			struct nb_queue_work *work)
{
	work->counts_packets = counts_packets(cur->machine, now->key.ifindex);
	work->steered = nb_snapshot_find_rps(cur, now->key) != NULL;
	if (before)
		work->rx_packets = nb_growth(before->rx_packets, now->rx_packets);
	work->cpu = counted_cpu(cur, now, work->rx_packets, cpu_before);
}

/* Its polls say better than its affinity where a queue is served: a NAPI that is never done stays
 * where it is when its interrupt moves. */
static void time_queue(const struct nb_queue_state *before, const struct nb_queue_state *now,
		       struct nb_queue_work *work)
{
	uint32_t polls;

	work->cpu = serving_cpu(now);
	if (!before)
		return;
	polls = now->polls - before->polls;
	if (polls && now->polled_cpu >= 0)
		work->cpu = now->polled_cpu;
	work->rx_packets = nb_growth(before->polled_packets, now->polled_packets);
	work->cost_nsec = nb_growth(before->work_nsec, now->work_nsec);
	work->threaded_nsec = nb_growth(before->threaded_nsec, now->threaded_nsec);
	work->saturated = polls && now->exhausted - before->exhausted == polls;
}

static void measure_queues(struct nb_window *window, const struct nb_snapshot *prev,
			   const struct nb_snapshot *cur)
{
	for (unsigned i = 0; i < cur->n_queues; i++) {
		const struct nb_queue_state *now = &cur->queues[i];
		const struct nb_queue_state *before = queue_before(prev, cur, i);
		struct nb_queue_work *work = &window->works[i];
		int cpu_before = work->cpu;

		*work = (struct nb_queue_work){.key = now->key, .measured = before};
		if (before) {
			work->tx_packets = nb_growth(before->tx_packets, now->tx_packets);
			work->interrupts = now->interrupts - before->interrupts;
		}
		if (nb_grade_is_timed(cur->grade))
			time_queue(before, now, work);
		else
			count_queue(cur, before, now, cpu_before, work);
	}
}

void nb_window_measure(struct nb_window *window, const struct nb_snapshot *prev,
		       const struct nb_snapshot *cur)
{
	measure_cpus(window, prev, cur);
	measure_queues(window, prev, cur);
	if (!nb_grade_is_timed(cur->grade))
		nb_split_by_packets(window->splits, window->n_cpus, window->works,
				    window->n_queues);
}

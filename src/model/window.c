/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/window.h"

#include "base/find.h"
#include "nicbalance/units.h"

#include <assert.h>

void nb_window_resize(struct nb_window *window, unsigned n_cpus, unsigned n_queues)
{
	window->times = g_renew(struct nb_cpu_time, window->times, n_cpus);
	window->splits = g_renew(struct nb_cpu_split, window->splits, n_cpus);
	window->other_shares = g_renew(uint32_t, window->other_shares, n_cpus);
	window->n_cpus = n_cpus;
	g_free(window->works);
	window->works = g_new0(struct nb_queue_work, n_queues);
	window->n_queues = n_queues;
}

void nb_window_clear(struct nb_window *window)
{
	g_clear_pointer(&window->times, g_free);
	g_clear_pointer(&window->splits, g_free);
	g_clear_pointer(&window->other_shares, g_free);
	g_clear_pointer(&window->works, g_free);
}

/* Rows of one machine are at the same position; across a rescan they are found by key. */
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

/* Network time of a CPU. One that ran no network softirq has none. */
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
	split->unknown_nsec = nb_growth(before->unknown_nsec, now->unknown_nsec);
	split->unknown_packets = nb_growth(before->unknown_packets, now->unknown_packets);
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

/* Where its interrupts are delivered; else where they were handled; else by its mask. */
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

/* Packets of a poll that GRO may make one of (include/linux/netdevice.h NAPI_POLL_WEIGHT). */
#define POLL_WEIGHT 64u

/* A round of polls on a full CPU takes no longer, however slow it is. */
#define ROUND_NSEC NB_NSEC_PER_SEC

/* A CPU that has no time left and runs out of budget polls all its NAPIs in turn, and none of those
 * with packets completes (net/core/dev.c net_rx_action()). */
static bool is_full(const struct nb_window *window, int cpu, uint64_t elapsed_nsec)
{
	const struct nb_cpu_split *split = nb_split_find(window->splits, window->n_cpus, cpu);
	const struct nb_cpu_time *time = split ? &window->times[split - window->splits] : NULL;

	return time && time->squeezed > 0 && time->busy_nsec >= elapsed_nsec / 10 * 9;
}

/* Packets that the CPU received from no queue that is known to be polled there. */
static uint64_t unexplained_packets(const struct nb_cpu_split *split)
{
	return nb_growth(split->explained, split->processed);
}

/* Of the full CPUs the one with the most unexplained packets; of equal ones, with the most of all.
 * NULL if none is full. */
static struct nb_cpu_split *find_full(const struct nb_window *window, uint64_t elapsed_nsec)
{
	struct nb_cpu_split *best = NULL;

	for (unsigned i = 0; i < window->n_cpus; i++) {
		struct nb_cpu_split *split = &window->splits[i];
		uint64_t packets = unexplained_packets(split);
		uint64_t most = best ? unexplained_packets(best) : 0;

		if (!is_full(window, (int)split->id, elapsed_nsec))
			continue;
		if (!best || packets > most ||
		    (packets == most && split->processed > best->processed))
			best = split;
	}
	return best;
}

/* Its packets did not reach the protocol layers on that CPU, so it is not polled there, whatever
 * its interrupts say: some NICs raise them while they are polled. */
static bool is_elsewhere(const struct nb_window *window, const struct nb_queue_work *work, int cpu)
{
	const struct nb_cpu_split *split = nb_split_find(window->splits, window->n_cpus, cpu);

	return split && !work->steered &&
	       (uint64_t)split->processed * POLL_WEIGHT < work->rx_packets;
}

/* What the queues of a window are estimated by. */
struct counting {
	struct nb_window *window;
	const struct nb_snapshot *cur;
	uint64_t elapsed_nsec;
};

/* A NAPI that receives packets without any interrupt defers them, or is saturated: it is polled
 * where it was, if saturated on a CPU that is full. Packets that RPS takes elsewhere do not tell
 * where it is polled. work still says where that was. */
static bool is_lost_without_interrupts(const struct counting *counting,
				       const struct nb_queue_state *now,
				       const struct nb_queue_work *work)
{
	return !now->defers && !work->steered &&
	       !(work->cpu >= 0 && is_full(counting->window, work->cpu, counting->elapsed_nsec));
}

/* Where its NAPI is polled, by its interrupts and the packets of CPUs. Between complete samples
 * nothing new is known. Lost: neither tells, and it is polled on a full CPU, if one is. */
static int counted_cpu(const struct counting *counting, const struct nb_queue_state *now,
		       const struct nb_queue_work *work, bool *ret_lost)
{
	bool complete = counting->cur->complete;
	int cpu = serving_cpu(now);

	*ret_lost = false;
	if (complete && now->landed_cpu == -1 && work->rx_packets > 0) {
		*ret_lost = is_lost_without_interrupts(counting, now, work);
		return work->cpu >= 0 ? work->cpu : cpu;
	}
	if (complete && now->landed_cpu >= 0)
		cpu = now->landed_cpu;
	else if (!complete && work->cpu >= 0)
		cpu = work->cpu;
	if (!is_elsewhere(counting->window, work, cpu))
		return cpu;
	if (work->cpu >= 0 && work->cpu != cpu)
		return work->cpu;
	*ret_lost = true;
	return cpu;
}

static void explain(const struct nb_window *window, const struct nb_queue_work *work)
{
	struct nb_cpu_split *split = nb_split_find(window->splits, window->n_cpus, work->cpu);

	if (split && !work->steered)
		split->explained += work->rx_packets;
}

static struct nb_queue_work *busiest_lost(const struct nb_window *window)
{
	struct nb_queue_work *busiest = NULL;

	for (unsigned i = 0; i < window->n_queues; i++) {
		struct nb_queue_work *work = &window->works[i];

		if (work->lost && (!busiest || work->rx_packets > busiest->rx_packets))
			busiest = work;
	}
	return busiest;
}

/* Half of a queue's packets may be of a moment when it was elsewhere. */
static bool may_explain(const struct nb_queue_work *work, const struct nb_cpu_split *split)
{
	return 2 * unexplained_packets(split) >= work->rx_packets;
}

/* The full CPU to which its interrupt goes, unless it received too few packets and another one did
 * not: where GRO merges packets none seems to have received enough. */
static void find(const struct counting *counting, struct nb_queue_work *work)
{
	const struct nb_window *window = counting->window;
	int serving = serving_cpu(&counting->cur->queues[work - window->works]);
	const struct nb_cpu_split *split = nb_split_find(window->splits, window->n_cpus, serving);
	const struct nb_cpu_split *full = find_full(window, counting->elapsed_nsec);

	if (!full)
		return;
	if (!split || !is_full(window, serving, counting->elapsed_nsec) ||
	    (!may_explain(work, split) && may_explain(work, full)))
		split = full;
	work->cpu = (int)split->id;
}

static void find_lost(const struct counting *counting)
{
	struct nb_queue_work *work;

	while ((work = busiest_lost(counting->window))) {
		find(counting, work);
		work->lost = false;
		explain(counting->window, work);
	}
}

/* Its packets were counted to the CPU where it was taken to be. */
static void find_elsewhere(const struct nb_window *window, struct nb_queue_work *work, int cpu)
{
	nb_split_find(window->splits, window->n_cpus, work->cpu)->explained -= work->rx_packets;
	work->cpu = cpu;
	explain(window, work);
}

/* An interrupt may be handled on its new CPU while its NAPI does not complete on the old one, and
 * other queues bring packets to the new one. But those are too few to be this queue's, and the old
 * CPU, which is full, received as many as no other queue accounts for. */
static void find_left_behind(const struct counting *counting, struct nb_queue_work *work)
{
	struct nb_window *window = counting->window;
	const struct nb_cpu_split *split = nb_split_find(window->splits, window->n_cpus, work->cpu);
	const struct nb_cpu_split *full;

	if (!split || work->steered || 2 * (uint64_t)split->processed >= work->rx_packets)
		return;
	full = find_full(window, counting->elapsed_nsec);
	if (!full || full == split || !may_explain(work, full))
		return;
	find_elsewhere(window, work, (int)full->id);
}

/* The reverse: it completed once, so that one interrupt moved it, and has raised none since, being
 * saturated there, too. The CPU where it was received less than is taken to be polled there, by
 * about what this queue brought, and the one to which its interrupt goes that much more. */
static void find_followed(const struct counting *counting, unsigned i)
{
	struct nb_window *window = counting->window;
	struct nb_queue_work *work = &window->works[i];
	const struct nb_queue_state *now = &counting->cur->queues[i];
	int serving = serving_cpu(now);
	const struct nb_cpu_split *split = nb_split_find(window->splits, window->n_cpus, work->cpu);
	const struct nb_cpu_split *there = nb_split_find(window->splits, window->n_cpus, serving);

	if (!counting->cur->complete || now->landed_cpu != -1 || work->steered ||
	    work->rx_packets == 0 || !split || !there || split == there)
		return;
	if (!is_full(window, serving, counting->elapsed_nsec) || !may_explain(work, there) ||
	    2 * nb_growth(split->processed, split->explained) < work->rx_packets)
		return;
	find_elsewhere(window, work, serving);
}

static void locate(const struct counting *counting)
{
	struct nb_window *window = counting->window;

	for (unsigned i = 0; i < window->n_queues; i++) {
		struct nb_queue_work *work = &window->works[i];

		work->cpu = counted_cpu(counting, &counting->cur->queues[i], work, &work->lost);
		if (!work->lost)
			explain(window, work);
	}
	find_lost(counting);
	for (unsigned i = 0; i < window->n_queues; i++)
		find_left_behind(counting, &window->works[i]);
	for (unsigned i = 0; i < window->n_queues; i++)
		find_followed(counting, i);
}

/* It was polled in this window. */
static void end_waiting(struct nb_queue_work *work)
{
	work->was_saturated = false;
	work->waited_nsec = 0;
}

static void count_queue(const struct counting *counting, const struct nb_queue_state *before,
			const struct nb_queue_state *now, struct nb_queue_work *work)
{
	work->counts_packets = counts_packets(counting->cur->machine, now->key.ifindex);
	work->steered = nb_snapshot_find_rps(counting->cur, now->key) != NULL;
	if (before)
		work->rx_packets = nb_growth(before->rx_packets, now->rx_packets);
	if (work->rx_packets > 0)
		end_waiting(work);
}

/* A full CPU leaves no queue time to complete. */
static void tell_saturated(const struct counting *counting)
{
	for (unsigned i = 0; i < counting->window->n_queues; i++) {
		struct nb_queue_work *work = &counting->window->works[i];

		work->saturated = work->rx_packets > 0 &&
				  is_full(counting->window, work->cpu, counting->elapsed_nsec);
		work->never_done = work->saturated;
	}
}

/* Polls say better than affinity where a queue is served: a saturated NAPI stays where it is when
 * its interrupt moves. */
static void time_queue(const struct nb_queue_state *before, const struct nb_queue_state *now,
		       struct nb_queue_work *work)
{
	uint32_t polls, exhausted, all;

	work->cpu = serving_cpu(now);
	if (!before)
		return;
	polls = now->polls - before->polls;
	/* Without an interrupt it is where it was. */
	if ((polls || work->cpu < 0) && now->polled_cpu >= 0)
		work->cpu = now->polled_cpu;
	if (polls)
		end_waiting(work);
	work->rx_packets = nb_growth(before->polled_packets, now->polled_packets);
	work->time_nsec = nb_growth(before->time_nsec, now->time_nsec);
	work->threaded_nsec = nb_growth(before->threaded_nsec, now->threaded_nsec);
	exhausted = now->exhausted - before->exhausted;
	work->saturated = polls && exhausted == polls;
	all = polls + (now->thread_polls - before->thread_polls);
	work->never_done = all && exhausted == all;
}

/* The NAPIs of a CPU are polled in turn (net/core/dev.c net_rx_action()): once one has been polled
 * twice, so has every one that has more to do been once. */
static bool had_turns(const struct nb_window *window, int cpu)
{
	for (unsigned i = 0; i < window->n_queues; i++)
		if (window->works[i].cpu == cpu && window->works[i].rx_packets >= 2 * POLL_WEIGHT)
			return true;
	return false;
}

/* In a short window a full CPU that takes long for a poll polls some of its NAPIs alone. One that
 * was saturated there has not left because it received nothing, and an interrupt on another CPU
 * does not say so either: some NICs raise them while they are polled. Nor has it if NAPIs are
 * polled there of which it is not known yet whose they are: since it raises no interrupt, none has
 * told (sample/bind.c). */
static bool waits(const struct nb_window *window, const struct nb_queue_work *work,
		  uint64_t elapsed_nsec)
{
	const struct nb_cpu_split *split =
		nb_split_find(window->splits, window->n_cpus, work->was_on);

	if (!work->was_saturated || !is_full(window, work->was_on, elapsed_nsec))
		return false;
	return split->unknown_packets >= POLL_WEIGHT ||
	       (work->waited_nsec + elapsed_nsec < ROUND_NSEC && !had_turns(window, work->was_on));
}

static void find_waiting(struct nb_window *window, uint64_t elapsed_nsec)
{
	for (unsigned i = 0; i < window->n_queues; i++) {
		struct nb_queue_work *work = &window->works[i];

		work->waits = waits(window, work, elapsed_nsec);
		if (!work->waits)
			continue;
		work->waited_nsec += elapsed_nsec;
		work->cpu = work->was_on;
		work->saturated = true;
		work->never_done = true;
		nb_split_find(window->splits, window->n_cpus, work->cpu)->n_waiting++;
	}
}

/* Saturated NAPIs are polled in turn, so each of those that are not known yet has as much. */
static void share_unknown(struct nb_window *window)
{
	for (unsigned i = 0; i < window->n_queues; i++) {
		struct nb_queue_work *work = &window->works[i];
		struct nb_cpu_split *split;
		uint64_t nsec;

		if (!work->waits)
			continue;
		split = nb_split_find(window->splits, window->n_cpus, work->cpu);
		nsec = split->unknown_nsec / split->n_waiting;
		work->time_nsec += nsec;
		work->rx_packets += split->unknown_packets / split->n_waiting;
		split->queues_nsec += nsec;
	}
}

static void measure_queues(struct nb_window *window, const struct nb_snapshot *prev,
			   const struct nb_snapshot *cur)
{
	bool timed = nb_grade_is_timed(cur->grade);
	struct counting counting = {
		.window = window, .cur = cur, .elapsed_nsec = cur->taken_nsec - prev->taken_nsec};

	for (unsigned i = 0; i < cur->n_queues; i++) {
		const struct nb_queue_state *now = &cur->queues[i];
		const struct nb_queue_state *before = queue_before(prev, cur, i);
		struct nb_queue_work *work = &window->works[i];

		*work = (struct nb_queue_work){.key = now->key,
					       .cpu = work->cpu,
					       .was_on = work->cpu,
					       .was_saturated = work->saturated,
					       .waited_nsec = work->waited_nsec,
					       .measured = before,
					       .defers = now->defers};
		if (before) {
			work->tx_packets = nb_growth(before->tx_packets, now->tx_packets);
			work->interrupts = now->interrupts - before->interrupts;
		}
		if (timed)
			time_queue(before, now, work);
		else
			count_queue(&counting, before, now, work);
	}
	if (!timed) {
		locate(&counting);
		tell_saturated(&counting);
	}
	find_waiting(window, counting.elapsed_nsec);
	share_unknown(window);
}

void nb_window_measure(struct nb_window *window, const struct nb_snapshot *prev,
		       const struct nb_snapshot *cur)
{
	assert(cur->taken_nsec > prev->taken_nsec);
	assert(window->n_cpus == cur->n_cpus && window->n_queues == cur->n_queues);
	measure_cpus(window, prev, cur);
	measure_queues(window, prev, cur);
	if (!nb_grade_is_timed(cur->grade))
		nb_split_by_packets(window->splits, window->n_cpus, window->works,
				    window->n_queues);
}

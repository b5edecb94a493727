/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sample/timing.h"

#include "base/find.h"
#include "nicbalance/units.h"
#include "sample/bind.h"
#include "sample/virtual_queues.h"

#include <string.h>

struct nb_timing *nb_timing_new(struct nb_probe *probe)
{
	struct nb_timing *timing = g_new0(struct nb_timing, 1);
	struct nb_probe_view view;

	nb_probe_view(probe, &view);
	timing->probe = probe;
	timing->n_cpus = view.n_cpus;
	timing->unknown = g_new0(struct seen_unknown, view.n_cpus);
	timing->onward = g_new0(struct seen_onward, view.n_cpus);
	timing->virtuals = g_new0(struct seen_virtual, view.n_cpus * NB_VIRTUALS_MAX);
	timing->untold = g_new0(struct seen_untold, view.n_cpus);
	timing->napis = g_array_new(FALSE, TRUE, sizeof(struct seen_napi));
	timing->irqs = g_array_new(FALSE, TRUE, sizeof(struct seen_irq));
	timing->complete_rx = g_array_new(FALSE, TRUE, sizeof(uint64_t));
	timing->polled = g_array_new(FALSE, TRUE, sizeof(struct polled_queue));
	return timing;
}

void nb_timing_free(struct nb_timing *timing)
{
	if (!timing)
		return;
	g_array_unref(timing->napis);
	g_array_unref(timing->irqs);
	g_array_unref(timing->complete_rx);
	g_array_unref(timing->polled);
	g_free(timing->unknown);
	g_free(timing->onward);
	g_free(timing->virtuals);
	g_free(timing->untold);
	g_free(timing);
}

/* CPUs without a tick are to be left alone by everything. */
static const struct nb_cpumask *skipped(const struct nb_scan *scan)
{
	return &scan->machine.topology.isolated_by[NB_ISOLATION_NOHZ_FULL];
}

static int set_scope(struct nb_timing *timing, const struct nb_machine *machine, const GArray *irqs)
{
	g_autofree int *ifindexes = g_new(int, machine->n_nics);
	g_autofree uint32_t *numbers = g_new(uint32_t, irqs->len);
	unsigned n = 0;

	for (unsigned i = 0; i < machine->n_nics; i++)
		if (machine->nics[i].scope == NB_SCOPE_IN)
			ifindexes[n++] = machine->nics[i].ifindex;
	for (unsigned i = 0; i < irqs->len; i++)
		numbers[i] = g_array_index(irqs, struct seen_irq, i).irq;
	return nb_probe_set_scope(timing->probe, ifindexes, n, numbers, irqs->len);
}

/* An interrupt that was counted before goes on from there, a new one from now. */
static void locate_irqs(struct nb_timing *timing, GArray *irqs)
{
	struct nb_probe_view view;

	nb_probe_view(timing->probe, &view);
	for (unsigned i = 0; i < irqs->len; i++) {
		struct seen_irq *irq = &g_array_index(irqs, struct seen_irq, i);
		const struct seen_irq *known = nb_bind_find_irq(timing->irqs, irq->irq);

		irq->position = nb_probe_find_irq(timing->probe, irq->irq);
		if (irq->position < 0)
			continue;
		if (known && known->position == irq->position) {
			irq->irq_nsec = known->irq_nsec;
			irq->count = known->count;
		} else {
			irq->irq_nsec = view.irqs[irq->position].irq_nsec;
			irq->count = view.irqs[irq->position].count;
		}
	}
}

int nb_timing_adopt(struct nb_timing *timing, const struct nb_scan *scan)
{
	g_autoptr(GArray) irqs = nb_bind_list_irqs(&scan->machine);
	int r;

	r = set_scope(timing, &scan->machine, irqs);
	if (r < 0)
		return r;
	nb_probe_skip_cpus(timing->probe, skipped(scan));
	r = nb_probe_set_tunnels(timing->probe, (const int *)(void *)scan->tunnels->data,
				 scan->tunnels->len);
	if (r < 0)
		return r;
	r = nb_virtual_queues_adopt(timing, &scan->virtuals);
	if (r < 0)
		return r;
	locate_irqs(timing, irqs);
	g_array_unref(timing->irqs);
	timing->irqs = g_steal_pointer(&irqs);
	g_array_set_size(timing->polled, scan->machine.n_queues);
	g_array_set_size(timing->complete_rx, 0);
	timing->scan = scan;
	timing->adopted = true;
	return 0;
}

/* Of several NAPIs, that which polled longest tells where the queue is polled. An application that
 * polls leaves what is more than its budget to a softirq where it runs (net/core/dev.c
 * busy_poll_stop()), which tells nothing. */
static void locate_queue(const struct nb_timing *timing, const struct nb_probe_napi *napi,
			 unsigned queue, uint64_t polled_nsec, bool busy_polled,
			 struct nb_queue_state *state)
{
	struct polled_queue *polled = &g_array_index(timing->polled, struct polled_queue, queue);

	if (polled_nsec > polled->longest_nsec) {
		polled->longest_nsec = polled_nsec;
		state->polled_cpu = busy_polled ? -1 : (int)napi->cpu;
	}
}

/* How often a NAPI was polled since the sample before. */
struct polls {
	uint32_t by_softirq, by_thread, by_application;
	uint32_t exhausted;
};

/* Of a poll that is counted right now some counters say nothing yet (src/bpf/probe.bpf.c): in this
 * order none that used its whole budget is missing, and one too many is left for the next sample.
 * So a NAPI that never completes never seems to; one that completed once since the last sample may
 * seem not to have, for which its help just goes on a little longer. */
static struct polls count_polls(const struct nb_probe_napi *napi, struct seen_napi *seen)
{
	uint32_t all = nb_probe_counter(&napi->polls);
	uint32_t threaded = nb_probe_counter(&napi->threaded_polls);
	uint32_t busy = nb_probe_counter(&napi->busy_polls);
	int32_t by_softirq = (int32_t)(all - threaded - busy - seen->polls);
	struct polls polls = {
		.by_softirq = (uint32_t)MAX(by_softirq, 0),
		.by_thread = threaded - seen->threaded_polls,
		.by_application = busy - seen->busy_polls,
	};

	polls.exhausted = MIN(nb_probe_counter(&napi->exhausted) - seen->exhausted,
			      polls.by_softirq + polls.by_thread);
	seen->polls += polls.by_softirq;
	seen->threaded_polls = threaded;
	seen->busy_polls = busy;
	seen->exhausted += polls.exhausted;
	return polls;
}

/* A NAPI without an id only sends (net/core/dev.c netif_napi_add_tx_weight()). One that was guessed
 * to be of this queue would take its thread to a CPU that is another's. */
static void note_polls(const struct nb_probe_napi *napi, const struct seen_napi *seen,
		       const struct polls *polls, uint32_t thread, struct polled_queue *polled)
{
	if (napi->napi_id == 0 || seen->by_packets)
		return;
	polled->by_softirq |= polls->by_softirq > 0;
	if (polls->by_thread > 0 && (polled->thread == 0 || napi->pid == thread)) {
		polled->thread = napi->pid;
		polled->thread_cpu = (int)napi->cpu;
	}
}

static void read_napi(struct nb_timing *timing, const struct nb_probe_napi *napi,
		      struct seen_napi *seen, struct nb_snapshot *snapshot)
{
	uint64_t polled_nsec = nb_growth(seen->poll_nsec, napi->poll_nsec);
	struct polls polls = count_polls(napi, seen);

	if (seen->queue >= 0) {
		struct nb_queue_state *state = &snapshot->queues[seen->queue];

		state->time_nsec += polled_nsec;
		state->threaded_nsec += nb_growth(seen->threaded_nsec, napi->threaded_nsec);
		state->polled_packets += nb_growth(seen->packets, napi->packets);
		state->polls += polls.by_softirq;
		state->exhausted += polls.exhausted;
		state->thread_polls += polls.by_thread;
		locate_queue(timing, napi, (unsigned)seen->queue, polled_nsec,
			     polls.by_application > polls.by_softirq, state);
		note_polls(napi, seen, &polls, state->thread,
			   &g_array_index(timing->polled, struct polled_queue, seen->queue));
	} else if (napi->cpu < timing->n_cpus) {
		timing->unknown[napi->cpu].nsec += polled_nsec;
		timing->unknown[napi->cpu].packets += nb_growth(seen->packets, napi->packets);
	}
	seen->poll_nsec += polled_nsec;
	seen->threaded_nsec = napi->threaded_nsec;
	seen->packets = napi->packets;
}

/* What was not polled is as it was. */
static void note_threads(const struct nb_timing *timing, struct nb_snapshot *snapshot)
{
	for (unsigned i = 0; i < snapshot->n_queues; i++) {
		const struct polled_queue *polled =
			&g_array_index(timing->polled, struct polled_queue, i);

		if (polled->thread == 0 && !polled->by_softirq)
			continue;
		snapshot->queues[i].thread = polled->thread;
		snapshot->queues[i].thread_cpu = polled->thread ? polled->thread_cpu : -1;
	}
}

static void read_napis(struct nb_timing *timing, const struct nb_probe_view *view,
		       struct nb_snapshot *snapshot)
{
	const struct seen_napi unread = {.serial = UINT32_MAX, .queue = NO_QUEUE};

	if (timing->polled->len)
		memset(timing->polled->data, 0, timing->polled->len * sizeof(struct polled_queue));
	while (timing->napis->len < view->n_napis)
		g_array_append_val(timing->napis, unread);
	for (unsigned i = 0; i < view->n_napis; i++) {
		struct seen_napi *seen = &g_array_index(timing->napis, struct seen_napi, i);

		nb_bind_napi(timing, &view->napis[i], seen);
		read_napi(timing, &view->napis[i], seen, snapshot);
	}
	note_threads(timing, snapshot);
	timing->adopted = false;
}

static void read_irqs(const struct nb_timing *timing, const struct nb_probe_view *view,
		      struct nb_snapshot *snapshot)
{
	for (unsigned i = 0; i < timing->irqs->len; i++) {
		struct seen_irq *seen = &g_array_index(timing->irqs, struct seen_irq, i);
		struct nb_queue_state *state = &snapshot->queues[seen->queue];
		const struct nb_probe_irq *irq;

		if (seen->position < 0)
			continue;
		irq = &view->irqs[seen->position];
		if (irq->count == seen->count)
			continue;
		state->time_nsec += nb_growth(seen->irq_nsec, irq->irq_nsec);
		state->interrupts += irq->count - seen->count;
		state->landed_cpu = (int)irq->cpu;
		seen->irq_nsec = irq->irq_nsec;
		seen->count = irq->count;
	}
}

G_STATIC_ASSERT(NB_DELAYS == NB_PROBE_DELAYS);

/* Nobody reads them while nobody counts them. */
static void read_delays(const struct nb_timing *timing, struct nb_cpu_counters *cpu)
{
	cpu->delays_known = nb_probe_watches_delays(timing->probe);
	if (cpu->delays_known)
		memcpy(cpu->delays, nb_probe_delays(timing->probe)[cpu->id].counts,
		       sizeof(cpu->delays));
}

static void add_steered_to(const struct nb_snapshot *snapshot, struct nb_cpumask *cpus)
{
	for (unsigned i = 0; i < snapshot->n_rps; i++)
		nb_cpumask_or(cpus, &snapshot->rps[i].cpus);
}

/* Whether anything did. Where nothing is steered, what else is on the backlog was sent by
 * applications, over loopback or veth, and leads to no more. */
static bool look_onward(struct nb_timing *timing, const struct nb_probe_view *view,
			const struct nb_snapshot *snapshot)
{
	struct nb_cpumask steered_to = {};
	bool any = false;

	add_steered_to(snapshot, &steered_to);
	for (unsigned i = 0; i < snapshot->n_cpus; i++) {
		unsigned id = snapshot->cpus[i].id;
		const struct nb_probe_cpu *now;
		struct seen_onward *seen;

		if (id >= timing->n_cpus)
			continue;
		now = &view->cpus[id];
		seen = &timing->onward[id];
		seen->new_nsec = nb_growth(seen->onward_nsec, now->onward_nsec);
		seen->whole_nsec = nb_cpumask_has(&steered_to, id)
					   ? nb_growth(seen->backlog_nsec, now->backlog_nsec)
					   : 0;
		seen->onward_nsec = now->onward_nsec;
		seen->backlog_nsec = now->backlog_nsec;
		any |= seen->new_nsec > 0;
	}
	return any;
}

/* Where a queue was polled just now; NULL: nowhere. */
static struct seen_onward *onward_beside(const struct nb_timing *timing,
					 const struct nb_snapshot *snapshot, unsigned queue,
					 uint64_t *ret_polled_nsec)
{
	int cpu = snapshot->queues[queue].polled_cpu;

	*ret_polled_nsec = g_array_index(timing->polled, struct polled_queue, queue).longest_nsec;
	return *ret_polled_nsec > 0 && cpu >= 0 && (unsigned)cpu < timing->n_cpus
		       ? &timing->onward[cpu]
		       : NULL;
}

/* A tunnel puts what it took out of packets on a list of the CPU that received them, and a NAPI of
 * its own, scheduled there, goes on with it (net/core/gro_cells.c); so does the backlog with what
 * is forwarded to a veth, or came by PPP. That is work for the queues that are polled there, and
 * goes with them. By which of them, or by RPS, the packets came nobody counts: each has a share by
 * its own time. */
static void share_onward(struct nb_timing *timing, const struct nb_probe_view *view,
			 struct nb_snapshot *snapshot)
{
	bool looked = timing->looked;
	struct seen_onward *seen;
	uint64_t polled_nsec;

	timing->looked = true;
	if (!look_onward(timing, view, snapshot) || !looked)
		return;
	for (unsigned i = 0; i < snapshot->n_queues; i++) {
		seen = onward_beside(timing, snapshot, i, &polled_nsec);
		if (seen)
			seen->whole_nsec += polled_nsec;
	}
	for (unsigned i = 0; i < snapshot->n_queues; i++) {
		uint64_t share_nsec;

		seen = onward_beside(timing, snapshot, i, &polled_nsec);
		if (!seen)
			continue;
		share_nsec = (uint64_t)((unsigned __int128)seen->new_nsec * polled_nsec /
					seen->whole_nsec);
		snapshot->queues[i].time_nsec += share_nsec;
		seen->carried_nsec += share_nsec;
	}
}

static void read_cpu(const struct nb_timing *timing, const struct nb_probe_cpu *from,
		     struct nb_cpu_counters *cpu)
{
	uint64_t backlog_nsec = from->backlog_nsec + from->other_nsec + from->onward_nsec;
	uint64_t carried_nsec = timing->onward[cpu->id].carried_nsec;
	uint64_t polls_nsec = nb_growth(backlog_nsec, from->softirq_nsec[NB_PROBE_NET_RX]);
	const struct seen_unknown *unknown = &timing->unknown[cpu->id];

	cpu->softirq_nsec = 0;
	for (unsigned i = 0; i < NB_PROBE_VECTORS; i++)
		cpu->softirq_nsec += from->softirq_nsec[i];
	cpu->irq_nsec = from->irq_nsec;
	cpu->backlog_nsec = backlog_nsec - carried_nsec;
	cpu->queues_nsec =
		nb_growth(unknown->nsec, polls_nsec + from->scope_irq_nsec) + carried_nsec;
	cpu->unknown_nsec = unknown->nsec;
	cpu->unknown_packets = unknown->packets;
	cpu->net_rx = from->net_rx;
	read_delays(timing, cpu);
}

void nb_timing_read_cpus(const struct nb_timing *timing, struct nb_cpu_counters *cpus,
			 unsigned n_cpus)
{
	struct nb_probe_view view;

	nb_probe_view(timing->probe, &view);
	/* Of skipped CPUs /proc/stat tells: with nohz_full, exactly. */
	for (unsigned i = 0; i < n_cpus; i++)
		if (cpus[i].id < timing->n_cpus &&
		    !nb_cpumask_has(skipped(timing->scan), cpus[i].id))
			read_cpu(timing, &view.cpus[cpus[i].id], &cpus[i]);
}

void nb_timing_read(struct nb_timing *timing, struct nb_snapshot *snapshot, bool complete)
{
	struct nb_probe_view view;

	nb_probe_view(timing->probe, &view);
	read_napis(timing, &view, snapshot);
	share_onward(timing, &view, snapshot);
	nb_virtual_queues_read(timing, &view, snapshot);
	if (complete)
		nb_bind_complete(timing, &view, snapshot);
	read_irqs(timing, &view, snapshot);
	nb_timing_read_cpus(timing, snapshot->cpus, snapshot->n_cpus);
}

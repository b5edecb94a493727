/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sample/virtual_queues.h"

#include "base/find.h"
#include "nicbalance/units.h"

G_STATIC_ASSERT(NB_VIRTUALS_MAX == NB_PROBE_VIRTUALS_MAX);

/* The programs let a lead grow no further than NB_PROBE_LEAD_MAX_NSEC, and what others have takes
 * from it again: in a long window, so much is one. */
#define LEAD_NSEC (NB_PROBE_LEAD_MAX_NSEC / 2)

static struct seen_virtual *seen_virtual(const struct nb_timing *timing, unsigned cpu,
					 unsigned slot)
{
	return &timing->virtuals[cpu * NB_VIRTUALS_MAX + slot];
}

static struct seen_virtual read_virtual(const struct nb_probe_view *view, unsigned cpu,
					unsigned slot)
{
	const struct nb_probe_virtual *now = &view->cpus[cpu].virtuals[slot];

	uint32_t polls = nb_probe_counter(&now->polls);

	/* In this order, as those of a NAPI (timing.c). */
	return (struct seen_virtual){now->nsec, now->packets, polls,
				     nb_probe_counter(&now->exhausted)};
}

/* One that is new in its place begins where the counters are. */
int nb_virtual_queues_adopt(struct nb_timing *timing, const struct nb_virtual_slots *slots)
{
	struct nb_probe_view view;
	int r = nb_probe_set_virtuals(timing->probe, slots->ifindexes);

	if (r < 0)
		return r;
	nb_probe_view(timing->probe, &view);
	for (unsigned slot = 0; slot < NB_VIRTUALS_MAX; slot++)
		for (unsigned cpu = 0; slots->ifindexes[slot] != timing->slots.ifindexes[slot] &&
				       cpu < timing->n_cpus;
		     cpu++)
			*seen_virtual(timing, cpu, slot) = read_virtual(&view, cpu, slot);
	timing->slots = *slots;
	return 0;
}

/* Its NAPIs may be polled on several CPUs: what is not of the one with most stays the backlog of
 * its CPU. */
static void read_virtual_queue(struct nb_timing *timing, const struct nb_probe_view *view,
			       const struct nb_snapshot *snapshot, unsigned slot,
			       struct nb_queue_state *state)
{
	uint64_t most_nsec = 0;

	for (unsigned i = 0; i < snapshot->n_cpus; i++) {
		unsigned id = snapshot->cpus[i].id;
		struct seen_virtual now, *seen;

		if (id >= timing->n_cpus)
			continue;
		now = read_virtual(view, id, slot);
		seen = seen_virtual(timing, id, slot);
		if (nb_growth(seen->nsec, now.nsec) > most_nsec) {
			most_nsec = now.nsec - seen->nsec;
			state->polled_cpu = (int)id;
		}
		now.exhausted = seen->exhausted +
				MIN(now.exhausted - seen->exhausted, now.polls - seen->polls);
		state->polls += now.polls - seen->polls;
		state->exhausted += now.exhausted - seen->exhausted;
		state->polled_packets += now.packets - seen->packets;
		*seen = now;
	}
	state->time_nsec += most_nsec;
	timing->virtual_nsec[slot] = most_nsec;
	if (most_nsec > 0)
		timing->onward[state->polled_cpu].carried_nsec += most_nsec;
}

static void read_untold(struct nb_timing *timing, const struct nb_probe_view *view)
{
	for (unsigned cpu = 0; cpu < timing->n_cpus; cpu++) {
		struct seen_untold *seen = &timing->untold[cpu];
		uint64_t now_nsec = view->cpus[cpu].untold_nsec;

		seen->new_nsec = nb_growth(seen->nsec, now_nsec);
		seen->nsec = now_nsec;
	}
}

void nb_virtual_queues_read(struct nb_timing *timing, const struct nb_probe_view *view,
			    struct nb_snapshot *snapshot)
{
	read_untold(timing, view);
	for (unsigned slot = 0; slot < NB_VIRTUALS_MAX; slot++) {
		struct nb_queue_key key = {.ifindex = timing->slots.ifindexes[slot]};
		const struct nb_queue *queue =
			key.ifindex ? nb_machine_find_queue(snapshot->machine, key) : NULL;

		timing->virtual_nsec[slot] = 0;
		if (queue)
			read_virtual_queue(timing, view, snapshot, slot,
					   &snapshot->queues[queue - snapshot->machine->queues]);
	}
}

uint64_t nb_virtual_queues_nsec(const struct nb_timing *timing, unsigned slot)
{
	return timing->virtual_nsec[slot];
}

int nb_virtual_queues_find_untold(const struct nb_timing *timing, uint64_t least_nsec)
{
	struct nb_probe_view view;

	nb_probe_view(timing->probe, &view);
	for (unsigned cpu = 0; cpu < timing->n_cpus; cpu++) {
		uint64_t lead_nsec = view.cpus[cpu].untold_lead_nsec;
		uint64_t new_nsec = timing->untold[cpu].new_nsec;

		if (lead_nsec > 0 && new_nsec > 0 && new_nsec >= least_nsec &&
		    lead_nsec >= MIN(least_nsec, LEAD_NSEC))
			return (int)view.cpus[cpu].untold_ifindex;
	}
	return 0;
}

void nb_virtual_queues_watch(struct nb_timing *timing, bool on)
{
	nb_probe_watch_virtuals(timing->probe, on);
}

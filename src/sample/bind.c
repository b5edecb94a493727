/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sample/bind.h"

#include "base/find.h"
#include "nicbalance/units.h"

#include <stdlib.h>

/* Between two complete samples a NAPI took in so many packets at least, and as many as its queue by
 * the driver's count but for one part in so many and what came while one was read after the other.
 */
#define PACKETS_TO_COMPARE 200
#define PACKETS_APART(packets) ((packets) / 50 + 64)
/* So many, where its interrupt is on another CPU and NAPIs on several CPUs come into question: of
 * fewer, queues that fill a CPU each have about as many, and one that is taken for another stays
 * so. */
#define PACKETS_TO_TELL 4000

/* How far into what a driver gave request_irq() for a queue that queue's NAPI lies. */
struct offset {
	uint32_t ifindex;
	uint64_t bytes;
};

static int compare_irqs(const void *a, const void *b)
{
	const struct seen_irq *x = a, *y = b;

	return x->irq < y->irq ? -1 : x->irq > y->irq;
}

struct seen_irq *nb_bind_find_irq(const GArray *irqs, uint32_t irq)
{
	struct seen_irq key = {.irq = irq};

	return irqs->len ? bsearch(&key, irqs->data, irqs->len, sizeof(key), compare_irqs) : NULL;
}

GArray *nb_bind_list_irqs(const struct nb_machine *machine)
{
	GArray *irqs = g_array_new(FALSE, TRUE, sizeof(struct seen_irq));

	for (unsigned i = 0; i < machine->n_queues; i++)
		for (unsigned k = 0; k < machine->queues[i].n_irqs; k++) {
			struct seen_irq irq = {.irq = machine->queues[i].irqs[k], .queue = i};

			if (!nb_irq_is_channel(irq.irq))
				g_array_append_val(irqs, irq);
		}
	g_array_sort(irqs, compare_irqs);
	return irqs;
}

static uint32_t sure_irq(const struct nb_probe_napi *napi)
{
	return napi->irq_votes >= NB_PROBE_SURE ? napi->irq : 0;
}

/* By the id that netlink gives the queue, else by the interrupt that it was seen to follow. */
static int queue_of(const struct nb_timing *timing, const struct nb_probe_napi *napi)
{
	const struct seen_irq *irq;
	int queue = nb_scan_find_napi(timing->scan, (int)napi->ifindex, napi->napi_id);

	if (queue >= 0)
		return queue;
	irq = nb_bind_find_irq(timing->irqs, sure_irq(napi));
	return irq ? (int)irq->queue : NO_QUEUE;
}

static int position_of(const struct nb_machine *machine, struct nb_queue_key key)
{
	const struct nb_queue *queue = nb_machine_find_queue(machine, key);

	return queue ? (int)(queue - machine->queues) : NO_QUEUE;
}

void nb_bind_napi(const struct nb_timing *timing, const struct nb_probe_napi *napi,
		  struct seen_napi *seen)
{
	uint32_t irq = sure_irq(napi);

	if (!timing->adopted && seen->serial == napi->serial && seen->irq == irq)
		return;
	if (seen->serial != napi->serial)
		seen->known = (struct nb_queue_key){};
	seen->serial = napi->serial;
	seen->irq = irq;
	seen->queue = queue_of(timing, napi);
	if (seen->queue == NO_QUEUE)
		seen->queue = position_of(&timing->scan->machine, seen->known);
	else
		seen->by_packets = false;
}

static void know(const struct nb_timing *timing, struct seen_napi *seen, int queue, bool by_packets)
{
	seen->queue = queue;
	seen->by_packets = by_packets;
	if (queue != NO_QUEUE)
		seen->known = timing->scan->machine.queues[queue].key;
}

/* --- by what handlers are given ------------------------------------------------------------- */

/* Of its own, or 0. */
static uint64_t offset_of(const struct nb_timing *timing, const struct nb_probe_view *view,
			  const struct nb_probe_napi *napi)
{
	const struct seen_irq *irq = nb_bind_find_irq(timing->irqs, sure_irq(napi));
	uint64_t bytes;

	if (!irq || irq->position < 0)
		return 0;
	bytes = napi->address - view->irqs[irq->position].dev_id;
	return bytes < NB_PROBE_NEAR_BYTES ? bytes : 0;
}

static bool has_offset(const GArray *offsets, struct offset wanted)
{
	for (unsigned i = 0; i < offsets->len; i++) {
		const struct offset *offset = &g_array_index(offsets, struct offset, i);

		if (offset->ifindex == wanted.ifindex && offset->bytes == wanted.bytes)
			return true;
	}
	return false;
}

static GArray *learn_offsets(const struct nb_timing *timing, const struct nb_probe_view *view)
{
	GArray *offsets = g_array_new(FALSE, FALSE, sizeof(struct offset));

	for (unsigned i = 0; i < view->n_napis; i++) {
		struct offset offset = {
			.ifindex = view->napis[i].ifindex,
			.bytes = offset_of(timing, view, &view->napis[i]),
		};

		if (offset.bytes && !has_offset(offsets, offset))
			g_array_append_val(offsets, offset);
	}
	return offsets;
}

static int queue_by_dev_id(const struct nb_timing *timing, const struct nb_probe_view *view,
			   uint32_t ifindex, uint64_t dev_id)
{
	for (unsigned i = 0; i < timing->irqs->len; i++) {
		const struct seen_irq *irq = &g_array_index(timing->irqs, struct seen_irq, i);

		if (irq->position >= 0 && view->irqs[irq->position].dev_id == dev_id &&
		    timing->scan->machine.queues[irq->queue].key.ifindex == (int)ifindex)
			return (int)irq->queue;
	}
	return NO_QUEUE;
}

/* A NAPI that was busy on one CPU when its interrupt was moved to another is never seen to follow
 * it; but what its handler is given lies as far from it as with the others of its device. */
static void bind_by_dev_id(const struct nb_timing *timing, const struct nb_probe_view *view,
			   const GArray *offsets, unsigned position)
{
	const struct nb_probe_napi *napi = &view->napis[position];
	struct seen_napi *seen = &g_array_index(timing->napis, struct seen_napi, position);

	for (unsigned i = 0; i < offsets->len && seen->queue == NO_QUEUE; i++) {
		const struct offset *offset = &g_array_index(offsets, struct offset, i);

		if (offset->ifindex == napi->ifindex)
			know(timing, seen,
			     queue_by_dev_id(timing, view, napi->ifindex,
					     napi->address - offset->bytes),
			     false);
	}
}

/* --- by packets ------------------------------------------------------------------------------ */

static bool has_napi(const struct nb_timing *timing, unsigned queue)
{
	for (unsigned i = 0; i < timing->napis->len; i++)
		if (g_array_index(timing->napis, struct seen_napi, i).queue == (int)queue)
			return true;
	return false;
}

/* Since the last complete sample. */
static uint64_t packets_of(const struct seen_napi *seen)
{
	return nb_growth(seen->complete_packets, seen->packets);
}

/* All NAPIs without a queue that could be those of the same queues as this one are polled where it
 * is. Then these queues are polled there, whichever is whose. */
static bool alike_are_together(const struct nb_timing *timing, const struct nb_probe_view *view,
			       unsigned position)
{
	const struct nb_probe_napi *napi = &view->napis[position];
	uint64_t packets = packets_of(&g_array_index(timing->napis, struct seen_napi, position));

	for (unsigned i = 0; i < view->n_napis; i++) {
		const struct seen_napi *other = &g_array_index(timing->napis, struct seen_napi, i);

		if (other->queue == NO_QUEUE && view->napis[i].ifindex == napi->ifindex &&
		    view->napis[i].cpu != napi->cpu &&
		    nb_distance(packets_of(other), packets) <= 2 * PACKETS_APART(packets))
			return false;
	}
	return true;
}

/* The queue of its device without a NAPI that took in as many packets, or NO_QUEUE. Queues that
 * fill one CPU are polled in turn and take in as many each: of several the one whose interrupt is
 * where the NAPI is polled, then the one that fits best. An interrupt that does come later knows
 * better. */
static int queue_by_packets(const struct nb_timing *timing, const struct nb_probe_view *view,
			    unsigned position, const struct nb_snapshot *snapshot)
{
	const struct nb_probe_napi *napi = &view->napis[position];
	uint64_t packets = packets_of(&g_array_index(timing->napis, struct seen_napi, position));
	bool few = packets < PACKETS_TO_TELL && !alike_are_together(timing, view, position);
	uint64_t best = UINT64_MAX;
	int found = NO_QUEUE;

	for (unsigned i = 0; i < snapshot->n_queues; i++) {
		const struct nb_queue_state *state = &snapshot->queues[i];
		uint64_t rx = nb_growth(g_array_index(timing->complete_rx, uint64_t, i),
					state->rx_packets);
		uint64_t apart = nb_distance(rx, packets);
		bool elsewhere = state->effective_cpu != (int)napi->cpu;
		uint64_t misfit = apart + (elsewhere ? PACKETS_APART(packets) + 1 : 0);

		if (elsewhere && few)
			continue;
		if (timing->scan->machine.queues[i].key.ifindex != (int)napi->ifindex ||
		    apart > PACKETS_APART(packets) || misfit >= best || has_napi(timing, i))
			continue;
		best = misfit;
		found = (int)i;
	}
	return found;
}

/* A poll that always uses its whole budget leaves its interrupt masked, so there may be none to
 * follow and no dev_id. */
static void bind_by_packets(const struct nb_timing *timing, const struct nb_probe_view *view,
			    const struct nb_snapshot *snapshot, unsigned position)
{
	struct seen_napi *seen = &g_array_index(timing->napis, struct seen_napi, position);

	if (timing->complete_rx->len > 0 && timing->complete_slices == view->n_slices &&
	    packets_of(seen) >= PACKETS_TO_COMPARE)
		know(timing, seen, queue_by_packets(timing, view, position, snapshot), true);
}

void nb_bind_complete(struct nb_timing *timing, const struct nb_probe_view *view,
		      const struct nb_snapshot *snapshot)
{
	g_autoptr(GArray) offsets = NULL;

	for (unsigned i = 0; i < view->n_napis; i++) {
		struct seen_napi *seen = &g_array_index(timing->napis, struct seen_napi, i);

		if (seen->queue == NO_QUEUE) {
			if (!offsets)
				offsets = learn_offsets(timing, view);
			bind_by_dev_id(timing, view, offsets, i);
		}
		if (seen->queue == NO_QUEUE)
			bind_by_packets(timing, view, snapshot, i);
	}
	timing->complete_slices = view->n_slices;
	g_array_set_size(timing->complete_rx, snapshot->n_queues);
	for (unsigned i = 0; i < snapshot->n_queues; i++)
		g_array_index(timing->complete_rx, uint64_t, i) = snapshot->queues[i].rx_packets;
	for (unsigned i = 0; i < view->n_napis; i++) {
		struct seen_napi *seen = &g_array_index(timing->napis, struct seen_napi, i);

		seen->complete_packets = seen->packets;
	}
}

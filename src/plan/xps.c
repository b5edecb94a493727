/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plan/xps.h"

#include "base/find.h"
#include "plan/follow.h"

/* After a move: it was measured for two seconds, and what corrects it comes soon after. A flow that
 * changes its transmit queue may be reordered, so this does not happen at each of several moves. */
#define SETTLED_NSEC (10 * NB_NSEC_PER_SEC)

/* --- which CPU sends by which queue */

static unsigned distance(const struct nb_cpu *a, const struct nb_cpu *b)
{
	if (a->llc == b->llc)
		return 0;
	return a->node == b->node ? 1 : 2;
}

static const struct nb_cpu *find_cpu(const struct nb_topology *topology, unsigned id)
{
	for (unsigned i = 0; i < topology->n_cpus; i++)
		if (topology->cpus[i].id == id)
			return &topology->cpus[i];
	return NULL;
}

/* Of the nearest the one that fewest CPUs have; of these the first. */
static unsigned nearest(const struct nb_cpu *cpu, const struct nb_cpu *const *homes,
			const unsigned *n_cpus, unsigned n)
{
	unsigned best = 0;

	for (unsigned i = 1; i < n; i++) {
		unsigned far = distance(cpu, homes[i]), best_far = distance(cpu, homes[best]);

		if (far < best_far || (far == best_far && n_cpus[i] < n_cpus[best]))
			best = i;
	}
	return best;
}

void nb_xps_lay_out(const struct nb_topology *topology, const unsigned *cpus, unsigned n,
		    struct nb_cpumask *masks)
{
	g_autofree const struct nb_cpu **homes = g_new(const struct nb_cpu *, n);
	g_autofree unsigned *n_cpus = g_new(unsigned, n);
	struct nb_cpumask served = {};

	for (unsigned i = 0; i < n; i++) {
		homes[i] = find_cpu(topology, cpus[i]);
		assert(homes[i]);
		nb_cpumask_clear(&masks[i]);
		nb_cpumask_add(&masks[i], cpus[i]);
		nb_cpumask_add(&served, cpus[i]);
		n_cpus[i] = 1;
	}
	for (unsigned i = 0; i < topology->n_cpus; i++) {
		const struct nb_cpu *cpu = &topology->cpus[i];
		unsigned queue;

		if (nb_cpumask_has(&served, cpu->id))
			continue;
		queue = nearest(cpu, homes, n_cpus, n);
		nb_cpumask_add(&masks[queue], cpu->id);
		n_cpus[queue]++;
	}
}

/* --- when */

static const struct nb_board_queue *transmit_queue(const struct nb_follow_view *view,
						   unsigned index)
{
	return nb_board_find_queue(view->board, (struct nb_queue_key){view->nic->ifindex, index});
}

static bool is_settled(const struct nb_follow_view *view, const struct nb_board_queue *queue)
{
	const struct nb_queue_memory *memory = queue->memory;
	uint64_t changed_nsec = MAX(memory->moved_nsec, memory->affinity.foreign_nsec);

	return !memory->pending.active && !nb_board_is_stuck(queue) &&
	       view->board->now_nsec >= changed_nsec + SETTLED_NSEC;
}

/* Where its transmit queues are, and from where they are used. 0: that is not known of all, may
 * change soon, or is none of our doing. */
static uint64_t places_of(const struct nb_follow_view *view)
{
	uint64_t digest = NB_FOLLOW_BEGIN;
	const struct nb_topology *topology = &view->machine->topology;
	bool moved = view->row && view->row->ours;

	for (unsigned i = 0; i < view->nic->n_tx; i++) {
		const struct nb_board_queue *queue = transmit_queue(view, i);

		if (!queue || !view->machine->queues[queue - view->board->queues].has_tx ||
		    queue->state->affinity_cpu < 0 ||
		    !find_cpu(topology, (unsigned)queue->state->affinity_cpu) ||
		    !is_settled(view, queue))
			return 0;
		moved |= queue->memory->expected_cpu >= 0;
		digest = nb_follow_add(digest, (unsigned)queue->state->affinity_cpu);
	}
	for (unsigned i = 0; i < topology->n_cpus; i++)
		digest = nb_follow_add(digest, topology->cpus[i].id);
	return moved ? nb_follow_end(digest) : 0;
}

static void lay_out(const struct nb_follow_view *view, GArray *masks)
{
	unsigned n = view->nic->n_tx;
	g_autofree unsigned *cpus = g_new(unsigned, n);

	for (unsigned i = 0; i < n; i++)
		cpus[i] = (unsigned)transmit_queue(view, i)->state->affinity_cpu;
	g_array_set_size(masks, n);
	nb_xps_lay_out(&view->machine->topology, cpus, n, (struct nb_cpumask *)(void *)masks->data);
}

static bool follow(const struct nb_follow_view *view, GArray *masks, struct nb_follow_change *ret)
{
	unsigned n = view->nic->n_tx;
	uint64_t places;

	/* With a single queue the kernel has no masks. */
	if (n < 2 || !nb_follow_may_be_tried(view, n))
		return false;
	places = places_of(view);
	if (places == 0 || nb_follow_is_done(view, places, n))
		return false;
	lay_out(view, masks);
	*ret = (struct nb_follow_change){
		.key.ifindex = view->nic->ifindex,
		.reason = NB_REASON_XPS_FOLLOW,
		.to = (const struct nb_cpumask *)(const void *)masks->data,
		.n = n,
		.places = places,
		.carrier_changes = nb_follow_carrier_changes(view),
		/* Drivers set masks when they open the device; the kernel resets those of queues
		 * that go. */
		.reset = nb_follow_was_reset(view, n),
		.written = view->row && view->row->ours && view->row->places,
	};
	return true;
}

bool nb_xps_follow(const struct nb_board *board, const struct nb_machine *machine,
		   const struct nb_memory *memory, GArray *masks, struct nb_follow_change *ret)
{
	struct nb_follow_view view = {board, machine, memory, &memory->xps,
				      .wanted = board->policy->xps};

	if (!board->policy->xps && memory->xps.n == 0)
		return false;
	for (unsigned i = 0; nb_follow_look_at(&view, i); i++) {
		if (nb_follow_is_to_return(&view)) {
			*ret = (struct nb_follow_change){.key.ifindex = view.nic->ifindex,
							 .reason = NB_REASON_XPS_BACK,
							 .n = view.nic->n_tx};
			return true;
		}
		if (follow(&view, masks, ret))
			return true;
	}
	return false;
}

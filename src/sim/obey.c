/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim/random.h"
#include "sim/state.h"

#include <string.h>

struct nb_sim_queue *nb_sim_find_queue(struct nb_world *world, struct nb_queue_key key)
{
	for (unsigned i = 0; i < world->n_queues; i++)
		if (nb_queue_key_compare(world->queues[i].key, key) == 0)
			return nb_sim_is_in_use(world, &world->queues[i]) ? &world->queues[i]
									  : NULL;
	return NULL;
}

bool nb_sim_refuses(struct nb_world *world)
{
	uint64_t draw =
		nb_sim_draw(world->scenario->seed, NB_SIM_STREAM_WRITE, world->n_writes++, 0);

	return draw % NB_WHOLE < world->scenario->refuse_bp;
}

/* The mask can be read back at once, also while the move waits for the next interrupt (kernel/irq/
 * proc.c show_irq_affinity() shows the pending one). */
static enum nb_outcome move(struct nb_world *world, const struct nb_move *move)
{
	struct nb_sim_queue *queue = nb_sim_find_queue(world, move->key);

	if (!queue)
		return NB_OUTCOME_GONE;
	if (move->cpu_to >= world->scenario->n_cpus || !world->cpus[move->cpu_to].online)
		return NB_OUTCOME_STALE;
	if (queue->affinity_cpu == (int)move->cpu_to)
		return NB_OUTCOME_UNCHANGED;
	if (nb_sim_nic(world, queue->nic)->managed)
		return NB_OUTCOME_REFUSED;
	if (nb_sim_refuses(world))
		return NB_OUTCOME_BUSY;
	nb_sim_write_affinity(queue, move->cpu_to, world->now_nsec + world->scenario->delay_nsec);
	return NB_OUTCOME_APPLIED;
}

/* Nothing of a mask is online: the kernel keeps none and RPS is off (net/core/net-sysfs.c). */
static struct nb_cpumask stored_mask(const struct nb_world *world, const struct nb_cpumask *mask)
{
	struct nb_cpumask stored = {};

	NB_CPUMASK_FOREACH (cpu, mask)
		if (cpu < world->scenario->n_cpus && world->cpus[cpu].online)
			nb_cpumask_add(&stored, cpu);
	return stored;
}

static enum nb_outcome steer(struct nb_world *world, const struct nb_rps_change *change)
{
	struct nb_sim_queue *queue = nb_sim_find_queue(world, change->key);

	if (!queue)
		return NB_OUTCOME_GONE;
	if (nb_cpumask_equal(&queue->rps, &change->to))
		return NB_OUTCOME_UNCHANGED;
	if (nb_sim_refuses(world))
		return NB_OUTCOME_BUSY;
	queue->rps = stored_mask(world, &change->to);
	queue->steered = !nb_cpumask_empty(&queue->rps);
	return NB_OUTCOME_APPLIED;
}

static struct nb_cpumask *xps_of(struct nb_world *world, const struct nb_follow_change *change,
				 unsigned index)
{
	struct nb_sim_queue *queue =
		nb_sim_find_queue(world, (struct nb_queue_key){change->key.ifindex, index});

	return queue ? &queue->xps : NULL;
}

/* All masks, or none. Found are none. */
static enum nb_outcome follow(struct nb_world *world, const struct nb_follow_change *change)
{
	static const struct nb_cpumask none;
	bool same = true;

	for (unsigned i = 0; i < change->n; i++) {
		const struct nb_cpumask *xps = xps_of(world, change, i);

		if (!xps)
			return NB_OUTCOME_GONE;
		same &= nb_cpumask_equal(xps, change->to ? &change->to[i] : &none);
	}
	if (same)
		return NB_OUTCOME_UNCHANGED;
	if (nb_sim_refuses(world))
		return NB_OUTCOME_BUSY;
	for (unsigned i = 0; i < change->n; i++)
		*xps_of(world, change, i) = change->to ? stored_mask(world, &change->to[i]) : none;
	return NB_OUTCOME_APPLIED;
}

static bool is_table(const uint32_t *entries, const uint8_t *table)
{
	for (unsigned b = 0; b < NB_SIM_BUCKETS; b++)
		if (entries[b] != table[b])
			return false;
	return true;
}

/* False: it names a queue that is not there (net/ethtool/ioctl.c ethtool_copy_validate_indir()). */
static bool copy_table(const uint32_t *entries, unsigned n_queues, uint8_t *ret_table)
{
	for (unsigned b = 0; b < NB_SIM_BUCKETS; b++) {
		if (entries[b] >= n_queues)
			return false;
		ret_table[b] = (uint8_t)entries[b];
	}
	return true;
}

static bool make_table(const struct nb_rss_change *change, unsigned n_queues, uint8_t *ret_table)
{
	if (change->n_entries > 0)
		return copy_table(change->to, n_queues, ret_table);
	return nb_sim_fill_table(n_queues, &change->queues, ret_table);
}

/* Buckets are moved within the table that the planner saw, and in no other. */
static bool is_stale(const struct nb_rss_change *change, const uint8_t *table)
{
	return change->n_entries > 0 &&
	       (change->n_entries != NB_SIM_BUCKETS || !is_table(change->from, table));
}

static enum nb_outcome switch_napis(struct nb_world *world, const struct nb_threaded_change *change)
{
	bool is_whole = change->key.index == NB_EVERY_QUEUE;
	const struct nb_sim_queue *first = nb_sim_find_queue(
		world, is_whole ? (struct nb_queue_key){change->key.ifindex, 0} : change->key);

	if (!first)
		return NB_OUTCOME_GONE;
	if (!is_whole && !nb_sim_nic(world, first->nic)->linked)
		return NB_OUTCOME_REFUSED;
	if (first->switched == change->on)
		return NB_OUTCOME_UNCHANGED;
	if (nb_sim_refuses(world))
		return NB_OUTCOME_BUSY;
	for (unsigned i = 0; i < world->n_queues; i++)
		if (nb_queue_key_covers(change->key, world->queues[i].key))
			world->queues[i].switched = change->on;
	return NB_OUTCOME_APPLIED;
}

static enum nb_outcome redirect(struct nb_world *world, const struct nb_rss_change *change)
{
	const struct nb_sim_queue *first = nb_sim_find_queue(world, change->key);
	uint8_t table[NB_SIM_BUCKETS];

	if (!first)
		return NB_OUTCOME_GONE;
	if (nb_sim_nic(world, first->nic)->fixed_table)
		return NB_OUTCOME_REFUSED;
	if (is_stale(change, world->tables[first->nic]))
		return NB_OUTCOME_STALE;
	if (!make_table(change, world->n_channels[first->nic], table))
		return NB_OUTCOME_REFUSED;
	if (memcmp(world->tables[first->nic], table, sizeof(table)) == 0)
		return NB_OUTCOME_UNCHANGED;
	if (nb_sim_refuses(world))
		return NB_OUTCOME_BUSY;
	memcpy(world->tables[first->nic], table, sizeof(table));
	return NB_OUTCOME_APPLIED;
}

enum nb_outcome nb_world_carry_out(struct nb_world *world, const struct nb_change *change)
{
	switch (change->kind) {
	case NB_KIND_QUEUE:
		return move(world, change->move);
	case NB_KIND_RPS:
		return steer(world, change->rps);
	case NB_KIND_RSS:
		return redirect(world, change->rss);
	case NB_KIND_XPS:
		return follow(world, change->follow);
	case NB_KIND_RFS: /* where applications read is not simulated */
		return NB_OUTCOME_UNCHANGED;
	case NB_KIND_THREADED:
		return switch_napis(world, change->threaded);
	case NB_KIND_UDP_HASH:
		return nb_sim_set_udp_hash(world, change->setting);
	case NB_KIND_CHANNELS:
		return nb_sim_set_channels(world, change->setting);
	case NB_KIND_THREAD: /* no simulated NIC has or asks for these */
	case NB_KIND_DEVICE_IRQ:
	case _NB_KIND_MAX:
	case _NB_KIND_INVALID:
		break;
	}
	return NB_OUTCOME_GONE;
}

void nb_world_obey(struct nb_world *world, struct nb_plan *plan)
{
	for (unsigned i = 0; i < plan->n_changes; i++)
		plan->changes[i].outcome = nb_world_carry_out(world, &plan->changes[i]);
	nb_sim_ask_for_buckets(world, plan->count_buckets);
}

void nb_world_place(struct nb_world *world, unsigned queue, unsigned cpu)
{
	struct nb_sim_queue *placed = &world->queues[world->rows[queue]];

	nb_sim_set_affinity(placed, cpu);
	nb_sim_poll_on(placed, cpu);
}

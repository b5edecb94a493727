/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sample/virtuals.h"

#include "base/find.h"
#include "nicbalance/units.h"
#include "sample/virtual_queues.h"

/* A quarter of a CPU in one window: of one that fills a CPU there is more, and few devices have as
 * much. */
#define COSTS_DIVISOR 4u
/* A twentieth keeps it listed. */
#define KEEPS_DIVISOR 20u
#define EXPIRES_NSEC (600 * NB_NSEC_PER_SEC)

static unsigned slot_of(const struct nb_virtuals *virtuals, int ifindex)
{
	unsigned slot = 0;

	while (slot < NB_VIRTUALS_MAX && virtuals->slots.ifindexes[slot] != ifindex)
		slot++;
	return slot;
}

bool nb_virtuals_add(struct nb_virtuals *virtuals, int ifindex, uint64_t now_nsec)
{
	unsigned slot = slot_of(virtuals, 0);

	if (slot == NB_VIRTUALS_MAX || slot_of(virtuals, ifindex) < NB_VIRTUALS_MAX)
		return false;
	virtuals->slots.ifindexes[slot] = ifindex;
	virtuals->cost_nsec[slot] = now_nsec;
	return true;
}

static void note_costs(struct nb_virtuals *virtuals, const struct nb_timing *timing,
		       uint64_t elapsed_nsec, uint64_t now_nsec)
{
	for (unsigned i = 0; i < NB_VIRTUALS_MAX; i++)
		if (nb_virtual_queues_nsec(timing, i) >= elapsed_nsec / KEEPS_DIVISOR)
			virtuals->cost_nsec[i] = now_nsec;
}

bool nb_virtuals_look(struct nb_virtuals *virtuals, const struct nb_timing *timing,
		      const struct nb_snapshot *before, const struct nb_snapshot *now)
{
	uint64_t elapsed_nsec = nb_growth(before->taken_nsec, now->taken_nsec);
	const struct nb_nic *nic;

	if (elapsed_nsec == 0 || before->machine != now->machine)
		return false;
	note_costs(virtuals, timing, elapsed_nsec, now->taken_nsec);
	if (!virtuals->wanted)
		return false;
	nic = nb_machine_find_nic(
		now->machine, nb_virtual_queues_find_untold(timing, elapsed_nsec / COSTS_DIVISOR));
	return nic && nic->scope == NB_SCOPE_VIRTUAL && nic->n_rx == 1 &&
	       nb_virtuals_add(virtuals, nic->ifindex, now->taken_nsec);
}

void nb_virtuals_expire(struct nb_virtuals *virtuals, const struct nb_snapshot *last)
{
	for (unsigned i = 0; i < NB_VIRTUALS_MAX; i++) {
		struct nb_queue_key key = {.ifindex = virtuals->slots.ifindexes[i]};

		if (last->taken_nsec >= virtuals->cost_nsec[i] + EXPIRES_NSEC &&
		    !nb_snapshot_find_rps(last, key))
			virtuals->slots.ifindexes[i] = 0;
	}
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What an earlier run set, and has not restored, is ours again. */
#include "daemon/daemon.h"

#include "base/device_irq_memory.h"
#include "base/find.h"
#include "base/follow.h"
#include "base/memory.h"

static void adopt_queue(struct nb_daemon *daemon, const struct nb_machine *machine,
			const struct nb_queue *queue)
{
	unsigned cpu;

	if (nb_applier_owns_queue(daemon->applier, machine, queue, &cpu))
		nb_memory_adopt_queue(&daemon->loop.memory, queue->key, cpu);
}

/* The planner restores at once a table that was limited for a moment, which is over, and others
 * when they are no longer needed. */
static int adopt_table(struct nb_daemon *daemon, const struct nb_nic *nic)
{
	struct nb_own_table ours;
	int r = nb_applier_owns_rss(daemon->applier, nic->ifindex, nic->name, &ours);

	if (r > 0)
		nb_memory_adopt_rss(&daemon->loop.memory, nic->ifindex, &ours.queues, ours.spread);
	return r;
}

static int adopt_setting(struct nb_daemon *daemon, const struct nb_nic *nic, enum nb_kind kind)
{
	unsigned ours;
	int r = nb_applier_owns_setting(daemon->applier, kind, nic->ifindex, nic->name, &ours);

	if (r > 0)
		nb_memory_adopt_setting(&daemon->loop.memory, kind, nic->ifindex, ours);
	return r;
}

static int adopt_threaded(struct nb_daemon *daemon, struct nb_queue_key key, const char *ifname)
{
	int r = nb_applier_owns_threaded(daemon->applier, key, ifname);

	if (r > 0)
		nb_memory_adopt_threaded(&daemon->loop.memory, key);
	return r;
}

static int adopt_threads(struct nb_daemon *daemon, const struct nb_machine *machine,
			 const struct nb_nic *nic)
{
	int r = adopt_threaded(daemon, nb_queue_key_every(nic->ifindex), nic->name);

	for (unsigned i = 0; r >= 0 && i < machine->n_queues; i++)
		if (machine->queues[i].key.ifindex == nic->ifindex)
			r = adopt_threaded(daemon, machine->queues[i].key, nic->name);
	return r;
}

/* False: the NIC cannot tell now, since a lock is held. */
static bool adopt_by_netlink(struct nb_daemon *daemon, const struct nb_machine *machine,
			     const struct nb_nic *nic)
{
	return adopt_table(daemon, nic) >= 0 && adopt_setting(daemon, nic, NB_KIND_UDP_HASH) >= 0 &&
	       adopt_setting(daemon, nic, NB_KIND_CHANNELS) >= 0 &&
	       adopt_threads(daemon, machine, nic) >= 0;
}

static void adopt_nics(struct nb_daemon *daemon, const struct nb_machine *machine)
{
	for (unsigned i = 0; i < machine->n_nics; i++)
		if (!adopt_by_netlink(daemon, machine, &machine->nics[i]))
			g_array_append_val(daemon->unadopted, machine->nics[i].ifindex);
}

static void adopt_late_nics(struct nb_daemon *daemon, const struct nb_machine *machine)
{
	for (unsigned i = daemon->unadopted->len; i-- > 0;) {
		const struct nb_nic *nic =
			nb_machine_find_nic(machine, g_array_index(daemon->unadopted, int, i));

		if (!nic || adopt_by_netlink(daemon, machine, nic))
			g_array_remove_index_fast(daemon->unadopted, i);
	}
}

/* What another program wrote since shows when it is to follow. */
static void adopt_followers(struct nb_daemon *daemon, const struct nb_machine *machine,
			    enum nb_knob_type type, struct nb_follow_rows *rows)
{
	for (unsigned i = 0; i < machine->n_nics; i++)
		if (nb_applier_wrote(daemon->applier, type, machine->nics[i].ifindex))
			nb_follow_get(rows, machine->nics[i].ifindex)->ours = true;
}

/* So shows the same of flow tables when they are asked for again. */
static void adopt_rfs(struct nb_daemon *daemon, const struct nb_machine *machine)
{
	for (unsigned i = 0; i < machine->n_nics; i++)
		if (nb_applier_wrote_rfs(daemon->applier, machine->nics[i].ifindex))
			nb_memory_adopt_setting(&daemon->loop.memory, NB_KIND_RFS,
						machine->nics[i].ifindex, 1);
}

static void adopt_mask(struct nb_daemon *daemon, const struct nb_snapshot *snapshot,
		       struct nb_queue_key key)
{
	const char *netdev = nb_machine_netdev(snapshot->machine, key.ifindex);
	struct nb_cpumask ours;

	if (nb_applier_owns_rps(daemon->applier, key.ifindex, netdev, key.index, &ours))
		nb_memory_adopt_rps(&daemon->loop.memory, key, &ours, snapshot->taken_nsec);
}

/* Devices without hardware have a queue only if they cost, or have a mask of ours. */
static void expect_steered(struct nb_daemon *daemon, const struct nb_snapshot *snapshot)
{
	const struct nb_machine *machine = snapshot->machine;

	for (unsigned i = 0; i < machine->n_nics; i++) {
		const struct nb_nic *nic = &machine->nics[i];

		if (nic->scope != NB_SCOPE_VIRTUAL ||
		    !nb_applier_wrote(daemon->applier, NB_KNOB_RPS, nic->ifindex))
			continue;
		nb_sampler_add_virtual(daemon->sampler, nic->ifindex, snapshot->taken_nsec);
		daemon->rescan_wanted = true;
	}
}

/* So these come with a later machine than the first. */
static void adopt_steered(struct nb_daemon *daemon, const struct nb_snapshot *snapshot)
{
	for (unsigned i = 0; i < snapshot->n_rps; i++) {
		struct nb_queue_key key = snapshot->rps[i].key;
		const struct nb_nic *nic = nb_machine_find_nic(snapshot->machine, key.ifindex);

		if (nic && nic->scope == NB_SCOPE_STEERED &&
		    !nb_memory_find_rps(&daemon->loop.memory, key))
			adopt_mask(daemon, snapshot, key);
	}
}

static void adopt_first(struct nb_daemon *daemon, const struct nb_snapshot *snapshot)
{
	const struct nb_machine *machine = snapshot->machine;

	for (unsigned i = 0; i < machine->n_queues; i++)
		adopt_queue(daemon, machine, &machine->queues[i]);
	for (unsigned i = 0; i < snapshot->n_rps; i++)
		adopt_mask(daemon, snapshot, snapshot->rps[i].key);
	expect_steered(daemon, snapshot);
	adopt_nics(daemon, machine);
	adopt_followers(daemon, machine, NB_KNOB_XPS, &daemon->loop.memory.xps);
	adopt_followers(daemon, machine, NB_KNOB_THREAD, &daemon->loop.memory.threads);
	adopt_rfs(daemon, machine);
}

/* The same of device interrupts, when they first occur. */
static void adopt_device_irqs(struct nb_daemon *daemon, const struct nb_machine *previous,
			      const struct nb_machine *machine)
{
	unsigned cpu;

	if (previous->device_irqs_version == machine->device_irqs_version ||
	    nb_applier_count(daemon->applier) == 0)
		return;
	for (unsigned i = 0; i < machine->n_device_irqs; i++) {
		const struct nb_device_irq *device_irq = &machine->device_irqs[i];

		if (!nb_machine_find_device_irq(previous, device_irq->irq) &&
		    !nb_device_irq_memory_find(&daemon->loop.memory, device_irq->irq) &&
		    nb_applier_owns_irq(daemon->applier, device_irq->irq, &cpu))
			nb_device_irq_memory_adopt(&daemon->loop.memory, device_irq, cpu);
	}
}

void nb_daemon_adopt(struct nb_daemon *daemon, const struct nb_snapshot *previous,
		     const struct nb_snapshot *snapshot)
{
	if (!previous) {
		adopt_first(daemon, snapshot);
		return;
	}
	adopt_late_nics(daemon, snapshot->machine);
	adopt_device_irqs(daemon, previous->machine, snapshot->machine);
	if (previous->machine != snapshot->machine)
		adopt_steered(daemon, snapshot);
}

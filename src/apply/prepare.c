/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From a change of the plan to the writes that carry it out. */
#include "apply/prepare.h"

#include "apply/outcome.h"
#include "apply/table.h"
#include "apply/value.h"
#include "base/find.h"
#include "base/rss_table.h"

#include <errno.h>
#include <string.h>

enum nb_outcome nb_edit_compare(struct nb_edit *edit, const struct nb_access *access)
{
	if (g_bytes_equal(edit->before, edit->target))
		return NB_OUTCOME_UNCHANGED;
	if (!nb_knob_is_settable(access, &edit->knob))
		return NB_OUTCOME_REFUSED;

	edit->needed = true;
	return NB_OUTCOME_APPLIED;
}

void nb_transaction_compare(struct nb_transaction *transaction, const struct nb_access *access)
{
	transaction->outcome = NB_OUTCOME_UNCHANGED;
	for (unsigned i = 0; i < transaction->n_edits; i++)
		transaction->outcome = nb_outcome_worse(
			transaction->outcome, nb_edit_compare(&transaction->edits[i], access));
}

static enum nb_outcome prepare(struct nb_edit *edit, const struct nb_access *access,
			       const struct nb_cpumask *cpus)
{
	int r;

	r = nb_knob_read(access, &edit->knob, &edit->before);
	if (r < 0)
		return nb_outcome_from_errno(r);
	edit->target = nb_value_of_cpus(cpus);
	return nb_edit_compare(edit, access);
}

/* Of the i-th interrupt of the queue. */
static enum nb_outcome prepare_irq(struct nb_edit *edit, const struct nb_access *access,
				   const struct nb_machine *machine, const struct nb_queue *queue,
				   unsigned i, const struct nb_cpumask *cpus)
{
	int r;

	r = nb_knob_of_queue(access, machine, queue, i, &edit->knob);
	if (r < 0)
		return nb_outcome_from_errno(r);
	return prepare(edit, access, cpus);
}

static void make_edits(struct nb_transaction *transaction, unsigned n)
{
	transaction->edits = g_new0(struct nb_edit, n);
	transaction->n_edits = n;
}

static void prepare_irqs(struct nb_transaction *transaction, const struct nb_access *access,
			 const struct nb_machine *machine, const struct nb_queue *queue,
			 unsigned cpu)
{
	struct nb_cpumask cpus = {0};

	nb_cpumask_add(&cpus, cpu);
	transaction->outcome = queue->n_irqs > 0 ? NB_OUTCOME_UNCHANGED : NB_OUTCOME_GONE;
	make_edits(transaction, queue->n_irqs);
	for (unsigned i = 0; i < queue->n_irqs; i++)
		transaction->outcome = nb_outcome_worse(
			transaction->outcome,
			prepare_irq(&transaction->edits[i], access, machine, queue, i, &cpus));
}

static enum nb_outcome prepare_rps(struct nb_edit *edit, const struct nb_access *access,
				   const struct nb_rps_change *change)
{
	g_autoptr(GBytes) from = nb_value_of_cpus(&change->from);
	enum nb_outcome outcome;
	int r;

	r = nb_knob_find(access, &edit->knob);
	if (r < 0)
		return nb_outcome_from_errno(r);
	outcome = prepare(edit, access, &change->to);
	if (!edit->needed || g_bytes_equal(edit->before, from))
		return outcome;
	edit->needed = false;
	return NB_OUTCOME_STALE;
}

GBytes *nb_edit_found(const struct nb_edit *edit, const struct nb_baseline *baseline)
{
	const struct nb_baseline_entry *entry = nb_baseline_lookup(baseline, &edit->knob);

	if (!entry || !nb_knob_same_owner(&entry->knob, &edit->knob) ||
	    !nb_baseline_entry_is_ours(entry, edit->before))
		return edit->before;
	return entry->found;
}

/* The table with the entries that move. If it is no longer what the plan began from, another
 * program has written it since, or its queues are others. */
static enum nb_outcome make_spread(const struct nb_rss_change *change, GArray *entries,
				   unsigned n_rings, GBytes **ret)
{
	size_t size = change->n_entries * sizeof(change->to[0]);

	if (entries->len != change->n_entries || memcmp(entries->data, change->from, size) != 0)
		return NB_OUTCOME_STALE;
	for (unsigned i = 0; i < change->n_entries; i++)
		if (change->to[i] >= n_rings)
			return NB_OUTCOME_STALE;
	memcpy(entries->data, change->to, size);
	*ret = nb_table_value(entries, n_rings);
	return NB_OUTCOME_APPLIED;
}

static enum nb_outcome make_table(const struct nb_rss_change *change, GBytes *found,
				  GArray *entries, unsigned n_rings, GBytes **ret)
{
	if (change->n_entries > 0)
		return make_spread(change, entries, n_rings, ret);
	if (nb_cpumask_empty(&change->queues)) {
		*ret = g_bytes_ref(found);
		return NB_OUTCOME_APPLIED;
	}
	if (!nb_table_expand(found, entries, n_rings) || !nb_table_keep(entries, &change->queues))
		return NB_OUTCOME_REFUSED;
	*ret = nb_table_value(entries, n_rings);
	return NB_OUTCOME_APPLIED;
}

static enum nb_outcome prepare_rss(struct nb_edit *edit, const struct nb_access *access,
				   const struct nb_baseline *baseline,
				   const struct nb_rss_change *change)
{
	g_autoptr(GArray) entries = g_array_new(FALSE, FALSE, sizeof(uint32_t));
	enum nb_outcome outcome;
	unsigned n_rings;
	int r;

	if (!access->netlink)
		return NB_OUTCOME_REFUSED;
	r = nb_knob_find(access, &edit->knob);
	if (r < 0)
		return nb_outcome_from_errno(r);
	r = nb_netlink_get_rss(access->netlink, edit->knob.name, entries, &n_rings);
	if (r < 0)
		return nb_outcome_from_ethtool(r);
	edit->before = nb_table_value(entries, n_rings);
	outcome =
		make_table(change, nb_edit_found(edit, baseline), entries, n_rings, &edit->target);
	return outcome == NB_OUTCOME_APPLIED ? nb_edit_compare(edit, access) : outcome;
}

static enum nb_outcome read_setting(struct nb_edit *edit, const struct nb_access *access)
{
	int r;

	r = nb_knob_find(access, &edit->knob);
	if (r < 0)
		return nb_outcome_from_errno(r);
	return nb_outcome_from_ethtool(nb_knob_read(access, &edit->knob, &edit->before));
}

/* to is its number; 0: as found. */
static enum nb_outcome prepare_setting(struct nb_edit *edit, const struct nb_access *access,
				       const struct nb_baseline *baseline, uint64_t to)
{
	edit->target = to ? nb_value_of_number(to) : g_bytes_ref(nb_edit_found(edit, baseline));
	return nb_edit_compare(edit, access);
}

/* Drivers make tables anew for other channels, but not one that somebody set: that would leave new
 * channels out. Some drivers' own are in another order than the kernel's (igb), but none prefers a
 * queue. */
static bool prefers_queues(const struct nb_access *access, const struct nb_knob *knob)
{
	g_autoptr(GArray) entries = g_array_new(FALSE, FALSE, sizeof(uint32_t));
	unsigned n_rings;

	return nb_netlink_get_rss(access->netlink, knob->name, entries, &n_rings) == 0 &&
	       !nb_table_is_even((const uint32_t *)(const void *)entries->data, entries->len,
				 n_rings);
}

static enum nb_outcome prepare_channels(struct nb_edit *edit, const struct nb_access *access,
					const struct nb_baseline *baseline,
					const struct nb_setting_change *change)
{
	enum nb_outcome outcome = read_setting(edit, access);

	if (outcome != NB_OUTCOME_APPLIED)
		return outcome;
	if (change->to && prefers_queues(access, &edit->knob))
		return NB_OUTCOME_REFUSED;
	return prepare_setting(edit, access, baseline, change->to);
}

static enum nb_outcome prepare_hash(struct nb_edit *edit, const struct nb_access *access,
				    const struct nb_baseline *baseline,
				    const struct nb_setting_change *change)
{
	enum nb_outcome outcome = read_setting(edit, access);

	if (outcome != NB_OUTCOME_APPLIED)
		return outcome;
	return prepare_setting(edit, access, baseline,
			       change->to ? nb_value_number(edit->before) | nb_port_fields : 0);
}

/* IPv6 as well, if the NIC hashes that. */
static void prepare_hashes(struct nb_transaction *transaction, const struct nb_access *access,
			   const struct nb_baseline *baseline, const char *ifname,
			   const struct nb_setting_change *change)
{
	struct nb_edit *edits;
	enum nb_outcome outcome;

	make_edits(transaction, 2);
	edits = transaction->edits;
	nb_knob_udp_hash(change->key.ifindex, ifname, 4, &edits[0].knob);
	nb_knob_udp_hash(change->key.ifindex, ifname, 6, &edits[1].knob);
	transaction->outcome = prepare_hash(&edits[0], access, baseline, change);
	outcome = prepare_hash(&edits[1], access, baseline, change);
	if (outcome == NB_OUTCOME_APPLIED && transaction->outcome == NB_OUTCOME_UNCHANGED)
		transaction->outcome = outcome;
}

bool nb_is_locked(const struct nb_access *access, const char *ifname)
{
	struct nb_channels channels;
	int r;

	if (!access->netlink)
		return false;
	r = nb_netlink_get_channels(access->netlink, ifname, &channels);
	return r == -ETIMEDOUT || r == -EBUSY;
}

/* Whoever switched it on before us, or off since, has chosen that. A kernel before 5.12, or a
 * driver without NAPIs, has nothing to switch; for a queue alone, one before 6.17, or a driver that
 * links none. */
static enum nb_outcome prepare_threaded(struct nb_edit *edit, const struct nb_access *access,
					const struct nb_baseline *baseline,
					const struct nb_threaded_change *change)
{
	int r;

	if (nb_is_locked(access, edit->knob.name))
		return NB_OUTCOME_BUSY;
	r = nb_knob_find(access, &edit->knob);
	if (r < 0)
		return nb_outcome_from_errno(r);
	r = nb_knob_read(access, &edit->knob, &edit->before);
	if (r == -ENOENT && edit->knob.type == NB_KNOB_THREADED)
		return NB_OUTCOME_REFUSED;
	if (r < 0)
		return nb_outcome_from_errno(r);
	if (change->on && nb_value_number(nb_edit_found(edit, baseline)) > 0)
		return NB_OUTCOME_FOREIGN;
	edit->target =
		change->on ? nb_value_of_number(1) : g_bytes_ref(nb_edit_found(edit, baseline));
	if (!change->on && g_bytes_equal(edit->before, edit->target))
		return NB_OUTCOME_FOREIGN;
	return nb_edit_compare(edit, access);
}

/* What is a NIC's as a whole, or of a queue without an interrupt. */
static void prepare_knob(struct nb_transaction *transaction, const struct nb_access *access,
			 const struct nb_baseline *baseline, const struct nb_machine *machine,
			 const struct nb_change *change)
{
	const struct nb_nic *nic = nb_machine_find_nic(machine, change->key.ifindex);
	struct nb_edit *edit;

	if (!nic) {
		transaction->outcome = NB_OUTCOME_GONE;
		return;
	}
	if (change->kind == NB_KIND_UDP_HASH) {
		prepare_hashes(transaction, access, baseline, nic->name, change->setting);
		return;
	}
	if (change->kind == NB_KIND_RFS) {
		nb_transaction_prepare_rfs(transaction, access, baseline, machine, nic,
					   change->setting);
		return;
	}
	if (change->kind == NB_KIND_XPS) {
		nb_transaction_prepare_xps(transaction, access, baseline, machine, nic,
					   change->follow);
		return;
	}
	make_edits(transaction, 1);
	edit = transaction->edits;
	if (change->kind == NB_KIND_RSS) {
		nb_knob_rss(change->key.ifindex, nic->name, &edit->knob);
		transaction->outcome = prepare_rss(edit, access, baseline, change->rss);
	} else if (change->kind == NB_KIND_THREADED) {
		nb_knob_threaded(change->key, nic->name, &edit->knob);
		transaction->outcome = prepare_threaded(edit, access, baseline, change->threaded);
	} else if (change->kind == NB_KIND_CHANNELS) {
		nb_knob_channels(change->key.ifindex, nic->name, &edit->knob);
		transaction->outcome = prepare_channels(edit, access, baseline, change->setting);
	} else {
		nb_knob_rps(change->key, nic->name, &edit->knob);
		transaction->outcome = prepare_rps(edit, access, change->rps);
	}
}

void nb_transaction_prepare(struct nb_transaction *transaction, const struct nb_access *access,
			    const struct nb_baseline *baseline, const struct nb_machine *machine,
			    const struct nb_change *change)
{
	const struct nb_queue alone = {.n_irqs = 1, .irqs = {change->key.index}};
	const struct nb_queue *queue;

	switch (change->kind) {
	case NB_KIND_QUEUE:
		queue = nb_machine_find_queue(machine, change->key);
		if (queue)
			prepare_irqs(transaction, access, machine, queue, change->move->cpu_to);
		else
			transaction->outcome = NB_OUTCOME_GONE;
		break;
	case NB_KIND_DEVICE_IRQ:
		prepare_irqs(transaction, access, machine, &alone, change->move->cpu_to);
		break;
	case NB_KIND_RPS:
	case NB_KIND_RSS:
	case NB_KIND_THREADED:
	case NB_KIND_XPS:
	case NB_KIND_RFS:
	case NB_KIND_CHANNELS:
	case NB_KIND_UDP_HASH:
		prepare_knob(transaction, access, baseline, machine, change);
		break;
	case NB_KIND_THREAD:
		nb_transaction_prepare_threads(transaction, access, baseline, change->follow);
		break;
	case _NB_KIND_MAX:
	case _NB_KIND_INVALID:
		break;
	}
}

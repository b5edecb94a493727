/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The XPS masks of a NIC are read only here: when interrupts have moved, and have stayed. */
#include "apply/outcome.h"
#include "apply/prepare.h"
#include "apply/value.h"
#include "apply/xps_masks.h"
#include "base/find.h"
#include "sysroot/cpus.h"

#include <errno.h>

struct preparation {
	struct nb_transaction *transaction;
	const struct nb_access *access;
	const struct nb_baseline *baseline;
	const struct nb_machine *machine;
	const struct nb_nic *nic;
	const struct nb_follow_change *change;
};

static enum nb_outcome read_masks(const struct preparation *p, unsigned n)
{
	struct nb_transaction *transaction = p->transaction;
	int r = 0;

	transaction->edits = g_new0(struct nb_edit, n);
	transaction->n_edits = n;
	for (unsigned i = 0; i < n && r == 0; i++) {
		struct nb_edit *edit = &transaction->edits[i];

		nb_knob_xps((struct nb_queue_key){p->nic->ifindex, i}, p->nic->name, &edit->knob);
		if (i == 0)
			r = nb_knob_find(p->access, &edit->knob);
		if (r == 0)
			r = nb_knob_read(p->access, &edit->knob, &edit->before);
	}
	return nb_outcome_from_errno(r);
}

/* A file that is not there, or cannot be read, says nothing. */
static bool says(const struct preparation *p, unsigned queue, const char *file)
{
	g_autofree char *path =
		g_strdup_printf("sys/class/net/%s/queues/tx-%u/%s", p->nic->name, queue, file);
	g_autofree char *text = NULL;
	size_t len;

	return nb_sysroot_read(p->access->root, path, &text, &len) == 0 &&
	       strspn(text, "0,\n") < len;
}

/* By receive queue, which precedes CPUs (net/core/dev.c netdev_pick_tx()); or in several traffic
 * classes, in each of which every CPU would need a queue: the last is not in the first class. */
static bool is_chosen_otherwise(const struct preparation *p)
{
	for (unsigned i = 0; i < p->change->n; i++)
		if (says(p, i, "xps_rxqs"))
			return true;
	return says(p, p->change->n - 1, "traffic_class");
}

static bool is_ours(const struct preparation *p, const struct nb_baseline_entry *entry, GBytes *now)
{
	return p->change->written ? g_bytes_equal(now, entry->ours)
				  : nb_baseline_entry_is_ours(entry, now);
}

static bool is_overwritten(const struct preparation *p)
{
	for (unsigned i = 0; i < p->transaction->n_edits; i++) {
		const struct nb_edit *edit = &p->transaction->edits[i];
		const struct nb_baseline_entry *entry =
			nb_baseline_lookup(p->baseline, &edit->knob);

		if (entry && !is_ours(p, entry, edit->before))
			return true;
	}
	return false;
}

/* That the interrupt was found with, if we moved it. The last one of a queue transmits. */
static bool get_affinity(const struct preparation *p, unsigned index, struct nb_cpumask *ret)
{
	const struct nb_queue *queue =
		nb_machine_find_queue(p->machine, (struct nb_queue_key){p->nic->ifindex, index});
	const struct nb_baseline_entry *entry;
	g_autoptr(GBytes) now = NULL;
	g_auto(nb_knob) knob = {0};

	if (!queue || queue->n_irqs == 0 ||
	    nb_knob_of_queue(p->access, p->machine, queue, queue->n_irqs - 1, &knob) < 0)
		return false;
	entry = nb_baseline_lookup(p->baseline, &knob);
	if (entry && nb_knob_same_owner(&entry->knob, &knob))
		nb_value_cpus(entry->found, ret);
	else if (nb_knob_read(p->access, &knob, &now) == 0)
		nb_value_cpus(now, ret);
	else
		return false;
	return true;
}

static bool are_nobodys(const struct preparation *p)
{
	unsigned n = p->transaction->n_edits;
	g_autofree struct nb_cpumask *masks = g_new(struct nb_cpumask, n);
	g_autofree struct nb_cpumask *affinities = g_new(struct nb_cpumask, n);

	for (unsigned i = 0; i < n; i++)
		nb_value_cpus(nb_edit_found(&p->transaction->edits[i], p->baseline), &masks[i]);
	if (nb_xps_are_unset(masks, n))
		return true;
	for (unsigned i = 0; i < n; i++)
		if (!get_affinity(p, i, &affinities[i]))
			return false;
	return nb_xps_are_drivers(masks, affinities, n, &p->machine->topology.online);
}

static void prepare_follow(const struct preparation *p)
{
	struct nb_transaction *transaction = p->transaction;

	transaction->outcome = read_masks(p, p->change->n);
	if (transaction->outcome != NB_OUTCOME_APPLIED)
		return;
	if (is_chosen_otherwise(p) || (is_overwritten(p) && !p->change->reset) || !are_nobodys(p)) {
		transaction->outcome = NB_OUTCOME_FOREIGN;
		return;
	}
	for (unsigned i = 0; i < transaction->n_edits; i++)
		transaction->edits[i].target = nb_value_of_cpus(&p->change->to[i]);
	nb_transaction_compare(transaction, p->access);
}

/* What another program wrote since, or we never did, is found as it is. */
static void prepare_back(const struct preparation *p)
{
	struct nb_transaction *transaction = p->transaction;

	transaction->outcome = read_masks(p, p->nic->n_tx);
	if (transaction->outcome != NB_OUTCOME_APPLIED)
		return;
	for (unsigned i = 0; i < transaction->n_edits; i++)
		transaction->edits[i].target =
			g_bytes_ref(nb_edit_found(&transaction->edits[i], p->baseline));
	nb_transaction_compare(transaction, p->access);
}

void nb_transaction_prepare_xps(struct nb_transaction *transaction, const struct nb_access *access,
				const struct nb_baseline *baseline,
				const struct nb_machine *machine, const struct nb_nic *nic,
				const struct nb_follow_change *change)
{
	const struct preparation p = {transaction, access, baseline, machine, nic, change};

	if (nb_is_locked(access, nic->name))
		transaction->outcome = NB_OUTCOME_BUSY;
	else if (change->reason == NB_REASON_XPS_BACK)
		prepare_back(&p);
	else
		prepare_follow(&p);
}

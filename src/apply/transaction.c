/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "apply/transaction.h"

#include "apply/mask.h"
#include "apply/outcome.h"
#include "apply/table.h"
#include "base/cpumask_text.h"

#include <errno.h>
#include <string.h>

void nb_transaction_clear(struct nb_transaction *transaction)
{
	for (unsigned i = 0; i < transaction->n_edits; i++) {
		nb_knob_clear(&transaction->edits[i].knob);
		g_free(transaction->edits[i].before);
		g_free(transaction->edits[i].target);
	}
	*transaction = (struct nb_transaction){0};
}

/* The outcome as far as known before writing: UNCHANGED, why it would fail, or APPLIED. */
static enum nb_outcome prepare(struct nb_edit *edit, const struct nb_access *access,
			       const struct nb_cpumask *cpus)
{
	int r;

	r = nb_knob_read(access, &edit->knob, &edit->before);
	if (r < 0)
		return nb_outcome_from_errno(r);
	edit->target = nb_cpumask_format_mask(cpus);
	if (nb_knob_same_value(&edit->knob, edit->before, edit->target))
		return NB_OUTCOME_UNCHANGED;
	if (!nb_knob_is_settable(access, &edit->knob))
		return NB_OUTCOME_REFUSED;

	edit->needed = true;
	return NB_OUTCOME_APPLIED;
}

static enum nb_outcome prepare_irq(struct nb_edit *edit, const struct nb_access *access,
				   uint32_t irq, const struct nb_cpumask *cpus)
{
	int r;

	r = nb_knob_irq(access->root, irq, &edit->knob);
	if (r < 0)
		return nb_outcome_from_errno(r);
	return prepare(edit, access, cpus);
}

void nb_transaction_prepare_irqs(struct nb_transaction *transaction, const struct nb_access *access,
				 const struct nb_queue *queue, unsigned cpu)
{
	struct nb_cpumask cpus = {0};

	nb_cpumask_add(&cpus, cpu);
	transaction->outcome = queue->n_irqs > 0 ? NB_OUTCOME_UNCHANGED : NB_OUTCOME_GONE;
	for (unsigned i = 0; i < queue->n_irqs; i++) {
		struct nb_edit *edit = &transaction->edits[transaction->n_edits++];

		transaction->outcome = nb_outcome_worse(
			transaction->outcome, prepare_irq(edit, access, queue->irqs[i], &cpus));
	}
}

static bool holds(const struct nb_edit *edit, const struct nb_cpumask *cpus)
{
	struct nb_cpumask before;

	return nb_cpumask_parse_mask(edit->before, strlen(edit->before), &before) == 0 &&
	       nb_cpumask_equal(&before, cpus);
}

static enum nb_outcome prepare_rps(struct nb_edit *edit, const struct nb_access *access,
				   const struct nb_rps_change *change)
{
	enum nb_outcome outcome;
	int r;

	r = nb_knob_find(access, &edit->knob);
	if (r < 0)
		return nb_outcome_from_errno(r);
	outcome = prepare(edit, access, &change->to);
	if (!edit->needed || holds(edit, &change->from))
		return outcome;
	edit->needed = false;
	return NB_OUTCOME_STALE;
}

void nb_transaction_prepare_rps(struct nb_transaction *transaction, const struct nb_access *access,
				const struct nb_rps_change *change, const char *ifname)
{
	struct nb_edit *edit = &transaction->edits[transaction->n_edits++];

	nb_knob_rps(change->key, ifname, &edit->knob);
	transaction->outcome = prepare_rps(edit, access, change);
}

/* The entries as found: those of the kernel's default are not in its text. */
static int expand(const char *found, GArray *entries, unsigned n_rings)
{
	g_autoptr(GArray) parsed = g_array_new(FALSE, FALSE, sizeof(uint32_t));
	int r;

	r = nb_table_parse(found, parsed);
	if (r < 0)
		return r;
	if (parsed->len == 0)
		nb_table_fill_default(entries, n_rings);
	else if (parsed->len != entries->len)
		return -EOPNOTSUPP;
	else
		memcpy(entries->data, parsed->data, parsed->len * sizeof(uint32_t));
	return 0;
}

/* The value before our first write, unless another program has written since: then its value. */
static const char *found_of(const struct nb_edit *edit, const struct nb_baseline *baseline)
{
	const struct nb_baseline_entry *entry = nb_baseline_lookup(baseline, &edit->knob);

	return entry && nb_baseline_entry_is_ours(entry, edit->before) ? entry->found
								       : edit->before;
}

static int format_target(const char *found, const struct nb_cpumask *queues, GArray *entries,
			 unsigned n_rings, char **ret)
{
	int r;

	if (nb_cpumask_empty(queues)) {
		*ret = g_strdup(found);
		return 0;
	}
	r = expand(found, entries, n_rings);
	if (r < 0)
		return r;
	if (!nb_table_keep(entries, queues))
		return -EOPNOTSUPP;
	*ret = nb_table_format(entries, n_rings);
	return 0;
}

static enum nb_outcome prepare_rss(struct nb_edit *edit, const struct nb_access *access,
				   const struct nb_baseline *baseline,
				   const struct nb_rss_change *change)
{
	g_autoptr(GArray) entries = g_array_new(FALSE, FALSE, sizeof(uint32_t));
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
	edit->before = nb_table_format(entries, n_rings);
	r = format_target(found_of(edit, baseline), &change->queues, entries, n_rings,
			  &edit->target);
	if (r < 0)
		return nb_outcome_from_ethtool(r);
	if (nb_knob_same_value(&edit->knob, edit->before, edit->target))
		return NB_OUTCOME_UNCHANGED;

	edit->needed = true;
	return NB_OUTCOME_APPLIED;
}

void nb_transaction_prepare_rss(struct nb_transaction *transaction, const struct nb_access *access,
				const struct nb_baseline *baseline,
				const struct nb_rss_change *change, const char *ifname)
{
	struct nb_edit *edit = &transaction->edits[transaction->n_edits++];

	nb_knob_rss(change->key.ifindex, ifname, &edit->knob);
	transaction->outcome = prepare_rss(edit, access, baseline, change);
}

bool nb_transaction_is_needed(const struct nb_transaction *transaction)
{
	return transaction->outcome == NB_OUTCOME_APPLIED;
}

void nb_transaction_claim(const struct nb_transaction *transaction, struct nb_baseline *baseline)
{
	if (!nb_transaction_is_needed(transaction))
		return;
	for (unsigned i = 0; i < transaction->n_edits; i++) {
		const struct nb_edit *edit = &transaction->edits[i];

		if (edit->needed)
			nb_baseline_claim(baseline, &edit->knob, edit->before, edit->target);
	}
}

void nb_transaction_disclaim(struct nb_transaction *transaction, struct nb_baseline *baseline)
{
	if (!nb_transaction_is_needed(transaction))
		return;
	for (unsigned i = 0; i < transaction->n_edits; i++)
		if (transaction->edits[i].needed)
			nb_baseline_settle(baseline, &transaction->edits[i].knob,
					   transaction->edits[i].before);
}

/* Restores the old value if the knob has another, and enters the value then. */
static void abandon(const struct nb_edit *edit, const struct nb_access *access,
		    struct nb_baseline *baseline)
{
	g_autofree char *now = NULL;
	int r;

	if (!nb_knob_holds(access, &edit->knob, edit->before))
		(void)nb_knob_write(access, &edit->knob, edit->before);

	r = nb_knob_read(access, &edit->knob, &now);
	if (r == 0)
		nb_baseline_settle(baseline, &edit->knob, now);
	else if (nb_outcome_from_errno(r) == NB_OUTCOME_GONE)
		nb_baseline_forget(baseline, &edit->knob);
	/* Unknown: the claim covers the old value and the new one. */
}

static enum nb_outcome write_all(const struct nb_transaction *transaction,
				 const struct nb_access *access)
{
	for (unsigned i = 0; i < transaction->n_edits; i++) {
		const struct nb_edit *edit = &transaction->edits[i];
		enum nb_outcome outcome;

		if (!edit->needed)
			continue;
		outcome = nb_knob_write(access, &edit->knob, edit->target);
		if (outcome != NB_OUTCOME_APPLIED)
			return outcome;
	}
	return NB_OUTCOME_APPLIED;
}

void nb_transaction_carry_out(struct nb_transaction *transaction, const struct nb_access *access,
			      struct nb_baseline *baseline)
{
	if (!nb_transaction_is_needed(transaction))
		return;

	transaction->outcome = write_all(transaction, access);
	for (unsigned i = 0; i < transaction->n_edits; i++) {
		const struct nb_edit *edit = &transaction->edits[i];

		if (!edit->needed)
			continue;
		if (transaction->outcome == NB_OUTCOME_APPLIED)
			nb_baseline_settle(baseline, &edit->knob, edit->target);
		else
			abandon(edit, access, baseline);
	}
}

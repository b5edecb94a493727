/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The affinity of NAPI threads is read only here: when it is to be written. */
#include "apply/outcome.h"
#include "apply/prepare.h"
#include "apply/value.h"

#include <errno.h>

struct preparation {
	struct nb_transaction *transaction;
	const struct nb_access *access;
	const struct nb_baseline *baseline;
	const struct nb_follow_change *change;
};

static int read_thread(const struct preparation *p, uint32_t pid, struct nb_edit *edit)
{
	g_auto(nb_knob) knob = {0};
	int r;

	r = nb_knob_thread(p->access->root, p->change->key.ifindex, pid, &knob);
	if (r < 0)
		return r;
	r = nb_knob_read(p->access, &knob, &edit->before);
	if (r < 0)
		return r;

	nb_knob_copy(&knob, &edit->knob);
	return 0;
}

/* Once the last CPU of its affinity is offline, the kernel gives a thread all of them
 * (kernel/sched/core.c select_fallback_rq()), as it was found. */
static bool is_overwritten(const struct preparation *p, const struct nb_edit *edit)
{
	const struct nb_baseline_entry *entry = nb_baseline_lookup(p->baseline, &edit->knob);

	return entry && nb_knob_same_owner(&entry->knob, &edit->knob) &&
	       !nb_baseline_entry_is_ours(entry, edit->before) &&
	       !g_bytes_equal(edit->before, entry->found);
}

/* The kernel gives a thread all CPUs, or all that are not isolated. Who bound it to a single one
 * has chosen that, and who took this one from it does not want it there. */
static bool may_be_bound(GBytes *found, const struct nb_cpumask *to)
{
	struct nb_cpumask cpus;

	nb_value_cpus(found, &cpus);
	return nb_cpumask_count(&cpus) > 1 && nb_cpumask_has(&cpus, nb_cpumask_next(to, 0));
}

/* False: it is another's. */
static bool set_target(const struct preparation *p, struct nb_edit *edit,
		       const struct nb_cpumask *to)
{
	GBytes *found = nb_edit_found(edit, p->baseline);

	if (is_overwritten(p, edit))
		return false;
	if (nb_cpumask_empty(to)) {
		edit->target = g_bytes_ref(found);
		return true;
	}
	edit->target = nb_value_of_cpus(to);
	return may_be_bound(found, to);
}

/* What is gone is left out: its queue may be idle, and its successor is another change. */
static enum nb_outcome make_edits(const struct preparation *p)
{
	struct nb_transaction *transaction = p->transaction;

	transaction->edits = g_new0(struct nb_edit, p->change->n);
	for (unsigned i = 0; i < p->change->n; i++) {
		struct nb_edit *edit = &transaction->edits[transaction->n_edits];
		int r = read_thread(p, p->change->threads[i], edit);

		if (r == -ENOENT)
			continue;
		if (r < 0)
			return nb_outcome_from_errno(r);
		transaction->n_edits++;
		if (!set_target(p, edit, &p->change->to[i]))
			return NB_OUTCOME_FOREIGN;
	}
	return transaction->n_edits > 0 ? NB_OUTCOME_APPLIED : NB_OUTCOME_GONE;
}

static void prepare_follow(const struct preparation *p)
{
	p->transaction->outcome = make_edits(p);
	if (p->transaction->outcome == NB_OUTCOME_APPLIED)
		nb_transaction_compare(p->transaction, p->access);
}

static bool is_of(const struct nb_baseline_entry *entry, int ifindex)
{
	return entry->knob.type == NB_KNOB_THREAD && entry->knob.queue.ifindex == ifindex;
}

/* Threads that are gone have nothing to return to. */
static void prepare_back(const struct preparation *p)
{
	struct nb_transaction *transaction = p->transaction;
	unsigned n = nb_baseline_count(p->baseline);

	transaction->edits = g_new0(struct nb_edit, n);
	for (unsigned i = 0; i < n; i++) {
		const struct nb_baseline_entry *entry = nb_baseline_get(p->baseline, i);
		struct nb_edit *edit = &transaction->edits[transaction->n_edits];

		if (!is_of(entry, p->change->key.ifindex) ||
		    nb_knob_find(p->access, &entry->knob) < 0 ||
		    nb_knob_read(p->access, &entry->knob, &edit->before) < 0)
			continue;
		nb_knob_copy(&entry->knob, &edit->knob);
		edit->target = g_bytes_ref(nb_edit_found(edit, p->baseline));
		transaction->n_edits++;
	}
	nb_transaction_compare(transaction, p->access);
}

void nb_transaction_prepare_threads(struct nb_transaction *transaction,
				    const struct nb_access *access,
				    const struct nb_baseline *baseline,
				    const struct nb_follow_change *change)
{
	const struct preparation p = {transaction, access, baseline, change};

	if (change->to)
		prepare_follow(&p);
	else
		prepare_back(&p);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "apply/transaction.h"

#include "apply/outcome.h"

#include <assert.h>

static bool is_needed(const struct nb_transaction *transaction)
{
	return transaction->outcome == NB_OUTCOME_APPLIED;
}

void nb_transaction_clear(struct nb_transaction *transaction)
{
	for (unsigned i = 0; i < transaction->n_edits; i++) {
		nb_knob_clear(&transaction->edits[i].knob);
		g_clear_pointer(&transaction->edits[i].before, g_bytes_unref);
		g_clear_pointer(&transaction->edits[i].target, g_bytes_unref);
	}
	g_free(transaction->edits);
	*transaction = (struct nb_transaction){0};
}

bool nb_transaction_claim(const struct nb_transaction *transaction, struct nb_baseline *baseline)
{
	if (!is_needed(transaction))
		return false;
	for (unsigned i = 0; i < transaction->n_edits; i++) {
		const struct nb_edit *edit = &transaction->edits[i];

		if (edit->needed)
			nb_baseline_claim(baseline, &edit->knob, edit->before, edit->target);
	}
	return true;
}

void nb_transaction_disclaim(struct nb_transaction *transaction, struct nb_baseline *baseline)
{
	if (!is_needed(transaction))
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
	g_autoptr(GBytes) now = NULL;
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
		assert(edit->before && edit->target);
		outcome = nb_knob_write(access, &edit->knob, edit->target);
		if (outcome != NB_OUTCOME_APPLIED)
			return outcome;
	}
	return NB_OUTCOME_APPLIED;
}

void nb_transaction_carry_out(struct nb_transaction *transaction, const struct nb_access *access,
			      struct nb_baseline *baseline)
{
	if (!is_needed(transaction))
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

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "apply/applier.h"
#include "apply/transaction.h"

static void clear_transaction(void *transaction)
{
	nb_transaction_clear(transaction);
}

/* A transaction for each change. */
static GArray *prepare(struct nb_applier *applier, const struct nb_machine *machine,
		       const struct nb_plan *plan)
{
	GArray *transactions = g_array_new(FALSE, TRUE, sizeof(struct nb_transaction));

	g_array_set_clear_func(transactions, clear_transaction);
	g_array_set_size(transactions, plan->n_changes);
	for (unsigned i = 0; i < plan->n_changes; i++)
		nb_transaction_prepare(&g_array_index(transactions, struct nb_transaction, i),
				       &applier->access, applier->baseline, machine,
				       &plan->changes[i]);
	return transactions;
}

/* Saves the values found, in one write of the file. */
static int keep_found(struct nb_applier *applier, GArray *transactions)
{
	bool needed = false;
	int r;

	for (unsigned i = 0; i < transactions->len; i++)
		needed |= nb_transaction_claim(
			&g_array_index(transactions, struct nb_transaction, i), applier->baseline);
	if (!needed)
		return 0;

	r = nb_applier_keep(applier);
	if (r < 0)
		for (unsigned i = 0; i < transactions->len; i++)
			nb_transaction_disclaim(
				&g_array_index(transactions, struct nb_transaction, i),
				applier->baseline);
	return r;
}

int nb_apply(struct nb_applier *applier, const struct nb_machine *machine, struct nb_plan *plan)
{
	g_autoptr(GArray) transactions = prepare(applier, machine, plan);
	int r;

	r = keep_found(applier, transactions);
	for (unsigned i = 0; i < transactions->len; i++) {
		struct nb_transaction *transaction =
			&g_array_index(transactions, struct nb_transaction, i);

		if (r == 0)
			nb_transaction_carry_out(transaction, &applier->access, applier->baseline);
		plan->changes[i].outcome = r < 0 ? NB_OUTCOME_UNSAFE : transaction->outcome;
	}
	return r;
}

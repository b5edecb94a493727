/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "apply/applier.h"
#include "apply/transaction.h"
#include "base/find.h"

static void prepare_queue(struct nb_transaction *transaction, struct nb_applier *applier,
			  const struct nb_machine *machine, const struct nb_move *move)
{
	const struct nb_queue *queue = nb_machine_find_queue(machine, move->key);

	if (queue)
		nb_transaction_prepare_irqs(transaction, &applier->access, queue, move->cpu_to);
	else
		transaction->outcome = NB_OUTCOME_GONE;
}

static void prepare_irq(struct nb_transaction *transaction, struct nb_applier *applier,
			const struct nb_move *move)
{
	struct nb_queue alone = {.n_irqs = 1, .irqs = {move->key.index}};

	nb_transaction_prepare_irqs(transaction, &applier->access, &alone, move->cpu_to);
}

/* An RPS mask or an RSS table. */
static void prepare_knob(struct nb_transaction *transaction, struct nb_applier *applier,
			 const struct nb_machine *machine, const struct nb_change *change)
{
	const struct nb_nic *nic = nb_machine_find_nic(machine, change->key.ifindex);

	if (!nic)
		transaction->outcome = NB_OUTCOME_GONE;
	else if (change->kind == NB_KIND_RPS)
		nb_transaction_prepare_rps(transaction, &applier->access, change->rps, nic->name);
	else
		nb_transaction_prepare_rss(transaction, &applier->access, applier->baseline,
					   change->rss, nic->name);
}

static void prepare_change(struct nb_transaction *transaction, struct nb_applier *applier,
			   const struct nb_machine *machine, const struct nb_change *change)
{
	switch (change->kind) {
	case NB_KIND_QUEUE:
		prepare_queue(transaction, applier, machine, change->move);
		break;
	case NB_KIND_DEVICE_IRQ:
		prepare_irq(transaction, applier, change->move);
		break;
	case NB_KIND_RPS:
	case NB_KIND_RSS:
		prepare_knob(transaction, applier, machine, change);
		break;
	case _NB_KIND_MAX:
		break;
	}
}

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
		prepare_change(&g_array_index(transactions, struct nb_transaction, i), applier,
			       machine, &plan->changes[i]);
	return transactions;
}

/* Saves the values found, in one write of the file. */
static int keep_found(struct nb_applier *applier, GArray *transactions)
{
	bool needed = false;
	int r;

	for (unsigned i = 0; i < transactions->len; i++) {
		const struct nb_transaction *transaction =
			&g_array_index(transactions, struct nb_transaction, i);

		nb_transaction_claim(transaction, applier->baseline);
		needed = needed || nb_transaction_is_needed(transaction);
	}
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

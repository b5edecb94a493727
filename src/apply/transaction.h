/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* One transaction of a plan: writes that are all made, or none. */

#include "apply/baseline.h"
#include "nicbalance/plan.h"

/* One write. */
struct nb_edit {
	struct nb_knob knob;
	char *before; /* owned; NULL if the knob could not be read */
	char *target; /* owned */
	bool needed;  /* the knob can be written, and does not have the target value already */
};

struct nb_transaction {
	struct nb_edit edits[NB_QUEUE_IRQS_MAX];
	unsigned n_edits;
	enum nb_outcome outcome; /* APPLIED, until carried out: nothing known prevents it */
};

void nb_transaction_clear(struct nb_transaction *transaction);

/* These read the knobs, and write nothing. *transaction is all zero before. */
void nb_transaction_prepare_irqs(struct nb_transaction *transaction, const struct nb_access *access,
				 const struct nb_queue *queue, unsigned cpu);
/* An empty set turns RPS off. A mask that is no longer the one the plan assumed was set by another
 * program: STALE. */
void nb_transaction_prepare_rps(struct nb_transaction *transaction, const struct nb_access *access,
				const struct nb_rps_change *change, const char *ifname);

/* An empty set of queues restores the table found; if another program wrote it since, or it was
 * never ours, it is UNCHANGED. REFUSED if there is no table, or one whose entries are all of other
 * queues. */
void nb_transaction_prepare_rss(struct nb_transaction *transaction, const struct nb_access *access,
				const struct nb_baseline *baseline,
				const struct nb_rss_change *change, const char *ifname);

/* Whether the transaction has anything to write. If not, the functions below do nothing. */
bool nb_transaction_is_needed(const struct nb_transaction *transaction);

/* Enters the values found in the baseline, to be saved before the first write. */
void nb_transaction_claim(const struct nb_transaction *transaction, struct nb_baseline *baseline);
/* Undoes that: nothing was written. */
void nb_transaction_disclaim(struct nb_transaction *transaction, struct nb_baseline *baseline);
/* Writes. If one write fails, those before it are undone. Leaves in the baseline what is ours. */
void nb_transaction_carry_out(struct nb_transaction *transaction, const struct nb_access *access,
			      struct nb_baseline *baseline);

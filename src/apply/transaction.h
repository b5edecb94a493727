/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* One transaction of a plan: writes that are all made, or none. */

#include "apply/baseline.h"
#include "nicbalance/plan.h"
#include "nicbalance/snapshot.h"

/* One write. */
struct nb_edit {
	struct nb_knob knob;
	GBytes *before; /* owned; NULL where the knob could not be read */
	GBytes *target; /* owned */
	bool needed;    /* the knob can be written, and does not hold target already */
};

struct nb_transaction {
	struct nb_edit *edits; /* owned */
	unsigned n_edits;
	enum nb_outcome outcome; /* APPLIED, until carried out: nothing known prevents it */
};

void nb_transaction_clear(struct nb_transaction *transaction);

/* The writes that a change asks for, as the knobs are now; writes nothing. *transaction is all zero
 * before.
 * An empty RPS set turns RPS off. A mask that is no longer what the plan began from was set by
 * another program since: STALE. So is an RSS table of which entries are to move.
 * A change of RSS with neither queues nor a table restores the table found; where another program
 * wrote it since, or it was never ours, it is UNCHANGED. REFUSED where there is no table, or one
 * whose entries are all of other queues.
 * NAPI threads are bound together, if nobody but us has bound one, or taken from it the CPU that it
 * is to have: else FOREIGN.
 * XPS masks are changed together, if nobody but us, the kernel or the driver set them: else
 * FOREIGN. So are flow tables. A setting to 0 is restored in the same way. Channels are REFUSED
 * while the RSS table prefers some queues, which nobody but an administrator makes it do. */
void nb_transaction_prepare(struct nb_transaction *transaction, const struct nb_access *access,
			    const struct nb_baseline *baseline, const struct nb_machine *machine,
			    const struct nb_change *change);

/* Enters the values found in the baseline, to be kept before the first write. False: there is
 * nothing to write, and what follows does nothing. */
bool nb_transaction_claim(const struct nb_transaction *transaction, struct nb_baseline *baseline);
/* Undoes that: nothing was written. */
void nb_transaction_disclaim(struct nb_transaction *transaction, struct nb_baseline *baseline);
/* Writes. If one write fails, those before it are undone. Leaves in the baseline what is ours. */
void nb_transaction_carry_out(struct nb_transaction *transaction, const struct nb_access *access,
			      struct nb_baseline *baseline);

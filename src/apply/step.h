/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* One step of a round: the writes that go together, or not at all. */

#include "apply/baseline.h"
#include "nicbalance/plan.h"

/* One write. */
struct nb_edit {
	struct nb_knob knob;
	char *before; /* owned; NULL where the knob could not be read */
	char *target; /* owned */
	bool needed;  /* the knob can be written, and does not hold target already */
};

struct nb_step {
	struct nb_edit edits[NB_QUEUE_IRQS_MAX];
	unsigned n_edits;
	enum nb_outcome outcome; /* APPLIED, until carried out: nothing known stands against it */
};

void nb_step_clear(struct nb_step *step);

/* These look at the knobs as they are now, and write nothing. *step is all zero before. */
void nb_step_prepare_irqs(struct nb_step *step, const struct nb_access *access,
			  const struct nb_queue *queue, unsigned cpu);
/* An empty set turns RPS off. A mask that is no longer what the plan began from was set by someone
 * else since: STALE. */
void nb_step_prepare_rps(struct nb_step *step, const struct nb_access *access,
			 const struct nb_rps_change *change, const char *ifname);

/* An empty set of queues puts the table found back; where someone else wrote it since, or it was
 * never ours, it is UNCHANGED. REFUSED where there is no table, or one whose entries are all of
 * other queues. */
void nb_step_prepare_rss(struct nb_step *step, const struct nb_access *access,
			 const struct nb_baseline *baseline, const struct nb_rss_change *change,
			 const char *ifname);

/* Whether the step has anything to write. Only then the rest does anything. */
bool nb_step_is_needed(const struct nb_step *step);

/* Enters the values found in the baseline, to be kept before the first write. */
void nb_step_claim(const struct nb_step *step, struct nb_baseline *baseline);
/* Undoes that: nothing was written. */
void nb_step_disclaim(struct nb_step *step, struct nb_baseline *baseline);
/* Writes. When one write fails, those before it are undone. Leaves in the baseline what is ours. */
void nb_step_carry_out(struct nb_step *step, const struct nb_access *access,
		       struct nb_baseline *baseline);

/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* The ledger of what we wrote: for each knob of ours the value found before the first write. Pure.
 *
 * Each entry keeps three values, because it must be right on disk at any moment of a round: it is
 * written out before the knobs are. Until then a knob holds `before`, from then on `ours`. On x86
 * without interrupt remapping the kernel may also fall back to `before` by itself
 * (kernel/irq/migration.c irq_move_masked_irq()). */

#include "apply/knob.h"

struct nb_baseline_entry {
	struct nb_knob knob;
	char *found;  /* before our first write: to be restored */
	char *before; /* before our last write: found, or what we wrote before */
	char *ours;   /* what we wrote last */
};

typedef struct nb_baseline nb_baseline;

struct nb_baseline *nb_baseline_new(void);
void nb_baseline_free(struct nb_baseline *baseline);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(nb_baseline, nb_baseline_free)

/* Entries in the order of their first write. Borrowed, until the next change. */
unsigned nb_baseline_count(const struct nb_baseline *baseline);
const struct nb_baseline_entry *nb_baseline_get(const struct nb_baseline *baseline, unsigned i);
/* NULL if the knob is not ours. */
const struct nb_baseline_entry *nb_baseline_lookup(const struct nb_baseline *baseline,
						   const struct nb_knob *knob);

/* Whether a knob with the value now is as we left it, unchanged by others. */
bool nb_baseline_entry_is_ours(const struct nb_baseline_entry *entry, const char *now);

/* Enters that the knob, with the value now, is about to be written. If we wrote it before, the
 * value found stays; if another program did since, or the number belongs to another, now is the
 * value found. */
void nb_baseline_claim(struct nb_baseline *baseline, const struct nb_knob *knob, const char *now,
		       const char *ours);
/* Enters the value of a claimed knob after the write. A knob with the value found is forgotten. */
void nb_baseline_settle(struct nb_baseline *baseline, const struct nb_knob *knob,
			const char *holds);
void nb_baseline_forget(struct nb_baseline *baseline, const struct nb_knob *knob);
/* Appends an entry as it is. False: the knob has one. Everything is copied. */
bool nb_baseline_add(struct nb_baseline *baseline, const struct nb_baseline_entry *entry);

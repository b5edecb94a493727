/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* The ledger of what we wrote: for each knob of ours the value found before the first write. Pure.
 *
 * Each entry keeps three values, because it must be right on disk at any moment of a cycle: it is
 * written out before the knobs are. Until then a knob holds `before`, from then on `ours`. On x86
 * without interrupt remapping the kernel may also fall back to `before` by itself
 * (kernel/irq/migration.c irq_move_masked_irq()). */

#include "apply/knob.h"

struct nb_baseline_entry {
	struct nb_knob knob;
	GBytes *found;         /* before our first write: to be restored */
	GBytes *before;        /* before our last write: found, or what we wrote before */
	GBytes *ours;          /* what we wrote last */
	uint64_t missing_nsec; /* since when its interface is not there; 0: it is */
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

/* Whether a knob that holds now is as we left it, nobody having written it since. */
bool nb_baseline_entry_is_ours(const struct nb_baseline_entry *entry, GBytes *now);

/* Says that the knob, which holds now, is about to be written. Where we wrote it before, the value
 * found stays; where another program did since, or the number belongs to another, now is found. */
void nb_baseline_claim(struct nb_baseline *baseline, const struct nb_knob *knob, GBytes *now,
		       GBytes *ours);
/* Says what a claimed knob holds after all. A knob that holds what was found is forgotten. */
void nb_baseline_settle(struct nb_baseline *baseline, const struct nb_knob *knob, GBytes *holds);
void nb_baseline_forget(struct nb_baseline *baseline, const struct nb_knob *knob);
/* Notes of the i-th entry whether its interface is there. Returns since when it is not; 0: it is.
 */
uint64_t nb_baseline_note_interface(struct nb_baseline *baseline, unsigned i, bool there,
				    uint64_t now_nsec);
/* Appends an entry as it is. False: the knob has one. Everything is copied. */
bool nb_baseline_add(struct nb_baseline *baseline, const struct nb_baseline_entry *entry);

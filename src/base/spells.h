/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* Since when something has been so of a NIC, over pauses that do not end it (struct nb_spells).
 * Pure. */

#include "nicbalance/memory.h"

/* It is so of this NIC now. Returns its row. */
const struct nb_spell *nb_spells_note(struct nb_spells *spells, int ifindex, uint64_t now_nsec);
/* Forgets those that were not noted for gap_nsec. */
void nb_spells_expire(struct nb_spells *spells, uint64_t now_nsec, uint64_t gap_nsec);
/* NULL: it is not so. */
const struct nb_spell *nb_spells_find(const struct nb_spells *spells, int ifindex);

/* For how long it had been so when that was seen last; 0: for less than least_nsec, or not at all.
 */
uint64_t nb_spells_last_nsec(const struct nb_spells *spells, int ifindex, uint64_t least_nsec);

/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* RSS indirection tables: the queue of each entry. Pure. */

#include <stdbool.h>
#include <stdint.h>

/* Tells tables apart without keeping them: FNV-1a over the entries (Fowler, Noll, Vo; RFC 9923).
 * Never 0. */
uint32_t nb_table_digest(const uint32_t *entries, unsigned n);
/* Whether each of so many queues has as many entries as any other, or one less: nobody prefers a
 * queue. */
bool nb_table_is_even(const uint32_t *entries, unsigned n, unsigned n_queues);

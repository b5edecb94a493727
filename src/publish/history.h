/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* The last things that happened, oldest first, in a ring of fixed size. Pure. */

#include "nicbalance/status.h"

#include <glib.h>

#define NB_HISTORY_SIZE 128u

typedef struct nb_history nb_history;

struct nb_history *nb_history_new(void);
void nb_history_free(struct nb_history *history);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(nb_history, nb_history_free)

/* Takes over the texts of record and clears it; the oldest record is dropped when full. */
void nb_history_add(struct nb_history *history, struct nb_record *record);
/* The newest record of key whose effect is still being measured, to be completed in place; NULL
 * when there is none. */
struct nb_record *nb_history_find_pending(struct nb_history *history, enum nb_kind kind,
					  struct nb_queue_key key);
/* Borrowed, contiguous, oldest first. */
const struct nb_record *nb_history_records(const struct nb_history *history, unsigned *ret_n);

/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* What is remembered of what follows interrupts, by NIC. Pure. */

#include "nicbalance/memory.h"
#include "nicbalance/snapshot.h"

/* NULL if not remembered. */
struct nb_follow_memory *nb_follow_find(const struct nb_follow_rows *rows, int ifindex);
/* The row of the NIC, made if missing; valid until the next call that makes or drops one. */
struct nb_follow_memory *nb_follow_get(struct nb_follow_rows *rows, int ifindex);
void nb_follow_drop(struct nb_follow_rows *rows, int ifindex);
/* Whether something of a NIC is ours, and does follow. */
bool nb_follow_any(const struct nb_follow_rows *rows);

/* Keeps the rows of NICs that are there. */
void nb_follow_sync(struct nb_follow_rows *rows, const struct nb_machine *machine);
/* As nb_memory_refresh(). */
void nb_follow_refresh(struct nb_follow_rows *rows);
void nb_follow_clear(struct nb_follow_rows *rows);

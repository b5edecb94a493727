/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* What there is to be said about a NIC, see enum nb_advice. Pure. */

#include "nicbalance/load.h"
#include "nicbalance/memory.h"
#include "nicbalance/policy.h"
#include "nicbalance/snapshot.h"

/* Notes which NICs have one queue with most of the load, and what of a CPU it needs
 * (memory.lopsided). A queue that is helped for a moment is none, and loads come and go: it counts
 * for another minute. */
void nb_advice_look(struct nb_memory *memory, const struct nb_snapshot *snapshot,
		    const struct nb_loads *loads);

/* In this window most of what the NIC received was of nic.tunnel (memory.tunnelled). */
void nb_advice_note_tunnel(struct nb_memory *memory, int ifindex, uint64_t now_nsec);

/* Of what the configuration asks for there is nothing to be said: it is done, or the refusal told.
 * memory may be NULL. */
bool nb_advice_applies(enum nb_advice advice, const struct nb_nic *nic, unsigned n_allowed_cpus,
		       const struct nb_memory *memory);
/* Calls tell for each NIC in scope with each piece of advice that applies to it. */
typedef void (*nb_advice_tell)(void *data, const struct nb_nic *nic, unsigned n_allowed_cpus,
			       enum nb_advice advice);
void nb_advice_foreach(const struct nb_snapshot *snapshot, const struct nb_policy *policy,
		       const struct nb_memory *memory, nb_advice_tell tell, void *data);
/* What there is, and what to do, where it is one the command; caller frees. */
char *nb_advice_text(enum nb_advice advice, const struct nb_nic *nic, unsigned n_allowed_cpus);

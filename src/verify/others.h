/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* Holds interrupts that are no NIC's against where we put them. Pure. */

#include "nicbalance/memory.h"
#include "nicbalance/policy.h"
#include "nicbalance/snapshot.h"

#include <glib.h>

/* Appends struct nb_finding to findings for those that someone else has moved since, and yields
 * them. Once for each look at them. */
void nb_verify_others(const struct nb_snapshot *snapshot, const struct nb_policy *policy,
		      struct nb_memory *memory, GArray *findings);

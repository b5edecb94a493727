/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* Rows of a status found by their key, NULL or the empty answer where there is none. Pure.
 * Snapshot, loads and memory may stem from two sides of a rescan, so that parallel arrays are not
 * relied upon. */

#include "base/find.h"
#include "nicbalance/status.h"

const struct nb_machine *nb_status_machine(const struct nb_status *status);
const struct nb_queue_state *nb_status_find_queue(const struct nb_status *status,
						  struct nb_queue_key key);
const struct nb_queue_load *nb_status_find_queue_load(const struct nb_status *status,
						      struct nb_queue_key key);
const struct nb_queue_memory *nb_status_find_queue_memory(const struct nb_status *status,
							  struct nb_queue_key key);
const struct nb_cpu_load *nb_status_find_cpu_load(const struct nb_status *status, unsigned cpu);
const struct nb_cpumask *nb_status_find_rps(const struct nb_status *status,
					    struct nb_queue_key key);

/* The CPUs that a queue or a device interrupt may use; none before the first sample. */
void nb_status_allow(const struct nb_status *status, struct nb_queue_key key,
		     struct nb_allowed *ret);
/* The same of what has no pool of its own. */
void nb_status_eligible(const struct nb_status *status, struct nb_cpumask *ret);
/* The rule that takes a CPU away from those; _NB_RULE_INVALID: none. */
enum nb_rule nb_status_excluded_by(const struct nb_status *status, unsigned cpu);
/* What was counted on a CPU that is excluded now. */
const struct nb_excluded_cpu *nb_status_find_excluded(const struct nb_status *status, unsigned cpu);
/* Where a queue's work runs: as measured, else as delivered, else as allowed; -1 unknown. */
int nb_status_queue_cpu(const struct nb_status *status, struct nb_queue_key key);
/* Whether a knob is left alone at the time of the snapshot. */
bool nb_status_is_future(const struct nb_status *status, uint64_t until_nsec);

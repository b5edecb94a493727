/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* Whether a cycle could find anything to do: judged by the CPUs alone, without their queues. Pure;
 * the object is working memory. */

#include "nicbalance/cpu_sample.h"
#include "nicbalance/load.h"
#include "nicbalance/policy.h"

#include <glib.h>

typedef struct nb_idle_check nb_idle_check;

struct nb_idle_check *nb_idle_check_new(void);
void nb_idle_check_free(struct nb_idle_check *check);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(nb_idle_check, nb_idle_check_free)

/* Between two idle checks, or a sample and an idle check. True if each CPU that spends as much on
 * the network as a move would have to gain is known not to be hot: then no plan could change
 * anything. In the estimated grade all softirq time counts as the network's. */
bool nb_idle_check_passes(struct nb_idle_check *check, const struct nb_cpu_sample *before,
			  const struct nb_cpu_sample *now, const struct nb_policy *policy);

/* The same between two looks at /proc/stat while nothing is sampled, but for the result: of softirq
 * and interrupt time that is left out which the loads that were counted last told to be no
 * queue's, and what is left counts as the network's. */
void nb_idle_check_watch(struct nb_idle_check *check, const struct nb_cpu_sample *before,
			 const struct nb_cpu_sample *now, const struct nb_policy *policy);

/* How many of these CPUs were hot at the last call. False if that is not known, since the times
 * outside interrupts were not read; ret is then untouched. */
bool nb_idle_check_knows_hot(const struct nb_idle_check *check, uint32_t *ret);
/* Whether some CPU spends so much on the network that bursts of its queues may wait for each other,
 * as far as it was known at the last call. */
bool nb_idle_check_is_warm(const struct nb_idle_check *check);
/* The same of the window of loads that are known. */
uint32_t nb_idle_check_count_hot(struct nb_idle_check *check, const struct nb_loads *loads,
				 const struct nb_topology *topology,
				 const struct nb_policy *policy);

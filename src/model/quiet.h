/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* Whether there is anything to think about: told from the CPUs alone, without their queues. Pure;
 * the object is working memory. */

#include "nicbalance/glance.h"
#include "nicbalance/policy.h"

#include <glib.h>

typedef struct nb_quiet nb_quiet;

struct nb_quiet *nb_quiet_new(void);
void nb_quiet_free(struct nb_quiet *quiet);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(nb_quiet, nb_quiet_free)

/* Between two glances, or a reading and a glance. True when each CPU that spends as much on the
 * network as a move would have to gain is known not to be hot: then no plan could do anything. The
 * counted grade takes all softirq time for the network's. */
bool nb_quiet_between(struct nb_quiet *quiet, const struct nb_glance *before,
		      const struct nb_glance *now, const struct nb_policy *policy);

/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* The one place that says which CPUs a queue or a device interrupt may use. Pure. */

#include "nicbalance/memory.h"
#include "nicbalance/policy.h"
#include "nicbalance/snapshot.h"

/* All that is known of who may run where, borrowed. */
struct nb_rules {
	const struct nb_topology *topology;
	const struct nb_cpumask *banned;           /* by the configuration */
	const struct nb_claims *claims;            /* NULL: none */
	const struct nb_pools *configured;         /* NB_RULE_CONFIGURED and NB_RULE_LINK */
	const struct nb_pools *written;            /* NB_RULE_WRITTEN */
	const struct nb_cpumask *default_affinity; /* empty: unknown */
};

static inline struct nb_queue_key nb_rules_every_queue(struct nb_queue_key key)
{
	return (struct nb_queue_key){.ifindex = key.ifindex, .index = NB_EVERY_QUEUE};
}

/* The key of everything that has no pool of its own: no device has this ifindex. */
static inline struct nb_queue_key nb_rules_common_key(void)
{
	return (struct nb_queue_key){.ifindex = -1};
}

/* What holds at the time of a snapshot. Without a policy nothing is banned or claimed; memory may
 * be NULL. */
void nb_rules_init(struct nb_rules *rules, const struct nb_snapshot *snapshot,
		   const struct nb_policy *policy, const struct nb_memory *memory);

/* The CPUs that key may use: online ones, less those that are taken, banned or isolated, and of
 * these the ones that all its pools and the default affinity allow. A pool that names no CPU that
 * is left is set aside, the weaker one of two that exclude each other; but one that names only
 * banned or isolated CPUs has these, since whoever wrote it meant them (not a written mask: that
 * may be older than what isolates them). */
void nb_rules_allow(const struct nb_rules *rules, struct nb_queue_key key, struct nb_allowed *ret);
/* The same of everything that has no pool of its own. */
void nb_rules_allow_common(const struct nb_rules *rules, struct nb_allowed *ret);
/* The online CPUs that are taken, banned or isolated: only what a pool names may be there. */
void nb_rules_excluded(const struct nb_rules *rules, struct nb_cpumask *ret);
/* Whether a pool names key itself: without, it may use what all queues of its NIC may, or if none
 * names these either what is common. */
bool nb_rules_has_pool(const struct nb_rules *rules, struct nb_queue_key key);
/* The rule that takes this CPU away from key; _NB_RULE_INVALID: none. allowed is of the same key.
 */
enum nb_rule nb_rules_excluded_by(const struct nb_rules *rules, struct nb_queue_key key,
				  const struct nb_allowed *allowed, unsigned cpu);

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/rules.h"

#include "base/pools.h"

#include <stddef.h>

static const struct nb_pools no_pools;
static const struct nb_cpumask no_cpus;

void nb_rules_init(struct nb_rules *rules, const struct nb_snapshot *snapshot,
		   const struct nb_policy *policy, const struct nb_memory *memory)
{
	*rules = (struct nb_rules){
		.topology = &snapshot->machine->topology,
		.banned = policy ? &policy->banned : &no_cpus,
		.claims = policy ? policy->claims : NULL,
		.configured = &snapshot->machine->pools,
		.written = memory ? &memory->written : &no_pools,
		.default_affinity = &snapshot->default_affinity,
	};
}

static bool covers(struct nb_queue_key named, struct nb_queue_key key)
{
	return nb_queue_key_compare(named, key) == 0 ||
	       nb_queue_key_compare(named, nb_rules_every_queue(key)) == 0;
}

/* Where pools of a rule stand. */
static const struct nb_pools *pools_of(const struct nb_rules *rules, enum nb_rule rule)
{
	switch (rule) {
	case NB_RULE_CLAIM:
		return rules->claims ? &rules->claims->pools : &no_pools;
	case NB_RULE_CONFIGURED:
	case NB_RULE_LINK:
		return rules->configured;
	case NB_RULE_WRITTEN:
		return rules->written;
	case NB_RULE_OFFLINE:
	case NB_RULE_TAKEN:
	case NB_RULE_BANNED:
	case NB_RULE_ISOLATED:
	case NB_RULE_DEFAULT:
	case _NB_RULE_MAX:
	case _NB_RULE_INVALID:
		break;
	}
	return &no_pools;
}

/* Everything else must leave the CPUs of an exclusive claim alone. */
static void take_away(const struct nb_rules *rules, struct nb_queue_key key,
		      struct nb_cpumask *cpus)
{
	const struct nb_pools *pools = pools_of(rules, NB_RULE_CLAIM);

	if (rules->claims)
		nb_cpumask_andnot(cpus, &rules->claims->banned);
	for (unsigned i = 0; i < pools->n; i++)
		if (pools->rows[i].exclusive && !covers(pools->rows[i].key, key))
			nb_cpumask_andnot(cpus, &pools->rows[i].cpus);
}

/* False if that would leave nothing. */
static bool limit_to(struct nb_allowed *allowed, const struct nb_cpumask *cpus)
{
	struct nb_cpumask left = allowed->cpus;

	nb_cpumask_and(&left, cpus);
	if (nb_cpumask_empty(&left))
		return false;
	allowed->cpus = left;
	return true;
}

static bool limit_to_rows(const struct nb_pools *pools, enum nb_rule rule, struct nb_queue_key key,
			  struct nb_allowed *allowed)
{
	bool limited = false;

	for (unsigned i = nb_pools_first(pools, key);
	     i < pools->n && nb_queue_key_compare(pools->rows[i].key, key) == 0; i++) {
		if (pools->rows[i].rule != rule || pools->rows[i].pin)
			continue;
		if (limit_to(allowed, &pools->rows[i].cpus))
			limited = true;
		else
			allowed->set_aside |= 1u << rule;
	}
	return limited;
}

/* What names a queue itself is narrower than what names its NIC. */
static bool limit_to_pools(const struct nb_rules *rules, enum nb_rule rule, struct nb_queue_key key,
			   struct nb_allowed *allowed)
{
	const struct nb_pools *pools = pools_of(rules, rule);
	bool limited = limit_to_rows(pools, rule, key, allowed);

	if (key.index != NB_EVERY_QUEUE)
		limited |= limit_to_rows(pools, rule, nb_rules_every_queue(key), allowed);
	return limited;
}

/* Without a pool that names CPUs, nothing is left if all are banned or isolated. */
static void leave_out(const struct nb_cpumask *cpus, enum nb_rule rule, bool named,
		      struct nb_allowed *allowed)
{
	struct nb_cpumask left = allowed->cpus;

	nb_cpumask_andnot(&left, cpus);
	if (named && nb_cpumask_empty(&left))
		allowed->set_aside |= 1u << rule;
	else
		allowed->cpus = left;
}

static void limit_to_default(const struct nb_rules *rules, struct nb_allowed *allowed)
{
	if (!nb_cpumask_empty(rules->default_affinity) && !nb_cpumask_empty(&allowed->cpus) &&
	    !limit_to(allowed, rules->default_affinity))
		allowed->set_aside |= 1u << NB_RULE_DEFAULT;
}

void nb_rules_allow(const struct nb_rules *rules, struct nb_queue_key key, struct nb_allowed *ret)
{
	bool named = false;

	*ret = (struct nb_allowed){.cpus = rules->topology->online};
	take_away(rules, key, &ret->cpus);
	if (nb_cpumask_empty(&ret->cpus))
		return;
	named |= limit_to_pools(rules, NB_RULE_CLAIM, key, ret);
	named |= limit_to_pools(rules, NB_RULE_CONFIGURED, key, ret);
	named |= limit_to_pools(rules, NB_RULE_LINK, key, ret);
	leave_out(rules->banned, NB_RULE_BANNED, named, ret);
	leave_out(&rules->topology->isolated, NB_RULE_ISOLATED, named, ret);
	if (nb_cpumask_empty(&ret->cpus))
		return;
	(void)limit_to_pools(rules, NB_RULE_WRITTEN, key, ret);
	limit_to_default(rules, ret);
}

void nb_rules_allow_common(const struct nb_rules *rules, struct nb_allowed *ret)
{
	nb_rules_allow(rules, nb_rules_common_key(), ret);
}

void nb_rules_excluded(const struct nb_rules *rules, struct nb_cpumask *ret)
{
	struct nb_cpumask left = rules->topology->online;

	*ret = left;
	take_away(rules, nb_rules_common_key(), &left);
	nb_cpumask_andnot(&left, rules->banned);
	nb_cpumask_andnot(&left, &rules->topology->isolated);
	nb_cpumask_andnot(ret, &left);
}

bool nb_rules_has_pool(const struct nb_rules *rules, struct nb_queue_key key)
{
	static const enum nb_rule with_pools[] = {NB_RULE_CLAIM, NB_RULE_CONFIGURED,
						  NB_RULE_WRITTEN};

	for (size_t i = 0; i < sizeof(with_pools) / sizeof(with_pools[0]); i++) {
		const struct nb_pools *pools = pools_of(rules, with_pools[i]);
		const struct nb_pool *pool = pools->n > 0 ? nb_pools_find(pools, key) : NULL;

		if (pool && !pool->pin)
			return true;
	}
	return false;
}

static bool is_taken(const struct nb_rules *rules, struct nb_queue_key key, unsigned cpu)
{
	struct nb_cpumask one = {};

	nb_cpumask_add(&one, cpu);
	take_away(rules, key, &one);
	return nb_cpumask_empty(&one);
}

static bool is_outside(const struct nb_rules *rules, enum nb_rule rule, struct nb_queue_key key,
		       unsigned cpu)
{
	struct nb_allowed one = {};

	nb_cpumask_add(&one.cpus, cpu);
	(void)limit_to_pools(rules, rule, key, &one);
	return one.set_aside != 0;
}

static bool excludes(const struct nb_rules *rules, enum nb_rule rule, struct nb_queue_key key,
		     unsigned cpu)
{
	switch (rule) {
	case NB_RULE_OFFLINE:
		return !nb_cpumask_has(&rules->topology->online, cpu);
	case NB_RULE_TAKEN:
		return is_taken(rules, key, cpu);
	case NB_RULE_CLAIM:
	case NB_RULE_CONFIGURED:
	case NB_RULE_LINK:
	case NB_RULE_WRITTEN:
		return is_outside(rules, rule, key, cpu);
	case NB_RULE_BANNED:
		return nb_cpumask_has(rules->banned, cpu);
	case NB_RULE_ISOLATED:
		return nb_cpumask_has(&rules->topology->isolated, cpu);
	case NB_RULE_DEFAULT:
		return !nb_cpumask_has(rules->default_affinity, cpu);
	case _NB_RULE_MAX:
	case _NB_RULE_INVALID:
		break;
	}
	return false;
}

enum nb_rule nb_rules_excluded_by(const struct nb_rules *rules, struct nb_queue_key key,
				  const struct nb_allowed *allowed, unsigned cpu)
{
	if (nb_cpumask_has(&allowed->cpus, cpu))
		return _NB_RULE_INVALID;
	for (enum nb_rule rule = NB_RULE_OFFLINE; rule < _NB_RULE_MAX; rule++)
		if (!(allowed->set_aside & 1u << rule) && excludes(rules, rule, key, cpu))
			return rule;
	return _NB_RULE_INVALID;
}

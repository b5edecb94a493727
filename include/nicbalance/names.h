/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* Words for our enums, as they stand in JSON, on the bus and in the journal. Pure.
 * …_to_string() takes any value of its enum; …_from_string() returns the INVALID value for a word
 * it does not know. …_explain() is the same in a sentence for people. */

#include "nicbalance/owned.h"
#include "nicbalance/status.h"

#define NB_NAMES(type)                                           \
	const char *nb_##type##_to_string(enum nb_##type value); \
	enum nb_##type nb_##type##_from_string(const char *word)

NB_NAMES(accounting);
NB_NAMES(advice);
NB_NAMES(drops_cause);
NB_NAMES(effect);
NB_NAMES(event);
NB_NAMES(grade);
NB_NAMES(isolation);
NB_NAMES(kind);
NB_NAMES(mapping);
NB_NAMES(mode);
NB_NAMES(outcome);
NB_NAMES(packets_source);
NB_NAMES(reason);
NB_NAMES(rule);
NB_NAMES(scope);
NB_NAMES(source);
NB_NAMES(tunable);
NB_NAMES(verdict);
NB_NAMES(writer);

const char *nb_drops_cause_explain(enum nb_drops_cause value);
const char *nb_effect_explain(enum nb_effect value);
const char *nb_outcome_explain(enum nb_outcome value);
const char *nb_reason_explain(enum nb_reason value);
const char *nb_rule_explain(enum nb_rule value);
const char *nb_scope_explain(enum nb_scope value);
const char *nb_verdict_explain(enum nb_verdict value);

/* As the kernel calls it in /proc/softirqs. */
const char *nb_softirq_name(enum nb_softirq value);

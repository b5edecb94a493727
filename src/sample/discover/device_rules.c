/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sample/discover/device_rules.h"

#include <fnmatch.h>
#include <string.h>

/* What follows a word such as "driver:"; NULL where match begins with something else. */
static const char *glob_behind(const char *match, const char *word)
{
	return g_str_has_prefix(match, word) ? match + strlen(word) : NULL;
}

static bool names_device(const char *match, const struct nb_nic_facts *facts)
{
	const char *glob;

	if ((glob = glob_behind(match, "driver:")))
		return fnmatch(glob, facts->nic.driver, 0) == 0;
	if ((glob = glob_behind(match, "pci:")))
		return *facts->pci && fnmatch(glob, facts->pci, FNM_CASEFOLD) == 0;
	if ((glob = glob_behind(match, "mac:")))
		return fnmatch(glob, facts->mac, FNM_CASEFOLD) == 0;
	return fnmatch(match, facts->nic.name, 0) == 0;
}

const struct nb_device_rule *nb_device_rules_find(const struct nb_device_rules *rules,
						  const struct nb_nic_facts *facts)
{
	for (unsigned i = 0; rules && i < rules->n_rules; i++)
		if (names_device(rules->rules[i].match, facts))
			return &rules->rules[i];
	return NULL;
}

bool nb_interrupt_rules_exist(const struct nb_device_rules *rules)
{
	return rules && (rules->interrupts.n_rules > 0 ||
			 (rules->irqbalance && rules->irqbalance->n_rules > 0));
}

static bool names_interrupt(const char *match, const struct nb_interrupt_facts *facts)
{
	const char *glob = glob_behind(match, "driver:");
	uint64_t irq;

	if (glob)
		return fnmatch(glob, facts->driver, 0) == 0;
	if (g_ascii_string_to_unsigned(match, 10, 0, UINT32_MAX, &irq, NULL))
		return irq == facts->irq;
	for (char *const *name = facts->handlers; name && *name; name++)
		if (fnmatch(match, *name, 0) == 0)
			return true;
	return false;
}

static const struct nb_interrupt_rule *find(const struct nb_interrupt_rules *rules,
					    const struct nb_interrupt_facts *facts)
{
	for (unsigned i = 0; rules && i < rules->n_rules; i++)
		if (names_interrupt(rules->rules[i].match, facts))
			return &rules->rules[i];
	return NULL;
}

const struct nb_interrupt_rule *nb_interrupt_rules_find(const struct nb_device_rules *rules,
							const struct nb_interrupt_facts *facts)
{
	const struct nb_interrupt_rule *own = find(&rules->interrupts, facts);

	return own ? own : find(rules->irqbalance, facts);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sample/discover/pools.h"

#include "base/pools.h"
#include "base/rows.h"
#include "nicbalance/device_irq.h"
#include "sample/discover/link_file.h"

#include <stdlib.h>

static void add(struct nb_pools *pools, struct nb_queue_key key, enum nb_rule rule,
		const struct nb_cpumask *cpus)
{
	if (nb_cpumask_empty(cpus))
		return;
	pools->rows = nb_rows_insert(pools->rows, &pools->n, pools->n, sizeof(*pools->rows));
	pools->rows[pools->n - 1] = (struct nb_pool){.key = key, .rule = rule, .cpus = *cpus};
}

/* Both interrupts of a queue may match one rule. */
static void add_queue(struct nb_pools *pools, const struct nb_device_rules *rules,
		      const char *driver, struct nb_handlers *handlers, struct nb_queue *queue)
{
	const struct nb_interrupt_rule *last = NULL;

	for (unsigned i = 0; i < queue->n_irqs; i++) {
		g_auto(GStrv) names = nb_handlers_of(handlers, queue->irqs[i]);
		const struct nb_interrupt_rule *rule = nb_interrupt_rules_find(
			rules, &(struct nb_interrupt_facts){queue->irqs[i], names, driver});

		if (!rule || rule == last)
			continue;
		queue->ignored |= rule->ignore;
		add(pools, queue->key, NB_RULE_CONFIGURED, &rule->cpus);
		last = rule;
	}
}

void nb_pools_add_nic(struct nb_pools *pools, const struct nb_device_rules *rules,
		      const struct nb_nic_facts *facts, struct nb_handlers *handlers,
		      struct nb_queue *queues, unsigned n_queues)
{
	const struct nb_device_rule *rule = nb_device_rules_find(rules, facts);
	struct nb_queue_key all = {.ifindex = facts->nic.ifindex, .index = NB_EVERY_QUEUE};

	if (rule)
		add(pools, all, NB_RULE_CONFIGURED, &rule->cpus);
	for (unsigned i = 0; nb_interrupt_rules_exist(rules) && i < n_queues; i++)
		add_queue(pools, rules, facts->nic.driver, handlers, &queues[i]);
}

static void add_link_settings(struct nb_machine *machine, int ifindex,
			      const struct nb_link_settings *settings)
{
	struct nb_pool rps = {
		.key = {.ifindex = ifindex, .index = NB_EVERY_QUEUE},
		.rule = NB_RULE_LINK,
		.cpus = settings->rps,
	};

	add(&machine->pools, rps.key, NB_RULE_LINK, &settings->cpus);
	if (settings->limits_rps)
		nb_pools_set(&machine->rps_pools, &rps);
}

void nb_pools_add_link_file(struct nb_machine *machine, const struct nb_device_rules *rules,
			    const struct nb_nic_facts *facts, struct nb_sysroot *root,
			    GPtrArray *faults)
{
	const struct nb_device_rule *rule = nb_device_rules_find(rules, facts);
	struct nb_link_settings settings;
	char *fault;

	if (rule && !nb_cpumask_empty(&rule->cpus))
		return;
	if (nb_link_file_read(root, facts->nic.ifindex, &settings, &fault) < 0)
		g_ptr_array_add(faults, fault);
	else
		add_link_settings(machine, facts->nic.ifindex, &settings);
}

bool nb_pools_add_device_irq(struct nb_pools *pools, const struct nb_device_rules *rules,
			     const struct nb_interrupt_facts *facts)
{
	const struct nb_interrupt_rule *rule = nb_interrupt_rules_find(rules, facts);

	if (rule)
		add(pools, nb_device_irq_key(facts->irq), NB_RULE_CONFIGURED, &rule->cpus);
	return !rule || !rule->ignore;
}

void nb_pools_forget_device_irqs(struct nb_pools *pools)
{
	for (unsigned i = pools->n; i-- > 0;)
		if (nb_key_is_device_irq(pools->rows[i].key))
			nb_rows_remove(pools->rows, &pools->n, i, sizeof(*pools->rows));
}

static int compare(const void *a, const void *b)
{
	const struct nb_pool *x = a, *y = b;
	int order = nb_queue_key_compare(x->key, y->key);

	return order ? order : (int)x->rule - (int)y->rule;
}

void nb_pools_sort(struct nb_pools *pools)
{
	if (pools->n > 1)
		qsort(pools->rows, pools->n, sizeof(*pools->rows), compare);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/describe.h"
#include "document/json.h"
#include "document/lookup.h"
#include "document/parts.h"
#include "nicbalance/names.h"

#define BANNED_OR_ISOLATED (1u << NB_RULE_BANNED | 1u << NB_RULE_ISOLATED)

static bool is_irq(const struct nb_intrusion *intrusion)
{
	return intrusion->source == NB_SOURCE_IRQ;
}

/* The rules may have changed since. */
static const char *why_allowed(const struct nb_status *status, struct nb_queue_key key,
			       unsigned cpu)
{
	struct nb_allowed allowed;

	nb_status_allow(status, key, &allowed);
	if (nb_cpumask_empty(&allowed.cpus))
		return "allowed: no other CPU is left for it";
	if (allowed.set_aside & BANNED_OR_ISOLATED)
		return "allowed: it is limited to CPUs that are all banned or isolated";
	return nb_cpumask_has(&allowed.cpus, cpu) ? "allowed: the CPU is claimed for it"
						  : "was allowed when it came";
}

/* An interrupt that stays has a reason, as far as that is known. */
static const char *why_not_left(const struct nb_status *status, struct nb_queue_key key)
{
	const struct nb_queue_memory *memory = nb_status_find_queue_memory(status, key);
	const struct nb_device_irq *device_irq =
		nb_key_is_device_irq(key)
			? nb_machine_find_device_irq(nb_status_machine(status), key.index)
			: NULL;

	if (device_irq && device_irq->portal)
		return "; it is of a DPAA portal, which stays on its CPU";
	if ((memory && memory->refused) || (device_irq && !device_irq->settable))
		return "; the kernel does not allow moving it";
	if (memory && nb_status_is_future(status, memory->yielded_until_nsec))
		return "; another program put it there";
	if (device_irq && device_irq->foreign)
		return "; it is of another network namespace, or of a guest";
	return "";
}

static char *explain(const struct nb_status *status, const struct nb_intrusion *intrusion,
		     const struct nb_queue *queue)
{
	struct nb_queue_key key = queue ? queue->key : nb_device_irq_key(intrusion->number);
	enum nb_rule rule;

	if (intrusion->is_allowed)
		return g_strdup(is_irq(intrusion) ? why_allowed(status, key, intrusion->cpu)
						  : "allowed: something that raises it may be "
						    "there");
	if (intrusion->count == 0)
		return g_strdup("before it had to be gone");
	rule = nb_status_excluded_by(status, intrusion->cpu);
	return g_strdup_printf("the CPU is %s%s", nb_rule_explain(rule),
			       is_irq(intrusion) ? why_not_left(status, key) : "");
}

static json_t *row_of(const struct nb_status *status, const struct nb_intrusion *intrusion)
{
	const struct nb_machine *machine = nb_status_machine(status);
	const struct nb_queue *queue =
		is_irq(intrusion) ? nb_machine_find_served(machine, intrusion->number) : NULL;
	json_t *row = json_object();

	nb_json_set(row, "cpu", json_integer(intrusion->cpu));
	nb_json_set(row, "source", nb_json_text(nb_source_to_string(intrusion->source)));
	nb_json_set(row, "irq", is_irq(intrusion) ? json_integer(intrusion->number) : json_null());
	nb_json_set(row, "softirq",
		    nb_json_text(is_irq(intrusion)
					 ? NULL
					 : nb_softirq_name((enum nb_softirq)intrusion->number)));
	nb_json_set(row, "handlers", nb_json_text(is_irq(intrusion) ? intrusion->handlers : NULL));
	nb_json_set(row, "nic",
		    nb_json_text(queue ? nb_machine_netdev(machine, queue->key.ifindex) : NULL));
	nb_json_set(row, "queue", queue ? json_integer(queue->key.index) : json_null());
	nb_json_set(row, "count", nb_json_count(intrusion->count));
	nb_json_set(row, "leaving", nb_json_count(intrusion->leaving));
	nb_json_set(row, "allowed", nb_json_count(intrusion->allowed));
	nb_json_set(row, "last", nb_json_time(intrusion->last_realtime_usec));
	nb_json_set(row, "what", nb_json_take_text(nb_intrusion_describe(intrusion)));
	nb_json_set(row, "why", nb_json_take_text(explain(status, intrusion, queue)));
	return row;
}

void nb_document_add_intrusions(GString *table, const struct nb_status *status)
{
	for (unsigned i = 0; nb_status_machine(status) && i < status->n_intrusions; i++)
		nb_document_add_row(table, row_of(status, &status->intrusions[i]));
}

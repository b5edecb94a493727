/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "daemon/daemon.h"

#include "base/cpumask_text.h"
#include "base/describe.h"
#include "base/device_irq_memory.h"
#include "base/find.h"
#include "base/memory.h"
#include "base/rules.h"
#include "claims/target.h"
#include "nicbalance/names.h"

#include <inttypes.h>

/* The first ones tell what is wrong. */
#define LINES_MAX 20u

struct remains {
	struct nb_daemon *daemon;
	const struct nb_order *order;
	struct nb_queue_key target; /* of a claim whose target is there */
	bool has_target;
	GString *text;
	unsigned n;
};

static bool is_target(const struct remains *remains, struct nb_queue_key key)
{
	return remains->has_target &&
	       (nb_queue_key_compare(remains->target, key) == 0 ||
		nb_queue_key_compare(remains->target, nb_rules_every_queue(key)) == 0);
}

/* The CPUs of this set on which key must not be. */
static struct nb_cpumask against(const struct remains *remains, struct nb_queue_key key,
				 struct nb_cpumask cpus)
{
	const struct nb_order *order = remains->order;

	if (is_target(remains, key))
		nb_cpumask_andnot(&cpus, &order->cpus);
	else if (nb_order_is_ban(order) || order->exclusive)
		nb_cpumask_and(&cpus, &order->cpus);
	else
		nb_cpumask_clear(&cpus);
	return cpus;
}

static void add(struct remains *remains, const char *what, const struct nb_cpumask *cpus,
		const char *why)
{
	g_autofree char *list = nb_cpumask_format_list(cpus);

	if (remains->n++ < LINES_MAX)
		g_string_append_printf(remains->text, "%s%s on CPU %s: %s",
				       remains->text->len ? "\n" : "", what, list, why);
}

static const struct nb_change *find_change(const struct nb_plan *plan, enum nb_kind kind,
					   struct nb_queue_key key)
{
	for (unsigned i = 0; i < plan->n_changes; i++)
		if (plan->changes[i].kind == kind &&
		    nb_queue_key_compare(plan->changes[i].key, key) == 0)
			return &plan->changes[i];
	return NULL;
}

static bool is_done(const struct nb_change *change)
{
	return change &&
	       (change->outcome == NB_OUTCOME_APPLIED || change->outcome == NB_OUTCOME_UNCHANGED);
}

static const char *reason(const struct nb_change *change, bool refused, uint64_t yielded_until_nsec,
			  uint64_t now_nsec)
{
	if (change && !is_done(change))
		return nb_outcome_explain(change->outcome);
	if (refused)
		return nb_outcome_explain(NB_OUTCOME_REFUSED);
	if (now_nsec < yielded_until_nsec)
		return "another program put it there";
	return "not moved yet";
}

static void check_at(struct remains *remains, struct nb_queue_key key, int cpu, const char *what,
		     const char *why)
{
	struct nb_cpumask cpus = {};

	if (cpu < 0)
		return;
	nb_cpumask_add(&cpus, (unsigned)cpu);
	cpus = against(remains, key, cpus);
	if (!nb_cpumask_empty(&cpus))
		add(remains, what, &cpus, why);
}

static void check_queue(struct remains *remains, const struct nb_queue *queue)
{
	const struct nb_loop *loop = &remains->daemon->loop;
	const struct nb_queue_state *state = nb_snapshot_find_queue(loop->snapshot, queue->key);
	const struct nb_queue_memory *memory = nb_memory_find_queue(&loop->memory, queue->key);
	const struct nb_change *change = find_change(loop->plan, NB_KIND_QUEUE, queue->key);
	g_autofree char *what =
		nb_queue_describe(nb_machine_netdev(loop->snapshot->machine, queue->key.ifindex),
				  queue->key.index, queue->irqs, queue->n_irqs);
	int cpu = state->affinity_cpu >= 0 ? state->affinity_cpu : state->effective_cpu;

	if (queue->n_irqs == 0)
		return;
	if (is_done(change))
		cpu = (int)change->move->cpu_to;
	check_at(remains, queue->key, cpu, what,
		 reason(change, !state->settable || (memory && memory->refused),
			memory ? memory->yielded_until_nsec : 0, loop->snapshot->taken_nsec));
}

/* Whose choice its place is, where it is not ours; NULL: it is. */
static const char *placed_by(const struct nb_device_irq *device_irq)
{
	if (device_irq->portal)
		return "a DPAA portal stays on the CPU of its driver or application";
	return device_irq->foreign ? "it is placed by another network namespace or a guest" : NULL;
}

static void check_device_irq(struct remains *remains, const struct nb_device_irq *device_irq)
{
	const struct nb_loop *loop = &remains->daemon->loop;
	struct nb_queue_key key = nb_device_irq_key(device_irq->irq);
	const struct nb_device_irq_memory *memory =
		nb_device_irq_memory_find(&loop->memory, device_irq->irq);
	const struct nb_change *change = find_change(loop->plan, NB_KIND_DEVICE_IRQ, key);
	g_autofree char *what =
		g_strdup_printf("%s (IRQ %" PRIu32 ")", device_irq->handlers, device_irq->irq);
	int cpu = memory && memory->expected_cpu >= 0 ? memory->expected_cpu : device_irq->cpu;

	if (is_done(change))
		cpu = (int)change->move->cpu_to;
	check_at(remains, key, cpu, what,
		 placed_by(device_irq)
			 ? placed_by(device_irq)
			 : reason(change, !device_irq->settable || (memory && memory->refused),
				  memory ? memory->yielded_until_nsec : 0,
				  loop->snapshot->taken_nsec));
}

static void check_rps(struct remains *remains, const struct nb_rps_state *rps)
{
	struct nb_loop *loop = &remains->daemon->loop;
	const struct nb_rps_memory *memory = nb_memory_find_rps(&loop->memory, rps->key);
	const struct nb_change *change = find_change(loop->plan, NB_KIND_RPS, rps->key);
	g_autofree char *what = g_strdup_printf(
		"%s queue %u RPS", nb_machine_netdev(loop->snapshot->machine, rps->key.ifindex),
		rps->key.index);
	struct nb_cpumask cpus =
		against(remains, rps->key, is_done(change) ? change->rps->to : rps->cpus);

	if (!nb_cpumask_empty(&cpus))
		add(remains, what, &cpus,
		    memory ? reason(change, false, memory->yielded_until_nsec,
				    loop->snapshot->taken_nsec)
			   : "another program put it there");
}

static void check_all(struct remains *remains)
{
	const struct nb_snapshot *snapshot = remains->daemon->loop.snapshot;
	const struct nb_machine *machine = snapshot->machine;

	for (unsigned i = 0; i < machine->n_queues; i++)
		check_queue(remains, &machine->queues[i]);
	for (unsigned i = 0; i < machine->n_device_irqs; i++)
		check_device_irq(remains, &machine->device_irqs[i]);
	for (unsigned i = 0; i < snapshot->n_rps; i++)
		check_rps(remains, &snapshot->rps[i]);
}

char *nb_daemon_remains(struct nb_daemon *daemon, const struct nb_order *order)
{
	struct remains remains = {.daemon = daemon, .order = order, .text = g_string_new(NULL)};

	if (daemon->sample_error < 0) {
		g_string_append(remains.text, "this host cannot be sampled at the moment");
		return g_string_free(remains.text, FALSE);
	}
	remains.has_target =
		nb_target_find(&order->target, daemon->loop.snapshot->machine, &remains.target);
	check_all(&remains);
	if (remains.n > LINES_MAX)
		g_string_append_printf(remains.text, "\nand %u more", remains.n - LINES_MAX);
	return g_string_free(remains.text, FALSE);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "apply/applier.h"
#include "apply/step.h"
#include "base/find.h"

static void prepare_queue(struct nb_step *step, struct nb_applier *applier,
			  const struct nb_machine *machine, const struct nb_move *move)
{
	const struct nb_queue *queue = nb_machine_find_queue(machine, move->key);

	if (queue)
		nb_step_prepare_irqs(step, &applier->access, queue, move->cpu_to);
	else
		step->outcome = NB_OUTCOME_GONE;
}

static void prepare_irq(struct nb_step *step, struct nb_applier *applier,
			const struct nb_move *move)
{
	struct nb_queue alone = {.n_irqs = 1, .irqs = {move->key.index}};

	nb_step_prepare_irqs(step, &applier->access, &alone, move->cpu_to);
}

/* What is a NIC's as a whole, or of a queue without an interrupt. */
static void prepare_knob(struct nb_step *step, struct nb_applier *applier,
			 const struct nb_machine *machine, const struct nb_change *change)
{
	const struct nb_nic *nic = nb_machine_find_nic(machine, change->key.ifindex);

	if (!nic)
		step->outcome = NB_OUTCOME_GONE;
	else if (change->kind == NB_KIND_RPS)
		nb_step_prepare_rps(step, &applier->access, change->rps, nic->name);
	else
		nb_step_prepare_rss(step, &applier->access, applier->baseline, change->rss,
				    nic->name);
}

static void prepare_change(struct nb_step *step, struct nb_applier *applier,
			   const struct nb_machine *machine, const struct nb_change *change)
{
	switch (change->kind) {
	case NB_KIND_QUEUE:
		prepare_queue(step, applier, machine, change->move);
		break;
	case NB_KIND_IRQ:
		prepare_irq(step, applier, change->move);
		break;
	case NB_KIND_RPS:
	case NB_KIND_RSS:
		prepare_knob(step, applier, machine, change);
		break;
	case _NB_KIND_MAX:
		break;
	}
}

static void clear_step(void *step)
{
	nb_step_clear(step);
}

/* A step for each change. */
static GArray *prepare(struct nb_applier *applier, const struct nb_machine *machine,
		       const struct nb_plan *plan)
{
	GArray *steps = g_array_new(FALSE, TRUE, sizeof(struct nb_step));

	g_array_set_clear_func(steps, clear_step);
	g_array_set_size(steps, plan->n_changes);
	for (unsigned i = 0; i < plan->n_changes; i++)
		prepare_change(&g_array_index(steps, struct nb_step, i), applier, machine,
			       &plan->changes[i]);
	return steps;
}

/* Keeps what was found, all in one write of the file. */
static int keep_found(struct nb_applier *applier, GArray *steps)
{
	bool needed = false;
	int r;

	for (unsigned i = 0; i < steps->len; i++) {
		const struct nb_step *step = &g_array_index(steps, struct nb_step, i);

		nb_step_claim(step, applier->baseline);
		needed = needed || nb_step_is_needed(step);
	}
	if (!needed)
		return 0;

	r = nb_applier_keep(applier);
	if (r < 0)
		for (unsigned i = 0; i < steps->len; i++)
			nb_step_disclaim(&g_array_index(steps, struct nb_step, i),
					 applier->baseline);
	return r;
}

int nb_apply(struct nb_applier *applier, const struct nb_machine *machine, struct nb_plan *plan)
{
	g_autoptr(GArray) steps = prepare(applier, machine, plan);
	int r;

	r = keep_found(applier, steps);
	for (unsigned i = 0; i < steps->len; i++) {
		struct nb_step *step = &g_array_index(steps, struct nb_step, i);

		if (r == 0)
			nb_step_carry_out(step, &applier->access, applier->baseline);
		plan->changes[i].outcome = r < 0 ? NB_OUTCOME_UNSAFE : step->outcome;
	}
	return r;
}

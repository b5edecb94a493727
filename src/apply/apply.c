/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "apply/applier.h"
#include "apply/step.h"
#include "base/find.h"

static void prepare_move(struct nb_step *step, struct nb_applier *applier,
			 const struct nb_machine *machine, const struct nb_move *move)
{
	const struct nb_queue *queue = nb_machine_find_queue(machine, move->key);

	if (queue)
		nb_step_prepare_irqs(step, &applier->access, queue, move->cpu_to);
	else
		step->outcome = NB_OUTCOME_GONE;
}

static void prepare_other(struct nb_step *step, struct nb_applier *applier,
			  const struct nb_move *move)
{
	struct nb_queue alone = {.n_irqs = 1, .irqs = {move->key.index}};

	nb_step_prepare_irqs(step, &applier->access, &alone, move->cpu_to);
}

static void prepare_rps(struct nb_step *step, struct nb_applier *applier,
			const struct nb_machine *machine, const struct nb_rps_change *change)
{
	const struct nb_nic *nic = nb_machine_find_nic(machine, change->key.ifindex);

	if (nic)
		nb_step_prepare_rps(step, &applier->access, change, nic->name);
	else
		step->outcome = NB_OUTCOME_GONE;
}

static void prepare_rss(struct nb_step *step, struct nb_applier *applier,
			const struct nb_machine *machine, const struct nb_rss_change *change)
{
	const struct nb_nic *nic = nb_machine_find_nic(machine, change->ifindex);

	if (nic)
		nb_step_prepare_rss(step, &applier->access, applier->baseline, change, nic->name);
	else
		step->outcome = NB_OUTCOME_GONE;
}

static void clear_step(void *step)
{
	nb_step_clear(step);
}

/* A step for each change, in the order of nb_plan_n_changes(). RSS tables come last, so that each
 * interrupt is where the plan wants it before packets leave a queue, or come back to it. */
static GArray *prepare(struct nb_applier *applier, const struct nb_machine *machine,
		       const struct nb_plan *plan)
{
	GArray *steps = g_array_new(FALSE, TRUE, sizeof(struct nb_step));
	struct nb_step *step;

	g_array_set_clear_func(steps, clear_step);
	g_array_set_size(steps, nb_plan_n_changes(plan));
	step = (struct nb_step *)(void *)steps->data;
	for (unsigned i = 0; i < plan->n_moves; i++)
		prepare_move(step++, applier, machine, &plan->moves[i]);
	for (unsigned i = 0; i < plan->n_rps; i++)
		prepare_rps(step++, applier, machine, &plan->rps[i]);
	for (unsigned i = 0; i < plan->n_others; i++)
		prepare_other(step++, applier, &plan->others[i]);
	for (unsigned i = 0; i < plan->n_rss; i++)
		prepare_rss(step++, applier, machine, &plan->rss[i]);
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

int nb_apply(struct nb_applier *applier, const struct nb_machine *machine,
	     const struct nb_plan *plan, enum nb_outcome *outcomes)
{
	g_autoptr(GArray) steps = prepare(applier, machine, plan);
	int r;

	r = keep_found(applier, steps);
	for (unsigned i = 0; i < steps->len; i++) {
		struct nb_step *step = &g_array_index(steps, struct nb_step, i);

		if (r == 0)
			nb_step_carry_out(step, &applier->access, applier->baseline);
		outcomes[i] = r < 0 ? NB_OUTCOME_UNSAFE : step->outcome;
	}
	return r;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "apply/step.h"

#include "apply/mask.h"
#include "apply/outcome.h"
#include "base/cpumask_text.h"

#include <string.h>

void nb_step_clear(struct nb_step *step)
{
	for (unsigned i = 0; i < step->n_edits; i++) {
		nb_knob_clear(&step->edits[i].knob);
		g_free(step->edits[i].before);
		g_free(step->edits[i].target);
	}
	*step = (struct nb_step){0};
}

/* What can be said without writing: UNCHANGED, why it would fail, or APPLIED. */
static enum nb_outcome prepare(struct nb_edit *edit, struct nb_sysroot *root,
			       const struct nb_cpumask *cpus)
{
	int r;

	r = nb_knob_read(root, &edit->knob, &edit->before);
	if (r < 0)
		return nb_outcome_from_errno(r);
	r = nb_mask_format_like(edit->before, cpus, &edit->target);
	if (r < 0)
		return nb_outcome_from_errno(r);
	if (nb_mask_same(edit->before, edit->target))
		return NB_OUTCOME_UNCHANGED;
	if (!nb_knob_is_settable(root, &edit->knob))
		return NB_OUTCOME_REFUSED;

	edit->needed = true;
	return NB_OUTCOME_APPLIED;
}

static enum nb_outcome prepare_irq(struct nb_edit *edit, struct nb_sysroot *root, uint32_t irq,
				   const struct nb_cpumask *cpus)
{
	int r;

	r = nb_knob_irq(root, irq, &edit->knob);
	if (r < 0)
		return nb_outcome_from_errno(r);
	return prepare(edit, root, cpus);
}

void nb_step_prepare_irqs(struct nb_step *step, struct nb_sysroot *root,
			  const struct nb_queue *queue, unsigned cpu)
{
	struct nb_cpumask cpus = {0};

	nb_cpumask_add(&cpus, cpu);
	step->outcome = queue->n_irqs > 0 ? NB_OUTCOME_UNCHANGED : NB_OUTCOME_GONE;
	for (unsigned i = 0; i < queue->n_irqs; i++) {
		struct nb_edit *edit = &step->edits[step->n_edits++];

		step->outcome = nb_outcome_worse(step->outcome,
						 prepare_irq(edit, root, queue->irqs[i], &cpus));
	}
}

static bool holds(const struct nb_edit *edit, const struct nb_cpumask *cpus)
{
	struct nb_cpumask before;

	return nb_cpumask_parse_mask(edit->before, strlen(edit->before), &before, NULL) == 0 &&
	       nb_cpumask_equal(&before, cpus);
}

static enum nb_outcome prepare_rps(struct nb_edit *edit, struct nb_sysroot *root,
				   const struct nb_rps_change *change)
{
	enum nb_outcome outcome;
	int r;

	r = nb_knob_find(root, &edit->knob);
	if (r < 0)
		return nb_outcome_from_errno(r);
	outcome = prepare(edit, root, &change->to);
	if (!edit->needed || holds(edit, &change->from))
		return outcome;
	edit->needed = false;
	return NB_OUTCOME_STALE;
}

void nb_step_prepare_rps(struct nb_step *step, struct nb_sysroot *root,
			 const struct nb_rps_change *change, const char *ifname)
{
	struct nb_edit *edit = &step->edits[step->n_edits++];

	nb_knob_rps(change->key, ifname, &edit->knob);
	step->outcome = prepare_rps(edit, root, change);
}

bool nb_step_is_needed(const struct nb_step *step)
{
	return step->outcome == NB_OUTCOME_APPLIED;
}

void nb_step_claim(const struct nb_step *step, struct nb_baseline *baseline)
{
	if (!nb_step_is_needed(step))
		return;
	for (unsigned i = 0; i < step->n_edits; i++) {
		const struct nb_edit *edit = &step->edits[i];

		if (edit->needed)
			nb_baseline_claim(baseline, &edit->knob, edit->before, edit->target);
	}
}

void nb_step_disclaim(struct nb_step *step, struct nb_baseline *baseline)
{
	if (!nb_step_is_needed(step))
		return;
	for (unsigned i = 0; i < step->n_edits; i++)
		if (step->edits[i].needed)
			nb_baseline_settle(baseline, &step->edits[i].knob, step->edits[i].before);
}

/* Puts the old value back where the knob does not hold it, and enters what it holds then. */
static void abandon(const struct nb_edit *edit, struct nb_sysroot *root,
		    struct nb_baseline *baseline)
{
	g_autofree char *now = NULL;
	int r;

	if (!nb_knob_holds(root, &edit->knob, edit->before))
		(void)nb_knob_write(root, &edit->knob, edit->before);

	r = nb_knob_read(root, &edit->knob, &now);
	if (r == 0)
		nb_baseline_settle(baseline, &edit->knob, now);
	else if (nb_outcome_from_errno(r) == NB_OUTCOME_GONE)
		nb_baseline_forget(baseline, &edit->knob);
	/* Unknown: the claim covers the old value and the new one. */
}

static enum nb_outcome write_all(const struct nb_step *step, struct nb_sysroot *root)
{
	for (unsigned i = 0; i < step->n_edits; i++) {
		const struct nb_edit *edit = &step->edits[i];
		enum nb_outcome outcome;

		if (!edit->needed)
			continue;
		outcome = nb_knob_write(root, &edit->knob, edit->target);
		if (outcome != NB_OUTCOME_APPLIED)
			return outcome;
	}
	return NB_OUTCOME_APPLIED;
}

void nb_step_carry_out(struct nb_step *step, struct nb_sysroot *root, struct nb_baseline *baseline)
{
	if (!nb_step_is_needed(step))
		return;

	step->outcome = write_all(step, root);
	for (unsigned i = 0; i < step->n_edits; i++) {
		const struct nb_edit *edit = &step->edits[i];

		if (!edit->needed)
			continue;
		if (step->outcome == NB_OUTCOME_APPLIED)
			nb_baseline_settle(baseline, &edit->knob, edit->target);
		else
			abandon(edit, root, baseline);
	}
}

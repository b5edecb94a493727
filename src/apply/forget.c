/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What of the baseline will never be there again. */
#include "apply/applier.h"
#include "apply/outcome.h"
#include "base/find.h"
#include "nicbalance/units.h"

/* One that was moved to another network namespace looks like one that is gone, and may come back
 * with its number and with what was set. */
#define GONE_NSEC (24 * 3600 * NB_NSEC_PER_SEC)

/* Interrupts have their numbers again, and the host stays. */
static bool is_gone(const struct nb_applier *applier, unsigned i, const struct nb_machine *machine,
		    uint64_t now_nsec)
{
	const struct nb_knob *knob = &nb_baseline_get(applier->baseline, i)->knob;
	uint64_t missing_nsec;

	if (knob->type == NB_KNOB_THREAD)
		return nb_outcome_from_errno(nb_knob_find(&applier->access, knob)) ==
		       NB_OUTCOME_GONE;
	if (knob->queue.ifindex == 0)
		return false;
	missing_nsec = nb_baseline_note_interface(
		applier->baseline, i, nb_machine_find_nic(machine, knob->queue.ifindex) != NULL,
		now_nsec);
	return missing_nsec > 0 && now_nsec >= missing_nsec + GONE_NSEC;
}

void nb_applier_forget_gone(struct nb_applier *applier, const struct nb_machine *machine,
			    uint64_t now_nsec)
{
	unsigned before = nb_baseline_count(applier->baseline);

	for (unsigned i = before; i-- > 0;)
		if (is_gone(applier, i, machine, now_nsec))
			nb_baseline_forget(applier->baseline,
					   &nb_baseline_get(applier->baseline, i)->knob);
	/* A file that cannot be written now only names some that are gone. */
	if (nb_baseline_count(applier->baseline) < before)
		(void)nb_applier_keep(applier);
}

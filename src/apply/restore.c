/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "apply/applier.h"
#include "apply/outcome.h"
#include "apply/value.h"

#include <errno.h>

static enum nb_outcome put_back(const struct nb_access *access,
				const struct nb_baseline_entry *entry, const struct nb_knob *knob)
{
	g_autoptr(GBytes) now = NULL;
	int r;

	r = nb_knob_find(access, knob);
	if (r < 0)
		return nb_outcome_from_errno(r);
	r = nb_knob_read(access, knob, &now);
	if (r < 0)
		return nb_outcome_from_errno(r);

	/* Also when its last CPU went offline: the kernel then puts in all that are online
	 * (kernel/irq/cpuhotplug.c migrate_one_irq()). */
	if (g_bytes_equal(now, entry->found) || !nb_baseline_entry_is_ours(entry, now))
		return NB_OUTCOME_UNCHANGED;
	if (!nb_knob_is_settable(access, knob))
		return NB_OUTCOME_REFUSED;

	return nb_knob_write(access, knob, entry->found);
}

static bool may_pass(enum nb_outcome outcome)
{
	return outcome == NB_OUTCOME_BUSY || outcome == NB_OUTCOME_NO_VECTOR;
}

static void append(GArray *report, const struct nb_baseline_entry *entry,
		   const struct nb_knob *knob, enum nb_outcome outcome)
{
	struct nb_restored restored = {
		.type = knob->type,
		.irq = knob->irq,
		.ifindex = knob->queue.ifindex,
		.queue = knob->queue.index,
		.outcome = outcome,
	};

	switch (nb_knob_holding(knob->type)) {
	case NB_HOLDS_CPUS:
		nb_value_cpus(entry->ours, &restored.ours);
		nb_value_cpus(entry->found, &restored.found);
		break;
	case NB_HOLDS_NUMBER:
		restored.number_ours = nb_value_number(entry->ours);
		restored.number_found = nb_value_number(entry->found);
		break;
	case NB_HOLDS_TABLE:
		break;
	}
	if (knob->type != NB_KNOB_IRQ && knob->type != NB_KNOB_THREAD)
		g_strlcpy(restored.ifname, knob->name, sizeof(restored.ifname));
	g_array_append_val(report, restored);
}

/* The file was right at any moment: restored knobs have the value found. */
static int put_away(struct nb_applier *applier)
{
	int r;

	if (nb_baseline_count(applier->baseline) > 0) {
		(void)nb_applier_keep(applier);
		return -EAGAIN;
	}
	r = nb_sysroot_unlink(applier->access.root, NB_BASELINE_PATH);
	return r == -ENOENT ? 0 : r;
}

int nb_applier_restore(struct nb_applier *applier, GArray *report)
{
	g_autoptr(GHashTable) names = NULL;

	for (unsigned i = nb_baseline_count(applier->baseline); i-- > 0;) {
		const struct nb_baseline_entry *entry = nb_baseline_get(applier->baseline, i);
		g_auto(nb_knob) knob = {0};
		enum nb_outcome outcome;

		nb_knob_copy(&entry->knob, &knob);
		nb_knob_follow_rename(&applier->access, &knob, &names);
		outcome = put_back(&applier->access, entry, &knob);
		if (report)
			append(report, entry, &knob, outcome);
		if (!may_pass(outcome))
			nb_baseline_forget(applier->baseline, &entry->knob);
	}
	return put_away(applier);
}

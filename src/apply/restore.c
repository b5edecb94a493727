/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "apply/applier.h"
#include "apply/outcome.h"

#include <errno.h>

void nb_restored_clear(struct nb_restored *restored)
{
	g_clear_pointer(&restored->ours, g_free);
	g_clear_pointer(&restored->found, g_free);
}

static void clear_row(void *row)
{
	nb_restored_clear(row);
}

GArray *nb_restored_array_new(void)
{
	GArray *report = g_array_new(FALSE, FALSE, sizeof(struct nb_restored));

	g_array_set_clear_func(report, clear_row);
	return report;
}

static enum nb_outcome put_back(const struct nb_access *access,
				const struct nb_baseline_entry *entry)
{
	g_autofree char *now = NULL;
	int r;

	r = nb_knob_find(access, &entry->knob);
	if (r < 0)
		return nb_outcome_from_errno(r);
	r = nb_knob_read(access, &entry->knob, &now);
	if (r < 0)
		return nb_outcome_from_errno(r);

	/* Also when its last CPU went offline: the kernel then puts in all that are online
	 * (kernel/irq/cpuhotplug.c migrate_one_irq()). */
	if (nb_knob_same_value(&entry->knob, now, entry->found) ||
	    !nb_baseline_entry_is_ours(entry, now))
		return NB_OUTCOME_UNCHANGED;
	if (!nb_knob_is_settable(access, &entry->knob))
		return NB_OUTCOME_REFUSED;

	return nb_knob_write(access, &entry->knob, entry->found);
}

static bool may_pass(enum nb_outcome outcome)
{
	return outcome == NB_OUTCOME_BUSY || outcome == NB_OUTCOME_NO_VECTOR;
}

static void append(GArray *report, const struct nb_baseline_entry *entry, enum nb_outcome outcome)
{
	struct nb_restored restored = {
		.is_rps = entry->knob.type == NB_KNOB_RPS,
		.is_rss = entry->knob.type == NB_KNOB_RSS,
		.irq = entry->knob.irq,
		.queue = entry->knob.queue.index,
		.ours = g_strdup(entry->ours),
		.found = g_strdup(entry->found),
		.outcome = outcome,
	};

	if (restored.is_rps || restored.is_rss)
		g_strlcpy(restored.ifname, entry->knob.name, sizeof(restored.ifname));
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
	for (unsigned i = nb_baseline_count(applier->baseline); i-- > 0;) {
		const struct nb_baseline_entry *entry = nb_baseline_get(applier->baseline, i);
		enum nb_outcome outcome = put_back(&applier->access, entry);

		if (report)
			append(report, entry, outcome);
		if (!may_pass(outcome))
			nb_baseline_forget(applier->baseline, &entry->knob);
	}
	return put_away(applier);
}

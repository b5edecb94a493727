/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "apply/baseline.h"

struct nb_baseline {
	GPtrArray *entries; /* struct nb_baseline_entry, in the order of their first write; owned */
	GHashTable *by_knob; /* struct nb_knob of the entry → the entry; borrowed */
};

static void entry_free(void *data)
{
	struct nb_baseline_entry *entry = data;

	nb_knob_clear(&entry->knob);
	g_bytes_unref(entry->found);
	g_bytes_unref(entry->before);
	g_bytes_unref(entry->ours);
	g_free(entry);
}

static guint hash_knob(gconstpointer knob)
{
	return nb_knob_hash(knob);
}

static gboolean equal_knobs(gconstpointer a, gconstpointer b)
{
	return nb_knob_equal(a, b);
}

struct nb_baseline *nb_baseline_new(void)
{
	struct nb_baseline *baseline = g_new0(struct nb_baseline, 1);

	baseline->entries = g_ptr_array_new_with_free_func(entry_free);
	baseline->by_knob = g_hash_table_new(hash_knob, equal_knobs);
	return baseline;
}

void nb_baseline_free(struct nb_baseline *baseline)
{
	if (!baseline)
		return;
	g_hash_table_unref(baseline->by_knob);
	g_ptr_array_unref(baseline->entries);
	g_free(baseline);
}

unsigned nb_baseline_count(const struct nb_baseline *baseline)
{
	return baseline->entries->len;
}

const struct nb_baseline_entry *nb_baseline_get(const struct nb_baseline *baseline, unsigned i)
{
	return g_ptr_array_index(baseline->entries, i);
}

static struct nb_baseline_entry *lookup(const struct nb_baseline *baseline,
					const struct nb_knob *knob)
{
	return g_hash_table_lookup(baseline->by_knob, knob);
}

const struct nb_baseline_entry *nb_baseline_lookup(const struct nb_baseline *baseline,
						   const struct nb_knob *knob)
{
	return lookup(baseline, knob);
}

bool nb_baseline_entry_is_ours(const struct nb_baseline_entry *entry, GBytes *now)
{
	return g_bytes_equal(now, entry->ours) || g_bytes_equal(now, entry->before);
}

bool nb_baseline_add(struct nb_baseline *baseline, const struct nb_baseline_entry *entry)
{
	struct nb_baseline_entry *copy;

	if (lookup(baseline, &entry->knob))
		return false;

	copy = g_new0(struct nb_baseline_entry, 1);
	nb_knob_copy(&entry->knob, &copy->knob);
	copy->found = g_bytes_ref(entry->found);
	copy->before = g_bytes_ref(entry->before);
	copy->ours = g_bytes_ref(entry->ours);
	g_ptr_array_add(baseline->entries, copy);
	g_hash_table_insert(baseline->by_knob, &copy->knob, copy);
	return true;
}

void nb_baseline_forget(struct nb_baseline *baseline, const struct nb_knob *knob)
{
	struct nb_baseline_entry *entry = lookup(baseline, knob);

	if (!entry)
		return;
	/* First from the table, whose key is in the entry. */
	g_hash_table_remove(baseline->by_knob, &entry->knob);
	g_ptr_array_remove(baseline->entries, entry);
}

uint64_t nb_baseline_note_interface(struct nb_baseline *baseline, unsigned i, bool there,
				    uint64_t now_nsec)
{
	struct nb_baseline_entry *entry = g_ptr_array_index(baseline->entries, i);

	if (there)
		entry->missing_nsec = 0;
	else if (entry->missing_nsec == 0)
		entry->missing_nsec = now_nsec;
	return entry->missing_nsec;
}

static void set_value(GBytes **kept, GBytes *value)
{
	g_bytes_unref(*kept);
	*kept = g_bytes_ref(value);
}

/* An interface may have been renamed, or a handler have joined; an interrupt may be without
 * handlers now. */
static void update_knob(struct nb_knob *kept, const struct nb_knob *now)
{
	if (*now->name) {
		g_free(kept->name);
		kept->name = g_strdup(now->name);
	}
	if (now->vector) {
		g_free(kept->vector);
		kept->vector = g_strdup(now->vector);
	}
}

void nb_baseline_claim(struct nb_baseline *baseline, const struct nb_knob *knob, GBytes *now,
		       GBytes *ours)
{
	struct nb_baseline_entry *entry = lookup(baseline, knob);

	if (entry && nb_knob_same_owner(&entry->knob, knob) &&
	    (nb_baseline_entry_is_ours(entry, now) || g_bytes_equal(now, entry->found))) {
		update_knob(&entry->knob, knob);
		set_value(&entry->before, now);
		set_value(&entry->ours, ours);
		return;
	}

	nb_baseline_forget(baseline, knob);
	nb_baseline_add(baseline, &(struct nb_baseline_entry){*knob, now, now, ours});
}

void nb_baseline_settle(struct nb_baseline *baseline, const struct nb_knob *knob, GBytes *holds)
{
	struct nb_baseline_entry *entry = lookup(baseline, knob);

	if (!entry)
		return;
	if (g_bytes_equal(holds, entry->found))
		nb_baseline_forget(baseline, knob);
	else
		set_value(&entry->ours, holds);
}

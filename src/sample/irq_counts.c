/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sample/irq_counts.h"
#include "sample/parse.h"

#include <errno.h>

void nb_irq_counts_init(struct nb_irq_counts *counts, struct nb_sysroot *root,
			const struct nb_cpumask *possible)
{
	*counts = (struct nb_irq_counts){.root = root, .possible = possible};
	counts->n_cpus = nb_cpumask_count(possible);
	counts->row = g_new0(uint32_t, counts->n_cpus);
	counts->text = g_string_new(NULL);
}

void nb_irq_counts_clear(struct nb_irq_counts *counts)
{
	g_clear_pointer(&counts->row, g_free);
	g_clear_pointer(&counts->whole, g_hash_table_unref);
	if (counts->text)
		g_string_free(g_steal_pointer(&counts->text), TRUE);
}

/* The columns of proc/interrupts are the online CPUs, ours the possible ones. */
static void keep_row(const struct nb_interrupt_row *row, void *userdata)
{
	struct nb_irq_counts *counts = userdata;
	uint32_t *kept = g_new0(uint32_t, counts->n_cpus);
	unsigned column = 0, position = 0;

	NB_CPUMASK_FOREACH (cpu, counts->possible) {
		if (column < row->n_counts && row->cpus[column] == cpu)
			kept[position] = row->counts[column++];
		position++;
	}
	g_hash_table_replace(counts->whole, GUINT_TO_POINTER(row->irq), kept);
}

static const uint32_t *find_in_whole(struct nb_irq_counts *counts, uint32_t irq)
{
	if (!counts->whole) {
		counts->whole = g_hash_table_new_full(NULL, NULL, NULL, g_free);
		if (nb_sysroot_read_into(counts->root, "proc/interrupts", counts->text) == 0 &&
		    nb_parse_interrupts(counts->text->str, counts->text->len, keep_row, counts) < 0)
			g_hash_table_remove_all(counts->whole);
	}
	return g_hash_table_lookup(counts->whole, GUINT_TO_POINTER(irq));
}

int nb_irq_counts_add(struct nb_irq_counts *counts, uint32_t irq, uint32_t *sums)
{
	g_autofree char *path = g_strdup_printf("sys/kernel/irq/%u/per_cpu_count", irq);
	const uint32_t *row = counts->row;

	if (nb_sysroot_read_into(counts->root, path, counts->text) < 0 ||
	    nb_parse_cpu_counts(counts->text->str, counts->text->len, counts->row, counts->n_cpus) <
		    0)
		row = find_in_whole(counts, irq);
	if (!row)
		return -ENOENT;
	for (unsigned i = 0; i < counts->n_cpus; i++)
		sums[i] += row[i];
	return 0;
}

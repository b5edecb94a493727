/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sample/irq_counts.h"
#include "sample/parse.h"

#include <errno.h>

void nb_irq_counts_init(struct nb_irq_counts *counts, struct nb_irq_files *files,
			const struct nb_cpumask *possible)
{
	*counts = (struct nb_irq_counts){.files = files};
	counts->cpus = g_new(unsigned, nb_cpumask_count(possible));
	NB_CPUMASK_FOREACH (cpu, possible)
		counts->cpus[counts->n_cpus++] = cpu;
	counts->row = g_new0(uint32_t, counts->n_cpus);
}

void nb_irq_counts_clear(struct nb_irq_counts *counts)
{
	g_clear_pointer(&counts->cpus, g_free);
	g_clear_pointer(&counts->row, g_free);
	g_clear_pointer(&counts->whole, g_hash_table_unref);
}

/* The columns of proc/interrupts are the online CPUs, ours the possible ones. */
static void keep_row(const struct nb_interrupt_row *row, void *userdata)
{
	struct nb_irq_counts *counts = userdata;
	uint32_t *kept = g_new0(uint32_t, counts->n_cpus);
	unsigned column = 0;

	for (unsigned i = 0; i < counts->n_cpus; i++)
		if (column < row->n_counts && row->cpus[column] == counts->cpus[i])
			kept[i] = row->counts[column++];
	g_hash_table_replace(counts->whole, GUINT_TO_POINTER(row->irq), kept);
}

static const uint32_t *find_in_whole(struct nb_irq_counts *counts, uint32_t irq)
{
	GString *text = counts->files->text;

	if (!counts->whole) {
		counts->whole = g_hash_table_new_full(NULL, NULL, NULL, g_free);
		if (nb_sysroot_read_into(counts->files->root, "proc/interrupts", text) == 0 &&
		    nb_parse_interrupts(text->str, text->len, keep_row, counts) < 0)
			g_hash_table_remove_all(counts->whole);
	}
	return g_hash_table_lookup(counts->whole, GUINT_TO_POINTER(irq));
}

int nb_irq_counts_add(struct nb_irq_counts *counts, uint32_t irq, uint32_t *sums)
{
	const GString *text = counts->files->text;
	const uint32_t *row = counts->row;

	if (nb_irq_files_read(counts->files, NB_IRQ_COUNTS, irq) < 0 ||
	    nb_parse_cpu_counts(text->str, text->len, counts->row, counts->n_cpus) < 0)
		row = find_in_whole(counts, irq);
	if (!row)
		return -ENOENT;
	for (unsigned i = 0; i < counts->n_cpus; i++)
		sums[i] += row[i];
	return 0;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* How often an interrupt came, by CPU: from sys/kernel/irq/N/per_cpu_count, or where that is absent
 * or cut at a page, from proc/interrupts. */

#include "nicbalance/cpumask.h"
#include "sample/irq_files.h"

struct nb_irq_counts {
	struct nb_irq_files *files;
	unsigned *cpus;    /* the possible ones, ascending; owned */
	unsigned n_cpus;   /* the counts of one interrupt are parallel to these */
	uint32_t *row;     /* owned */
	GHashTable *whole; /* of proc/interrupts, read once at need: irq to counts; owned */
};

/* For one pass over the interrupts. files are borrowed. */
void nb_irq_counts_init(struct nb_irq_counts *counts, struct nb_irq_files *files,
			const struct nb_cpumask *possible);
void nb_irq_counts_clear(struct nb_irq_counts *counts);

/* Adds the counts of an interrupt to sums. -ENOENT: none of the files knows it. */
int nb_irq_counts_add(struct nb_irq_counts *counts, uint32_t irq, uint32_t *sums);

/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* How often an interrupt came, by CPU: from sys/kernel/irq/N/per_cpu_count, or where that is absent
 * or cut at a page, from proc/interrupts. */

#include "nicbalance/cpumask.h"
#include "sysroot/sysroot.h"

struct nb_irq_counts {
	struct nb_sysroot *root;
	const struct nb_cpumask *possible;
	unsigned n_cpus;   /* possible CPUs: the counts of one interrupt, ascending by CPU */
	uint32_t *row;     /* owned */
	GString *text;     /* owned */
	GHashTable *whole; /* of proc/interrupts, read once at need: irq to counts; owned */
};

/* For one pass over the interrupts. root and possible are borrowed. */
void nb_irq_counts_init(struct nb_irq_counts *counts, struct nb_sysroot *root,
			const struct nb_cpumask *possible);
void nb_irq_counts_clear(struct nb_irq_counts *counts);

/* Adds the counts of an interrupt to sums. -ENOENT: none of the files knows it. */
int nb_irq_counts_add(struct nb_irq_counts *counts, uint32_t irq, uint32_t *sums);

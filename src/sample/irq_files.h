/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* The files that each interrupt has, read by the hundred in a complete sample. On the host those of
 * every complete sample are kept open, for to open one costs six times as much as to read it; those
 * of a captured machine may be replaced, and are opened each time. */

#include "nicbalance/cpumask.h"
#include "nicbalance/snapshot.h"
#include "sysroot/sysroot.h"

/* Those of a channel of the VMBus are below sys/class/net/NAME/device/channels/ID. */
enum nb_irq_file {
	NB_IRQ_AFFINITY, /* proc/irq/N/smp_affinity, ID/cpu */
	NB_IRQ_COUNTS,   /* sys/kernel/irq/N/per_cpu_count, ID/interrupts, which is their sum */
	/* Seldom read, never kept open. */
	NB_IRQ_EFFECTIVE, /* proc/irq/N/effective_affinity_list, ID/cpu */
	NB_IRQ_HINT,      /* proc/irq/N/affinity_hint */
};

struct nb_irq_files {
	struct nb_sysroot *root; /* borrowed */
	GHashTable *kept;        /* owned */
	GHashTable *channels;    /* of the VMBus: their directories; owned */
	GString *text;           /* what was read last; owned */
};

void nb_irq_files_init(struct nb_irq_files *files, struct nb_sysroot *root);
void nb_irq_files_clear(struct nb_irq_files *files);

/* Another machine: closes the files of all interrupts but those of its queues. A channel has files
 * only if it is of one of these. */
void nb_irq_files_keep(struct nb_irq_files *files, const struct nb_machine *machine);

/* Reads into files->text. -ENOENT: the interrupt or its file is gone, be it that another one has
 * got its number meanwhile. */
int nb_irq_files_read(struct nb_irq_files *files, enum nb_irq_file file, uint32_t irq);
/* The CPUs that it says. -EBADMSG: it holds something else. */
int nb_irq_files_read_cpus(struct nb_irq_files *files, enum nb_irq_file file, uint32_t irq,
			   struct nb_cpumask *ret);
/* Whether its affinity may be set: since 6.12 the kernel shows in the mode what it lets nobody
 * move; before, a write must tell. */
bool nb_irq_files_is_settable(struct nb_irq_files *files, uint32_t irq);

/* How often interrupts came, by CPU: from sys/kernel/irq/N/per_cpu_count, or where that is absent
 * or cut at a page, from proc/interrupts. */
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

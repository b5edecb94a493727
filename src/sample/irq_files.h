/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* The files that each interrupt has, read by the hundred in a complete sample. On the host those of
 * every complete sample are kept open, for to open one costs six times as much as to read it; those
 * of a captured machine may be replaced, and are opened each time. */

#include "nicbalance/netdev.h"
#include "sysroot/sysroot.h"

enum nb_irq_file {
	NB_IRQ_AFFINITY,  /* proc/irq/N/smp_affinity */
	NB_IRQ_COUNTS,    /* sys/kernel/irq/N/per_cpu_count */
	NB_IRQ_EFFECTIVE, /* proc/irq/N/effective_affinity_list; seldom read, never kept open */
};

struct nb_irq_files {
	struct nb_sysroot *root; /* borrowed */
	GHashTable *kept;        /* owned */
	GString *text;           /* what was read last; owned */
};

void nb_irq_files_init(struct nb_irq_files *files, struct nb_sysroot *root);
void nb_irq_files_clear(struct nb_irq_files *files);

/* Closes the files of all interrupts but those of these queues. */
void nb_irq_files_keep(struct nb_irq_files *files, const struct nb_queue *queues,
		       unsigned n_queues);

/* Reads into files->text. -ENOENT: the interrupt or its file is gone, be it that another one has
 * got its number meanwhile. */
int nb_irq_files_read(struct nb_irq_files *files, enum nb_irq_file file, uint32_t irq);
/* Whether its affinity may be set: since 6.12 the kernel shows in the mode what it lets nobody
 * move; before, a write must tell. */
bool nb_irq_files_is_settable(struct nb_irq_files *files, uint32_t irq);

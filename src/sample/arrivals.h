/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* What came to some CPUs since it was read before: each interrupt with a number, and the softirqs
 * that devices bring about.
 *
 * /proc/interrupts has a column for each CPU: with 512 CPUs and 4000 interrupts twenty megabytes.
 * So /proc/stat, one line for all, says which interrupts came at all, and of these alone the counts
 * by CPU are read. */

#include "nicbalance/intrusion.h"
#include "sample/discover/scan.h"
#include "sample/irq_files.h"

struct nb_arrivals_reader {
	struct nb_sysroot *root; /* borrowed */
	uint64_t read_nsec;      /* 0: never */
	GArray *totals;          /* uint32_t, by number of the interrupt; owned */
	GArray *next_totals;     /* as read now; owned */
	GHashTable *kept;        /* by number: its counts on the CPUs where it ever came; owned */
	GArray *softirqs;        /* uint32_t: of each kind, by CPU; owned */
	GArray *next_softirqs;   /* as read now; owned */
	GArray *rows;            /* struct nb_arrival; owned */
	GString *text;           /* owned */
};

void nb_arrivals_reader_init(struct nb_arrivals_reader *reader, struct nb_sysroot *root);
void nb_arrivals_reader_clear(struct nb_arrivals_reader *reader);

/* Reads everything again, and tells what came to these CPUs. ret is valid until the next call.
 *
 * Left out are interrupts that the kernel delivers to no CPU in particular, which have an empty
 * effective_affinity_list: those that each CPU has by itself, as the timer and IPIs of arm64
 * (kernel/irq/irqdesc.c irq_set_percpu_devid()), and those that another passes on.
 *
 * Errors as in parse.h, or why a file could not be read: then nothing was read, and nothing is
 * lost. */
int nb_arrivals_read(struct nb_arrivals_reader *reader, struct nb_irq_files *files,
		     const struct nb_scan *scan, const struct nb_cpumask *cpus, uint64_t now_nsec,
		     struct nb_arrivals *ret);

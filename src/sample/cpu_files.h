/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* The files that tell about all CPUs at once. On the host they are kept open; those of a captured
 * machine may be replaced, and are opened each time. */

#include "nicbalance/snapshot.h"
#include "sysroot/sysroot.h"

#define NB_CPU_FILES 3

struct nb_cpu_files {
	struct nb_sysroot *root; /* borrowed */
	int fds[NB_CPU_FILES];
	GString *text; /* owned */
	unsigned ticks_per_sec;
};

/* On failure there is nothing to close, but nb_cpu_files_close() is allowed. */
int nb_cpu_files_open(struct nb_cpu_files *files, struct nb_sysroot *root);
void nb_cpu_files_close(struct nb_cpu_files *files);

/* Each fills its counters of cpus, which hold their ids, ascending; errors as in parse.h. */
int nb_cpu_files_read_times(struct nb_cpu_files *files, struct nb_cpu_counters *cpus,
			    unsigned n_cpus);
int nb_cpu_files_read_softirqs(struct nb_cpu_files *files, struct nb_cpu_counters *cpus,
			       unsigned n_cpus);
int nb_cpu_files_read_softnet(struct nb_cpu_files *files, struct nb_cpu_counters *cpus,
			      unsigned n_cpus);

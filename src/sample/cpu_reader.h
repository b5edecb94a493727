/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* The counters of CPUs: from the files that tell about all of them at once, or where the probe can
 * read the kernel's own, from these. On the host the files are kept open; those of a captured
 * machine may be replaced, and are opened each time. */

#include "bpf/probe.h"
#include "nicbalance/snapshot.h"
#include "sysroot/sysroot.h"

#define NB_CPU_FILES 3

struct nb_cpu_reader {
	struct nb_sysroot *root; /* borrowed */
	int fds[NB_CPU_FILES];
	GString *text; /* owned */
	unsigned ticks_per_sec;
	struct nb_probe *probe;           /* borrowed; NULL in the estimated grade */
	struct nb_probe_cpustat *cpustat; /* of each possible CPU; owned */
};

/* On failure there is nothing to close, but nb_cpu_reader_close() is allowed. */
int nb_cpu_reader_open(struct nb_cpu_reader *reader, struct nb_sysroot *root);
void nb_cpu_reader_close(struct nb_cpu_reader *reader);

/* NULL: the estimated grade from now on. */
void nb_cpu_reader_use_probe(struct nb_cpu_reader *reader, struct nb_probe *probe);

/* What CPUs did outside interrupts, and in the estimated grade inside them. cpus are parallel to
 * those of topology, and hold their ids. Errors as in parse.h. */
int nb_cpu_reader_times(struct nb_cpu_reader *reader, const struct nb_topology *topology,
			struct nb_cpu_counters *cpus);
/* The same from /proc/stat, whatever the grade: also what they did inside interrupts. */
int nb_cpu_reader_stat(struct nb_cpu_reader *reader, const struct nb_topology *topology,
		       struct nb_cpu_counters *cpus);
/* These, drops, and in the estimated grade how often network softirqs ran. */
int nb_cpu_reader_counters(struct nb_cpu_reader *reader, const struct nb_topology *topology,
			   struct nb_cpu_counters *cpus);

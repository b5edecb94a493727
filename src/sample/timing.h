/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* The measured grade: takes what the probe counted to the CPUs and queues of a machine. */

#include "bpf/probe.h"
#include "sample/discover/scan.h"

typedef struct nb_timing nb_timing;

/* probe is borrowed and must outlive it. */
struct nb_timing *nb_timing_new(struct nb_probe *probe);
void nb_timing_free(struct nb_timing *timing);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(nb_timing, nb_timing_free)

/* Counts for the queues of this machine from now on; scan is borrowed until the next call. Errors
 * are those of nb_probe_set_scope(). */
int nb_timing_adopt(struct nb_timing *timing, const struct nb_scan *scan);

/* Adds what was counted since the last call to the queues of snapshot, which belongs to the machine
 * adopted last, and sets the probe's counters of its CPUs. Allocates only when NAPIs came.
 * complete: the driver's packets of its queues were counted just now; a NAPI that was busy before
 * the probe came and never raised an interrupt since is known by them. */
void nb_timing_read(struct nb_timing *timing, struct nb_snapshot *snapshot, bool complete);

/* Sets the probe's counters of these CPUs alone. What NAPIs of no queue were polled for since the
 * last nb_timing_read() counts as queues' time until the next. */
void nb_timing_read_cpus(const struct nb_timing *timing, struct nb_cpu_counters *cpus,
			 unsigned n_cpus);

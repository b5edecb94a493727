/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* The window between two snapshots of one grade, before smoothing. Pure. */

#include "model/cpu_time.h"
#include "model/split.h"

#include <glib.h>

/* Parallel to the CPUs and queues of the later snapshot. */
struct nb_window {
	struct nb_cpu_time *times; /* owned, and so are the others */
	struct nb_cpu_split *splits;
	uint32_t *other_shares; /* of each CPU, when its times were read last (measured grade):
				   basis points outside interrupts */
	unsigned n_cpus;
	struct nb_queue_work *works;
	unsigned n_queues;
};

/* Makes room for so many. The caller fills in other_shares and, in works, which are zeroed, the CPU
 * that each queue was on before, -1 if unknown, and whether it was saturated. */
void nb_window_resize(struct nb_window *window, unsigned n_cpus, unsigned n_queues);
void nb_window_clear(struct nb_window *window);

/* Both snapshots have the same grade; cur is later and has as many CPUs and queues as there is room
 * for. */
void nb_window_measure(struct nb_window *window, const struct nb_snapshot *prev,
		       const struct nb_snapshot *cur);

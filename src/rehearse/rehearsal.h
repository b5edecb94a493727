/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* How a rehearsal is written down. Pure. */

#include "rehearse/rehearse.h"

struct nb_rehearsal *nb_rehearsal_new(void);

/* Before the first second: CPUs that will be online at some time. */
void nb_rehearsal_add_cpus(struct nb_rehearsal *rehearsal, const struct nb_topology *topology);

/* Closes a second: its CPUs with what each wanted to do (parallel to topology->cpus), those that do
 * network work, and the records since the second before. */
void nb_rehearsal_add_second(struct nb_rehearsal *rehearsal,
			     const struct nb_rehearsed_second *second,
			     const struct nb_topology *topology, const uint32_t *demand,
			     const struct nb_cpumask *network);

/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* What the CPUs alone have done: all that is read of a host while there is nothing to do. Plain
 * data; belongs to the sampler. */

#include "nicbalance/snapshot.h"

struct nb_cpu_sample {
	uint64_t taken_nsec; /* CLOCK_MONOTONIC */
	uint64_t times_nsec; /* as in struct nb_snapshot */
	enum nb_grade grade;
	const struct nb_topology *topology;
	const struct nb_cpu_counters *cpus; /* parallel to topology->cpus; what /proc/softirqs and
					       softnet_stat tell is that of the last reading */
};

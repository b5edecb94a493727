/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* Counters of the CPUs alone: all that an idle check reads. Plain data; belongs to the sampler. */

#include "nicbalance/snapshot.h"

struct nb_cpu_sample {
	uint64_t taken_nsec; /* CLOCK_MONOTONIC */
	uint64_t times_nsec; /* as in struct nb_snapshot */
	enum nb_grade grade;
	const struct nb_topology *topology;
	/* Parallel to topology->cpus. The counters of /proc/softirqs and softnet_stat are those of
	 * the last sample. */
	const struct nb_cpu_counters *cpus;
};

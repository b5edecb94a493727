/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* The time of one CPU between two samples. Pure. */

#include "nicbalance/snapshot.h"

/* Nanoseconds of the window. */
struct nb_cpu_time {
	uint64_t busy_nsec;    /* everything but idle */
	uint64_t softirq_nsec; /* with the time missing from all columns */
	uint64_t irq_nsec;
	uint32_t net_rx; /* runs of NET_RX and NET_TX */
	uint32_t net_tx;
	uint32_t processed;
	uint32_t dropped;
	uint32_t squeezed;
};

/* The same in the measured grade: interrupts and softirqs as timed, and everything else at the rate
 * at which the times of the CPU last grew, basis points. Never more than the window. */
struct nb_cpu_time nb_cpu_time_timed(const struct nb_cpu_counters *prev,
				     const struct nb_cpu_counters *cur, uint32_t other_share,
				     uint64_t elapsed_nsec);

/* That rate, from two samples of these times; 0 if no time is between them. */
uint32_t nb_cpu_other_share(const struct nb_cpu_counters *prev, const struct nb_cpu_counters *cur,
			    uint64_t elapsed_nsec);

/* Both samples are of the same CPU; cur was taken elapsed_nsec after prev. Decreasing clocks count
 * as standing still; 32-bit counters may wrap once. */
struct nb_cpu_time nb_cpu_time_between(const struct nb_cpu_counters *prev,
				       const struct nb_cpu_counters *cur, uint64_t elapsed_nsec);

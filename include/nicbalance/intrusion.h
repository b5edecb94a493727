/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* Interrupts and softirqs on CPUs that are excluded: isolated, banned, or claimed exclusively for
 * something else. Plain data. */

#include "nicbalance/device_irq.h"

/* Those that interrupts of devices bring about. TIMER, HRTIMER, SCHED and RCU are the kernel's own
 * (include/linux/interrupt.h), and run on isolated CPUs, too. */
enum nb_softirq {
	NB_SOFTIRQ_HI,
	NB_SOFTIRQ_NET_TX,
	NB_SOFTIRQ_NET_RX,
	NB_SOFTIRQ_BLOCK,
	NB_SOFTIRQ_IRQ_POLL,
	NB_SOFTIRQ_TASKLET,
	_NB_SOFTIRQ_MAX,
	_NB_SOFTIRQ_INVALID = -1,
};

enum nb_source {
	NB_SOURCE_IRQ,
	NB_SOURCE_SOFTIRQ,
	_NB_SOURCE_MAX,
	_NB_SOURCE_INVALID = -1,
};

/* How often one source ran on one CPU between two readings. */
struct nb_arrival {
	unsigned cpu;
	enum nb_source source;
	uint32_t number; /* of the interrupt, or enum nb_softirq */
	uint32_t count;
	char handlers[NB_HANDLERS_MAX]; /* of the interrupt; "": it has none any more */
};

/* What ran on some CPUs since the reading before. */
struct nb_arrivals {
	uint64_t
		since_nsec; /* CLOCK_MONOTONIC: the reading before; 0: none, so there are no rows */
	uint64_t read_nsec;
	const struct nb_arrival *rows;
	unsigned n;
	unsigned n_files; /* read for it: what it cost */
};

/* One source on one CPU since that is excluded. */
struct nb_intrusion {
	unsigned cpu;
	enum nb_source source;
	uint32_t number;
	char handlers[NB_HANDLERS_MAX];
	uint64_t count;              /* where it should not have been */
	uint64_t leaving;            /* before it had to be gone */
	uint64_t allowed;            /* while a rule let it, or no other CPU was left for it */
	bool is_allowed;             /* the last ones */
	uint64_t last_realtime_usec; /* when the last one had been counted */
};

/* A CPU that is excluded, or was: taken, banned or isolated. */
struct nb_excluded_cpu {
	unsigned cpu;
	bool is_excluded;
	uint64_t since_nsec; /* CLOCK_MONOTONIC, and for people */
	uint64_t since_realtime_usec;
	uint64_t counted_nsec; /* everything is gone from here on, and counts; 0: not yet */
	uint64_t counted_realtime_usec;
	uint64_t count;  /* of all sources */
	uint64_t untold; /* of these, since they were told last */
	uint64_t told_nsec;
};

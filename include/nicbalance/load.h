/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* What the model makes of two snapshots: the load of each CPU and the time of each queue. Plain
 * data. Shares are basis points of one CPU. */

#include "nicbalance/netdev.h"
#include "nicbalance/units.h"

struct nb_cpu_load {
	unsigned id;
	uint32_t busy;        /* smoothed; queues + fixed */
	uint32_t queues;      /* time of its queues: this can move */
	uint32_t fixed;       /* applications, RPS backlog, device interrupts, steal: this cannot */
	uint32_t backlog;     /* part of fixed: packets steered here by RPS, loopback, veth */
	uint64_t steady_nsec; /* since fixed shifted, or was first seen */
	/* Of this window, unsmoothed. */
	uint32_t window_busy;
	uint32_t window_fixed;
	uint32_t window_backlog;
	uint32_t softirq; /* with the time missing from /proc/stat */
	uint32_t irq;
	uint32_t dropped;  /* packets */
	uint32_t squeezed; /* times NET_RX ran out of budget */
};

struct nb_queue_load {
	struct nb_queue_key key;
	int cpu;              /* where it is polled; -1 unknown */
	uint32_t time;        /* smoothed */
	uint32_t window_time; /* of this window, unsmoothed */
	uint32_t threaded;    /* smoothed: kernel threads of its NAPI, which no interrupt moves */
	uint32_t window_threaded; /* of this window, unsmoothed */
	/* Every poll of this window used its whole budget; without the probe: it received packets
	 * while its CPU ran out of budget (time_squeeze). */
	bool saturated;
	uint64_t rx_packets_per_sec;
	uint64_t tx_packets_per_sec;
	uint64_t interrupts_per_sec;
};

struct nb_loads {
	uint64_t taken_nsec;
	uint64_t window_nsec;     /* 0: no window yet, all loads are unknown */
	uint32_t noise;           /* standard deviation of a smoothed load, basis points */
	bool shifted;             /* the load of a CPU or queue shifted in this window */
	struct nb_cpu_load *cpus; /* ascending by id */
	unsigned n_cpus;
	struct nb_queue_load *queues; /* parallel to the machine's queues */
	unsigned n_queues;
};

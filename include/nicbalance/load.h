/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* What the model makes of two snapshots: the load of each CPU and the time of each queue. Plain
 * data. Shares are basis points of one CPU. */

#include "nicbalance/netdev.h"
#include "nicbalance/units.h"

/* A CPU that is busy for so much of a window has no idle time, except for what the tick missed. */
#define NB_FULL (NB_WHOLE / 100 * 98)

struct nb_cpu_load {
	unsigned id;
	uint32_t busy;    /* smoothed; queues + fixed */
	uint32_t queues;  /* time of its queues: this can move */
	uint32_t fixed;   /* applications, RPS backlog, device interrupts, steal: this cannot */
	uint32_t backlog; /* part of fixed: packets steered here by RPS, loopback, veth */
	/* What the CPU last had of other fixed load when it had idle time, and has less of now that
	 * it is full; 0 if that is no more than noise. */
	uint32_t starved;
	uint64_t steady_nsec; /* since fixed shifted, or was first seen */
	/* Of this window, unsmoothed. */
	uint32_t window_busy;
	uint32_t window_fixed;
	uint32_t window_backlog;
	uint32_t softirq; /* with the time missing from /proc/stat */
	uint32_t irq;
	uint32_t dropped;  /* packets, by its backlog */
	uint32_t squeezed; /* times NET_RX ran out of budget */
	/* Packets, by NICs, of queues that filled it: at the rate between the last two readings, if
	 * they were polled here all the time, and it ran out of budget in this window, too. */
	uint32_t nic_dropped;
	/* How long NET_RX waited from raise to entry: 99 of 100 runs no longer. Known in windows by
	 * the end of which there were enough of them. */
	bool delay_known;
	uint32_t delay_usec;
	uint32_t delay_msec; /* that these runs took, up to the end of this window */
};

/* Packets of this window that were lost because the CPU does not keep up. */
static inline uint64_t nb_cpu_load_lost(const struct nb_cpu_load *cpu)
{
	return (uint64_t)cpu->dropped + cpu->nic_dropped;
}

/* Time in no interrupt or softirq; but a tick samples it, and a queue that is counted where it is
 * not polled looks like an application, too. The truth is between these. */
struct nb_applications {
	uint32_t least, most;
};

static inline struct nb_applications nb_cpu_load_applications(const struct nb_cpu_load *cpu)
{
	uint32_t time = (uint32_t)nb_growth(cpu->softirq + cpu->irq, cpu->window_busy);
	uint32_t rest = (uint32_t)nb_growth(cpu->backlog, cpu->fixed);

	return time < rest ? (struct nb_applications){.least = time, .most = rest}
			   : (struct nb_applications){.least = rest, .most = time};
}

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
	/* Every poll of this window, also by kernel threads, used its whole budget: its NAPI does
	 * not complete. */
	bool never_done;
	/* Its time when its CPU last had idle time and nothing was steered, if it is saturated now
	 * and gets less: what it wants. 0: not known. */
	uint32_t wanted;
	/* It had packets and no interrupt, and defers them: a timer polls it, where it is. */
	bool deferred;
	uint64_t rx_packets_per_sec;
	uint64_t tx_packets_per_sec;
	uint64_t interrupts_per_sec;
	/* By the NIC, between its last two readings. Where it does not say of which queue, those of
	 * the only queue that filled its CPU; else not known. */
	bool drops_known;
	uint64_t dropped_per_sec;
};

/* Why a NIC drops packets on receive. */
enum nb_drops_cause {
	NB_DROPS_NONE,     /* it does not, or less than one a second */
	NB_DROPS_FULL_CPU, /* a queue of it filled its CPU */
	NB_DROPS_DEVICE,   /* none did: rings too small for bursts, or the bus is too slow */
	/* Windows cover less than half of the time between the readings, or a CPU was full with
	 * none of its queues. */
	NB_DROPS_UNKNOWN,
	_NB_DROPS_CAUSE_MAX,
	_NB_DROPS_CAUSE_INVALID = -1,
};

/* A NIC in scope, between its last two readings. */
struct nb_nic_load {
	int ifindex;
	bool known; /* there were two, of the same kind */
	uint64_t dropped_per_sec;
	enum nb_drops_cause cause;
	uint64_t read_nsec;  /* the last reading */
	uint64_t since_nsec; /* the first one with this cause, and all since had it */
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
	const struct nb_nic_load *nics; /* ascending by ifindex */
	unsigned n_nics;
};

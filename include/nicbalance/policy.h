/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* Settings of the planner: one row of the configuration each. Plain data. Defaults, with the reason
 * for each, are in config/settings.c. Shares are basis points of one CPU. */

#include "nicbalance/rules.h"
#include "nicbalance/units.h"

struct nb_policy {
	uint32_t hot;         /* load above which a CPU is hot */
	uint32_t gap;         /* hottest minus mean must exceed this */
	uint32_t panic;       /* busy time above which one sample is enough */
	unsigned arm_samples; /* consecutive samples above hot and gap before queues move */
	uint32_t minimum_gain;
	unsigned moves_per_round;
	uint64_t dwell_nsec;    /* minimum time on a CPU after a move */
	uint64_t cooldown_nsec; /* between two cycles that move queues */
	uint64_t panic_cooldown_nsec;
	uint64_t yield_nsec;     /* how long a knob that another program wrote is left alone */
	uint32_t sibling_weight; /* share of a sibling's load that is added */
	struct nb_cpumask banned;
	bool keep_found;                /* what limits an interrupt when it is first seen is kept */
	const struct nb_claims *claims; /* ordered at run time, borrowed; NULL: none */
	bool rps;
	bool rps_virtual;        /* also for devices without hardware */
	uint64_t rps_dwell_nsec; /* between two changes of one RPS mask */
	uint32_t rps_node_busy;  /* mean busy time of the node below which RPS may start */
	unsigned rps_width;      /* maximum width of a mask; 0: 32 */
	unsigned rfs_flows; /* entries of flow tables, of the host and of a NIC; 0: as they are */
	bool rss;           /* RSS tables may be limited for a moment */
	uint64_t delay_max_nsec; /* p99 delay of NET_RX above which a CPU is delayed; 0: never */
	bool xps;                /* XPS masks follow interrupts */
	bool threads;            /* so do NAPI threads */
};

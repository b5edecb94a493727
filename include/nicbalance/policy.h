/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* What the operator wants of the planner: one row of the configuration each. Plain data.
 * Defaults, with the reason for each, are in config/settings.c. Shares are basis points of one CPU.
 */

#include "nicbalance/cpumask.h"
#include "nicbalance/units.h"

struct nb_policy {
	uint32_t hot;         /* below this nothing is moved */
	uint32_t gap;         /* hottest minus mean must exceed this */
	uint32_t panic;       /* a CPU busy for longer fires at the first sample */
	unsigned arm_samples; /* consecutive samples over hot and gap before a round */
	uint32_t minimum_gain;
	unsigned moves_per_round;
	uint64_t dwell_nsec;    /* a queue that was moved stays at least so long */
	uint64_t cooldown_nsec; /* between two rounds */
	uint64_t panic_cooldown_nsec;
	uint64_t yield_nsec;     /* a knob that someone else wrote is left alone for so long */
	uint32_t sibling_weight; /* share of a sibling's load that counts as one's own */
	struct nb_cpumask banned;
	bool rps;
	uint64_t rps_dwell_nsec; /* between two changes of one RPS mask */
	uint32_t rps_node_busy;  /* RPS only while the node's mean busy is below */
	unsigned rps_width;      /* widest mask; 0: as wide as the node allows */
	bool rss;                /* queues may be emptied by the RSS table for a moment */
};

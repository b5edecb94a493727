/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* What the verifier found out about a knob of ours. Plain data. */

#include "nicbalance/status.h"

struct nb_finding {
	enum nb_event event; /* MOVED: effect and measured of the pending move, which goes on when
				it is stuck. YIELDED: the rest */
	struct nb_queue_key
		key; /* of a queue, or of an interrupt of no queue (nb_device_irq_key()) */
	enum nb_effect effect;
	uint32_t measured; /* busy share of cpu_from since; WORSE: of cpu_to */
	bool is_rps;
	int cpu_ours;
	int cpu_theirs; /* -1: a mask of several CPUs */
	struct nb_cpumask rps_ours;
	struct nb_cpumask rps_theirs;
};

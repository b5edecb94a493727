/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* What the verifier found about a knob of ours. Plain data. */

#include "nicbalance/status.h"

struct nb_finding {
	/* MOVED: effect and measured of the pending move, which stays pending if it is stuck.
	 * REDIRECTED: of the RSS table on trial; measured of the hottest CPU of its queues.
	 * YIELDED: the fields after measured. */
	enum nb_event event;
	enum nb_kind kind;
	struct nb_queue_key key; /* of a queue or a device interrupt (nb_device_irq_key()) */
	enum nb_effect effect;
	uint32_t measured; /* busy share of cpu_from since; WORSE: of cpu_to */
	int cpu_ours;
	int cpu_theirs;               /* -1: a mask of several CPUs */
	struct nb_cpumask limited_to; /* for as long as that stands; empty: it does not narrow */
	struct nb_cpumask rps_ours;
	struct nb_cpumask rps_theirs;
};

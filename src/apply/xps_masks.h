/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* Whose the XPS masks of a NIC are. Pure. */

#include "nicbalance/cpumask.h"

bool nb_xps_are_unset(const struct nb_cpumask *masks, unsigned n);

/* Whether the masks, one of each transmit queue, are as drivers set them: no CPU has two queues,
 * and the CPUs of each queue are among those that its interrupt was found on; one CPU each, or all
 * CPUs in equal parts. Whoever wants anything else has chosen it. */
bool nb_xps_are_drivers(const struct nb_cpumask *masks, const struct nb_cpumask *affinities,
			unsigned n, const struct nb_cpumask *online);

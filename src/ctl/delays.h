/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* How long receiving waited for its turn, from two readings of the counters. Pure. */

#include "ctl/rows.h"

/* Rows of struct nb_latency_row, by CPU, and at the end one of all CPUs together. before and after
 * (struct nb_delays) ascend by CPU and are paired by it: one that is in one of them alone came or
 * went, and is left out. So is one on which nothing was received. Counters may have wrapped once.
 * Caller unrefs. */
GArray *nb_delays_summarize(const GArray *before, const GArray *after);

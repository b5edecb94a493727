/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* NET_RX softirq latency, from two states of the counters. Pure. */

#include <jansson.h>

/* Rows of the table of latency, by CPU, and at the end one of all CPUs together. before and after
 * are "delays" of the document, ascending by CPU, and paired by it: one that is in one of them
 * alone came or went, and is left out. So is one on which nothing was received. Counters may have
 * wrapped once. Caller drops it (json_decref). */
json_t *nb_delays_summarize(const json_t *before, const json_t *after);

/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* The ledger as the text of run/nicbalance/baseline. Pure.
 *
 *	nicbalance baseline 1
 *	irq NUMBER FOUND BEFORE OURS HANDLERS
 *	rps IFINDEX QUEUE FOUND BEFORE OURS IFNAME
 *	rss IFINDEX FOUND BEFORE OURS IFNAME
 *
 * One knob a line, one space between the fields, CPU sets as masks, RSS tables as in table.h.
 *HANDLERS may hold spaces or be empty. */

#include "apply/baseline.h"

/* Caller frees (g_free). */
char *nb_baseline_format(const struct nb_baseline *baseline);

/* Keeps what can be read, and appends the number of each line that cannot be, an unsigned from 1,
 * to damaged. A last line without its end was truncated. Of another version nothing is kept. */
struct nb_baseline *nb_baseline_parse(const char *text, size_t len, GArray *damaged);

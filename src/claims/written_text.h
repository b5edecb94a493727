/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* The affinities that other programs wrote, as the text of run/nicbalance/written. Pure.
 *
 *	nicbalance written 1
 *	pool SINCE CPUS eth0:3
 *	pin SINCE CPUS 41
 *
 * One a line, one space between the fields, SINCE in nanoseconds of CLOCK_MONOTONIC, CPUs as a
 *list, then a queue or a device interrupt. */

#include "nicbalance/order.h"
#include "nicbalance/rules.h"

#include <glib.h>

struct nb_written_row {
	struct nb_target target; /* a queue or an interrupt */
	struct nb_pool pool;     /* without its key */
};

/* rows: struct nb_written_row; caller frees (g_free). */
char *nb_written_format(const GArray *rows);
/* Returns the rows that can be read, and appends the number of each line that cannot be, an
 * unsigned from 1, to damaged. */
GArray *nb_written_parse(const char *text, size_t len, GArray *damaged);

/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* The list as the text of run/nicbalance/claims. Pure.
 *
 *	nicbalance claims 1
 *	ban ID CPUS SINCE ENDS ENDS_NSEC OWNER
 *	claim ID CPUS SINCE ENDS ENDS_NSEC OWNER TARGET
 *	exclusive ID CPUS SINCE ENDS ENDS_NSEC OWNER TARGET
 *
 * One order a line, one space between the fields, CPUs as a list, SINCE and ENDS in microseconds of
 * CLOCK_REALTIME. Orders that hang on a connection are not in it: it ends with the daemon. */

#include "claims/orders.h"

/* Caller frees (g_free). */
char *nb_orders_format(const struct nb_orders *orders);

/* Keeps what can be read, and appends the number of each line that cannot be, an unsigned from 1,
 * to damaged. A last line without its end was truncated. Of another version nothing is kept. */
struct nb_orders *nb_orders_parse(const char *text, size_t len, GArray *damaged);

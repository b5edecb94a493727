/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* Which of a driver's ethtool statistics count the packets of a queue, and those that the NIC
 * dropped for want of a buffer. Pure. */

#include <glib.h>
#include <stdbool.h>

struct nb_stat {
	unsigned value; /* position among the values */
	bool rx;
	unsigned queue;
};

/* Appends struct nb_stat for each of the names that count packets of one queue; several may count
 * different packets of the same one. */
void nb_stat_names_resolve(const char *driver, char *const *names, GArray *stats);

/* The same for what the NIC dropped; all of them are of receive queues. */
void nb_drop_names_resolve(const char *driver, char *const *names, GArray *stats);
/* Whether any name of the driver's would be one of these. */
bool nb_drop_names_are_known(const char *driver);

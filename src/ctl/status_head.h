/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* The lines above the tables of status: the daemon in words. Pure, given the time. */

#include "ctl/rows.h"

/* Lines, each ending in a newline. Caller frees (g_free). */
char *nb_status_head(const struct nb_daemon_row *daemon, uint64_t now_usec);

/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* The lines above the tables of status: the document's "daemon" in words, which of its "nics" drop
 * packets, and what ran on those of its "cpus" that are excluded. Pure, given the time. */

#include <jansson.h>
#include <stdint.h>

/* Lines, each ending in a newline. Caller frees (g_free). */
char *nb_status_head(const json_t *daemon, const json_t *nics, const json_t *cpus,
		     uint64_t now_usec);

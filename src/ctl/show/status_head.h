/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* The lines above the tables of status: the document's "daemon" in words, and which of its "nics"
 * drop packets. Pure, given the time. */

#include <jansson.h>
#include <stdint.h>

/* Lines, each ending in a newline. Caller frees (g_free). */
char *nb_status_head(const json_t *daemon, const json_t *nics, uint64_t now_usec);

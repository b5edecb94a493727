/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* Everything that the daemon shows, as one JSON document: systemd/status.schema.json describes it.
 * Pure. Values belong to the caller (json_decref). */

#include "config/config.h"
#include "nicbalance/owned.h"
#include "nicbalance/status.h"

#include <jansson.h>

/* Of the form: it grows when a field changes its meaning or goes. One that is new does not count.
 */
#define NB_DOCUMENT_VERSION 1

/* Its text, without a line break; delays (struct nb_delays): empty while nobody measures them.
 * Caller frees (g_free). */
char *nb_document_make(const struct nb_status *status, const struct nb_config *config,
		       const GArray *delays);

/* The text of the document of owners (systemd/owners.schema.json). Caller frees (g_free). */
char *nb_document_owners(const struct nb_owned *rows, unsigned n);

/* Something that happened, with the time of day it did; in a rehearsal, with the seconds since its
 * beginning. */
json_t *nb_document_move(const struct nb_record *record);
json_t *nb_document_rehearsed_move(const struct nb_record *record);

/* As text; compact: without a line break. Otherwise one row of each table is a line. Caller frees
 * (g_free). */
char *nb_document_print_compact(const json_t *document);
char *nb_document_print(const json_t *document);

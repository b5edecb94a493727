/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* The parts that the document is put together of. Tables are written row by row: on a host with
 * thousands of queues all rows at once would be megabytes of small objects. */

#include "document/document.h"

/* Takes over row. */
void nb_document_add_row(GString *table, json_t *row);

void nb_document_add_nics(GString *table, const struct nb_status *status);
void nb_document_add_queues(GString *table, const struct nb_status *status);
void nb_document_add_cpus(GString *table, const struct nb_status *status);
void nb_document_add_moves(GString *table, const struct nb_status *status);
/* What is left alone, and why. */
void nb_document_add_excluded(GString *table, const struct nb_status *status);
/* What ran on excluded CPUs, and who had no business there. */
void nb_document_add_intrusions(GString *table, const struct nb_status *status);
/* Bans and claims. */
void nb_document_add_claims(GString *table, const struct nb_status *status);
json_t *nb_document_plan(const struct nb_status *status);

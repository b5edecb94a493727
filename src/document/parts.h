/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* The parts that the document is put together of. */

#include "document/document.h"

json_t *nb_document_nics(const struct nb_status *status);
json_t *nb_document_queues(const struct nb_status *status);
json_t *nb_document_cpus(const struct nb_status *status);
json_t *nb_document_moves(const struct nb_status *status);
json_t *nb_document_plan(const struct nb_status *status);
/* What is left alone, and why. */
json_t *nb_document_excluded(const struct nb_status *status);

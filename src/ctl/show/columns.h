/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* The columns of everything that is printed: names for -o, headings, names in the document. */

#include "ctl/show/table.h"

extern const struct nb_form nb_form_nics;
extern const struct nb_form nb_form_queues;
extern const struct nb_form nb_form_cpus;
extern const struct nb_form nb_form_moves;
extern const struct nb_form nb_form_excluded;
extern const struct nb_form nb_form_intrusions;
extern const struct nb_form nb_form_claims;
extern const struct nb_form nb_form_owners;
extern const struct nb_form nb_form_changes; /* of a plan */
extern const struct nb_form nb_form_settings;
extern const struct nb_form nb_form_latency;
/* Of a rehearsal. */
extern const struct nb_form nb_form_runs;
extern const struct nb_form nb_form_verdicts;
extern const struct nb_form nb_form_advice;
extern const struct nb_form nb_form_rehearsed_moves;

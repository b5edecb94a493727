/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* The columns of everything that is printed: names for -o, headings, names in JSON. Names in JSON
 * never change; new ones may be added. */

#include "ctl/table.h"

extern const struct nb_form nb_form_daemon;
extern const struct nb_form nb_form_cpus;
extern const struct nb_form nb_form_nics;
extern const struct nb_form nb_form_queues;
extern const struct nb_form nb_form_moves;
extern const struct nb_form nb_form_rehearsed_moves;
extern const struct nb_form nb_form_runs;
extern const struct nb_form nb_form_verdicts;
extern const struct nb_form nb_form_excluded;
extern const struct nb_form nb_form_plan;
extern const struct nb_form nb_form_planned_moves;
extern const struct nb_form nb_form_planned_rps;
extern const struct nb_form nb_form_settings;
extern const struct nb_form nb_form_latency;

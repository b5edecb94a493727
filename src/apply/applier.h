/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* Struct nb_applier, for the files of this folder only. */

#include "apply/apply.h"
#include "apply/baseline.h"

#define NB_BASELINE_PATH "run/nicbalance/baseline"

struct nb_applier {
	struct nb_access access;
	struct nb_baseline *baseline;
	char *damage; /* NULL if the baseline could be read */
};

/* Writes the baseline, atomically. */
int nb_applier_keep(struct nb_applier *applier);

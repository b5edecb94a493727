/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* What an applier is made of: for the files of this folder alone. */

#include "apply/apply.h"
#include "apply/baseline.h"

#define NB_BASELINE_PATH "run/nicbalance/baseline"

struct nb_applier {
	struct nb_access access;
	struct nb_baseline *baseline;
	char *damage; /* NULL when the baseline that was found could be read */
};

/* Writes the baseline out, so that it is on disk whole or as it was before. */
int nb_applier_keep(struct nb_applier *applier);

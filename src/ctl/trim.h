/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* What status leaves out without --all, so that a large host fits on a screen. Pure. Each function
 * takes rows out of the array and returns how many. */

#include "ctl/rows.h"

/* Those out of scope have a table of their own. */
unsigned nb_trim_nics(GArray *nics);
/* On hosts with many CPUs: those that serve no queue and have nothing else to do either. */
unsigned nb_trim_cpus(GArray *cpus);
/* All but the last. */
unsigned nb_trim_moves(GArray *moves);
/* When there are many: the devices that nobody expects to be balanced, as those of containers. */
unsigned nb_trim_excluded(GArray *excluded);

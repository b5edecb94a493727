/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* What status leaves out without --all, so that a large host fits on a screen. Pure. Each function
 * takes rows out of the array and returns how many. */

#include <jansson.h>

/* Those out of scope have a table of their own. */
size_t nb_trim_nics(json_t *nics);
/* On hosts with many CPUs: those that serve no queue and have nothing else to do either. */
size_t nb_trim_cpus(json_t *cpus);
/* All but the last. */
size_t nb_trim_moves(json_t *moves);
/* When there are many: the devices that nobody expects to be balanced, as those of containers. */
size_t nb_trim_excluded(json_t *excluded);

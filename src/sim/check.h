/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* Whether a section of a scenario fits the host that it speaks of. Pure. */

#include "sim/keys.h"

/* Checks a whole section. False, and "what is wrong; what to write instead" appended to fault, if
 * it does not fit. */
bool nb_sim_check(const struct nb_sim_draft *draft, enum nb_sim_section section, GString *fault);

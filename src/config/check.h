/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* Settings that must fit each other. Pure. */

#include "config/config.h"

#include <stdbool.h>

/* Appends the fault of each pair of settings that contradict each other to faults, owned texts
 * "path:line: what is wrong; what to write instead". Pairs with a row that is marked in broken (one
 * bool for each row: its value could not be read) are passed over. */
void nb_config_check(const struct nb_config *config, const bool *broken, GPtrArray *faults);

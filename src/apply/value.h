/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* What a knob holds, as it is kept: a CPU set without the words above its highest CPU, a number, or
 * an RSS table (table.h). Values never change, are shared by reference, and are the same when
 * g_bytes_equal() says so. Pure. */

#include "nicbalance/cpumask.h"

#include <glib.h>

/* Caller unrefs. */
GBytes *nb_value_of_cpus(const struct nb_cpumask *cpus);
void nb_value_cpus(GBytes *value, struct nb_cpumask *ret);
GBytes *nb_value_of_number(uint64_t number);
uint64_t nb_value_number(GBytes *value);

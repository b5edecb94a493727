/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* Reads which CPUs of the host are isolated, and by what. */

#include "nicbalance/topology.h"
#include "sysroot/sysroot.h"

/* Fills isolated and isolated_by from all sources there are; a source that is absent isolates
 * nothing. n_possible must be known. Fails if one cannot be read or understood: nothing may be
 * placed then, since a CPU that is isolated might be chosen. */
int nb_isolation_read(struct nb_sysroot *root, struct nb_topology *topology);

/* The CPUs that the command line isolates from managed interrupts, which no file shows. Pure. */
void nb_isolation_parse_cmdline(const char *cmdline, unsigned n_possible, struct nb_cpumask *ret);

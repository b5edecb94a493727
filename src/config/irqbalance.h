/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* What irqbalance is told by its unit, drop-ins and environment files: CPUs and interrupts that it
 * must leave alone. Container runtimes and other tools write the latter. */

#include "config/config.h"
#include "config/irqbalance_variables.h"

typedef struct nb_irqbalance {
	struct nb_cpumask banned;
	char *origin;                         /* "path:line" of what says so; NULL; owned */
	struct nb_interrupt_rules interrupts; /* what --banirq= and --banmod= say: Ignore */
	GArray *sources;                      /* files that were looked at; NULL: none */
} nb_irqbalance;

void nb_irqbalance_free(struct nb_irqbalance *irqbalance);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(nb_irqbalance, nb_irqbalance_free)

bool nb_irqbalance_is_empty(const struct nb_irqbalance *irqbalance);

/* IRQBALANCE_BANNED_CPUS is a mask and counts more than IRQBALANCE_BANNED_CPULIST, as irqbalance
 * has it (cputree.c setup_banned_cpus()); of IRQBALANCE_ARGS and the command line, --banirq= and
 * --banmod= are read. All else is passed over. -EINVAL: a value is none, and *ret_error says
 * "path:line: what is wrong; what to write instead" (caller frees). Pure. */
int nb_irqbalance_interpret(const struct nb_irqbalance_variables *variables,
			    struct nb_irqbalance **ret, char **ret_error);
/* The files of a host; those that are missing say nothing. Fails as nb_irqbalance_interpret(), or
 * with the errno of a read. */
int nb_irqbalance_read(struct nb_sysroot *root, struct nb_irqbalance **ret, char **ret_error);
/* None of them was written since, and none came: a stat(2) of each. What was not read from files
 * always is. */
bool nb_irqbalance_is_current(const struct nb_irqbalance *irqbalance, struct nb_sysroot *root);

/* Makes it part of config, which borrows its interrupts: in place of what was before, and of
 * BannedCPUs= only if no file of ours sets that. */
void nb_irqbalance_apply(const struct nb_irqbalance *irqbalance, struct nb_config *config);

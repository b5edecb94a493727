/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* Files in which others say at run time which CPUs interrupts may use. No event tells of a change
 * (procfs and kernfs do not notify of writes), so they are read with each idle check, a microsecond
 * each. On the host they are kept open. */

#include "nicbalance/cpumask.h"
#include "sysroot/sysroot.h"

#define NB_LIMIT_FILES 2

/* What changed, as bits. */
#define NB_LIMITS_DEFAULT_AFFINITY 1u /* proc/irq/default_smp_affinity */
#define NB_LIMITS_ISOLATION 2u        /* CPUs of isolated cgroup partitions (since 6.8) */

struct nb_limits {
	struct nb_sysroot *root; /* borrowed */
	int fds[NB_LIMIT_FILES];
	GString *texts[NB_LIMIT_FILES];     /* as read last; owned */
	GString *text;                      /* owned */
	struct nb_cpumask default_affinity; /* empty: unknown */
	bool read;
};

void nb_limits_init(struct nb_limits *limits, struct nb_sysroot *root);
void nb_limits_clear(struct nb_limits *limits);

/* Reads them again and returns what changed since they were read last; 0 the first time. What
 * cannot be read or understood stays as it was; a file that is not there says nothing. */
unsigned nb_limits_read(struct nb_limits *limits);

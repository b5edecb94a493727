/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* Files that hold a CPU set: here it is parsed and formatted, everywhere else it is a set. */

#include "nicbalance/cpumask.h"
#include "sysroot/sysroot.h"

/* A list ("0-3,8") or a mask ("00000001,80000000"). -EBADMSG: the file holds something else. *ret
 * is untouched on failure. */
int nb_sysroot_read_cpulist(struct nb_sysroot *root, const char *path, struct nb_cpumask *ret);
int nb_sysroot_read_cpumask(struct nb_sysroot *root, const char *path, struct nb_cpumask *ret);

/* The affinity of a task of the host, by sched_setaffinity(2). -EOPNOTSUPP: the root is a captured
 * machine, whose tasks are not here. For tests it is a write of proc/PID/status (sysroot.h). */
int nb_sysroot_set_affinity(struct nb_sysroot *root, uint32_t pid, const struct nb_cpumask *cpus);

/* As a mask, by nb_sysroot_write(). */
int nb_sysroot_write_cpumask(struct nb_sysroot *root, const char *path,
			     const struct nb_cpumask *cpus);

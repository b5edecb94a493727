/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* Loads the programs of src/bpf into the kernel, by libbpf, whose errors become negative errnos.
 * Everything made for that, descriptors too, lives as long as the process, which is meant to end.
 */

#include "bpf/loaded.h"

#include <stddef.h>

/* The function of the module: loads the programs as tp_btf, else as raw_tp; and cpustat, if
 * possible. */
nb_loader_fn nb_loader_run;

/* --- programs.c ------------------------------------------------------------------------------ */

/* Loads the programs of one flavour, leaves none attached, and times the clock that they read and
 * what entering one takes. log gets the verifier's output. */
int nb_loader_load(bool typed, struct nb_loaded *ret, char *log, size_t size);

/* --- entering.c ------------------------------------------------------------------------------ */

/* What a tracepoint takes longer with this program, a raw_tp one, nanoseconds; 0: not known. */
uint32_t nb_loader_time_entering(int program);

/* --- cpustat.c ------------------------------------------------------------------------------- */

/* Adds cpustat to what is loaded, or changes nothing. */
void nb_loader_add_cpustat(struct nb_loaded *loaded);

/* --- reason.c -------------------------------------------------------------------------------- */

/* The errno for an error of libbpf or the kernel, and the line for the operator. log is the
 * verifier's, "" if it did not run. */
int nb_loader_explain(int error, bool has_btf, const char *log, char **ret_reason);

/* --- cpus.c ---------------------------------------------------------------------------------- */

/* How many ids CPUs have, the highest plus one: by that the programs' arrays are indexed. possible:
 * what sysfs says, "0-3,8-11". -EBADMSG: no such list, or an id above NB_PROBE_CPUS_MAX. */
int nb_loader_count_cpu_ids(const char *possible);
/* Of this kernel; negative errno if it does not say. */
int nb_loader_read_cpu_ids(void);

/* --- netns.c --------------------------------------------------------------------------------- */

/* Inode of the caller's network namespace; 0 if unknown. */
uint32_t nb_loader_own_netns(void);

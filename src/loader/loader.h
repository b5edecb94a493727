/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* Puts the programs of src/bpf into the kernel, by libbpf, whose errors leave as negative errno.
 * All that is made for that, descriptors too, lives as long as the process: it is meant to end. */

#include "bpf/loaded.h"

#include <stddef.h>

/* What the module is for: the programs as tp_btf, else as raw_tp; and cpustat, where it can be had.
 */
nb_loader_fn nb_loader_run;

/* --- programs.c ------------------------------------------------------------------------------ */

/* Loads the programs of one flavour and attaches them but for softirq_raise. What the verifier says
 * ends up in log. */
int nb_loader_load(bool typed, struct nb_loaded *ret, char *log, size_t size);

/* --- cpustat.c ------------------------------------------------------------------------------- */

/* Adds it to what is loaded, or changes nothing. */
void nb_loader_add_cpustat(struct nb_loaded *loaded);

/* --- reason.c -------------------------------------------------------------------------------- */

/* What is answered to an error of libbpf or the kernel, and the line for the operator. log is the
 * verifier's, "" when it was not asked. */
int nb_loader_explain(int error, bool has_btf, const char *log, char **ret_reason);

/* --- netns.c --------------------------------------------------------------------------------- */

/* Inode of the caller's network namespace; 0 when it cannot be told. */
uint32_t nb_loader_own_netns(void);

/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* Probes for whoever has nothing else to do meanwhile. */

#include "bpf/probe_internal.h"

/* nb_probe_open() until there is an answer. */
int nb_await_probe(struct nb_probe **ret, char **ret_reason);

/* Runs the function in a process of its own, and waits for its answer. */
int nb_await_loaded(nb_loader_fn *load, struct nb_loaded *ret);

/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* The calls of bpf(2) for loaded programs, so that the daemon does not need libbpf. All return
 * negative errno. */

#include <stddef.h>
#include <stdint.h>

int nb_bpf_lookup(int map, const void *key, void *ret_value);
int nb_bpf_update(int map, const void *key, const void *value);
int nb_bpf_delete(int map, const void *key);
/* The key behind key; the first one for NULL. -ENOENT: there is none. */
int nb_bpf_next_key(int map, const void *key, void *ret_key);

/* Runs a program that is attached to nothing, once. */
int nb_bpf_run(int program, const void *context, size_t size);
/* Attaches a program to a raw tracepoint; name is NULL for a tp_btf program, which knows its own.
 * Returns the descriptor of the link; the program runs until it is closed. */
int nb_bpf_attach(int program, const char *name);
/* Whether a descriptor is one of a link. */
int nb_bpf_check_link(int fd);

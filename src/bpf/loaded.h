/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* What the loader hands over: descriptors of what it has put into the kernel. libbpf reads all
 * types of the kernel for that, some megabytes, and is needed no more when it is done; so the
 * loader is a module, which a process of its own opens and no other. */

#include <stdbool.h>
#include <stdint.h>

/* In the order of the object: softirq_entry, softirq_exit, irq_handler_entry, irq_handler_exit,
 * napi_poll, netif_rx. */
#define NB_PROBE_PROGRAMS 6

/* Arrays of layout.h, to be mapped. */
enum nb_array {
	NB_ARRAY_CPUS, /* n_cpus */
	NB_ARRAY_NAPIS,
	NB_ARRAY_IRQS,
	NB_ARRAY_TOTALS,
	NB_ARRAY_CONTROL,
	NB_ARRAY_DELAYS, /* n_cpus */
	NB_ARRAY_BUCKETS,
	NB_ARRAY_CPUSTAT, /* n_cpus; absent where the kernel keeps that symbol to itself */
	_NB_ARRAY_MAX
};

/* Descriptors: first those of the arrays. */
enum nb_fd {
	/* Other maps. */
	NB_FD_NAPI_POSITIONS = _NB_ARRAY_MAX,
	NB_FD_DEVICES,
	NB_FD_IRQS_IN_SCOPE,
	/* Programs. None of them is attached yet. */
	NB_FD_SOFTIRQ_RAISE,
	NB_FD_GRO_RECEIVE,
	NB_FD_GRO_FRAGS,
	NB_FD_READ_CPUSTAT, /* absent like NB_ARRAY_CPUSTAT */
	NB_FD_PROGRAMS,
	_NB_FD_MAX = NB_FD_PROGRAMS + NB_PROBE_PROGRAMS
};

struct nb_loaded {
	int result; /* 0 or negative errno as of nb_probe_open(), and then no descriptor is there */
	char reason[512];
	bool typed;             /* to be attached as tp_btf, else as raw_tp */
	uint32_t n_cpus;        /* ids of CPUs: the highest possible one plus one */
	uint32_t clock_nsec;    /* what a program takes to read the clock */
	uint32_t entering_nsec; /* what entering a program takes; 0: not known */
	int fds[_NB_FD_MAX];    /* -1: absent */
};

typedef void nb_loader_fn(struct nb_loaded *ret);

/* The module's name, of this version alone, and its only function. */
#define NB_LOADER_MODULE(version) "nicbalance-loader-" version ".so"
#define NB_LOADER_FUNCTION "nb_loader_run"

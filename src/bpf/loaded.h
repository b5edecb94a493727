/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* What the loader hands over: descriptors of what it has put into the kernel. libbpf reads all
 * types of the kernel for that, some megabytes, and is needed no more when it is done; so the
 * loader is a module, which a process of its own opens and no other. */

#include <stdbool.h>
#include <stdint.h>

/* softirq_entry and _exit, irq_handler_entry and _exit, napi_poll. */
#define NB_PROBE_LINKS 5

/* Arrays of layout.h, to be mapped. */
enum nb_array {
	NB_ARRAY_CPUS, /* n_cpus */
	NB_ARRAY_NAPIS,
	NB_ARRAY_IRQS,
	NB_ARRAY_TOTALS,
	NB_ARRAY_DELAYS,  /* n_cpus */
	NB_ARRAY_CPUSTAT, /* n_cpus; absent where the kernel keeps that symbol to itself */
	_NB_ARRAY_MAX
};

/* Descriptors: first those of the arrays. */
enum nb_fd {
	/* Other maps. */
	NB_FD_NAPI_POSITIONS = _NB_ARRAY_MAX,
	NB_FD_DEVICES_IN_SCOPE,
	NB_FD_IRQS_IN_SCOPE,
	/* Programs that are not attached. */
	NB_FD_SOFTIRQ_RAISE,
	NB_FD_READ_CPUSTAT, /* absent like NB_ARRAY_CPUSTAT */
	/* As long as one of these is open its program runs. */
	NB_FD_LINKS,
	_NB_FD_MAX = NB_FD_LINKS + NB_PROBE_LINKS
};

struct nb_loaded {
	int result; /* 0 or negative errno as of nb_probe_open(), and then no descriptor is there */
	char reason[512];
	bool typed;          /* attached as tp_btf, else as raw_tp */
	uint32_t n_cpus;     /* possible */
	int fds[_NB_FD_MAX]; /* -1: absent */
};

typedef void nb_loader_fn(struct nb_loaded *ret);

/* The module's name, of this version alone, and its only function. */
#define NB_LOADER_MODULE(version) "nicbalance-loader-" version ".so"
#define NB_LOADER_FUNCTION "nb_loader_run"

/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* What struct nb_probe is made of: counters in plain memory, mapped from the kernel or, in a fake,
 * anyone's; and the kernel's part, which a fake lacks. */

#include "bpf/loaded.h"
#include "bpf/probe.h"

struct nb_probe {
	/* Written by the programs. nb_probe_free() unmaps them if they were loaded, else they are
	 * left to whoever made them. */
	struct nb_probe_cpu *cpus; /* n_cpus */
	unsigned n_cpus;
	struct nb_probe_napi *napis; /* max_napis */
	unsigned max_napis;
	struct nb_probe_irq *irqs; /* max_irqs */
	unsigned max_irqs;
	struct nb_probe_totals *totals;
	struct nb_probe_control *control; /* written here */
	struct nb_probe_delays *delays;   /* n_cpus; NULL: never watched */
	struct nb_probe_bucket *buckets;  /* NB_PROBE_BUCKETS_MAX; NULL: never counted */
	struct nb_probe_cpustat *cpustat; /* n_cpus; NULL: this kernel keeps it to itself */

	/* An interrupt's counters are its own for the life of the probe, in scope or not, so that
	 * they never jump. */
	GHashTable *irq_positions; /* number to position plus one; made by nb_probe_set_scope() */
	unsigned n_irqs;
	bool irq_in_scope[NB_PROBE_IRQS_MAX]; /* by position */
	GArray *ifindexes;                    /* int: devices in scope; made with irq_positions */
	GArray *tunnels;                      /* int: likewise */
	int virtuals[NB_PROBE_VIRTUALS_MAX];  /* as told; 0: none */

	/* At the last nb_probe_check(); of the last two, when there was a poll. */
	uint32_t last_softirqs;
	uint32_t last_polls;
	uint32_t last_net_rx;

	bool loaded; /* false in a fake */
	bool typed;
	int fds[_NB_FD_MAX];          /* by enum nb_array and nb_fd, when loaded; -1: none */
	int raise_link;               /* likewise; there while delays are watched */
	int bucket_links[2];          /* likewise; while buckets are counted */
	int links[NB_PROBE_PROGRAMS]; /* likewise; there while attached */
	bool attached;
	uint32_t n_slices; /* so far */
	uint32_t clock_nsec;
	uint32_t entering_nsec;
};

/* --- probe.c --------------------------------------------------------------------------------- */

/* What was loaded as a probe, to which the descriptors belong, or the reason why there is none. */
int nb_probe_adopt(const struct nb_loaded *loaded, struct nb_probe **ret, char **ret_reason);

/* Sets the pointer to an array of the kernel's, of which only the control is to be written. */
int nb_probe_map(struct nb_probe *probe, enum nb_array which);

/* --- loading.c ------------------------------------------------------------------------------- */

/* Begins to run the function in a process of its own. It lives no longer than this one. */
int nb_probe_loading_new(nb_loader_fn *load, struct nb_probe_loading **ret);

/* What it came to; the descriptors are the caller's. -EINPROGRESS: not yet. -EPIPE: the process
 * ended without an answer. */
int nb_probe_loading_answer(const struct nb_probe_loading *loading, struct nb_loaded *ret);

/* The loader, from its module. */
void nb_probe_run_module(struct nb_loaded *ret);

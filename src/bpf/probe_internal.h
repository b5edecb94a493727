/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* What struct nb_probe is made of: counters in plain memory, mapped from the kernel or, in a fake,
 * anyone's; and the libbpf part, which a fake lacks. */

#include "bpf/probe.h"

struct probe_bpf;
struct cpustat_bpf;
struct bpf_link;
struct bpf_map;

/* softirq_entry and _exit, irq_handler_entry and _exit, napi_poll. */
#define NB_PROBE_LINKS 5

struct nb_probe {
	/* Written by the programs. nb_probe_free() unmaps them if object is there, else they are
	 * left to whoever made them. */
	struct nb_probe_cpu *cpus; /* n_cpus */
	unsigned n_cpus;
	struct nb_probe_napi *napis; /* max_napis */
	unsigned max_napis;
	const uint32_t *n_napis;   /* in use */
	const uint32_t *n_lost;    /* polls whose NAPI found no counters left; may be NULL */
	struct nb_probe_irq *irqs; /* max_irqs */
	unsigned max_irqs;
	struct nb_probe_delays *delays;   /* n_cpus; NULL: never watched */
	struct nb_probe_cpustat *cpustat; /* n_cpus; NULL: this kernel keeps it to itself */

	/* An interrupt's counters are its own for the life of the probe, in scope or not, so that
	 * they never jump. */
	GHashTable *irq_positions; /* number to position plus one; made by nb_probe_set_scope() */
	unsigned n_irqs;
	bool irq_in_scope[NB_PROBE_IRQS_MAX]; /* by position */
	GArray *ifindexes;                    /* int: devices in scope; made with irq_positions */

	/* At the last nb_probe_check(); of the last two, when there was a poll. */
	uint32_t last_softirqs;
	uint32_t last_polls;
	uint32_t last_net_rx;

	const char *flavour;
	struct probe_bpf *object; /* NULL in a fake */
	struct cpustat_bpf *cpustat_object;
	struct bpf_link *links[NB_PROBE_LINKS];
	struct bpf_link *raise_link; /* while delays are watched */
};

/* --- load.c ---------------------------------------------------------------------------------- */

/* Loads the programs of one flavour ("tp_btf", "raw_tp"), maps their counters and attaches them but
 * for softirq_raise. What the verifier says ends up in log. On failure probe is to be unloaded. */
int nb_probe_load(struct nb_probe *probe, const char *flavour, char *log, size_t size);
void nb_probe_unload(struct nb_probe *probe);

/* The memory of an array map, to read. */
int nb_probe_map(const struct bpf_map *map, void **ret);
void nb_probe_unmap(void *memory, const struct bpf_map *map);

/* --- cpustat.c ------------------------------------------------------------------------------- */

void nb_probe_load_cpustat(struct nb_probe *probe);
void nb_probe_unload_cpustat(struct nb_probe *probe);

/* --- reason.c -------------------------------------------------------------------------------- */

/* What nb_probe_new() answers to an error of libbpf or the kernel, and the line for the operator.
 * log is the verifier's, "" when it was not asked. */
int nb_probe_explain(int error, bool has_btf, const char *log, char **ret_reason);

/* --- netns.c --------------------------------------------------------------------------------- */

/* Inode of the caller's network namespace; 0 when it cannot be told. */
uint32_t nb_probe_own_netns(void);

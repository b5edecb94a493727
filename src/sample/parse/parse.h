/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* The counter files of /proc and /sys. Pure. Text need not be NUL-terminated. All return 0, or
 * -EBADMSG for text that is cut or malformed; those that take CPUs find each by its id and return
 * -ESTALE when the file knows other CPUs. What was filled in before a failure is void. */

#include "nicbalance/intrusion.h"
#include "nicbalance/snapshot.h"

#include <glib.h>

/* /proc/stat up to its line "intr": the times of cpus, which hold their ids, ascending. */
int nb_parse_stat(const char *text, size_t len, unsigned ticks_per_sec,
		  struct nb_cpu_counters *cpus, unsigned n_cpus);

/* The line "intr" of /proc/stat: uint32_t by number of the interrupt, on all CPUs; wraps. */
int nb_parse_intr(const char *text, size_t len, GArray *ret_counts);

/* /proc/softirqs, which has a column for each possible CPU, offline ones too: net_rx and net_tx. */
int nb_parse_softirqs(const char *text, size_t len, struct nb_cpu_counters *cpus, unsigned n_cpus);

/* The same file, all possible CPUs: calls fn for each CPU, in order. A kind that the kernel does
 * not have is 0. */
typedef void (*nb_softirq_fn)(unsigned cpu, const uint32_t counts[_NB_SOFTIRQ_MAX], void *userdata);
int nb_parse_softirq_kinds(const char *text, size_t len, nb_softirq_fn fn, void *userdata);

/* /proc/net/softnet_stat with 13 columns (5.10) or more. */
int nb_parse_softnet(const char *text, size_t len, struct nb_cpu_counters *cpus, unsigned n_cpus);

/* /proc/net/netstat: a counter of a group, by their names in the file. -ENOENT: it is not there. */
int nb_parse_netstat(const char *text, size_t len, const char *group, const char *name,
		     uint64_t *ret);

/* /proc/sys/net/core/netdev_rss_key: the first n_bytes of the kernel's RSS key. -ENODATA: no driver
 * has asked for it yet, and there is none. */
int nb_parse_rss_key(const char *text, size_t len, uint8_t *ret_key, unsigned n_bytes);

/* /sys/kernel/irq/N/per_cpu_count: exactly n_counts numbers, one for each possible CPU. The kernel
 * cuts the list at one page (kernel/irq/irqdesc.c per_cpu_count_show): -EBADMSG. */
int nb_parse_cpu_counts(const char *text, size_t len, uint32_t *ret_counts, unsigned n_counts);

/* One numbered row of /proc/interrupts; all is borrowed for the call. actions are the handler
 * names, joined by ", ". */
struct nb_interrupt_row {
	uint32_t irq;
	const unsigned *cpus; /* the ids of the header */
	const uint32_t *counts;
	unsigned n_counts;
	const char *actions;
	size_t actions_len;
};
typedef void (*nb_interrupt_fn)(const struct nb_interrupt_row *row, void *userdata);

/* Calls fn for each numbered row, in order, until the text ends or a row is malformed. */
int nb_parse_interrupts(const char *text, size_t len, nb_interrupt_fn fn, void *userdata);

/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* What the daemon tells, one struct a row; nicbalance/interface.h says what each field means. Texts
 * belong to the message that they came in. Plain data. */

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/* A row of any type. */
static inline const void *nb_row_at(const GArray *rows, unsigned i)
{
	return rows->data + (size_t)i * g_array_get_element_size((GArray *)rows);
}

struct nb_irq_list {
	const uint32_t *irqs;
	size_t n_irqs;
};

struct nb_daemon_row {
	const char *version, *mode, *grade, *grade_reason, *accounting, *verdict, *verdict_text;
	const char *online, *eligible, *isolated, *banned; /* lists of CPUs */
	int paused;
	uint64_t cycles, cpu_time_nsec, probe_cost_nsec, started_usec, window_nsec;
	uint32_t noise, hot;
};

/* The load of a CPU as a bar: its queues, and its fixed load. */
struct nb_bar {
	uint32_t queues, fixed;
};

struct nb_cpu_row {
	uint32_t id, core, llc;
	int32_t node;
	uint32_t busy, backlog, softirq, irq;
	struct nb_bar load;
	uint32_t dropped, squeezed, n_queues;
	const char *note;
};

struct nb_nic_row {
	int32_t ifindex;
	const char *name, *driver;
	int32_t node;
	const char *master, *scope, *mapping, *packets;
	uint32_t n_rx, n_tx, n_queues, n_slow_path;
};

struct nb_queue_row {
	int32_t ifindex;
	const char *netdev;
	uint32_t index;
	int has_rx, has_tx;
	struct nb_irq_list irqs;
	int32_t cpu;
	uint32_t time, threaded;
	int saturated;
	uint64_t rx_per_sec, tx_per_sec, interrupts_per_sec;
	const char *rps, *note;
};

struct nb_move_row {
	uint64_t realtime_usec;
	const char *event, *reason, *outcome, *effect;
	int32_t ifindex;
	const char *netdev;
	uint32_t index;
	struct nb_irq_list irqs;
	int32_t cpu_from, cpu_to;
	const char *rps_from, *rps_to;
	uint32_t load, before, predicted, measured;
	const char *what, *why, *result;
};

/* What came of one run of a rehearsal. */
struct nb_run_row {
	const char *name;
	uint32_t hottest_mean, hottest_p99;
	uint64_t hot_usec, dropped;
	uint32_t n_moves, n_steered, n_ping_pongs;
};

/* For how long it held. */
struct nb_verdict_row {
	const char *word, *text;
	uint64_t usec;
	uint32_t share;
};

struct nb_excluded_row {
	const char *kind, *what, *reason, *why;
};

struct nb_plan_row {
	const char *verdict, *verdict_text;
	int32_t hottest_cpu;
	uint32_t hottest, mean, gain_needed;
};

struct nb_planned_move_row {
	int32_t ifindex;
	const char *netdev;
	uint32_t index;
	const char *reason;
	int32_t cpu_from, cpu_to;
	uint32_t load, source_before, source_after, target_before, target_after;
	const char *why;
};

struct nb_planned_rps_row {
	int32_t ifindex;
	const char *netdev;
	uint32_t index;
	const char *reason, *from, *to, *why;
};

/* A delay is below so many microseconds, or at least so many. 0: none was measured. */
struct nb_bound {
	uint64_t usec;
	bool is_least;
};

#define NB_CPU_ALL (-1)

struct nb_latency_row {
	int32_t cpu; /* or NB_CPU_ALL */
	uint64_t n_runs;
	struct nb_bound p50, p99, max;
};

struct nb_setting_row {
	const char *section, *key, *value, *fallback, *origin;
};
